/* Expressions over the fields of a record, for those who compile and run them. */
#ifndef FORMATS_MAPPING_EXPR_H
#define FORMATS_MAPPING_EXPR_H

#include "base/bytes.h"
#include "base/err.h"

/* Values of expressions, the memory they are in, and why a value is missing. */

enum expr_type {
    EXPR_TEXT,   /* bytes */
    EXPR_NUMBER, /* int64_t; as text it is decimal */
    EXPR_BOOL,   /* number 0 or 1 */
    EXPR_HEX,    /* text of hex digits that a digest printed: text that mod() can take as a number */
    EXPR_RAW     /* bytes of a digest, which mod() can take, too */
};

/* p == NULL: null (a field that is missing or says so). A null argument makes almost every result null. */
struct expr_value {
    const uint8_t *p; /* bytes; for numbers not NULL, and not to be read */
    size_t n;
    int64_t number;
};

static inline struct expr_value expr_text(struct bytes b) {
    return (struct expr_value){.p = b.p ? b.p : (const uint8_t *)"", .n = b.n};
}
static inline struct expr_value expr_number(int64_t v) {
    return (struct expr_value){.p = (const uint8_t *)"", .number = v};
}

#define EXPR_NO_FIELD UINT32_MAX

/* The reason why a record does not fit: which field is at fault (EXPR_NO_FIELD: not known), and what is wrong with it. */
struct expr_fault {
    uint32_t field;
    char text[200];
};

/* Memory of results, until the next reset. Zero-initialise; one per thread. */
struct expr_block {
    struct expr_block *next;
    size_t cap;
};
struct expr_scratch {
    struct expr_block *blocks;        /* the one in use first */
    size_t used, total;               /* of the first; of all */
    size_t limit_bytes;               /* results of one record that need more are its fault; 0 = 64 MiB */
    bool hour_skipped, hour_repeated; /* a date of the record is in an hour that a change of the clock skips, or repeats */
};

/* Expressions over the fields of a record: `zeropad(mod(md5(id), 10), 2) + '_' + id`. The language is in docs/mapping.md.
 *
 *   expr_compile(text, names) -> program; per record: fill an array of fields, expr_eval(program, fields) -> value
 *
 * Where fields come from is the caller's: `names` turns a name of the text into the number of a field, at each place where
 * it occurs. CSV columns, a counter, a clock and seeded random numbers are all the same to a program. A program is read-only
 * after it was compiled and may be run by many threads, each with its own fields and scratch; running it allocates nothing once
 * the scratch is as large as its largest record needs. */

/* Fields by name or by position (`$2`: name is "$2"). */
struct lookup_use; /* lookup_table.h */
struct expr_names {
    /* 1: *field and *type (EXPR_TEXT or EXPR_NUMBER) are set; 0: no field has this name; -1: error. Called once for
     * each place where a name occurs. */
    int (*find)(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err);
    void *arg;
    bool columns; /* a bare name may be family:qualifier */
    /* The table and column of a lookup(): 0, or -1: ERR_USAGE. NULL: there are no tables. */
    int (*table)(void *arg, struct bytes table, struct bytes column, struct lookup_use *use, struct err *err);
};

#endif
