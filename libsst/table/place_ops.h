/* What a partitioner is: one const struct per file place_*.c, chosen by placement.c. Private to flow/place*. */
#ifndef TABLE_PLACE_OPS_H
#define TABLE_PLACE_OPS_H

#include "cell/cell.h"
#include "table/place_result.h"
#include "table/partitioning.h"

struct placement;
struct place_ops {
    enum partition_kind kind;
    bool by_cell; /* looks at more than the row: gives of_cell instead of of */
    /* Builds p->state; may leave it NULL. */
    int (*prepare)(struct placement *p, struct err *err);
    void (*release)(struct placement *p);
    enum place_result (*of)(const struct placement *p, struct bytes row, uint32_t *index);
    enum place_result (*of_cell)(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index);
    bool (*client_differs)(const struct placement *p, struct bytes row);
};

struct placement {
    const struct place_ops *ops;
    const struct partitioning *spec; /* borrowed */
    void *state;
    bool splits_rows;
};

/* The bytes of a row that its partition is chosen by. */
struct bytes place_prefix(const struct key_prefix *prefix, struct bytes row);
/* The index a KEY hash gives. */
enum place_result place_hash(uint64_t hash, uint32_t count, uint32_t *index);

extern const struct place_ops place_key, place_key_cells, place_range, place_time, place_list, place_two_level, place_none;

#endif
