/* Parses one level of partitions of a DDL. */
#ifndef TABLE_DDL_LEVEL_H
#define TABLE_DDL_LEVEL_H

#include "table/ddl_parser.h"
#include "table/partitioning.h"

/* ddl_level.c: KEY (…), RANGE COLUMNS (…), LIST COLUMNS (…), for partitions or subpartitions. */
int ddl_level(struct ddl *d, struct partitioning *level);
int ddl_level_list(struct ddl *d, struct ddl_list_opts *o);
/* Shapes that no rule makes usable: auto-split, INTERVAL. */
int ddl_refuse_shapes(struct ddl *d);

#endif
