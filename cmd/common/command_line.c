/* Command lines as one would type them: that of this process, from /proc because getopt reorders argv, and words in quotes where
 * a shell needs them. */
#include "cmd/common/command_line.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 << 10 };

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_-+=:,./@%", c));
}

int command_line_word(struct buf *out, const char *word, struct err *err) {
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
    if (f) (void)fclose(f); /* it was only read */
    if (!rc) rc = buf_put_byte(&words, 0, err);
    for (size_t i = 0; !rc && i + 1 < words.n; i += strlen((char *)words.p + i) + 1) {
        const char *word = (const char *)words.p + i, *slash = i ? NULL : strrchr(word, '/');
        if (i) rc = buf_put_byte(out, ' ', err);
        if (!rc) rc = command_line_word(out, slash ? slash + 1 : word, err);
    }
    buf_free(&words);
    return rc ? -1 : buf_put_byte(out, 0, err);
}

int command_line_words(struct buf *out, const char *const *words, struct err *err) {
    for (; *words; words++)
        if ((out->n && buf_put_byte(out, ' ', err)) || command_line_word(out, *words, err)) return -1;
    return 0;
}
