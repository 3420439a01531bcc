/* A table definition as JSON, inside the manifest. */
#ifndef DATASET_MANIFEST_TABLE_H
#define DATASET_MANIFEST_TABLE_H

#include "table/table.h"

#include <jansson.h>

json_t *manifest_table_json(const struct table *t); /* NULL: out of memory */
int manifest_table_parse(const json_t *j, struct table *out, struct err *err);

/* Bytes as lower-case hex in a JSON string. */
json_t *manifest_hex(struct bytes b);
int manifest_hex_parse(const json_t *j, struct buf *out, struct err *err);

#endif
