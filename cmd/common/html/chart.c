/* Charts as inline SVG: bars, a Lorenz curve, a heat map. Plots are stretched to the width there is, so labels of axes are
 * HTML beside them; each has a title and a description. Many values share a bar, neighbouring fields of one level share a
 * rectangle. */
#include "cmd/common/html/chart.h"

#include <math.h>
#include <stdlib.h>

enum { HEIGHT = 1000, STEP = 10, NAMED_MOST = 10 };

/* Neighbours that share a bar. */
struct bin {
    uint32_t first, n;
    uint64_t most;
    double mean;
};

struct scale {
    const struct chart_bars *c;
    uint32_t bins;
    uint64_t most;
    uint64_t top, step; /* of the axis: a multiple of step */
    double mean;
    bool shows_limit;
};

/* Steps that people can read, at most four of them: 1, 2, 5, 10 …, of bytes powers of 2. */
static uint64_t nice_step(uint64_t most, bool binary) {
    uint64_t step = 1;
    for (unsigned i = 0; step < (most + 3) / 4 && step < UINT64_MAX / 5; i++)
        step = binary || i % 3 != 1 ? step * 2 : step / 2 * 5;
    return step;
}

static bool is_binary(const struct chart_bars *c) {
    char text[32];
    return strstr(c->number(1 << 20, text), "iB") != NULL;
}

static struct scale scale_of(const struct chart_bars *c) {
    struct scale s = {.c = c, .bins = c->n < CHART_BARS_MOST ? c->n : CHART_BARS_MOST};
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->values[i] > s.most) s.most = c->values[i];
        s.mean += (double)c->values[i];
    }
    s.mean = c->n ? s.mean / c->n : 0;
    uint64_t most = s.most < UINT64_MAX / 4 ? s.most + !s.most : UINT64_MAX / 4;
    s.shows_limit = c->limit && c->limit / 3 <= most; /* far above, it would flatten all bars */
    if (s.shows_limit && c->limit > most) most = c->limit;
    if (c->reach > most) most = c->reach < UINT64_MAX / 4 ? c->reach : UINT64_MAX / 4;
    s.step = nice_step(most, is_binary(c));
    s.top = (most + s.step - 1) / s.step * s.step;
    return s;
}

static double y_of(const struct scale *s, double value) {
    return HEIGHT - value / (double)s->top * HEIGHT;
}

static struct bin bin_of(const struct scale *s, uint32_t i) {
    uint32_t first = (uint32_t)((uint64_t)i * s->c->n / s->bins), end = (uint32_t)((uint64_t)(i + 1) * s->c->n / s->bins);
    struct bin b = {.first = first, .n = end - first};
    for (uint32_t k = first; k < end; k++) {
        if (s->c->values[k] > b.most) b.most = s->c->values[k];
        b.mean += (double)s->c->values[k];
    }
    b.mean = b.n ? b.mean / b.n : 0;
    return b;
}

static void put_tip(struct page *p, const struct scale *s, const struct bin *b) {
    const struct chart_bars *c = s->c;
    char x[32], y[32];
    page_raw(p, "<title>");
    page_text(p, c->name(c->arg, b->first));
    if (b->n > 1) {
        page_raw(p, " to ");
        page_text(p, c->name(c->arg, b->first + b->n - 1));
        page_raw(p, ": at most %s, mean %s", c->number(b->most, x), c->number((uint64_t)(b->mean + 0.5), y));
    } else {
        page_raw(p, ": %s, %.2f × mean", c->number(b->most, x), s->mean > 0 ? (double)b->most / s->mean : 0);
    }
    page_raw(p, "</title>");
}

static void put_bar(struct page *p, const struct scale *s, uint32_t i) {
    struct bin b = bin_of(s, i);
    double gap = s->bins <= 40 ? 1.2 : s->bins <= 128 ? 0.6 : 0, y = y_of(s, (double)b.most);
    const char *kind = s->c->limit && b.most > s->c->limit ? "mark" : "bar";
    page_raw(p, "<g>");
    put_tip(p, s, &b);
    page_raw(p, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", kind, i * STEP + gap, y,
             STEP - 2 * gap, HEIGHT - y);
    if (b.n > 1)
        page_raw(p, "<rect class=\"inner\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>", (double)i * STEP,
                 y_of(s, b.mean), STEP, HEIGHT - y_of(s, b.mean));
    page_raw(p, "</g>\n");
}

static void put_level_line(struct page *p, const struct scale *s, const char *kind, double value) {
    page_raw(p, "<line class=\"%s\" x1=\"0\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\"/>\n", kind, s->bins * STEP, y_of(s, value),
             y_of(s, value));
}

