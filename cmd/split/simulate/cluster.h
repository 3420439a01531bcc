/* A region cluster of HBase that holds sizes and samples of keys instead of cells: memstores, store files, flushes,
 * compactions, splits, and where regions are. Cells come in one after the other with the time they are sent at; the rest
 * follows from the settings. Single-threaded, no clock of its own, the same for the same calls and seed. */
#ifndef SIMULATE_CLUSTER_H
#define SIMULATE_CLUSTER_H

#include "base/bytes.h"
#include "base/err.h"
#include "cmd/split/simulate/settings.h"

enum { SIM_BUCKETS = 96, SIM_SERVERS_MAX = 10000, SIM_NONE = -1 };

struct sim_cell {
    struct bytes row;
    uint32_t family; /* number in the settings */
    uint32_t qualifier_bytes, value_bytes, tags_bytes;
    int64_t ts_ms;
    uint8_t type; /* of cell/cell.h */
};

enum sim_event_kind { SIM_EVENT_FLUSH, SIM_EVENT_MINOR, SIM_EVENT_MAJOR, SIM_EVENT_SPLIT, SIM_EVENT_MOVE, SIM_EVENT_BLOCK };
enum { SIM_EVENT_KINDS = SIM_EVENT_BLOCK + 1 };

/* Something that is over. Numbers of regions are their index in the order they came into being; numbers that mean nothing for
 * a kind are SIM_NONE. */
struct sim_event {
    enum sim_event_kind kind;
    const char *why; /* a few constant words: "memstore is full" */
    int64_t at_ms, took_ms;
    int32_t region, family, server;
    uint32_t files;               /* MINOR, MAJOR: taken; FLUSH: written */
    uint64_t bytes_in, bytes_out; /* FLUSH: heap of memstore, bytes of files; compactions: files; SPLIT: of the region */
    struct bytes key;             /* SPLIT: first row of the upper daughter */
    int32_t to[2];                /* SPLIT: daughters; MOVE: to[0] is the server */
};

struct sim_options {
    const struct sim_settings *settings; /* stays with the caller, longer than the cluster */
    const struct bytes *splits;          /* ascending first rows of all regions but the first; copied */
    uint32_t n_splits;
    uint32_t servers;
    uint64_t seed;
    int64_t start_ms;
    uint64_t memory_bytes; /* more is ERR_LIMIT; 0: 256 MiB */
    /* NULL, or called for each event, in the order in which they end. Bytes are borrowed. Non-zero ends the call under way. */
    int (*event)(void *arg, const struct sim_event *event, struct err *err);
    void *event_arg;
};

/* ---- what it comes to: regions, servers, and both over time ---- */

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
    int64_t born_ms, gone_ms; /* gone_ms: it was split; SIM_NONE: it still exists */
    uint64_t cells, bytes;    /* written by the client: KeyValue bytes */
    uint64_t file_bytes;
    uint32_t files;
    struct sim_store *stores; /* [n_families] */
    uint64_t *bucket_bytes;   /* [n_buckets]: bytes written by the client */
};

struct sim_server {
    uint32_t regions;
    uint64_t cells, bytes, file_bytes;
    uint64_t memstore_peak_bytes;
};

/* Figures of a stretch of time; regions, files and file bytes as they were at its end. */
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
