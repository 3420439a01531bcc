/* Makes the clause that divides a table. */
#ifndef CMD_OCEANBASE_CREATE_PARTITIONS_H
#define CMD_OCEANBASE_CREATE_PARTITIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "table/partitioning.h"

/* Adds the columns of the table that divide it: nothing, or lines that end in a comma. */
int create_partitions_put_columns(struct buf *out, const struct partitioning *p, uint32_t k_max, struct err *err);
/* Adds the clause that divides the table, after a line end, or nothing. */
int create_partitions_put(struct buf *out, const struct partitioning *p, struct err *err);

#endif