static void put_plot(struct page *p, const struct scale *s) {
    const struct chart_bars *c = s->c;
    uint32_t id = page_id(p);
    page_raw(
        p,
        "<div class=\"area\"><svg role=\"img\" aria-labelledby=\"t%u d%u\" viewBox=\"0 0 %u %d\" preserveAspectRatio=\"none\">",
        id, id, s->bins ? s->bins * STEP : STEP, HEIGHT);
    page_raw(p, "<title id=\"t%u\">", id);
    page_text(p, c->text.title);
    page_raw(p, "</title><desc id=\"d%u\">", id);
    page_text(p, c->text.desc);
    page_raw(p, "</desc>\n");
    for (uint64_t v = s->step; v <= s->top; v += s->step) put_level_line(p, s, "grid", (double)v);
    for (uint32_t i = 0; i < s->bins; i++) put_bar(p, s, i);
    put_level_line(p, s, "mean", s->mean);
    if (s->shows_limit) put_level_line(p, s, "limit", (double)c->limit);
    page_raw(p, "</svg></div>\n");
}

static void put_y_axis(struct page *p, const struct scale *s) {
    char x[32];
    page_raw(p, "<div class=\"axis y\" aria-hidden=\"true\">");
    for (uint64_t v = s->top;; v -= s->step) {
        page_raw(p, "<span>%s</span>", v ? s->c->number(v, x) : "0");
        if (v < s->step || !v) break;
    }
    page_raw(p, "</div>\n");
}

static void put_name(struct page *p, const struct chart_bars *c, uint32_t i) {
    page_raw(p, "<span>");
    page_text(p, c->name(c->arg, i));
    page_raw(p, "</span>");
}

/* A name under each bar, or the first, the middle and the last one. */
static void put_x_axis(struct page *p, const struct chart_bars *c) {
    bool each = c->n <= NAMED_MOST;
    page_raw(p, "<div class=\"axis x%s\" aria-hidden=\"true\">", each ? " each" : "");
    for (uint32_t i = 0; i < c->n; i++)
        if (each || i == 0 || i == c->n / 2 || i == c->n - 1) put_name(p, c, i);
    page_raw(p, "</div>\n");
}

static void put_keys(struct page *p, const struct scale *s) {
    const struct chart_bars *c = s->c;
    char x[32];
    if (s->bins < c->n)
        page_raw(p,
                 "<ul class=\"keys\"><li><i class=\"cb\"></i>heaviest of about %u neighbouring %ss</li><li><i "
                 "class=\"ci\"></i>their mean</li>",
                 (c->n + s->bins / 2) / s->bins, c->unit);
    else
        page_raw(p, "<ul class=\"keys\"><li><i class=\"cb\"></i>%s</li>", c->unit);
    page_raw(p, "<li><i class=\"lm\"></i>mean %s</li>", c->number((uint64_t)(s->mean + 0.5), x));
    if (c->limit) {
        page_raw(p, "<li><i class=\"ll\"></i>limit %s%s</li>", c->number(c->limit, x), s->shows_limit ? "" : ", far above");
        if (s->most > c->limit) page_raw(p, "<li><i class=\"cm\"></i>above the limit</li>");
    }
    page_raw(p, "</ul>");
}

void chart_bars(struct page *p, const struct chart_bars *c) {
    const struct scale s = scale_of(c);
    page_raw(p, "<figure%s><div class=\"plot\">\n", c->small ? " class=\"small\"" : "");
    put_y_axis(p, &s);
    put_plot(p, &s);
    put_x_axis(p, c);
    page_raw(p, "</div>\n");
    put_keys(p, &s);
    page_raw(p, "<figcaption>");
    page_text(p, c->text.desc);
    page_raw(p, "</figcaption></figure>\n");
}

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

enum { LEVELS = 8, EVEN = 3, LABELS = 5 };

/* A map and what its colours mean: level k holds up to to[k], and the mean is in the middle of level EVEN, which is as wide as
 * chance makes fields differ (three times the square root of a count) and at least half of the mean to either side. */
struct heat {
    const struct chart_heat *c;
    double mean;
    uint32_t most, to[LEVELS + 1];
    double multiple[LEVELS + 1]; /* of the mean: where a level ends */
};

static struct heat heat_of(const struct chart_heat *c) {
    struct heat h = {.c = c};
    double sum = 0;
    for (uint32_t r = 0; r < c->rows; r++)
        for (uint32_t i = 0; i < c->columns; i++) {
            const uint32_t v = c->at(c->arg, r, i);
            sum += v;
            if (v > h.most) h.most = v;
        }
    h.mean = c->rows && c->columns ? sum / c->rows / c->columns : 0;
    const double noise = c->least_mean > 0 ? c->least_mean : h.mean, chance = noise > 0 ? 3 / sqrt(noise) : 0;
    const double width = h.mean * fmax(0.5, chance), low = fmax(h.mean - width, 0);
    for (unsigned k = 1; k <= LEVELS; k++) {
        const double to = k < EVEN ? low * k / (EVEN - 1) : (h.mean + width) * (1 << (k - EVEN));
        h.to[k] = k < LEVELS && to < h.most ? (uint32_t)to : h.most;
        h.multiple[k] = h.mean > 0 ? to / h.mean : 0;
    }
    return h;
}

