/* A row key to be tried: an expression over the cells of a row part (or over what a generator makes). */
#ifndef PLAN_KEY_DESIGN_H
#define PLAN_KEY_DESIGN_H

#include "cell/cell.h"
#include "formats/mapping/expr.h"

enum { DESIGN_FIELDS_MAX = 64, DESIGN_KEY, DESIGN_TS, DESIGN_COLUMN, DESIGN_COUNTER, DESIGN_NOW, DESIGN_RANDOM };

struct design_field {
    int kind;                       /* DESIGN_KEY … */
    struct bytes family, qualifier; /* family.p == NULL: of any */
};

struct key_design {
    const char *text; /* borrowed */
    struct expr *expr;
    struct design_field fields[DESIGN_FIELDS_MAX];
    uint32_t n_fields;
    bool generated; /* from a generator: counter, now, random; else from rows: key, ts, and columns by name */
};

/* A row, as far as a design reads it. */
struct design_row {
    struct bytes key;
    int64_t ts_ms;
    const struct bytes *values; /* a value each field, where it is a column; p == NULL: none */
};

/* State of one thread. Zero-initialise. */
struct design_run {
    struct expr_scratch scratch;
    struct expr_value values[DESIGN_FIELDS_MAX];
    struct expr_fault fault; /* of the last key that could not be made */
};

/* Returns whether the design needs cells of a row, which may come in several parts. */
bool key_design_reads_cells(const struct key_design *d);
/* The part's newest cell of a field that is a column; NULL: none. */
const struct cell *key_design_cell(const struct design_field *f, const struct row_part *part);
int key_design_init(struct key_design *d, const char *text, bool generated, struct err *err);
/* Warns of a + between numbers, which joins their digits. */
struct reporter;
void key_design_warn(const struct key_design *d, struct reporter *r);
void key_design_free(struct key_design *d);
/* 1 = *key (valid until the run's next call), 0 = none (run->fault says why), -1 = out of memory.
 * Of one part: columns of its family only. */
int key_design_of_part(const struct key_design *d, struct design_run *run, const struct row_part *part, struct bytes *key,
                       struct err *err);
int key_design_of_row(const struct key_design *d, struct design_run *run, const struct design_row *row, struct bytes *key,
                      struct err *err);
/* The i-th row at now_ms; random numbers depend on seed, i, and their place in the expression. */
int key_design_generate(const struct key_design *d, struct design_run *run, uint64_t i, int64_t now_ms, uint64_t seed,
                        struct bytes *key, struct err *err);
void design_run_free(struct design_run *run);

#endif
