#include "cmd/common/html/page_figures.h"

#include <stdarg.h>
#include <stdio.h>

enum { PATH_BYTES = 96 };

void figure_whole(struct page *p, uint64_t n, page_number_text *number, const char *fmt, ...) {
    char path[PATH_BYTES], text[32];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    page_figure(p, &(struct page_figure){.figure = path, .shown = number(n, text), .whole = n, .is_whole = true});
}

void figure_real(struct page *p, double value, int digits, const char *fmt, ...) {
    char path[PATH_BYTES], text[48];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    snprintf(text, sizeof text, "%.*f", digits, value);
    page_figure(p, &(struct page_figure){.figure = path, .shown = text, .value = value});
}

void figure_share(struct page *p, double share, const char *fmt, ...) {
    char path[PATH_BYTES], text[48];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    snprintf(text, sizeof text, "%.1f %%", 100 * share);
    page_figure(p, &(struct page_figure){.figure = path, .shown = text, .value = share});
}

void tile_open(struct page *p, const char *name) {
    page_raw(p, "<div class=\"tile\"><dt>%s</dt><dd>", name);
}

void tile_close(struct page *p) {
    page_raw(p, "</dd></div>\n");
}

void tile_whole(struct page *p, const char *name, uint64_t n, page_number_text *number, const char *path) {
    tile_open(p, name);
    figure_whole(p, n, number, "%s", path);
    tile_close(p);
}
