/* What a snapshot directory lists. Versions: V2 (data.manifest), V2 not consolidated (region-manifest.*), V1 (0.94–0.96: region
 * folders with marker and reference files). Nothing is looked up outside of the directory:
 * formats/hbase/store_read.h does that. */
#ifndef FORMATS_HBASE_SNAPSHOT_H
#define FORMATS_HBASE_SNAPSHOT_H

#include "formats/hbase/descriptor.h"
#include "formats/hbase/reference.h"
#include "formats/hbase/region_info.h"

enum snapshot_type { SNAPSHOT_DISABLED = 0, SNAPSHOT_FLUSH = 1, SNAPSHOT_SKIPFLUSH = 2 };

struct snapshot_file {
    char *name; /* file, link or reference name */
    bool is_reference;
    struct reference reference;
    bool has_size;
    uint64_t bytes; /* of the base file */
};

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
};

/* One more, zeroed; NULL: out of memory. */
struct snapshot_region *snapshot_add_region(struct snapshot *s, struct err *err);
struct snapshot_family *snapshot_add_family(struct snapshot_region *r, struct err *err);
struct snapshot_file *snapshot_add_file(struct snapshot_family *f, struct err *err);
void snapshot_free(struct snapshot *s);

#endif
