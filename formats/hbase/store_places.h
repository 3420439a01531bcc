/* Where the store files of a table may lie: data/, archive/, .tmp/ and mobdir/ of its root, in HBase's order (HFileLink), and
 * the layouts without namespaces of 0.94 and of folders that were copied out. */
#ifndef FORMATS_HBASE_STORE_PLACES_H
#define FORMATS_HBASE_STORE_PLACES_H

#include "base/bytes.h"
#include "base/err.h"

#include <sys/stat.h>

struct store_place {
    char *dir;
    bool has_namespaces; /* dir/ns/table/…, else dir/table/… of the default namespace */
};

struct store_places {
    char *root;                     /* NULL: nothing like a root is above */
    char *own, *own_ns, *own_table; /* the folder of the table that is read itself is looked into first; NULL: a snapshot */
    struct store_place place[8];    /* those that are there */
    size_t n;
};

/* One store file. All borrowed. */
struct store_address {
    struct bytes ns, table, region, family, name;
};

/* dir: …/.hbase-snapshot/NAME. */
int store_places_of_snapshot(const char *dir, struct store_places *out, struct err *err);
/* table_dir: absolute. Its names are taken from the path where it lies under a root (else the namespace is "default"). */
int store_places_of_table(const char *table_dir, struct store_places *out, struct err *err);
void store_places_free(struct store_places *p);

/* 1 = *path fresh (free it) and *st filled, 0 = nowhere, -1 = error. */
int store_places_find(const struct store_places *p, const struct store_address *a, char **path, struct stat *st, struct err *err);

#endif
