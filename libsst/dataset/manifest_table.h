/* A table definition as JSON, inside the manifest. */
#ifndef DATASET_MANIFEST_TABLE_H
#define DATASET_MANIFEST_TABLE_H

#include "base/err.h"
#include "dataset/manifest_json.h"
#include "table/partitioning.h"
#include "table/table.h"

/* Returns the kind of a dataset that is made of datasets of these kinds. */
enum dataset_kind dataset_kind_add(enum dataset_kind a, enum dataset_kind b);
const char *dataset_kind_name(enum dataset_kind kind); /* NULL: DATASET_UNSAID */
int dataset_kind_parse(const char *name, enum dataset_kind *kind, struct err *err);

json_t *manifest_table_json(const struct table *t); /* NULL: out of memory */
int manifest_table_parse(const json_t *j, struct table *out, struct err *err);

json_t *manifest_partitioning_json(const struct partitioning *p);
/* Parses a partitioning and checks it (partitioning_check). */
int manifest_partitioning_parse(const json_t *j, struct partitioning *p, struct err *err);

#endif
