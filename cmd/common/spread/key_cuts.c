#include "cmd/common/spread/key_cuts.h"

#include <stdlib.h>

void key_cuts_limit(struct key_cuts *k, uint32_t most) {
    k->most = most;
}

void key_cuts_free(struct key_cuts *k) {
    free(k->cuts);
    *k = (struct key_cuts){0};
}

static uint8_t common_of(const struct key_cut *a, const struct key_cut *b) {
    size_t n = bytes_lcp(key_cut_bytes(a), key_cut_bytes(b));
    if (a->common < n) n = a->common;
    return b->common < n ? b->common : (uint8_t)n;
}

/* b, which follows a, joins it. */
static void join(struct key_cut *a, const struct key_cut *b) {
    uint8_t n = common_of(a, b);
    if (n < a->common) a->from = a->key[n];
    a->common = n;
    a->n = b->n;
    memcpy(a->key, b->key, b->n);
    key_weight_add(&a->weight, &b->weight);
}

/* One pass: neighbours with at least `common` leading bytes in common become one, up to a weight. */
static void join_neighbours(struct key_cuts *k, unsigned common, uint64_t most_bytes) {
    uint32_t n = 0;
    for (uint32_t i = 1; i < k->n; i++) {
        struct key_cut *a = &k->cuts[n];
        const struct key_cut *b = &k->cuts[i];
        if (a->weight.bytes + b->weight.bytes <= most_bytes && common_of(a, b) >= common)
            join(a, b);
        else
            k->cuts[++n] = *b;
    }
    k->n = n + 1;
}

/* With how many leading bytes in common are there so many neighbours that joining each of them would do? */
static unsigned first_level(const struct key_cuts *k) {
    uint32_t pairs[CUT_KEY_BYTES + 1] = {0}, n = 0;
    for (uint32_t i = 1; i < k->n; i++) pairs[common_of(&k->cuts[i - 1], &k->cuts[i])]++;
    unsigned level = CUT_KEY_BYTES;
    for (; level > 0; level--)
        if ((n += pairs[level]) >= k->n - k->most) break;
    return level;
}

/* At level 0 all neighbours that weigh at most twice the mean together are joined, which leaves at most `most`. */
static void shrink(struct key_cuts *k) {
    uint64_t most_bytes = k->bytes / k->most * 2 + 2;
    for (unsigned level = first_level(k); k->n > k->most; level--) {
        join_neighbours(k, level, most_bytes);
        if (!level) break;
    }
}

static int make_room(struct key_cuts *k, struct err *err) {
    if (k->n < k->room) return 0;
    if (k->n >= 2 * k->most) {
        shrink(k);
        if (k->n < k->room) return 0;
    }
    uint32_t room = k->room ? 2 * k->room : 64;
    if (room > 2 * k->most) room = 2 * k->most;
    struct key_cut *p = realloc(k->cuts, room * sizeof *p);
    if (!p) return err_nomem(err, room * sizeof *p, "positions of row keys");
    k->cuts = p;
    k->room = room;
    return 0;
}

int key_cuts_add_span(struct key_cuts *k, struct bytes first, struct bytes last, const struct key_weight *w, struct err *err) {
    if (make_room(k, err)) return -1;
    struct key_cut *c = &k->cuts[k->n++];
    size_t n = last.n < CUT_KEY_BYTES ? last.n : CUT_KEY_BYTES, common = bytes_lcp(first, bytes_of(last.p, n));
    *c = (struct key_cut){.weight = *w, .n = (uint8_t)n, .common = (uint8_t)common};
    if (common < first.n) c->from = first.p[common];
    memcpy(c->key, last.p, n);
    k->bytes += w->bytes;
    return 0;
}

int key_cuts_add(struct key_cuts *k, struct bytes row, const struct key_weight *w, struct err *err) {
    return key_cuts_add_span(k, row, row, w, err);
}

void key_cuts_finish(struct key_cuts *k) {
    if (k->n > k->most) shrink(k);
}

int key_cuts_merge(struct key_cuts *to, const struct key_cuts *from, struct err *err) {
    uint64_t n = (uint64_t)to->n + from->n;
    if (n > to->room) {
        uint64_t room = n + n / 4;
        struct key_cut *p = room <= UINT32_MAX ? realloc(to->cuts, room * sizeof *p) : NULL;
        if (!p) return err_nomem(err, room * sizeof *p, "positions of row keys");
        to->cuts = p;
        to->room = (uint32_t)room;
    }
    if (from->n) memcpy(to->cuts + to->n, from->cuts, from->n * sizeof *from->cuts);
    to->n = (uint32_t)n;
    to->bytes += from->bytes;
    return 0;
}

/* Cuts that differ in nothing but their order are the same to everybody. */
static int by_key(const void *a, const void *b) {
    const struct key_cut *x = a, *y = b;
    int c = bytes_cmp(key_cut_bytes(x), key_cut_bytes(y));
    if (!c) c = memcmp(&x->weight, &y->weight, sizeof x->weight);
    if (!c) c = (x->common > y->common) - (x->common < y->common);
    return c ? c : (x->from > y->from) - (x->from < y->from);
}

void key_cuts_sort(struct key_cuts *k) {
    if (k->n) qsort(k->cuts, k->n, sizeof *k->cuts, by_key);
}
