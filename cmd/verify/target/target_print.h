/* Prints how a database differs from an export. */
#ifndef TARGET_TARGET_PRINT_H
#define TARGET_TARGET_PRINT_H

#include "cmd/verify/difference/difference_table.h"
#include "cmd/verify/target/compare.h"

#include <jansson.h>

struct environment;

struct target_printer {
    struct environment *env;
    const struct export_manifest *m;
    const char *dir;           /* of the export or dataset */
    uint64_t limit;            /* rows to report, and partitions to print */
    uint64_t lines;            /* rows in the table */
    bool delta;                /* only its own rows are compared */
    bool by_partition;         /* rows are where OceanBase would put them; else single rows are not looked for */
    uint64_t definitions;      /* tables that are not as in the export */
    uint64_t uncompared;       /* their rows in the export */
    uint64_t rows, partitions; /* printed, or more than the limit */
    struct difference_table table;
    bool gone;        /* standard output is no longer read */
    json_t *compared; /* every partition, for the document; NULL: there is none */
};

/* limit and form of values, as options say. */
int target_print_begin(struct target_printer *p, struct environment *env, struct err *err);
void target_print_free(struct target_printer *p);

int target_print_row(struct target_printer *p, const struct compare_finding *f, struct err *err);
int target_print_partition(struct target_printer *p, const struct compare_partition *c, struct err *err);
/* partition: NULL is the whole table. */
int target_print_unreached(struct target_printer *p, uint32_t family, const char *partition, const char *why, struct err *err);
int target_print_definition(struct target_printer *p, uint32_t family, const char *text, struct err *err);
/* Keeps the sums of a partition, equal or not, for the document. */
int target_print_compared(struct target_printer *p, const struct compare_partition *c, struct err *err);
/* Fills the metrics too. */
int target_print_end(struct target_printer *p, const struct compare_result *c, bool equal, struct err *err);

#endif
