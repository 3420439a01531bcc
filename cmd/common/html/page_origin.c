/* Writes how a page was made: the command line as one would type it (from /proc, because getopt reorders argv), program, time,
 * settings. */
#include "cmd/common/html/page.h"
#include "cmd/common/html/page_origin.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/output_text.h"

#include <stdio.h>

/* "" where there is an error; it is the page's. */
static const char *read_command(struct buf *command, struct page *p) {
    return p->err.code || command_line_read(command, &p->err) ? "" : (const char *)command->p;
}

void page_origin_command(struct page *p) {
    struct buf command = {0};
    page_text(p, read_command(&command, p));
    buf_free(&command);
}

void page_origin_tool(const struct page_origin *o, char out[64]) {
    snprintf(out, 64, "%s %s", o->tool, obkv_version);
}

void page_origin_begin(const struct page_origin *o, struct page *p) {
    struct buf command = {0};
    char tool[64];
    page_origin_tool(o, tool);
    page_settings(p, read_command(&command, p));
    page_setting(p, "program", tool);
    buf_free(&command);
}

void page_origin_end(const struct page_origin *o, struct page *p) {
    char made[48];
    moment_text(o->now_ms, true, made);
    page_setting(p, "made at", made);
    page_settings_end(p);
}

enum { LONGEST = 64 << 10 };

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_-+=:,./@%", c));
}

int command_word_put(struct buf *out, const char *word, struct err *err) {
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
        if (!rc) rc = command_word_put(out, slash ? slash + 1 : word, err);
    }
    buf_free(&words);
    return rc ? -1 : buf_put_byte(out, 0, err);
}
