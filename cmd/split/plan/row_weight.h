/* A row of the inputs with what it weighs; and how that travels through the sorter: as one cell of the row for each time that it
 * was met, so that rows of any number come back in order within the memory limit. */
#ifndef PLAN_ROW_WEIGHT_H
#define PLAN_ROW_WEIGHT_H

#include "base/buf.h"
#include "base/stop.h"
#include "cell/cell.h"
#include "cmd/split/plan/key_design.h"

struct sorter;

/* The weight of neighbouring cells of a row. */
struct row_weight {
    uint64_t cells, bytes; /* bytes: of KeyValues, as in a block without encoding */
    int64_t newest_ms;     /* the newest timestamp */
    uint64_t rank;         /* where they begin in the inputs */
    uint64_t block;        /* of a sample by blocks: the number of theirs; else 0 */
    bool edge;             /* the block begins with this row: it may have begun in the block before */
};

/* The number of rows that a row of a sample stands for, and what that may be off by (sampling.h). */
struct row_terms {
    double rows_low, rows_high, rows_most, rows_var, bytes_var;
};

struct weighed_row {
    struct bytes row;
    uint64_t cells, bytes;
    int64_t newest_ms;
    uint64_t rank;
    const struct row_weight *pieces; /* by block, ascending; NULL: not asked for */
    uint32_t n_pieces;
    struct row_terms terms; /* filled in by who samples */
};

enum { WEIGHED_VALUE_BYTES = 25 };

struct row_weight row_weight_of(const struct row_part *part, uint64_t block);
/* The cell's value without the bytes; `value` and `cell` are the caller's. The bytes of the value are free for other things from
 * WEIGHED_VALUE_BYTES on. */
void row_weight_pack(const struct row_weight *w, struct cell *cell, uint8_t *value);

/* Adds up what the sorter gives back. */
struct weighed_rows {
    struct source *src; /* borrowed */
    bool by_blocks;     /* pieces are wanted */
    /* Called with each cell of the row that comes next, before it is handed out. May be NULL. */
    int (*met)(void *arg, const struct cell *cell, struct err *err);
    void *arg;
    struct row_part ahead;
    bool has_ahead;
    struct buf row, pieces;
};
/* 1 = *out is the next row, each once, ascending; valid until the next call. 0 end, -1 error. */
int weighed_rows_next(struct weighed_rows *w, struct weighed_row *out, struct err *err);
void weighed_rows_free(struct weighed_rows *w);

/* Keys made of cells of whole rows: cells of a row come from several families, files and records, so rows are gathered by their
 * own key first, each time with the values that the design may need, and get their new key when they have come together. */

/* One time that a row was met, as it travels through the first sorter. `value` is the caller's, and is overwritten. */
int row_join_put(struct sorter *rows, unsigned thread, const struct key_design *d, const struct row_part *part,
                 const struct row_weight *w, struct buf *value, struct err *err);

struct row_join {
    const struct key_design *design;
    struct design_run *run; /* borrowed */
    struct sorter *rows;    /* finished */
    struct sorter *to;      /* gets the rows under their new keys, from thread 0 */
    const struct stop *stop;
    /* Called with a row of which no key can be made: run->fault says why. */
    void (*unfit)(void *arg, const struct weighed_row *row);
    void *arg;
    uint64_t bytes; /* out: what the rows weigh under their new keys */
};
int row_join_run(struct row_join *j, struct err *err);

#endif
