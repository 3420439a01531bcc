/* The protobuf messages of a snapshot directory. What is parsed is appended to or set in a snapshot that snapshot_free frees,
 * also after a failure. Exports: snapshot */
#ifndef HBASE_SNAPSHOT_MANIFEST_H
#define HBASE_SNAPSHOT_MANIFEST_H

#include "hbase/snapshot.h"

/* .snapshotinfo: SnapshotDescription. */
int snapshot_info_parse(struct bytes message, struct snapshot *out, struct err *err);
/* data.manifest: SnapshotDataManifest. */
int snapshot_manifest_parse(struct bytes message, struct snapshot *out, struct err *err);
/* region-manifest.*: SnapshotRegionManifest. */
int snapshot_region_parse(struct bytes message, struct snapshot_region *out, struct err *err);

/* One more, zeroed; NULL: out of memory. */
struct snapshot_region *snapshot_add_region(struct snapshot *s, struct err *err);
struct snapshot_family *snapshot_add_family(struct snapshot_region *r, struct err *err);
struct snapshot_file *snapshot_add_file(struct snapshot_family *f, struct err *err);

#endif
