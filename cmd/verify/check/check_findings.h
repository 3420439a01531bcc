/* Findings of a verification: a bounded list, worst first, and the count of all. Filled by many threads; what stays on a list
 * that is too short for all does not depend on them. */
#ifndef CHECK_CHECK_FINDINGS_H
#define CHECK_CHECK_FINDINGS_H

#include "base/err.h"
#include "base/plain.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum finding_kind {                    /* worst first */
                    FINDING_MISSING,   /* a listed file is not there */
                    FINDING_DAMAGED,   /* bytes cannot be decoded: checksum, structure, truncation */
                    FINDING_COUNT,     /* cells or digests differ from what file, manifest or ledger say */
                    FINDING_ORDER,     /* rows or files out of order, overlapping files */
                    FINDING_HIDDEN,    /* cells that HBase would not find: bloom filter, index or time range leave them out */
                    FINDING_EXTRA,     /* a file that the manifest does not list: a bulk load would take it */
                    FINDING_MISPLACED, /* a row is in another partition or region than it belongs to */
                    FINDING_METADATA,  /* file info, trailer, index, bloom filter or manifest say something untrue */
                    FINDING_COSMETIC,  /* names, links: all data is complete and right */
                    FINDING_NOTE,      /* no problem: unusual, though HBase writes it so, and reads it */
                    FINDING_KINDS
};
const char *finding_name(enum finding_kind k);
/* "lost", "misplaced", "figures" "cosmetic" or "note": how bad a kind is, worst first. */
const char *finding_severity(enum finding_kind k);

struct check_finding {
    enum finding_kind kind;
    uint32_t file_n; /* so many bytes of text name the file; 0: none */
    char *text;      /* "FILE: what is wrong" */
};

struct check_findings {
    pthread_mutex_t lock;
    struct check_finding *list; /* while it grows a heap, the mildest on top */
    uint32_t n, limit;
    uint64_t found[FINDING_KINDS];
};

enum { FINDINGS_MOST = 100000 }; /* that a list can hold */
/* limit: 1 to FINDINGS_MOST, larger ones are cut. */
int check_findings_init(struct check_findings *p, uint64_t limit, struct err *err);
void check_findings_clear(struct check_findings *p); /* for another try */
void check_findings_free(struct check_findings *p);
/* file may be NULL; where the text begins with its name already, that is not repeated. */
void check_findings_add(struct check_findings *p, enum finding_kind k, const char *file, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Files are called so from now on. */
int check_findings_name(struct check_findings *p, const struct path_names *names, struct err *err);
/* Counts n more without a text. */
void check_findings_count(struct check_findings *p, enum finding_kind k, uint64_t n);
/* Everything in src, which is then empty. */
void check_findings_move(struct check_findings *dst, struct check_findings *src);
/* Counts the findings, without notes. */
uint64_t check_findings_total(const struct check_findings *p);
/* Worst first, equal kinds by text, with numbers in it by their value. Nothing may be added afterwards. */
void check_findings_sort(struct check_findings *p);

#endif
