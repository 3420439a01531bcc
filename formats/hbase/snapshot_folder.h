/* Regions of a snapshot that has no data.manifest: a file region-manifest.<region> each (V2 before it is consolidated), or a
 * folder each with .regioninfo and, per family, empty files named like the store files and the content of reference files (V1).
 * HBase reads both kinds side by side. Source: SnapshotManifest, SnapshotManifestV1, SnapshotManifestV2. Exports: snapshot */
#ifndef FORMATS_HBASE_SNAPSHOT_FOLDER_H
#define FORMATS_HBASE_SNAPSHOT_FOLDER_H

#include "formats/hbase/snapshot.h"

enum { SNAPSHOT_MANIFEST_MAX_BYTES = 1 << 30 };

/* Appends them to out, by encoded name. */
int snapshot_folder_read(const char *dir, struct snapshot *out, struct err *err);

#endif
