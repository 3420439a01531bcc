/* Which part of what HBase leaves on disk a directory is. */
#ifndef FORMATS_HBASE_STORE_KIND_H
#define FORMATS_HBASE_STORE_KIND_H

#include "base/err.h"

enum store_kind {
    STORE_KIND_NONE, /* not something HBase left */
    STORE_KIND_ROOT, /* hbase.rootdir, an ExportSnapshot destination, or a cut-out: holds .hbase-snapshot, data, archive … */
    STORE_KIND_SNAPSHOT, /* …/.hbase-snapshot/NAME */
    STORE_KIND_TABLE,    /* …/data/ns/table, also in archive/ and mobdir/; or a table directory on its own */
    STORE_KIND_REGION,
    STORE_KIND_FAMILY /* a folder of store files */
};

/* What dir is, by names in it only. -1 = error. */
int store_kind_of(const char *dir, enum store_kind *out, struct err *err);

#endif
