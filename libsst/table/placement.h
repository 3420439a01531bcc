/* Finds the partition that owns a row: one file per partitioner (place_*.c). Source: OceanBase server >= 4.0
 * (ObExprFuncPartKey::calc_partition_key, ObPartitionUtils), measured on a real engine. */
#ifndef TABLE_PLACEMENT_H
#define TABLE_PLACEMENT_H

#include "cell/cell.h"
#include "table/partitioner.h"

const struct partitioner *partitioner_at(size_t i); /* NULL: there are no more */
const struct partitioner *partitioner_named(struct bytes word);

struct placement *placement_new(const struct partitioning *p, struct err *err); /* borrows p */
void placement_free(struct placement *p);
uint32_t placement_count(const struct placement *p);
enum place_result placement_of(const struct placement *p, struct bytes row, uint32_t *index);
/* Finds the partition of one cell: needed where rows are divided, fine everywhere. */
enum place_result placement_of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index);
/* Cells of one row may be in several partitions. */
bool placement_splits_rows(const struct placement *p);
/* Returns in *n how many cells of the part, from `from` on, share what is said of the first: result and index. */
enum place_result placement_run(const struct placement *p, const struct row_part *part, uint32_t from, uint32_t *n,
                                uint32_t *index);
/* Checks that all cells of the part belong to `partition`: then PLACE_OK and *index is it, else what holds of the first that does
 * not. */
enum place_result placement_check(const struct placement *p, const struct row_part *part, uint32_t partition, uint32_t *index);
const char *placement_why(enum place_result r); /* reason in words for rejects */
/* Signed-byte order of the Java client would send this row elsewhere (RANGE, bytes >= 0x80). */
bool placement_client_differs(const struct placement *p, struct bytes row);
/* MurmurHash64A chain value before sign removal, for tests and `hash` output. */
int64_t placement_key_hash(struct bytes key);

#endif
