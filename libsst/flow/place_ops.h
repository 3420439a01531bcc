/* What a partitioner is: one const struct per file place_*.c, chosen by placement.c. Private to flow/place*. */
#ifndef FLOW_PLACE_OPS_H
#define FLOW_PLACE_OPS_H

#include "flow/placement.h"

struct place_ops {
    enum partition_kind kind;
    bool monotone;
    /* Builds p->state; may leave it NULL. */
    int (*prepare)(struct placement *p, struct err *err);
    void (*release)(struct placement *p);
    enum place_result (*of)(const struct placement *p, struct bytes row, uint32_t *index);
    bool (*client_differs)(const struct placement *p, struct bytes row);
};

struct placement {
    const struct place_ops *ops;
    const struct partitioning *spec; /* borrowed */
    void *state;
};

extern const struct place_ops place_key, place_range, place_none;

#endif
