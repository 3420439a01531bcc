/* Tables and snapshots of a root. */
#ifndef FORMATS_HBASE_STORE_CATALOG_H
#define FORMATS_HBASE_STORE_CATALOG_H

#include "formats/hbase/store_files.h"

/* What a root holds. */
struct store_catalog {
    struct store_catalog_entry {
        char *ns, *table; /* of a snapshot: the table it was taken of */
        char *snapshot;   /* NULL: a table of data/ */
        char *dir;
    } * entries; /* tables by namespace and name, then snapshots by name */
    size_t n;
};
int store_catalog_read(const char *root, struct store_catalog *out, struct err *err);
void store_catalog_free(struct store_catalog *c);

/* The snapshot NAME of a root. ERR_USAGE lists the names there are. */
int store_files_of_snapshot(const char *root, const char *name, struct store_files *out, struct err *err);

#endif
