/* A way to partition a table, and what lies in each partition then. */
#ifndef PLAN_CHOICE_H
#define PLAN_CHOICE_H

#include "cmd/split/plan/block_spread.h"
#include "cmd/split/plan/weighed_row.h"

/* Sums over the rows that were seen (of a sample: not scaled). */
struct plan_part {
    uint64_t rows, cells, bytes;
    double rows_low, rows_high, rows_most, rows_var, bytes_var; /* of a sample: what all may be, see cmd/split/plan/estimate.h */
};

enum plan_kind {
    PLAN_KEY,     /* KEY(K), or KEY on the column substring(K,1,prefix) */
    PLAN_RANGE,   /* bounds chosen for these rows */
    PLAN_HEX,     /* HBase's HexStringSplit … */
    PLAN_DECIMAL, /* … DecimalStringSplit */
    PLAN_UNIFORM, /* … UniformSplit */
    PLAN_NUMBER,  /* a decimal number with leading zeros in front: 00, 01 … */
    PLAN_KINDS
};

struct plan_choice {
    enum plan_kind kind;
    uint32_t prefix; /* KEY: bytes; 0 = the whole key */
    uint32_t n;      /* partitions */
    uint32_t room;   /* how many there is memory for */
    struct plan_part *parts;
    double rows_sq, bytes_sq; /* of a sample by blocks: sums of the squares of what blocks gave */
    struct buf *bounds;       /* other kinds: n - 1, ascending: a partition begins at its bound */
};

int plan_choice_init(struct plan_choice *c, enum plan_kind kind, uint32_t prefix, uint32_t n, struct err *err);
void plan_choice_free(struct plan_choice *c);
/* Which partition a row is in; of KEY by the server's rule, INT64_MIN as 0. */
uint32_t plan_choice_place(const struct plan_choice *c, struct bytes row);
/* The same of ascending rows: `from` is the partition of the row before, or 0. Not for KEY. */
uint32_t plan_choice_place_from(const struct plan_choice *c, uint32_t from, struct bytes row);
const char *plan_kind_name(enum plan_kind k); /* "key" … "number" */

static inline void plan_part_add(struct plan_part *p, const struct plan_part *more) {
    p->rows += more->rows;
    p->cells += more->cells;
    p->bytes += more->bytes;
    p->rows_low += more->rows_low;
    p->rows_high += more->rows_high;
    p->rows_most += more->rows_most;
    p->rows_var += more->rows_var;
    p->bytes_var += more->bytes_var;
}
/* What blocks gave to some rows of the i-th partition. */
static inline void plan_choice_add_blocks(struct plan_choice *c, uint32_t i, const struct block_sums *s) {
    c->parts[i].rows_var += s->rows_var;
    c->parts[i].bytes_var += s->bytes_var;
    c->rows_sq += s->rows_sq;
    c->bytes_sq += s->bytes_sq;
}
static inline struct plan_part plan_part_of(const struct weighed_row *w) {
    const struct row_terms *t = &w->terms;
    return (struct plan_part){1, w->cells, w->bytes, t->rows_low, t->rows_high, t->rows_most, t->rows_var, t->bytes_var};
}

#endif
