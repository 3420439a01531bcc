/* The steps from a directory to store files, as read_tree.c takes them; for this room only. */
#ifndef FORMATS_HBASE_TREE_H
#define FORMATS_HBASE_TREE_H

#include "base/err.h"
#include "formats/hbase/findings.h"
#include "formats/hbase/listing.h"
#include "formats/hbase/region_info.h"

#include <sys/stat.h>
#include <stddef.h>

/* Regions that were split or merged: their directories, or entries in a snapshot, remain long after newer regions hold their
 * cells. */

/* Sets left_out of the regions that are not to be read. On disk HBase does not mark parents, so:
 *
 *   a region whose files others refer to, or whose key range newer regions cover, is a parent and left out;
 *   unless the split or merge did not come to its end: no newer region on its range has a file of its own, and one of its
 *   files is referred to by none, or part of its range has no newer region. Then it is read, and left out are the regions
 *   on its range that hold nothing but references. Nothing is lost or read twice either way.
 *
 * Snapshots mark split parents; one that is covered by no newer region is read all the same, and said.
 *
 * table_dir: where to look up how large the files are that are left out; NULL: the snapshot says it. */
int split_parents_leave_out(struct listing *l, const char *table_dir, struct findings *report, struct err *err);

/* Write-ahead logs that may hold edits which no store file has. */

/* Looks for the regions' encoded names in root/WALs and 0.94's root/.logs: they are text in the key of every edit. Reads
 * the first 64 MiB of a log and 1 GiB in all, and warns when that was not everything. */
int wal_search(const char *root, const struct region_info *regions, size_t n, struct findings *report, struct err *err);

#endif
