#include "cmd/common/html/named_bars.h"

#include <stdlib.h>

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
