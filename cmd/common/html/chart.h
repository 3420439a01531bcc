/* Charts as inline SVG, each with a title and a description for who cannot see it; labels of axes are HTML beside it, so that
 * they keep their size however wide it is. A table with the same figures belongs to each, and is the caller's. */
#ifndef HTML_CHART_H
#define HTML_CHART_H

#include "cmd/common/html/page.h"

struct chart_text {
    const char *title; /* what it shows */
    const char *desc;  /* what there is to see, in a sentence */
};

/* ---- bars ---- */
struct chart_bars {
    struct chart_text text;
    const uint64_t *values;
    uint32_t n;
    const char *(*name)(const void *arg, uint32_t i);
    const void *arg;
    page_number_text *number;
    uint64_t limit;   /* a line, and bars above it are marked; 0: none */
    const char *unit; /* of a bar: "partition" */
    uint64_t reach;   /* the axis reaches at least so far: of charts side by side, the most of all */
    bool small;
};
/* Draws bars, with a line for the mean. If there are more than CHART_BARS_MOST, neighbours share one: it is as high as their
 * highest, with their mean inside. */
enum { CHART_BARS_MOST = 256 };
void chart_bars(struct page *p, const struct chart_bars *c);

/* ---- Lorenz curve ---- */
/* points[i] of n: the share of all that the lightest i / (n - 1) hold. */
void chart_lorenz(struct page *p, const struct chart_text *t, const double *points, uint32_t n);

/* ---- heat map ---- */
struct chart_heat {
    struct chart_text text;
    uint32_t columns, rows;
    uint32_t (*at)(const void *arg, uint32_t row, uint32_t column);
    void (*row_label)(struct page *p, const void *arg, uint32_t row); /* writes it */
    const void *arg;
    const char *from, *middle, *to; /* of the columns */
    const char *unit;               /* "cells" */
    double least_mean;              /* of maps that share their scale: the least of their means; 0: this map has its own */
};
/* Colours are multiples of the mean of all fields, so that even writes have one colour. Maps that share their
 * scale have the same multiples, wide enough for the chance differences of the one with the least mean. */
void chart_heat(struct page *p, const struct chart_heat *h);

/* A bar in a table: from 0 to low solid, on to high pale; both are shares of 1. */
void chart_range(struct page *p, double low, double high);

/* A bar chart whose values and names are made one by one: stretches of time, regions, nodes. */

struct bar_name {
    char text[64];
};

struct named_bars {
    uint64_t *values;
    struct bar_name *names;
    uint32_t n;
};

/* Room for n bars, all 0. false: there is no memory, which is the page's error. To be closed whatever is returned. */
bool named_bars_open(struct named_bars *b, uint32_t n, struct page *p);
/* Draws what there is. how: all but values, n, names. A small chart gets a heading. */
void named_bars_put(const struct named_bars *b, const struct chart_bars *how, struct page *p);
void named_bars_close(struct named_bars *b);

#endif
