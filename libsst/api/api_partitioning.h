/* A public partitioning: an inner one with what asking it needs prepared. A dataset makes its own out of its manifest. */
#ifndef API_API_PARTITIONING_H
#define API_API_PARTITIONING_H

#include "sst/partitioning.h"
#include "table/placement.h"

struct sst_partitioning {
    struct table table; /* holds the partitioning */
    struct placement *placement;
    struct buf text;
};

/* What asking needs, once p->table.partitioning is there. 0, -1. */
int api_partitioning_prepare(sst_partitioning *p, struct err *err);

#endif
