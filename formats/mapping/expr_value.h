/* Values of expressions, the memory they lie in, and why there is none. */
#ifndef FORMATS_MAPPING_EXPR_VALUE_H
#define FORMATS_MAPPING_EXPR_VALUE_H

#include "base/bytes.h"

enum expr_type {
    EXPR_TEXT,   /* bytes */
    EXPR_NUMBER, /* int64_t; as text it is decimal */
    EXPR_BOOL,   /* number 0 or 1 */
    EXPR_HEX,    /* text of hex digits that a digest printed: text that mod() can take as a number */
    EXPR_RAW     /* bytes of a digest, likewise */
};

/* p == NULL: null (a field that is missing or says so). A null argument makes almost every result null. */
struct expr_value {
    const uint8_t *p; /* bytes; for numbers not NULL, and not to be looked at */
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

/* Why a record does not fit: which field is at fault (EXPR_NO_FIELD: not known), and what is wrong with it. */
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
    struct expr_block *blocks; /* the one in use first */
    size_t used, total;        /* of the first; of all */
    size_t limit_bytes;        /* results of one record that need more are its fault; 0 = 64 MiB */
};

#endif
