/* Schedules what is going to happen: a heap of moments, equal ones in the order they were put. */
#ifndef SIMULATE_CLUSTER_STATE_H
#define SIMULATE_CLUSTER_STATE_H

#include "base/err.h"
#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/hbase_rules.h"
#include "cmd/split/simulate/key_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum moment_kind { MOMENT_FLUSHED, MOMENT_FLUSH_DUE, MOMENT_COMPACTED, MOMENT_CHECK, MOMENT_AGE_CHECK, MOMENT_BALANCE };

struct cluster_moment {
    int64_t at_ms, since_ms;
    uint64_t order; /* given by the timeline */
    enum moment_kind kind;
    uint32_t server, region, epoch; /* FLUSHED, COMPACTED */
    uint32_t family, pool, number;  /* COMPACTED */
    bool all_files, offpeak;
    const char *why;
    uint64_t round; /* CHECK */
};

struct timeline { /* zero-initialise */
    struct cluster_moment *p;
    size_t n;
    uint64_t order;
};

int timeline_put(struct timeline *t, struct cluster_moment m, struct err *err);
/* Returns the next moment; NULL: there is none. Valid until the next put or take. */
const struct cluster_moment *timeline_next(const struct timeline *t);
struct cluster_moment timeline_take(struct timeline *t); /* n > 0 */
void timeline_free(struct timeline *t);

/* State of a cluster, for the files of this directory.
 * Exports: region, live, bucket, current_bucket, event, store, flush, compaction, split, balance */

/* A store file, or a reference to one half of the parent's. */
struct region_file {
    struct select_file facts;
    uint64_t own_bytes;  /* of its rows in this region; facts.bytes are those of the whole file, as HBase counts a reference */
    uint32_t compaction; /* number of the one that takes it; 0: none */
    struct key_profile keys;
};

/* Cells that were written and are not in a file yet. */
struct memstore {
    uint64_t heap, bytes; /* bytes: as KeyValues of an HFile */
    int64_t since_ms;     /* when the first cell came */
    int64_t oldest_ms;    /* smallest timestamp */
};

struct store {
    struct region_file *files; /* oldest first */
    uint32_t n_files;
    struct memstore active, snapshot; /* snapshot: being flushed */
    struct key_sampler keys;          /* of active */
    struct key_profile snapshot_keys;
    size_t counted; /* of the cluster's memory: keys and snapshot_keys */
    bool force_major;
    int64_t references_until_ms; /* compacted references remain until the server removes them */
    uint64_t flushes, minors, majors;
};

struct region {
    struct sim_region out; /* rows are owned; files and stores' figures are reckoned for the report */
    struct store *stores;  /* [n_families] */
    uint64_t heap;         /* of all memstores, flushing ones included */
    int64_t split_bytes;   /* the policy's size, jitter included */
    uint32_t epoch;        /* goes up when it is closed: what was under way then is void */
    int64_t flushed_ms;    /* when each store was flushed last: the earliest */
    bool flush_wanted;     /* HRegion.requestFlush: until that flush is over */
    bool flushing;
    bool queued; /* in its server's queue of flushes, since: */
    int64_t queued_ms, due_ms;
    uint32_t requeues;
    const char *why; /* of the flush that is wanted */
};

enum { POOL_SMALL, POOL_LARGE, POOLS };

/* A store that waits for a thread; which files it gives is decided when it gets one. */
struct compaction_request {
    uint32_t region, family;
    int priority;
    uint64_t order;
};

struct compaction_pool {
    struct compaction_request *requests;
    uint32_t n, running;
};

struct cluster_server {
    struct sim_server out;
    uint64_t heap;
    uint32_t regions;
    uint32_t *flushes; /* regions in the order they asked */
    uint32_t n_flushes, flushing;
    struct compaction_pool pools[POOLS];
    bool offpeak_runs;
};

struct sim_cluster {
    struct sim_options opts;
    const struct sim_settings *settings;
    int64_t now, delay_ms; /* delay_ms: how late the client is because it had to wait */
    struct {
        uint64_t taken, most;
    } memory;
    uint64_t random;
    struct timeline timeline;
    struct region **regions; /* [n_regions] all there ever were */
    uint32_t n_regions;
    uint32_t *live; /* [n_live] in the order of keys */
    uint32_t n_live;
    uint32_t last; /* index in live of the region written to last */
    struct cluster_server *servers;
    struct {
        uint64_t high, low; /* of the memstores of a server */
        uint64_t blocking;  /* of the memstore of a region */
    } limits;
    struct {
        uint32_t compactions;
        uint64_t requests;
    } numbers;       /* given out */
    bool unbalanced; /* regions came or went since the balancer looked */
    struct {
        int64_t ms;
        uint32_t at; /* the present one */
        struct sim_bucket list[SIM_BUCKETS];
    } slots; /* of time */
    struct sim_totals totals;
    struct sim_report report;
    struct {
        struct sim_region *regions;
        struct sim_server *servers;
    } report_of;
};

/* Memory of a cluster is counted; more than it may take is ERR_LIMIT. */
void *sim_memory_take(struct sim_cluster *c, size_t bytes, const char *what, struct err *err);
void sim_memory_give(struct sim_cluster *c, void *p, size_t bytes);
/* Counts the memory of something that allocates by itself: *counted becomes `bytes`. */
int sim_memory_count(struct sim_cluster *c, size_t *counted, size_t bytes, const char *what, struct err *err);

/* Number: c->n_regions - 1. NULL: error. */
struct region *region_new(struct sim_cluster *c, struct bytes first, struct bytes last, int32_t server, struct err *err);
void region_free(struct sim_cluster *c, struct region *r);
void live_insert(struct sim_cluster *c, uint32_t at, uint32_t region);
/* Index in live of the region that holds row. */
uint32_t live_find(const struct sim_cluster *c, struct bytes row);
static inline struct sim_bucket *current_bucket(struct sim_cluster *c) {
    return &c->slots.list[c->slots.at];
}

/* cluster_state.c: stores */
int store_put(struct sim_cluster *c, struct region *r, const struct sim_cell *cell, uint64_t bytes, struct err *err);
int store_add_file(struct sim_cluster *c, struct store *s, uint32_t at, const struct region_file *f, struct err *err);
void store_drop_file(struct sim_cluster *c, struct store *s, uint32_t at);
void store_free(struct sim_cluster *c, struct store *s);
uint64_t store_bytes(const struct store *s);                      /* as HBase counts: for references, the whole files */
bool store_has_references(const struct store *s, int64_t now_ms); /* HStore.hasReferences */
bool store_needs_compaction(const struct store *s, const struct sim_compaction *c);
int store_priority(const struct store *s, const struct sim_compaction *c); /* getStoreCompactionPriority */
int region_priority(const struct sim_cluster *c, const struct region *r);
int32_t store_file_name_hash(struct sim_cluster *c); /* of a new name: 32 hex digits, as HBase makes them */

#endif
