/* A way to partition a table, and what is in each partition then. */
#ifndef PLAN_CHOICE_H
#define PLAN_CHOICE_H

#include "base/buf.h"
#include "cmd/split/plan/row_weight.h"
#include "cmd/split/plan/sampling.h"

/* Sums over the rows that were seen (of a sample: not scaled). */
struct plan_part {
    uint64_t rows, cells, bytes;
    double rows_low, rows_high, rows_most, rows_var, bytes_var; /* of a sample: what all may be, see struct estimate */
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
    bool has_nul;             /* one of the bounds has a NUL byte, as there was none without */
};

int plan_choice_init(struct plan_choice *c, enum plan_kind kind, uint32_t prefix, uint32_t n, struct err *err);
void plan_choice_free(struct plan_choice *c);
/* Returns which partition a row is in; of KEY by the server's rule, INT64_MIN as 0. */
uint32_t plan_choice_place(const struct plan_choice *c, struct bytes row);
/* As plan_choice_place, of ascending rows: `from` is the partition of the row before, or 0. Not for KEY. */
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
/* Adds the sums of blocks that gave to some rows of the i-th partition. */
static inline void plan_choice_add_blocks(struct plan_choice *c, uint32_t i, const struct sampled_sums *s) {
    c->parts[i].rows_var += s->rows_var;
    c->parts[i].bytes_var += s->bytes_var;
    c->rows_sq += s->rows_sq;
    c->bytes_sq += s->bytes_sq;
}
static inline struct plan_part plan_part_of(const struct weighed_row *w) {
    const struct row_terms *t = &w->terms;
    return (struct plan_part){1, w->cells, w->bytes, t->rows_low, t->rows_high, t->rows_most, t->rows_var, t->bytes_var};
}

/* RANGE bounds by the weight of the rows: partitions of as equal bytes as rows allow, found in one pass over sorted rows. */

struct range_cuts {
    struct plan_choice choice;  /* n: what was asked for until range_cuts_end, then what came out */
    uint64_t left;              /* bytes not yet in a finished partition */
    uint32_t made;              /* partitions that are finished */
    struct block_spread blocks; /* of the open one */
};

/* total_bytes: of all rows that will come; blocks: of the sample, 0 = not by blocks. c must be freed, whatever is returned. */
int range_cuts_init(struct range_cuts *c, uint32_t n, uint64_t total_bytes, uint64_t blocks, struct err *err);
/* last: the row before (p == NULL: none). */
int range_cuts_add(struct range_cuts *c, struct bytes last, const struct weighed_row *row, struct err *err);
/* Fewer partitions than asked for come out where there are too few rows, or no bounds between them that OceanBase takes. */
void range_cuts_end(struct range_cuts *c);
void range_cuts_free(struct range_cuts *c);

/* HBase's ways to split a table before it holds anything: RegionSplitter.HexStringSplit, DecimalStringSplit and UniformSplit,
 * and numbers in front of the keys. */

enum { PRESPLIT_KINDS = PLAN_KINDS - PLAN_HEX };

/* n regions, n from 2 on; c must be freed, whatever is returned. */
int presplit_make(struct plan_choice *c, enum plan_kind kind, uint32_t n, struct err *err);

/* Split points that OceanBase takes: it refuses bounds that are not valid UTF-8, and its own print of a bound with a NUL is
 * another bound (measured on the server). */

/* A short bound above `before` and not above `row`, of valid UTF-8, without NUL unless it is allowed: 1 found, 0 none, -1 out of
 * memory. before < row. */
int separator_text(struct bytes before, struct bytes row, bool nul, struct buf *out, struct err *err);

/* The errors of the sizes of partitions that follow from a sample: all partitions of a choice are within their errors at once in
 * 99.7 of 100 cases. */

struct precision {
    double share;                   /* 1: exact */
    double common;                  /* relative: all partitions together may be off by a block more or fewer */
    double sigmas;                  /* standard deviations that an error has */
    double rows_least, bytes_least; /* what also a partition of which nothing was seen may hold */
};

struct estimate {
    double rows, cells, bytes;
    double rows_error, bytes_error;
};

/* blocks: read for the sample, 0 = it is none by blocks. */
struct precision precision_of(const struct plan_choice *c, double share, uint64_t blocks);
struct estimate estimate_of(const struct precision *p, const struct plan_part *part);

#endif
