/* Names of files, tables and columns are whatever their maker chose: an ESC in one would be obeyed by a terminal, a line break
 * would pass for a message of ours, and an override of direction shows a name backwards. Relies on UTF-8 as text.h reads it. */
#include "base/plain.h"

#include "base/fs.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_control(uint32_t c) {
    return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0);
}

/* C0 but for TAB, DEL and C1; marks, embeddings, overrides and isolates of direction; line and paragraph separators, zero width,
 * byte order mark, annotations, tags. */
static bool is_unfit(uint32_t c) {
    return is_control(c) || c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe007f);
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

const uint8_t *plain_find_control(struct bytes text) {
    for (size_t i = 0, n; i < text.n; i += n ? n : 1) {
        uint32_t code = text.p[i]; /* a byte that is not UTF-8 is a control to terminals that do not read UTF-8 */
        n = utf8_next(text.p + i, text.n - i, &code);
        if (is_control(n ? code : text.p[i]) && code != '\n' && code != '\r') return text.p + i;
    }
    return NULL;
}

bool plain_is_name(struct bytes text) {
    return !plain_find_control(text) && (!text.n || (!memchr(text.p, '\n', text.n) && !memchr(text.p, '\r', text.n)));
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

/* ---- paths ---- */

int path_names_add(struct path_names *names, const char *dir, const char *name, struct err *err) {
    if (grow_array(&names->names, names->n, sizeof *names->names, "names of unpacked files", err)) return -1;
    struct path_name added = {fs_printf(err, "%s", dir), fs_printf(err, "%s", name)};
    if (added.dir && added.name) {
        names->names[names->n++] = added;
        return 0;
    }
    free(added.dir);
    free(added.name);
    return -1;
}

/* The first of the directories in the text, and its position; NULL: none. */
static const struct path_name *find_first(const struct path_names *names, struct bytes text, size_t *at) {
    const struct path_name *first = NULL;
    for (size_t i = 0; i < names->n; i++) {
        const char *dir = names->names[i].dir;
        const uint8_t *found = text.n ? memmem(text.p, text.n, dir, strlen(dir)) : NULL;
        if (!found || (first && (size_t)(found - text.p) >= *at)) continue;
        first = &names->names[i];
        *at = (size_t)(found - text.p);
    }
    return first;
}

int path_names_put(const struct path_names *names, struct bytes text, struct buf *out, struct err *err) {
    const struct path_name *named;
    size_t at;
    while ((named = find_first(names, text, &at))) {
        size_t end = at + strlen(named->dir);
        bool is_url = named->name[strlen(named->name) - 1] == '/';
        bool below = !is_url && end + 1 < text.n && text.p[end] == '/';
        if (buf_put(out, text.p, at, err) || buf_put(out, named->name, strlen(named->name), err)) return -1;
        if (below && buf_put_byte(out, '!', err)) return -1;
        end += below;
        text = bytes_of(text.p + end, text.n - end);
    }
    return text.n ? buf_put(out, text.p, text.n, err) : 0;
}

void path_names_in_error(const struct path_names *names, struct err *err) {
    struct buf text = {0};
    struct err none = {0};
    if (!path_names_put(names, bytes_str(err->text), &text, &none))
        snprintf(err->text, sizeof err->text, "%.*s", (int)text.n, (const char *)text.p);
    buf_free(&text);
}

void path_names_free(struct path_names *names) {
    for (size_t i = 0; i < names->n; i++) {
        free(names->names[i].dir);
        free(names->names[i].name);
    }
    free(names->names);
    *names = (struct path_names){0};
}
