/* What of an export is held against a target, and in what they differ. */
#ifndef TARGET_COMPARE_OPTS_H
#define TARGET_COMPARE_OPTS_H

#include "base/stop.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/connection.h"

enum compare_kind { COMPARE_MISSING, COMPARE_EXTRA, COMPARE_CHANGED, COMPARE_KINDS };

/* Zero where the side lacks the row. */
struct compare_side {
    uint64_t value_bytes;
    bool has_ttl;
    int64_t ttl_ms;
};

/* One row. */
struct compare_finding {
    enum compare_kind kind;
    uint32_t family, partition;
    struct bytes k, q;
    int64_t t;
    struct compare_side a, b;
};

/* A partition whose sums differ. */
struct compare_partition {
    uint32_t family, partition;
    const char *name; /* NULL: the whole table */
    struct cell_sums a, b;
    uint64_t found[COMPARE_KINDS], expired;
};

struct compare_opts {
    const struct login *login;
    const struct export_manifest *m; /* table, and sums of partitions */
    bool by_partition;               /* false: rows lie elsewhere in the target, only whole tables can be compared, by sums */
    bool strong;
    unsigned jobs, retries; /* attempts after the first, for each partition */
    int64_t now_ms;         /* what a TTL has expired by then may be there or not */
    const struct stop *stop;
    bool (*wanted)(void *arg, uint32_t family); /* whether to look at this family */
    /* Where the load files of a partition are. One call at a time. */
    int (*files)(void *arg, uint32_t family, uint32_t partition, const char **dir, const struct export_manifest **m,
                 struct err *err);
    /* One call at a time; findings of a partition come together. */
    int (*found)(void *arg, const struct compare_finding *f, struct err *err);
    int (*differs)(void *arg, const struct compare_partition *p, struct err *err); /* behind its findings */
    int (*unreached)(void *arg, uint32_t family, const char *partition, const char *why, struct err *err);
    void (*tick)(void *arg, uint64_t partitions, uint64_t of);
    void *arg;
    uint64_t limit; /* findings kept for each partition; all are counted */
};

struct compare_result {
    uint64_t partitions, differing, unreached;
    uint64_t rows_a, rows_b;
    uint64_t found[COMPARE_KINDS];
    uint64_t expired; /* on one side only, and expired: no difference */
};

#endif
