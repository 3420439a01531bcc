#include "cmd/common/spread/key_prefixes.h"

#include "base/buf.h"

#include <stdlib.h>

/* A prefix is left out for a longer one with so much of its bytes. */
static const double NEARLY_ALL = 0.98;

/* One that may have so many times the bytes that it has for sure is not worth telling. */
enum { VAGUE = 3 };

struct search {
    const struct key_cuts *cuts;
    struct key_prefixes *out;
    double least;
};

/* Whether rows with this prefix can be among the cut's: 2 all are, 1 some may be, 0 none. */
static int holds(const struct key_cut *c, struct bytes prefix) {
    size_t n = c->common;
    if (n >= prefix.n) return memcmp(c->key, prefix.p, prefix.n) ? 0 : 2;
    if (memcmp(c->key, prefix.p, n)) return 0;
    if (n == c->n) return 0; /* all rows are this shorter key */
    return c->from <= prefix.p[n] && prefix.p[n] <= c->key[n];
}

static void weigh(const struct key_cuts *k, struct key_prefix_weight *p) {
    p->low = p->high = (struct key_weight){0};
    for (uint32_t i = 0; i < k->n; i++) {
        int h = holds(&k->cuts[i], bytes_of(p->key, p->n));
        if (h == 2) key_weight_add(&p->low, &k->cuts[i].weight);
        if (h) key_weight_add(&p->high, &k->cuts[i].weight);
    }
}

static int put(struct search *s, const struct key_prefix_weight *p, struct err *err) {
    struct key_prefixes *out = s->out;
    if (grow_array(&out->list, out->n, sizeof *out->list, "key prefixes", err)) return -1;
    out->list[out->n++] = *p;
    return 0;
}

/* Cuts [i, end) whose keys begin with the same n bytes; what is between them and the next key that differs in byte n. */
static uint32_t same_byte(const struct key_cuts *k, uint32_t i, uint32_t end, uint32_t n, uint64_t *bytes) {
    uint8_t b = k->cuts[i].key[n];
    *bytes = 0;
    for (; i < end && k->cuts[i].n > n && k->cuts[i].key[n] == b; i++) *bytes += k->cuts[i].weight.bytes;
    return i;
}

/* Prefixes of n bytes and more among the cuts [i, end), which share n - 1; as a first guess a cut counts where its last row
 * lies. Depth is bounded by CUT_KEY_BYTES. */
static int search(struct search *s, uint32_t i, uint32_t end, uint32_t n, struct err *err) {
    const struct key_cuts *k = s->cuts;
    for (uint32_t next; i < end; i = next) {
        struct key_prefix_weight p = {.n = (uint8_t)n};
        next = i + 1;
        if (k->cuts[i].n < n) continue;
        next = same_byte(k, i, end, n - 1, &p.low.bytes);
        if ((double)p.low.bytes < s->least / 2) continue;
        p.high = p.low;
        memcpy(p.key, k->cuts[i].key, n);
        if (put(s, &p, err) || (n < CUT_KEY_BYTES && search(s, i, next, n + 1, err))) return -1;
    }
    return 0;
}

static double middle(const struct key_prefix_weight *p) {
    return ((double)p->low.bytes + (double)p->high.bytes) / 2;
}

/* Heavier first, then as keys stand. */
static int by_weight(const void *a, const void *b) {
    const struct key_prefix_weight *x = a, *y = b;
    double v = middle(x), w = middle(y);
    return v != w ? (v < w ? 1 : -1) : bytes_cmp(bytes_of(x->key, x->n), bytes_of(y->key, y->n));
}

static int by_key(const void *a, const void *b) {
    const struct key_prefix_weight *x = a, *y = b;
    return bytes_cmp(bytes_of(x->key, x->n), bytes_of(y->key, y->n));
}

/* Whether a longer prefix, which stands behind a in the order of keys, has nearly all of its bytes. */
static bool is_continued(const struct key_prefixes *p, uint32_t i) {
    const struct key_prefix_weight *a = &p->list[i];
    for (uint32_t k = i + 1; k < p->n && p->list[k].n > a->n && !memcmp(a->key, p->list[k].key, a->n); k++)
        if (middle(&p->list[k]) >= NEARLY_ALL * middle(a)) return true;
    return false;
}

static void drop_continued(struct key_prefixes *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (!is_continued(p, i)) p->list[n++] = p->list[i];
    p->n = n;
}

static void keep_heaviest(struct key_prefixes *p, uint32_t most) {
    if (p->n <= most) return;
    qsort(p->list, p->n, sizeof *p->list, by_weight);
    p->n = most;
    qsort(p->list, p->n, sizeof *p->list, by_key);
}

int key_prefixes_make(const struct key_cuts *k, const struct key_prefixes_opts *o, struct key_prefixes *out, struct err *err) {
    enum { GUESSES = 4 };
    struct search s = {.cuts = k, .out = out, .least = o->least_share * (double)k->bytes};
    *out = (struct key_prefixes){.total_bytes = k->bytes};
    if (s.least < 1) s.least = 1;
    if (search(&s, 0, k->n, 1, err)) return -1;
    drop_continued(out);
    keep_heaviest(out, GUESSES * o->most);
    uint32_t n = 0;
    for (uint32_t i = 0; i < out->n; i++) {
        struct key_prefix_weight *p = &out->list[i];
        weigh(k, p);
        if (middle(p) >= s.least && p->low.bytes >= p->high.bytes / VAGUE) out->list[n++] = *p;
    }
    out->n = n;
    drop_continued(out);
    keep_heaviest(out, o->most);
    return 0;
}

void key_prefixes_free(struct key_prefixes *p) {
    free(p->list);
    *p = (struct key_prefixes){0};
}
