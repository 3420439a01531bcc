/* Building a struct partitioning piece by piece, and the rules every source of one must keep. */
#ifndef TABLE_PARTITIONING_H
#define TABLE_PARTITIONING_H

#include "table/table.h"

enum { PARTITIONS_MAX = 8192 }; /* leaves; measured: 8193 are refused with error 1499 */

/* Names p0 … p<count-1>, for a partitioning that has a count but no names. */
int partitioning_number_names(struct partitioning *p, struct err *err);
/* One more leaf at the end; copies. name NULL = p<index>; bound NULL = none (KEY); bound->p NULL = MAXVALUE. */
int partitioning_add(struct partitioning *p, const struct bytes *name, const struct bytes *bound, struct err *err);
/* RANGE: no empty bound, strictly rising, MAXVALUE only last. KEY and RANGE: no name twice. ERR_USAGE says which. */
int partitioning_check(const struct partitioning *p, struct err *err);
/* The bound for a message: text when it is printable ASCII, else hex, shortened. */
void partitioning_show_bound(struct bytes bound, char out[80]);
/* Bounds that are not valid UTF-8: OceanBase 4.3.5 refuses them in CREATE TABLE (error 1366). */
uint32_t partitioning_count_not_utf8(const struct partitioning *p);

#endif
