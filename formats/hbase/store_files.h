/* The store files to read, and what was found beside them: the face of this room. */
#ifndef FORMATS_HBASE_STORE_FILES_H
#define FORMATS_HBASE_STORE_FILES_H

#include "base/err.h"
#include "formats/hbase/snapshot.h"

/* Kinds of directories that HBase leaves on disk. */

enum tree_kind {
    TREE_NONE,     /* not something HBase left */
    TREE_BACKUPS,  /* images of HBase's backups: see backup_images.h */
    TREE_IMAGE,    /* one of them: BACKUPS/ID */
    TREE_ROOT,     /* hbase.rootdir, an ExportSnapshot destination, or a cut-out: holds .hbase-snapshot, data, archive … */
    TREE_SNAPSHOT, /* …/.hbase-snapshot/NAME */
    TREE_TABLE,    /* …/data/ns/table, also in archive/ and mobdir/; or a table directory on its own */
    TREE_REGION,
    TREE_FAMILY /* a directory of store files */
};

/* Returns in *out which kind of tree dir is, by names in it only. -1 = error. */
int tree_kind_of(const char *dir, enum tree_kind *out, struct err *err);

/* Tables and snapshots of a root. */

/* Tables and snapshots of a root. */
struct tree_catalog {
    struct tree_catalog_entry {
        char *ns, *table; /* of a snapshot: the table it was taken of */
        char *snapshot;   /* NULL: a table of data/ */
        char *dir;
    } * entries; /* tables by namespace and name, then snapshots by name */
    size_t n;
};

/* Warns of store files of a root that are in none of its tables: appended to warnings. */
int root_strays_warn(const char *root, struct buf *warnings, struct err *err);

#endif
