/* What of an export is compared with a target, and where they differ. */
#ifndef TARGET_COMPARE_H
#define TARGET_COMPARE_H

#include "base/buf.h"
#include "base/stop.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/kqvt.h"
#include "cmd/oceanbase/load_rows.h"

enum compare_kind {
    COMPARE_MISSING,
    COMPARE_EXTRA,
    COMPARE_CHANGED,
    COMPARE_LEFT, /* of a delta: there, although its markers hide it */
    COMPARE_KINDS
};

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
    /* Where the load files of a partition are. One call at a time. */
    int (*files)(void *arg, uint32_t family, uint32_t partition, const char **dir, const struct export_manifest **m,
                 struct err *err);
    /* One call at a time; findings of a partition come together. */
    int (*found)(void *arg, const struct compare_finding *f, struct err *err);
    int (*differs)(void *arg, const struct compare_partition *p, struct err *err); /* after its findings */
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

/* Whether a target holds exactly the rows of an export: sums of each partition computed inside the database; where they differ,
 * sums of ranges of keys, down to the rows. A is the export, B the target. */

const char *compare_kind_name(enum compare_kind k);

int compare_run(const struct compare_opts *o, struct compare_result *r, struct err *err);

/* The rows of one partition in which an export and a target differ. */

/* What the target has more, by its rows; modulo 2^64 where it has less. */
struct descend_surplus {
    uint64_t rows, bytes;
};

struct descend_opts {
    const struct compare_opts *compare;
    struct load_rows_opts rows;
    struct sums_place place;
    int (*found)(void *arg, const struct compare_finding *f, struct err *err);
    void *arg;
    uint64_t *expired, *hidden; /* counted here instead */
    struct descend_surplus *more;
};

int descend_run(struct connection *c, const struct descend_opts *o, struct err *err);

/* ---- rows as a target gives them ---- */

struct target_row {
    struct kqvt_row row;    /* without V */
    uint64_t value_bytes;   /* UINT64_MAX: V is NULL */
    struct bytes value_sum; /* CRC-32 in decimal, or MD5 in hex */
};
enum { VALUE_SUM_BYTES = 33 };

/* Without ORDER BY, and without a NUL. */
int target_rows_put_query(struct buf *sql, const struct sums_place *p, struct bytes where, struct err *err);
/* What it answers. ERR_INTERNAL. */
int target_row_parse(const struct bytes *fields, unsigned n, struct target_row *out, struct err *err);
/* sum: as value_sum, with a NUL. */
void target_value_sum(struct bytes value, bool strong, char sum[VALUE_SUM_BYTES]);
struct compare_side target_side(const struct target_row *row);
/* By the TTL of the family, or its own. */
bool target_row_expired(const struct family *f, int64_t now_ms, const struct kqvt_row *row);

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

/* A partition cut into ranges of its primary key, each with the sums of its rows: what differs is found by asking the database
 * for the sums of ever smaller ranges. The number of ranges is bounded: where there are more rows, ranges hold more of them. */

enum { KEY_RANGES_MAX = 4096, KEY_RANGE_ROWS = 512 };

struct key_range {
    struct buf key; /* K and Q of its first row */
    size_t k_bytes;
    int64_t t;
    bool row_begins; /* K is another one than that of the row before */
    struct cell_sums sums;
};

struct key_ranges {
    struct key_range *list;
    size_t n;
    uint64_t rows_each; /* of all but the last */
    struct buf last_key;
};

/* Rows come in the order of the key. */
int key_ranges_add(struct key_ranges *r, const struct kqvt_row *row, const struct cell_sums_opts *o, struct err *err);
/* Sums of ranges first … end - 1. */
struct cell_sums key_ranges_sums(const struct key_ranges *r, size_t first, size_t end);
/* The condition for WHERE, with a NUL: the first range begins before all keys, the last ends after all. All of them: "1 = 1". */
int key_ranges_where(const struct key_ranges *r, size_t first, size_t end, struct buf *out, struct err *err);
void key_ranges_free(struct key_ranges *r);

/* ---- key_slices.c ---- */

/* What an export has of a partition. */
struct key_span {
    struct bytes first, last; /* K; empty: not known */
    uint64_t rows;
};
/* In how many slices the partition is read; 1: all at once. */
unsigned key_slice_count(const struct key_span *span);
/* The condition for slice i of n, with a NUL: the first begins before all keys, the last ends after all. */
int key_slice_where(const struct key_span *span, unsigned i, unsigned n, struct buf *out, struct err *err);

#endif
