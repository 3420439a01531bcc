#include "formats/hbase/store_cover.h"

#include <stdlib.h>

int store_cover_open(struct store_cover *c, uint32_t n, struct err *err) {
    c->n = n;
    c->next = malloc(((size_t)n + 1) * sizeof *c->next);
    c->sum = malloc(((size_t)n + 1) * sizeof *c->sum);
    if (c->next && c->sum) return store_cover_clear(c), 0;
    store_cover_close(c);
    return err_nomem(err, 2 * ((size_t)n + 1) * sizeof *c->sum, "key ranges");
}

void store_cover_clear(struct store_cover *c) {
    for (uint32_t i = 0; i <= c->n; i++) c->next[i] = i;
    memset(c->sum, 0, ((size_t)c->n + 1) * sizeof *c->sum);
}

void store_cover_close(struct store_cover *c) {
    free(c->next);
    free(c->sum);
    *c = (struct store_cover){0};
}

/* The first at or behind i that is not painted; paths are halved on the way. */
static uint32_t unpainted(struct store_cover *c, uint32_t i) {
    while (c->next[i] != i) i = c->next[i] = c->next[c->next[i]];
    return i;
}

static void count(struct store_cover *c, uint32_t i) {
    for (i++; i <= c->n; i += i & -i) c->sum[i]++;
}

static uint32_t painted_before(const struct store_cover *c, uint32_t i) {
    uint32_t n = 0;
    for (; i; i -= i & -i) n += c->sum[i];
    return n;
}

void store_cover_paint(struct store_cover *c, uint32_t from, uint32_t to) {
    for (uint32_t i = unpainted(c, from); i < to; i = unpainted(c, i)) {
        c->next[i] = i + 1;
        count(c, i);
    }
}

uint32_t store_cover_painted(const struct store_cover *c, uint32_t from, uint32_t to) {
    return from < to ? painted_before(c, to) - painted_before(c, from) : 0;
}
