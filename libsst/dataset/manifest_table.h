/* A table definition as JSON, inside the manifest. */
#ifndef DATASET_MANIFEST_TABLE_H
#define DATASET_MANIFEST_TABLE_H

#include "dataset/manifest_value.h"
#include "table/table.h"

json_t *manifest_table_json(const struct table *t); /* NULL: out of memory */
int manifest_table_parse(const json_t *j, struct table *out, struct err *err);

#endif