static unsigned level_of(const struct heat *h, uint32_t v) {
    unsigned k = v ? 1 : 0;
    while (k && k < LEVELS && v > h->to[k]) k++;
    return k;
}

/* Neighbours of one level are one rectangle. Rectangles overlap a little: no seams between them. */
static void put_row(struct page *p, const struct heat *heat, uint32_t row) {
    const struct chart_heat *h = heat->c;
    for (uint32_t c = 0, end; c < h->columns; c = end) {
        unsigned level = level_of(heat, h->at(h->arg, row, c));
        for (end = c + 1; end < h->columns && level_of(heat, h->at(h->arg, row, end)) == level;) end++;
        if (level) page_raw(p, "<rect class=\"h%u\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"1\"/>", level, c, row, end - c);
    }
    page_raw(p, "\n");
}

static void put_heat_plot(struct page *p, const struct heat *heat) {
    const struct chart_heat *h = heat->c;
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
    for (uint32_t r = 0; r < h->rows; r++) put_row(p, heat, r);
    page_raw(p, "</svg></div>\n");
}

static void put_heat_axes(struct page *p, const struct chart_heat *h) {
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

/* Writes the key of a scale that several maps share. */
static void put_shared_keys(struct page *p, const struct heat *h) {
    page_raw(p, "<ul class=\"keys\"><li>%s per field, in multiples of the mean (%.*f):</li><li><i class=\"h0\"></i>0</li>",
             h->c->unit, h->mean < 10, h->mean);
    for (unsigned k = 1; k <= LEVELS; k++) {
        if (h->multiple[k] < 0.1) continue; /* chance is nearly as large as the mean: lower levels mean nothing */
        page_raw(p, k < LEVELS ? "<li><i class=\"h%u\"></i>to %.2g</li>" : "<li><i class=\"h%u\"></i>more</li>", k,
                 h->multiple[k]);
    }
    page_raw(p, "</ul>");
}

static void put_heat_keys(struct page *p, const struct heat *h) {
    uint32_t before = 0;
    page_raw(p, "<ul class=\"keys\"><li>%s per field, mean %.*f:</li><li><i class=\"h0\"></i>0</li>", h->c->unit, h->mean < 10,
             h->mean);
    for (unsigned k = 1; k <= LEVELS; k++) {
        const uint32_t to = h->to[k];
        if (to <= before) continue;
        page_raw(p, to == before + 1 ? "<li><i class=\"h%u\"></i>%u</li>" : "<li><i class=\"h%u\"></i>%u–%u</li>", k, before + 1,
                 to);
        before = to;
    }
    page_raw(p, "</ul>");
}

void chart_heat(struct page *p, const struct chart_heat *h) {
    const struct heat heat = heat_of(h);
    page_raw(p, "<figure class=\"map\"><div class=\"plot\">\n");
    put_row_labels(p, h);
    put_heat_plot(p, &heat);
    put_heat_axes(p, h);
    page_raw(p, "</div>\n");
    if (h->least_mean > 0)
        put_shared_keys(p, &heat);
    else
        put_heat_keys(p, &heat);
    page_raw(p, "<figcaption>");
    page_text(p, h->text.desc);
    page_raw(p, "</figcaption></figure>\n");
}

void chart_range(struct page *p, double low, double high) {
    page_raw(p, "<span class=\"range\" aria-hidden=\"true\"><u style=\"width:%.2f%%\"></u><b style=\"width:%.2f%%\"></b></span>",
             100 * high, 100 * low);
}

static const char *name_of(const void *arg, uint32_t i) {
    const struct bar_name *names = arg;
    return names[i].text;
}

bool named_bars_open(struct named_bars *b, uint32_t n, struct page *p) {
    *b = (struct named_bars){calloc(n + 1, sizeof *b->values), calloc(n + 1, sizeof *b->names), n};
    if (!b->values || !b->names) err_nomem(&p->err, n * sizeof *b->names, "a chart");
    return b->values && b->names;
}

void named_bars_put(const struct named_bars *b, const struct chart_bars *how, struct page *p) {
    struct chart_bars c = *how;
    c.values = b->values;
    c.n = b->n;
    c.name = name_of;
    c.arg = b->names;
    if (c.small) page_raw(p, "<div><h3>%s</h3>\n", c.text.title);
    if (c.n) chart_bars(p, &c);
    if (c.small) page_raw(p, "</div>\n");
}

void named_bars_close(struct named_bars *b) {
    free(b->values);
    free(b->names);
}
