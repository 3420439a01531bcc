/* What a cluster holds, for the files of this folder. Exports: region, live, course */
#ifndef SIMULATE_STATE_H
#define SIMULATE_STATE_H

#include "simulate/cluster.h"

struct region {
    struct sim_region out; /* rows are owned; files, file_bytes and stores' figures are reckoned for the report */
};

struct sim_cluster {
    struct sim_options opts;
    const struct sim_settings *settings;
    int64_t now, delay_ms; /* delay_ms: by how much the client is behind because it had to wait */
    uint64_t memory, memory_most;
    struct region **regions; /* [n_regions] all there ever were */
    uint32_t n_regions, cap_regions;
    uint32_t *live; /* [n_live] in the order of keys */
    uint32_t n_live;
    uint32_t last; /* index in live of the region written to last */
    struct sim_server *servers;
    int64_t bucket_ms;
    uint32_t bucket; /* the present one */
    struct sim_bucket buckets[SIM_BUCKETS];
    struct sim_totals totals;
    struct sim_report report;
    struct sim_region *report_regions;
};

/* Memory of a cluster is counted; more than it may take is ERR_LIMIT. */
void *sim_memory_take(struct sim_cluster *c, size_t bytes, const char *what, struct err *err);
void sim_memory_give(struct sim_cluster *c, void *p, size_t bytes);

/* Number: c->n_regions - 1. NULL: error. */
struct region *region_new(struct sim_cluster *c, struct bytes first, struct bytes last, int32_t server, struct err *err);
void region_free(struct sim_cluster *c, struct region *r);
void live_insert(struct sim_cluster *c, uint32_t at, uint32_t region);
/* Index in live of the region that holds row. */
uint32_t live_find(const struct sim_cluster *c, struct bytes row);

/* The present bucket, after the clock went on. */
void course_advance(struct sim_cluster *c);
static inline struct sim_bucket *course_now(struct sim_cluster *c) {
    return &c->buckets[c->bucket];
}

#endif
