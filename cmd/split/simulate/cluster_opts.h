/* What a cluster is made of, what is written into it, and what it tells while time goes on. */
#ifndef SIMULATE_CLUSTER_OPTS_H
#define SIMULATE_CLUSTER_OPTS_H

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
const char *sim_event_name(enum sim_event_kind kind); /* "flush", "minor", … */

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

#endif
