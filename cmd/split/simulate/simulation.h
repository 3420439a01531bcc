/* Writes counted in regions that stay as they are, and in partitions of OceanBase: how many, and when. Where the bounds come
 * from a sample of the first keys, these are counted apart. The same for any number of threads. */
#ifndef SIMULATE_SIMULATION_H
#define SIMULATE_SIMULATION_H

#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/key_bounds.h"
#include "cmd/split/simulate/write_history.h"
#include "cmd/split/simulate/write_stream.h"

struct simulation_opts {
    const struct job *job;
    const struct write_stream_opts *writes;
    uint32_t sampled;     /* regions whose bounds come from the first keys; 0: the bounds are there */
    uint64_t sample_rows; /* how many keys; 0: 1,000,000, but not more than half */
    uint32_t partitions;
};

struct simulation_counts {
    struct write_stream_facts facts;
    struct key_bounds bounds; /* set by the caller where nothing is sampled */
    uint64_t sample_seen, sample_kept;
    uint64_t *sample_counts; /* [regions] of the keys kept */
    struct write_history regions, partitions;
    uint64_t nowhere; /* writes that no partition takes */
};

/* out->bounds: as said above, all else zero. *out must be freed, whatever is returned. */
int simulation_count(const struct simulation_opts *o, struct simulation_counts *out, struct err *err);
void simulation_counts_free(struct simulation_counts *r);

/* A stream of writes into an emulated cluster of HBase, and counted in partitions of OceanBase beside that. */

struct emulation_opts {
    struct simulation_opts counted; /* what is written, and what becomes of the first keys */
    uint32_t servers;
    uint64_t seed;
    /* Called once the inputs are open, so that all families are known: fills what the cluster goes by. */
    int (*settings)(void *arg, struct sim_settings *out, struct err *err);
    int (*event)(void *arg, const struct sim_event *event, struct err *err); /* as in sim_options */
    void *arg;
};

struct emulation { /* zero-initialise */
    struct sim_settings settings;
    struct sim_cluster *cluster;
    const struct sim_report *report; /* the cluster's */
};

/* counts: as simulation_count leaves it, but without counts of regions. Both must be freed, whatever is returned. */
int emulation_run(const struct emulation_opts *o, struct simulation_counts *counts, struct emulation *e, struct err *err);
void emulation_free(struct emulation *e);

#endif
