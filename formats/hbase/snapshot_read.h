/* A snapshot directory, read: all that is in it, nothing that it leads to. */
#ifndef FORMATS_HBASE_SNAPSHOT_READ_H
#define FORMATS_HBASE_SNAPSHOT_READ_H

#include "formats/hbase/snapshot.h"

/* dir: …/.hbase-snapshot/NAME. */
int snapshot_read(const char *dir, struct snapshot *out, struct err *err);

#endif
