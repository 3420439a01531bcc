/* A bar chart whose values and names are made one by one: stretches of time, regions, nodes. */
#ifndef HTML_NAMED_BARS_H
#define HTML_NAMED_BARS_H

#include "cmd/common/html/chart.h"

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
