/* The last section of a page: the run that made it. */
#ifndef HTML_PAGE_ORIGIN_H
#define HTML_PAGE_ORIGIN_H

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

#endif
