/* What a cluster comes to: regions, servers, and their course over time. */
#ifndef SIMULATE_CLUSTER_FIGURES_H
#define SIMULATE_CLUSTER_FIGURES_H

#include "cmd/split/simulate/cluster_opts.h"

struct sim_store {
    uint64_t memstore_bytes; /* on the heap */
    uint64_t file_bytes;
    uint32_t files, references;
    uint64_t flushes, minors, majors;
};

struct sim_region {
    struct bytes first, last; /* first row; first row of the next one, empty at both ends of the table */
    int32_t parent;           /* SIM_NONE: there from the start */
    int32_t server;
    int64_t born_ms, gone_ms; /* gone_ms: it was split; SIM_NONE: it is there */
    uint64_t cells, bytes;    /* written by the client: KeyValue bytes */
    uint64_t file_bytes;
    uint32_t files;
    struct sim_store *stores; /* [n_families] */
    uint64_t *course;         /* [n_buckets]: bytes written by the client */
};

struct sim_server {
    uint32_t regions;
    uint64_t cells, bytes, file_bytes;
    uint64_t memstore_peak_bytes;
};

/* What happened within a stretch of time; regions, files and file bytes as they were at its end. */
struct sim_bucket {
    uint32_t regions, files;
    uint64_t file_bytes;
    uint64_t bytes, cells; /* written by the client */
    uint64_t flushed_bytes, compacted_bytes;
    uint64_t events[SIM_EVENT_KINDS];
    int64_t blocked_ms;
    uint32_t hot_regions; /* that took at least twice the mean of the regions there were */
    int32_t hottest;      /* region, or SIM_NONE */
    double hottest_share; /* of the bytes */
};

struct sim_totals {
    uint64_t cells, bytes; /* written by the client: KeyValue bytes */
    uint64_t flushed_bytes, compacted_in_bytes, compacted_bytes;
    uint64_t events[SIM_EVENT_KINDS];
    double write_amplification; /* (flushed + compacted) / flushed bytes; 0: nothing was flushed */
    uint32_t hot_regions_most;  /* of a bucket */
    int64_t blocked_region_ms, blocked_server_ms, delay_ms;
    uint64_t memstore_bytes, file_bytes;
    uint32_t regions, files;
};

struct sim_report {
    int64_t start_ms, end_ms, bucket_ms;
    uint32_t n_buckets, n_families;
    struct sim_bucket buckets[SIM_BUCKETS];
    const struct sim_region *regions; /* [n_regions] in the order they came into being */
    uint32_t n_regions;
    const uint32_t *live; /* [totals.regions]: numbers of those there are, in the order of their keys */
    const struct sim_server *servers;
    uint32_t n_servers;
    struct sim_totals totals;
};

#endif
