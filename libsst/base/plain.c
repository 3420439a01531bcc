/* Names of files, tables and columns are whatever their maker chose: an ESC in one would be obeyed by a terminal, a line break
 * would pass for a message of ours, and an override of direction shows a name backwards. Relies on UTF-8 as text.h reads it. */
#include "base/plain.h"

#include "base/text.h"

#include <string.h>

/* C0 but for TAB, DEL and C1; marks, embeddings, overrides and isolates of direction; line and paragraph separators, zero width,
 * byte order mark, annotations, tags. */
static bool is_unfit(uint32_t c) {
    return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
           (c >= 0xe0000 && c <= 0xe007f);
}

size_t plain_char(const uint8_t *p, size_t left, char out[PLAIN_BYTES], size_t *used) {
    static const char digits[] = "0123456789abcdef";
    uint32_t code = 0;
    size_t n = utf8_next(p, left, &code);
    *used = n ? n : 1;
    if (n && !is_unfit(code)) {
        memcpy(out, p, n);
        return n;
    }
    for (size_t i = 0; i < *used; i++) {
        memcpy(out + 4 * i, "\\x", 2);
        out[4 * i + 2] = digits[p[i] >> 4];
        out[4 * i + 3] = digits[p[i] & 15];
    }
    return 4 * *used;
}

char *plain_text(struct bytes text, char *out, size_t room) {
    char piece[PLAIN_BYTES];
    size_t used, w = 0;
    for (size_t i = 0; i < text.n; i += used) {
        size_t n = plain_char(text.p + i, text.n - i, piece, &used);
        if (w + n >= room) break;
        memcpy(out + w, piece, n);
        w += n;
    }
    out[w] = 0;
    return out;
}

int plain_put(struct buf *out, struct bytes text, struct err *err) {
    char piece[PLAIN_BYTES];
    size_t used;
    for (size_t i = 0; i < text.n; i += used) {
        size_t n = plain_char(text.p + i, text.n - i, piece, &used);
        if (buf_put(out, piece, n, err)) return -1;
    }
    return 0;
}

int plain_put_lines(struct buf *out, struct bytes text, struct err *err) {
    for (size_t at = 0; at < text.n;) {
        const uint8_t *stop = memchr(text.p + at, '\n', text.n - at);
        size_t n = stop ? (size_t)(stop - text.p) - at : text.n - at;
        if (plain_put(out, bytes_of(text.p + at, n), err) || (stop && buf_put_byte(out, '\n', err))) return -1;
        at += n + (stop != NULL);
    }
    return 0;
}
