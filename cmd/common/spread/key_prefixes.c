/* The leading bytes of row keys under which most bytes are, out of one sorted stream in bounded memory: rows become stretches of
 * neighbours ("cuts"); when there are too many, those with the most leading bytes in common are joined.
 *
 *   rows  aa1 aa2 ab7 b31 b32 b33      cuts  [aa: 1..2] [ab7] [b3: 1..3]      prefix b3: exactly the last cut; a: the first two
 *
 * A prefix that a cut holds wholly counts for sure (low), one that it may hold counts as possible (high). */
#include "cmd/common/spread/key_prefixes.h"

#include "base/buf.h"

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
static void join_cuts(struct key_cut *a, const struct key_cut *b) {
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
            join_cuts(a, b);
        else
            k->cuts[++n] = *b;
    }
    k->n = n + 1;
}

/* Returns how many leading bytes so many neighbours have in common that joining each of them would do. */
static unsigned first_level(const struct key_cuts *k) {
    uint32_t pairs[CUT_KEY_BYTES + 1] = {0}, n = 0;
    for (uint32_t i = 1; i < k->n; i++) pairs[common_of(&k->cuts[i - 1], &k->cuts[i])]++;
    unsigned level = CUT_KEY_BYTES;
    for (; level > 0; level--)
        if ((n += pairs[level]) >= k->n - k->most) break;
    return level;
}

/* Joins neighbours with most in common first. At level 0 all neighbours that weigh at most twice the mean together are joined,
 * which leaves at most `most`. */
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
    if (grow_to(&k->cuts, room, sizeof *k->cuts, "positions of row keys", err)) return -1;
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
        if (room > UINT32_MAX) return err_nomem(err, room * sizeof *to->cuts, "positions of row keys");
        if (grow_to(&to->cuts, (size_t)room, sizeof *to->cuts, "positions of row keys", err)) return -1;
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

/* A prefix is left out for a longer one with so much of its bytes. */
static const double NEARLY_ALL = 0.98;

/* One that may have so many times the bytes that it has for sure is not worth showing. */
enum { VAGUE = 3 };

struct prefix_search {
    const struct key_cuts *cuts;
    struct key_prefixes *out;
    double least;
};

/* Returns whether rows with this prefix can be among the cut's: 2 all are, 1 some may be, 0 none. */
static int cut_holds(const struct key_cut *c, struct bytes prefix) {
    size_t n = c->common;
    if (n >= prefix.n) return memcmp(c->key, prefix.p, prefix.n) ? 0 : 2;
    if (memcmp(c->key, prefix.p, n)) return 0;
    if (n == c->n) return 0; /* all rows are this shorter key */
    return c->from <= prefix.p[n] && prefix.p[n] <= c->key[n];
}

static void weigh_prefix(const struct key_cuts *k, struct key_prefix_weight *p) {
    p->low = p->high = (struct key_weight){0};
    for (uint32_t i = 0; i < k->n; i++) {
        int h = cut_holds(&k->cuts[i], bytes_of(p->key, p->n));
        if (h == 2) key_weight_add(&p->low, &k->cuts[i].weight);
        if (h) key_weight_add(&p->high, &k->cuts[i].weight);
    }
}

static int add_prefix(struct prefix_search *s, const struct key_prefix_weight *p, struct err *err) {
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
 * is. Depth is bounded by CUT_KEY_BYTES. */
static int search_prefixes(struct prefix_search *s, uint32_t i, uint32_t end, uint32_t n, struct err *err) {
    const struct key_cuts *k = s->cuts;
    for (uint32_t next; i < end; i = next) {
        struct key_prefix_weight p = {.n = (uint8_t)n};
        next = i + 1;
        if (k->cuts[i].n < n) continue;
        next = same_byte(k, i, end, n - 1, &p.low.bytes);
        if ((double)p.low.bytes < s->least / 2) continue;
        p.high = p.low;
        memcpy(p.key, k->cuts[i].key, n);
        if (add_prefix(s, &p, err) || (n < CUT_KEY_BYTES && search_prefixes(s, i, next, n + 1, err))) return -1;
    }
    return 0;
}

static double middle(const struct key_prefix_weight *p) {
    return ((double)p->low.bytes + (double)p->high.bytes) / 2;
}

/* Heavier first, then by key. */
static int by_weight(const void *a, const void *b) {
    const struct key_prefix_weight *x = a, *y = b;
    double v = middle(x), w = middle(y);
    return v != w ? (v < w ? 1 : -1) : bytes_cmp(bytes_of(x->key, x->n), bytes_of(y->key, y->n));
}

static int by_prefix(const void *a, const void *b) {
    const struct key_prefix_weight *x = a, *y = b;
    return bytes_cmp(bytes_of(x->key, x->n), bytes_of(y->key, y->n));
}

/* Returns whether a longer prefix, which comes after a in the order of keys, has nearly all of its bytes. */
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
    qsort(p->list, p->n, sizeof *p->list, by_prefix);
}

int key_prefixes_make(const struct key_cuts *k, const struct key_prefixes_opts *o, struct key_prefixes *out, struct err *err) {
    enum { GUESSES = 4 };
    struct prefix_search s = {.cuts = k, .out = out, .least = o->least_share * (double)k->bytes};
    *out = (struct key_prefixes){.total_bytes = k->bytes};
    if (s.least < 1) s.least = 1;
    if (search_prefixes(&s, 0, k->n, 1, err)) return -1;
    drop_continued(out);
    keep_heaviest(out, GUESSES * o->most);
    uint32_t n = 0;
    for (uint32_t i = 0; i < out->n; i++) {
        struct key_prefix_weight *p = &out->list[i];
        weigh_prefix(k, p);
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
