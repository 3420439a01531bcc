/* One page of HTML by itself: a template with a script, into which the results of a run are put as JSON. The script renders
 * them by their schema (page.html). Nothing is fetched. */
#ifndef CMD_COMMON_PAGE_H
#define CMD_COMMON_PAGE_H

#include "base/buf.h"

/* Result documents, and lines of JSON that belong to the document after them. Zero-initialise. */
struct page {
    struct buf results;
};

/* Adds a document or a line, as --json prints it. */
int page_add(struct page *p, struct bytes json, struct err *err);
/* Adds all documents and lines of a text that several runs have printed with --json. Errors name the path. ERR_INPUT: there is no
 * document, or something else. */
int page_add_results(struct page *p, const char *path, struct bytes text, struct err *err);
/* Writes the page under a temporary name first; what has that name is replaced. tool: "obkv-split 1.0.0"; the page says which
 * command line has made it, and when. */
int page_write(const struct page *p, const char *tool, int64_t now_ms, const char *path, struct err *err);
void page_free(struct page *p);

#endif
