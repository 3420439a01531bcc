#include "cmd/common/html/command_line.h"

#include <stdio.h>

enum { LONGEST = 64 << 10 };

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_-+=:,./@%", c));
}

static int put_quoted(struct buf *out, const char *word, struct err *err) {
    const char *at = word;
    while (*at && is_plain(*at)) at++;
    if (!*at && *word) return buf_put(out, word, strlen(word), err);
    if (buf_put_byte(out, '\'', err)) return -1;
    for (at = word; *at; at++)
        if (*at == '\'' ? buf_put(out, "'\\''", 4, err) : buf_put_byte(out, (uint8_t)*at, err)) return -1;
    return buf_put_byte(out, '\'', err);
}

/* getopt puts argv into another order: the kernel has it as it was. */
int command_line_read(struct buf *out, struct err *err) {
    struct buf words = {0};
    FILE *f = fopen("/proc/self/cmdline", "re");
    int rc = buf_reserve(&words, LONGEST + 1, err);
    if (!rc && f) words.n = fread(words.p, 1, LONGEST, f);
    if (f) fclose(f);
    if (!rc) rc = buf_put_byte(&words, 0, err);
    for (size_t i = 0; !rc && i + 1 < words.n; i += strlen((char *)words.p + i) + 1) {
        const char *word = (const char *)words.p + i, *slash = i ? NULL : strrchr(word, '/');
        if (i) rc = buf_put_byte(out, ' ', err);
        if (!rc) rc = put_quoted(out, slash ? slash + 1 : word, err);
    }
    buf_free(&words);
    return rc ? -1 : buf_put_byte(out, 0, err);
}
