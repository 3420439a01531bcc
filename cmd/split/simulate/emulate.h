/* A stream of writes into an emulated cluster of HBase, and counted in partitions of OceanBase beside that. */
#ifndef SIMULATE_EMULATE_H
#define SIMULATE_EMULATE_H

#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/simple.h"

struct emulate_opts {
    struct simple_opts counted; /* what is written, and what becomes of the first keys */
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

/* counts: as simple_run leaves it, but without counts of regions. Both are to be freed whatever is returned. */
int emulate_run(const struct emulate_opts *o, struct simple_result *counts, struct emulation *e, struct err *err);
void emulation_free(struct emulation *e);

#endif
