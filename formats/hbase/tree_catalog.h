/* Lists the tables and snapshots of a root. */
#ifndef FORMATS_HBASE_TREE_CATALOG_H
#define FORMATS_HBASE_TREE_CATALOG_H

#include "base/err.h"
#include "formats/hbase/store_files.h"

int tree_catalog_read(const char *root, struct tree_catalog *out, struct err *err);
void tree_catalog_free(struct tree_catalog *c);

#endif
