/* Building a struct partitioning piece by piece, and the rules every source of one must keep. */
#ifndef TABLE_PARTITIONING_H
#define TABLE_PARTITIONING_H

#include "table/table.h"

enum { PARTITIONS_MAX = 8192 }; /* leaves; measured: 8193 are refused with error 1499 */

/* Names p0 … p<count-1>, for a partitioning that has a count but no names. */
int partitioning_number_names(struct partitioning *p, struct err *err);
/* One more leaf at the end; copies. name NULL = p<index>; bound NULL = none (KEY); bound->p NULL = MAXVALUE. */
int partitioning_add(struct partitioning *p, const struct bytes *name, const struct bytes *bound, struct err *err);
/* LIST: values of the partition added last; copies. DEFAULT has none. */
int partitioning_add_list(struct partitioning *p, const struct bytes *name, struct err *err);
int partitioning_add_value(struct partitioning *p, const struct bytes *value, struct err *err); /* NULL = DEFAULT */
/* TWO_LEVEL: levels are filled; makes count and names, those of a template being <partition>s<subpartition>. */
int partitioning_join(struct partitioning *p, struct err *err);
/* The subpartitions of partition i of a TWO_LEVEL. */
const struct partitioning *partitioning_below(const struct partitioning *p, uint32_t i);
/* They look at a prefix of K or at the time, for which the table needs a generated column. */
bool partitioning_is_generated(const struct partitioning *p);
/* Cells of one row may lie in several partitions. */
bool partitioning_splits_rows(const struct partitioning *p);
bool partitioning_list_eq(const struct list_values *a, const struct list_values *b);
int partitioning_check_lists(const struct partitioning *p, struct err *err);
/* A bound of BY_TIME, and back. */
void partitioning_put_time(int64_t v, uint8_t out[8]);
int64_t partitioning_take_time(struct bytes bound);
/* RANGE: no empty bound, strictly rising, MAXVALUE only last. LIST: no value twice. No name twice. ERR_USAGE says which. */
int partitioning_check(const struct partitioning *p, struct err *err);
/* The bound for a message: text when it is printable ASCII, else hex, shortened. */
void partitioning_show_bound(struct bytes bound, char out[80]);
/* Bounds that are not valid UTF-8: OceanBase 4.3.5 refuses them in CREATE TABLE (error 1366). */
uint32_t partitioning_count_not_utf8(const struct partitioning *p);

#endif
