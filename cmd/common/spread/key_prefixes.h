/* A sorted stream of row keys, kept as a bounded number of neighbouring stretches ("cuts"), each with what its rows weigh.
 * As long as there are no more rows than cuts, every row has its own and all is exact. Then neighbours become one, those first
 * that have most of their leading bytes in common, and never more than twice the mean weight: so short prefixes stay exact,
 * and of any prefix it is known how much may be in a cut that it shares with others. Result: see key_prefixes.h, heat_map.h.
 *
 * The cuts depend on the rows and weights only. Keys are kept up to CUT_KEY_BYTES. */
#ifndef SPREAD_KEY_PREFIXES_H
#define SPREAD_KEY_PREFIXES_H

#include "base/bytes.h"
#include "base/err.h"

enum { CUT_KEY_BYTES = 45 };

struct key_weight {
    uint64_t bytes, cells, rows;
};

struct key_cut {
    struct key_weight weight;
    uint8_t key[CUT_KEY_BYTES]; /* the leading bytes of its last row */
    uint8_t n;                  /* how many there are in key */
    uint8_t common;             /* leading bytes that all of its rows share, at most n */
    uint8_t from;               /* the first row's byte after these; 0 if it ends there */
};

struct key_cuts { /* zero-initialise */
    struct key_cut *cuts;
    uint32_t n, room, most; /* most: after key_cuts_finish; until then up to twice as many */
    uint64_t bytes;
};

/* most >= 1 */
void key_cuts_limit(struct key_cuts *k, uint32_t most);
/* Adds a row, which sorts after all earlier ones. */
int key_cuts_add(struct key_cuts *k, struct bytes row, const struct key_weight *w, struct err *err);
/* Rows from `first` to at most `last`, of which nothing else is known. */
int key_cuts_add_span(struct key_cuts *k, struct bytes first, struct bytes last, const struct key_weight *w, struct err *err);
void key_cuts_finish(struct key_cuts *k);
/* Adds the cuts of another stream of rows (from is finished). Afterwards `to` takes no more rows and has any number of cuts. */
int key_cuts_merge(struct key_cuts *to, const struct key_cuts *from, struct err *err);
/* Sorts cuts of several streams by key, whatever the order in which they were merged. */
void key_cuts_sort(struct key_cuts *k);
void key_cuts_free(struct key_cuts *k);

/* Leading bytes of a key as a cut keeps them. */
static inline struct bytes key_cut_bytes(const struct key_cut *c) {
    return (struct bytes){c->key, c->n};
}
static inline void key_weight_add(struct key_weight *to, const struct key_weight *w) {
    to->bytes += w->bytes;
    to->cells += w->cells;
    to->rows += w->rows;
}

/* The leading bytes of row keys under which most of the bytes are, out of key_cuts: of each the least and the most that can
 * be under it (equal if the cuts give it exactly). */

struct key_prefix_weight {
    uint8_t key[CUT_KEY_BYTES];
    uint8_t n;
    struct key_weight low, high;
};

struct key_prefixes {
    struct key_prefix_weight *list; /* by key: a prefix before those that it begins */
    uint32_t n;
    uint64_t total_bytes;
};

struct key_prefixes_opts {
    uint32_t most;      /* how many */
    double least_share; /* of all bytes: lighter ones are left out */
};

/* A prefix with nearly all of its bytes (98 %) under a longer one is left out for that, and
 * one that may hold more than three times what it does for sure. k is sorted. */
int key_prefixes_make(const struct key_cuts *k, const struct key_prefixes_opts *o, struct key_prefixes *out, struct err *err);
void key_prefixes_free(struct key_prefixes *p);

#endif
