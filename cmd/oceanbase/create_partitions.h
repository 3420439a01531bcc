/* The PARTITION BY clause of a CREATE TABLE, and the generated columns it looks at: K_PREFIX, and G for the time. What ddl_parse
 * makes of both is the same partitioning again. */
#ifndef CMD_OCEANBASE_CREATE_PARTITIONS_H
#define CMD_OCEANBASE_CREATE_PARTITIONS_H

#include "base/buf.h"
#include "table/table.h"

/* Nothing, or lines that end in a comma. */
int create_partitions_put_columns(struct buf *out, const struct partitioning *p, uint32_t k_max, struct err *err);
/* Nothing, or a line end and the clause. */
int create_partitions_put(struct buf *out, const struct partitioning *p, struct err *err);

#endif
