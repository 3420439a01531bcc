/* What verification finds: a bounded list, worst first, and the count of all. Filled by many threads. */
#ifndef PIPELINE_PROBLEMS_H
#define PIPELINE_PROBLEMS_H

#include "base/err.h"

#include <stdint.h>

enum problem_kind {                    /* worst first */
                    PROBLEM_MISSING,   /* a listed file is not there */
                    PROBLEM_DAMAGED,   /* bytes cannot be decoded: checksum, structure, truncation */
                    PROBLEM_COUNT,     /* cells or digests differ from what file, manifest or ledger say */
                    PROBLEM_ORDER,     /* rows or files out of order, overlapping files */
                    PROBLEM_MISPLACED, /* a row lies in another partition than the server would put it */
                    PROBLEM_METADATA,  /* file info, bloom, index or manifest say something untrue */
                    PROBLEM_KINDS
};
const char *problem_name(enum problem_kind k);

struct problem {
    enum problem_kind kind;
    char text[400];
};

struct problems {
    struct problem *list; /* limit entries */
    uint32_t n, limit;
    uint64_t found[PROBLEM_KINDS];
};

int problems_init(struct problems *p, uint32_t limit, struct err *err);
void problems_clear(struct problems *p); /* for another try */
void problems_free(struct problems *p);
void problems_add(struct problems *p, enum problem_kind k, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
uint64_t problems_total(const struct problems *p);
/* Worst first, equal kinds by text: the same list for any number of threads, unless more than limit were found. */
void problems_sort(struct problems *p);

#endif
