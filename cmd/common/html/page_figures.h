/* Figures of pages that stand in a JSON document as well: the path there is printed from fmt. */
#ifndef HTML_PAGE_FIGURES_H
#define HTML_PAGE_FIGURES_H

#include "cmd/common/html/page.h"

void figure_whole(struct page *p, uint64_t n, page_number_text *number, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void figure_real(struct page *p, double value, int digits, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Shown in percent. */
void figure_share(struct page *p, double share, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- tiles: the few figures at the top of a page ---- */
void tile_open(struct page *p, const char *name);
void tile_close(struct page *p);
/* A tile with one figure. */
void tile_whole(struct page *p, const char *name, uint64_t n, page_number_text *number, const char *path);

#endif
