/* Compares parts of an export with a target, and finds where they differ. */
#ifndef TARGET_COMPARE_H
#define TARGET_COMPARE_H

#include "base/stop.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/load_rows.h"
#include "cmd/oceanbase/sums_query.h"
#include "cmd/verify/difference/value_head.h"

struct connection;

enum compare_kind {
    COMPARE_MISSING,
    COMPARE_EXTRA,
    COMPARE_CHANGED,
    COMPARE_LEFT, /* of a delta: there, although its markers hide it */
    COMPARE_KINDS
};

/* Zero where the side lacks the row. */
struct compare_side {
    struct value_head value;
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
    uint64_t found[COMPARE_KINDS], expired, hidden;
    bool changing; /* the target's rows do not account for its sums, which it gave at another moment */
};

struct compare_opts {
    const struct login *login;
    const struct export_manifest *m; /* table, and sums of partitions */
    bool by_partition;               /* false: rows are elsewhere in the target, only whole tables can be compared, by sums */
    bool delta; /* its rows must be there, and what its markers hide must not; nothing is said of other rows */
    bool strong;
    unsigned jobs, retries; /* attempts after the first, for each partition */
    uint64_t snapshot;      /* connection_snapshot */
    int64_t now_ms;         /* what a TTL has expired by then may be there or not */
    const struct stop *stop;
    bool (*wanted)(void *arg, uint32_t family); /* whether to compare this family */
    const bool *chosen;                         /* by partition: whether to compare it; NULL: all; see by_partition */
    /* Finds the load files of a partition. One call at a time. */
    int (*files)(void *arg, uint32_t family, uint32_t partition, const char **dir, const struct export_manifest **m,
                 struct err *err);
    /* One call at a time; findings of a partition come together. */
    int (*found)(void *arg, const struct compare_finding *f, struct err *err);
    int (*differs)(void *arg, const struct compare_partition *p, struct err *err); /* after its findings */
    /* Every partition, in any order, before its findings; NULL: they are not wanted. */
    int (*compared)(void *arg, const struct compare_partition *p, struct err *err);
    int (*unreached)(void *arg, uint32_t family, const char *partition, const char *why, struct err *err);
    void (*tick)(void *arg, uint64_t rows, uint64_t of); /* about twice a second; each partition counts as one more row */
    void *arg;
    uint64_t limit; /* findings kept for each partition; all are counted */
};

struct compare_result {
    uint64_t partitions, differing, unreached;
    uint64_t changing; /* of differing: written to while they were compared */
    uint64_t rows_a, rows_b;
    uint64_t found[COMPARE_KINDS];
    uint64_t expired; /* on one side only, and expired: no difference */
    uint64_t hidden;  /* on one side only, and beyond MaxVersions by newer rows: no difference */
};

/* Checks that a target holds exactly the rows of an export: sums of each partition computed inside the database; where they
 * differ, sums of ranges of keys, down to the rows. A is the export, B the target. */

const char *compare_kind_name(enum compare_kind k);

int compare_run(const struct compare_opts *o, struct compare_result *r, struct err *err);

/* ---- find_delta.c ---- */

struct delta_opts {
    const struct compare_opts *compare;
    struct load_rows_opts rows; /* one partition of the delta */
    struct sums_place place;
    int (*found)(void *arg, const struct compare_finding *f, struct err *err);
    void *arg;
};
/* Fills what was compared and found in p, but for p->found. */
int delta_find(struct connection *c, const struct delta_opts *o, struct compare_partition *p, struct err *err);

#endif
