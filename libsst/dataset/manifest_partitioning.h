/* A partitioning as JSON, inside the table of a manifest. */
#ifndef DATASET_MANIFEST_PARTITIONING_H
#define DATASET_MANIFEST_PARTITIONING_H

#include "dataset/manifest_value.h"
#include "table/table.h"

json_t *manifest_partitioning_json(const struct partitioning *p);
/* What is read has passed partitioning_check. */
int manifest_partitioning_parse(const json_t *j, struct partitioning *p, struct err *err);

#endif
