/* The section "What to do next" of a page. */
#ifndef CMD_COMMON_HTML_PAGE_NEXT_H
#define CMD_COMMON_HTML_PAGE_NEXT_H

#include "cmd/common/html/page.h"

struct options;

/* sql: "" = there is none. */
void page_next_begin(struct page *p, const char *lead, const char *sql);
/* words end with NULL; why NULL: as the command before. */
void page_next_command(struct page *p, const char *why, const char *const *words);
/* As page_next_command, with the inputs of this run, and the options that say how they are read and what is taken of them. */
void page_next_read(struct page *p, const char *why, const char *const *words, const struct options *o);
/* The import of them into the table of a DDL file. */
void page_next_import(struct page *p, const struct options *o, const char *ddl);
void page_next_end(struct page *p);

#endif
