/* What verification finds: a bounded list, worst first, and the count of all. Filled by many threads; what stays on a list that
 * is too short for all does not depend on them. */
#ifndef CHECK_PROBLEMS_H
#define CHECK_PROBLEMS_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum problem_kind {                    /* worst first */
                    PROBLEM_MISSING,   /* a listed file is not there */
                    PROBLEM_DAMAGED,   /* bytes cannot be decoded: checksum, structure, truncation */
                    PROBLEM_COUNT,     /* cells or digests differ from what file, manifest or ledger say */
                    PROBLEM_ORDER,     /* rows or files out of order, overlapping files */
                    PROBLEM_HIDDEN,    /* cells that HBase would not find: bloom filter, index or time range leave them out */
                    PROBLEM_EXTRA,     /* a file that the manifest does not list: a bulk load would take it */
                    PROBLEM_MISPLACED, /* a row lies in another partition or region than it belongs to */
                    PROBLEM_METADATA,  /* file info, trailer, index, bloom filter or manifest say something untrue */
                    PROBLEM_COSMETIC,  /* names, links: all data is there and right */
                    PROBLEM_KINDS
};
const char *problem_name(enum problem_kind k);
/* "lost", "misplaced", "figures" or "cosmetic": how bad a kind is, worst first. */
const char *problem_severity(enum problem_kind k);

struct problem {
    enum problem_kind kind;
    uint32_t file_n; /* so many bytes of text name the file; 0: none */
    char *text;      /* "FILE: what is wrong" */
};

struct problems {
    pthread_mutex_t lock;
    struct problem *list; /* while it grows a heap, the mildest on top */
    uint32_t n, limit;
    uint64_t found[PROBLEM_KINDS];
};

enum { PROBLEMS_MOST = 100000 }; /* that a list can hold */
/* limit: 1 to PROBLEMS_MOST, larger ones are cut. */
int problems_init(struct problems *p, uint64_t limit, struct err *err);
void problems_clear(struct problems *p); /* for another try */
void problems_free(struct problems *p);
/* file may be NULL; where the text begins with its name already, that is not repeated. */
void problems_add(struct problems *p, enum problem_kind k, const char *file, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Counts n more without a text. */
void problems_count(struct problems *p, enum problem_kind k, uint64_t n);
/* Everything in src, which is then empty. */
void problems_move(struct problems *dst, struct problems *src);
uint64_t problems_total(const struct problems *p);
/* Worst first, equal kinds by text, with numbers in it by their value. Nothing may be added afterwards. */
void problems_sort(struct problems *p);

#endif
