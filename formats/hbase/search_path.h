/* Lists the places where the store files of a table may be: data/, archive/, .tmp/ and mobdir/ of its root, in HBase's order
 * (HFileLink), and the layouts without namespaces of 0.94 and of directories that were copied out. */
#ifndef FORMATS_HBASE_SEARCH_PATH_H
#define FORMATS_HBASE_SEARCH_PATH_H

#include "base/bytes.h"
#include "base/err.h"

#include <sys/stat.h>

struct search_place {
    char *dir;
    bool has_namespaces; /* dir/ns/table/…, else dir/table/… of the default namespace */
};

struct search_path {
    char *root;                     /* NULL: nothing like a root is above */
    char *own, *own_ns, *own_table; /* the directory of the table that is read is searched first; NULL: a snapshot */
    struct search_place place[8];   /* those that are there */
    size_t n;
};

/* One store file. All borrowed. */
struct file_address {
    struct bytes ns, table, region, family, name;
};

/* dir: …/.hbase-snapshot/NAME. */
int search_path_of_snapshot(const char *dir, struct search_path *out, struct err *err);
/* table_dir: absolute. Its names are taken from the path where it is under a root (else the namespace is "default"). */
int search_path_of_table(const char *table_dir, struct search_path *out, struct err *err);
void search_path_free(struct search_path *p);

/* 1 = *path fresh (free it) and *st filled, 0 = nowhere, -1 = error. */
int search_path_find(const struct search_path *p, const struct file_address *a, char **path, struct stat *st, struct err *err);

#endif
