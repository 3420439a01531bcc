/* The interface of partitioners: one const struct place_NAME in a file place_NAME.c, which make finds by its name
 * (docs/add-a-partitioner.md). Private to the partitioners, placement.c and partitioning_text.c. */
#ifndef TABLE_PARTITIONER_H
#define TABLE_PARTITIONER_H

#include "cell/cell.h"
#include "table/partitioning.h"

struct placement;
struct partitioner {
    enum partition_kind kind; /* PARTITION_OTHER for all but those that DDL knows */
    const char *word;         /* of --partition: "key" in "key:97"; NULL = only DDL makes such partitions */
    const char *usage;        /* "key:N", for the message about an unknown word */
    /* Fills *out (zeroed before) from what follows "word:"; args NULL: no ':'. spec is the whole text, for messages. */
    int (*parse)(const char *spec, const char *args, struct partitioning *out, struct buf *warnings, struct err *err);
    /* Builds p->state; may leave it NULL. */
    int (*prepare)(struct placement *p, struct err *err);
    void (*release)(struct placement *p);
    /* Called for every row by all threads: what can be computed before belongs into prepare. */
    enum place_result (*of)(const struct placement *p, struct bytes row, uint32_t *index);
    /* Finds the partition where more than the row decides (partitioning.by); may be NULL. */
    enum place_result (*of_cell)(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index);
    /* Would an OBKV client look for this row in another partition? May be NULL. */
    bool (*client_differs)(const struct placement *p, struct bytes row);
};

struct placement {
    const struct partitioner *ops;
    const struct partitioning *spec; /* borrowed */
    void *state;
    bool splits_rows;
};

#endif
