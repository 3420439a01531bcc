#include "cmd/common/html/chart.h"

#include <math.h>

enum { LEVELS = 8, LABELS = 5 };

/* Square roots: few cells are to be told from none. Level k holds up to most * (k / LEVELS)^2. */
static unsigned level_of(const struct chart_heat *h, uint32_t v) {
    if (!v || !h->most) return 0;
    unsigned k = (unsigned)ceil(LEVELS * sqrt((double)v / h->most) - 1e-9);
    return k < 1 ? 1 : k > LEVELS ? LEVELS : k;
}

/* Neighbours of one level are one rectangle. Rectangles overlap a little: no seams between them. */
static void put_row(struct page *p, const struct chart_heat *h, uint32_t row) {
    for (uint32_t c = 0, end; c < h->columns; c = end) {
        unsigned level = level_of(h, h->at(h->arg, row, c));
        for (end = c + 1; end < h->columns && level_of(h, h->at(h->arg, row, end)) == level;) end++;
        if (level) page_raw(p, "<rect class=\"h%u\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"1\"/>", level, c, row, end - c);
    }
    page_raw(p, "\n");
}

static void put_plot(struct page *p, const struct chart_heat *h) {
    uint32_t id = page_id(p);
    page_raw(
        p,
        "<div class=\"area\"><svg role=\"img\" aria-labelledby=\"t%u d%u\" viewBox=\"0 0 %u %u\" preserveAspectRatio=\"none\" "
        "shape-rendering=\"crispEdges\">",
        id, id, h->columns, h->rows);
    page_raw(p, "<title id=\"t%u\">", id);
    page_text(p, h->text.title);
    page_raw(p, "</title><desc id=\"d%u\">", id);
    page_text(p, h->text.desc);
    page_raw(p, "</desc>\n<rect class=\"h0\" width=\"%u\" height=\"%u\"/>\n", h->columns, h->rows);
    for (uint32_t r = 0; r < h->rows; r++) put_row(p, h, r);
    page_raw(p, "</svg></div>\n");
}

static void put_axes(struct page *p, const struct chart_heat *h) {
    const char *const names[] = {h->from, h->middle, h->to};
    page_raw(p, "<div class=\"axis x\" aria-hidden=\"true\">");
    for (unsigned i = 0; i < countof(names); i++) {
        if (!names[i]) continue;
        page_raw(p, "<span>");
        page_text(p, names[i]);
        page_raw(p, "</span>");
    }
    page_raw(p, "</div>\n");
}

static void put_row_labels(struct page *p, const struct chart_heat *h) {
    uint32_t n = h->rows < LABELS ? h->rows : LABELS;
    page_raw(p, "<div class=\"axis y\" aria-hidden=\"true\">");
    for (uint32_t i = 0; i < n; i++) {
        page_raw(p, "<span>");
        h->row_label(p, h->arg, n > 1 ? (uint32_t)((uint64_t)i * (h->rows - 1) / (n - 1)) : 0);
        page_raw(p, "</span>");
    }
    page_raw(p, "</div>\n");
}

static void put_keys(struct page *p, const struct chart_heat *h) {
    uint64_t before = 0;
    page_raw(p, "<ul class=\"keys\"><li>%s per field:</li><li><i class=\"h0\"></i>0</li>", h->unit);
    for (unsigned k = 1; k <= LEVELS; k++) {
        uint64_t to = (uint64_t)floor(h->most * (double)(k * k) / (LEVELS * LEVELS) + 1e-9);
        if (to <= before) continue;
        page_raw(p, to == before + 1 ? "<li><i class=\"h%u\"></i>%llu</li>" : "<li><i class=\"h%u\"></i>%llu–%llu</li>", k,
                 (unsigned long long)before + 1, (unsigned long long)to);
        before = to;
    }
    page_raw(p, "</ul>");
}

void chart_heat(struct page *p, const struct chart_heat *h) {
    page_raw(p, "<figure class=\"map\"><div class=\"plot\">\n");
    put_row_labels(p, h);
    put_plot(p, h);
    put_axes(p, h);
    page_raw(p, "</div>\n");
    put_keys(p, h);
    page_raw(p, "<figcaption>");
    page_text(p, h->text.desc);
    page_raw(p, "</figcaption></figure>\n");
}

void chart_range(struct page *p, double low, double high) {
    page_raw(p, "<span class=\"range\" aria-hidden=\"true\"><u style=\"width:%.2f%%\"></u><b style=\"width:%.2f%%\"></b></span>",
             100 * high, 100 * low);
}
