#include "cmd/common/html/chart.h"

enum { SIDE = 1000 };

static void put_curve(struct page *p, const double *points, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        page_raw(p, "%s%.1f %.1f", i ? "L" : "M", (double)i * SIDE / (n - 1), SIDE - points[i] * SIDE);
}

void chart_lorenz(struct page *p, const struct chart_text *t, const double *points, uint32_t n) {
    uint32_t id = page_id(p);
    page_raw(p, "<figure class=\"square\"><div class=\"plot\">\n<div class=\"axis y\" aria-hidden=\"true\">"
                "<span>100 %%</span><span>75 %%</span><span>50 %%</span><span>25 %%</span><span>0</span></div>\n");
    page_raw(
        p,
        "<div class=\"area\"><svg role=\"img\" aria-labelledby=\"t%u d%u\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">",
        id, id, SIDE, SIDE);
    page_raw(p, "<title id=\"t%u\">", id);
    page_text(p, t->title);
    page_raw(p, "</title><desc id=\"d%u\">", id);
    page_text(p, t->desc);
    page_raw(p, "</desc>\n");
    for (int i = 0; i < 4; i++)
        page_raw(p, "<line class=\"grid\" x1=\"0\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", SIDE, i * SIDE / 4, i * SIDE / 4);
    page_raw(p, "<path class=\"between\" d=\"");
    put_curve(p, points, n);
    page_raw(p, "Z\"/>\n<line class=\"even\" x1=\"0\" y1=\"%d\" x2=\"%d\" y2=\"0\"/>\n<path class=\"curve\" d=\"", SIDE, SIDE);
    put_curve(p, points, n);
    page_raw(p, "\"/></svg></div>\n<div class=\"axis x\" aria-hidden=\"true\"><span>0</span><span>lightest half</span><span>100 "
                "%%</span></div>"
                "</div>\n");
    page_raw(p, "<ul class=\"keys\"><li><i class=\"cb\"></i>share of all bytes</li><li><i class=\"le\"></i>all "
                "equal</li></ul><figcaption>");
    page_text(p, t->desc);
    page_raw(p, "</figcaption></figure>\n");
}
