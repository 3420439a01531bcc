/* The last section of a page: the run that made it. */
#ifndef CMD_COMMON_HTML_PAGE_ORIGIN_H
#define CMD_COMMON_HTML_PAGE_ORIGIN_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/common/html/page.h"

struct page_origin {
    const char *tool; /* "obkv-split" */
    int64_t now_ms;
};

/* The command of this process, as one would type it. */
void page_origin_command(struct page *p);
/* "obkv-split 1.0.0" */
void page_origin_tool(const struct page_origin *o, char out[64]);

/* A section of settings (page_setting) that begins with command and program and ends with the time. */
void page_origin_begin(const struct page_origin *o, struct page *p);
void page_origin_end(const struct page_origin *o, struct page *p);

/* As one would type it into a shell, NUL-terminated; "" where the system does not give it. */
int command_line_read(struct buf *out, struct err *err);
/* One word of it, in quotes where a shell needs them. */
int command_word_put(struct buf *out, const char *word, struct err *err);

#endif
