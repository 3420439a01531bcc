/* Regions that were split or merged: their folders, or entries in a snapshot, stay long after newer regions have their cells. */
#ifndef FORMATS_HBASE_STORE_PARENTS_H
#define FORMATS_HBASE_STORE_PARENTS_H

#include "formats/hbase/store_listing.h"

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
int store_parents_leave_out(struct store_listing *l, const char *table_dir, struct store_report *report, struct err *err);

#endif
