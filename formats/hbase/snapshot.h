/* Reads a snapshot directory. */
#ifndef FORMATS_HBASE_SNAPSHOT_H
#define FORMATS_HBASE_SNAPSHOT_H

#include "base/list_room.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/region_info.h"

/* Reads what a snapshot directory lists. Versions: V2 (data.manifest), V2 not consolidated (region-manifest.*), V1 (0.94–0.96:
 * region directories with marker and reference files). Nothing is looked up outside of the directory: read_tree.c does that. */

enum snapshot_type { SNAPSHOT_DISABLED = 0, SNAPSHOT_FLUSH = 1, SNAPSHOT_SKIPFLUSH = 2 };

struct snapshot_file {
    char *name; /* file, link or reference name */
    bool is_reference;
    struct reference reference;
    bool has_size;
    uint64_t bytes; /* of the base file */
};

/* Orders them by name, for qsort. */
int snapshot_file_order(const void *a, const void *b);

struct snapshot_family {
    char *name;
    struct snapshot_file *files;
    size_t n_files;
};

struct snapshot_region {
    struct region_info info;
    struct snapshot_family *families;
    size_t n_families;
};

struct snapshot {
    char *name, *ns, *table_name;
    int64_t created_ms, ttl_s; /* ttl 0: none */
    enum snapshot_type type;
    unsigned version; /* 1 or 2 */
    struct hbase_table table;
    struct snapshot_region *regions; /* as listed: split parents and replicas too */
    size_t n_regions;
    struct list_room *room; /* while it is read; NULL: no limit */
};

void snapshot_free(struct snapshot *s);

/* The protobuf messages of a snapshot directory. What is parsed is appended to or set in a snapshot that snapshot_free frees,
 * also after a failure. */

/* .snapshotinfo: SnapshotDescription. */
int snapshot_info_parse(struct bytes message, struct snapshot *out, struct err *err);
/* data.manifest: SnapshotDataManifest. */
int snapshot_manifest_parse(struct bytes message, struct snapshot *out, struct err *err);
/* region-manifest.*: SnapshotRegionManifest. */
int snapshot_region_parse(struct bytes message, struct snapshot_region *out, struct err *err);

/* A snapshot directory, read: all that is in it, nothing that it leads to. */

/* dir: …/.hbase-snapshot/NAME. room: for its regions and files, and the text they are read from. */
int snapshot_read(const char *dir, struct list_room *room, struct snapshot *out, struct err *err);

#endif
