/* The one order of cells: CellComparatorImpl, then sequence id, then rank (facts: HBase reference guide, KeyValue).
 * row asc, family asc, qualifier asc, timestamp desc, type desc (unsigned), seq desc, rank desc. */
#ifndef CELL_ORDER_H
#define CELL_ORDER_H

#include "cell/cell.h"

/* How equal keys of several inputs are ranked. */
enum tie_rule {
    TIE_BY_SEQUENCE, /* all inputs are files of one store: seq, then rank */
    TIE_BY_INPUT     /* inputs were loaded in turn: input number (of rank), then seq, then rank */
};

/* Inside one row and family: qualifier, timestamp, type. 0 = same key (duplicates). */
static inline int cell_key_cmp(const struct cell *a, const struct cell *b) {
    int c = bytes_cmp(a->qualifier, b->qualifier);
    if (c) return c;
    if (a->ts_ms != b->ts_ms) return a->ts_ms > b->ts_ms ? -1 : 1;
    return (int)b->type - (int)a->type;
}

/* The rest of the order: which of two cells with the same key is newer (comes first). */
static inline int cell_tie_cmp(const struct cell *a, const struct cell *b, enum tie_rule rule) {
    if (rule == TIE_BY_INPUT && rank_input(a->rank) != rank_input(b->rank)) return a->rank > b->rank ? -1 : 1;
    if (a->seq != b->seq) return a->seq > b->seq ? -1 : 1;
    if (a->rank != b->rank) return a->rank > b->rank ? -1 : 1;
    return 0;
}

static inline int cell_cmp(const struct cell *a, const struct cell *b, enum tie_rule rule) {
    int c = cell_key_cmp(a, b);
    return c ? c : cell_tie_cmp(a, b, rule);
}

/* The first 8 bytes as a number, zero padded: a < b implies prefix(a) <= prefix(b). */
static inline uint64_t bytes_prefix8(struct bytes b) {
    uint8_t t[8] = {0};
    if (b.n >= 8)
        memcpy(t, b.p, 8);
    else if (b.n)
        memcpy(t, b.p, b.n);
    uint64_t v;
    memcpy(&v, t, 8);
    return __builtin_bswap64(v);
}

#endif
