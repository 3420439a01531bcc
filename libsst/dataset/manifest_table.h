/* A table definition as JSON, inside the manifest. */
#ifndef DATASET_MANIFEST_TABLE_H
#define DATASET_MANIFEST_TABLE_H

#include "dataset/manifest_json.h"
#include "table/table.h"

json_t *manifest_table_json(const struct table *t); /* NULL: out of memory */
int manifest_table_parse(const json_t *j, struct table *out, struct err *err);

/* A partitioning as JSON, inside the table of a manifest. */

json_t *manifest_partitioning_json(const struct partitioning *p);
/* What is read has passed partitioning_check. */
int manifest_partitioning_parse(const json_t *j, struct partitioning *p, struct err *err);

#endif
