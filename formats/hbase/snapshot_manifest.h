/* The protobuf messages of a snapshot directory. What is parsed is appended to or set in a snapshot that snapshot_free frees,
 * also after a failure. Exports: snapshot */
#ifndef FORMATS_HBASE_SNAPSHOT_MANIFEST_H
#define FORMATS_HBASE_SNAPSHOT_MANIFEST_H

#include "formats/hbase/snapshot.h"

/* .snapshotinfo: SnapshotDescription. */
int snapshot_info_parse(struct bytes message, struct snapshot *out, struct err *err);
/* data.manifest: SnapshotDataManifest. */
int snapshot_manifest_parse(struct bytes message, struct snapshot *out, struct err *err);
/* region-manifest.*: SnapshotRegionManifest. */
int snapshot_region_parse(struct bytes message, struct snapshot_region *out, struct err *err);

#endif
