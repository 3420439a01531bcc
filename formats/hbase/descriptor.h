/* Table descriptors: TableSchema of HBase.proto, as in .tableinfo files and snapshot manifests; attributes are decoded as
 * TableDescriptorBuilder and ColumnFamilyDescriptorBuilder do, with the same defaults. */
#ifndef FORMATS_HBASE_DESCRIPTOR_H
#define FORMATS_HBASE_DESCRIPTOR_H

#include "base/buf.h"
#include "formats/hbase/attribute_list.h"
#include "table/table.h"

struct hbase_family {
    char *name;
    struct family_rules rules;            /* versions_given is always true */
    char *compression, *encoding, *bloom; /* "SNAPPY", "FAST_DIFF", "ROW": upper case, not checked further, never NULL */
    uint32_t block_bytes;                 /* 65536 */
    uint32_t bloom_prefix;                /* of ROWPREFIX_FIXED_LENGTH: RowPrefixBloomFilter.prefix_length; 0 = not set */
    bool compress_tags;                   /* true */
    bool is_mob;
    uint64_t mob_threshold; /* 102400 */
    bool encrypted;
    /* Only files in .filelist are live: hbase.store.file-tracker.impl is FILE, or MIGRATION unless that is from DEFAULT. */
    bool tracks_files;
    struct attribute_list attributes; /* configuration, then attributes */
};

struct hbase_table {
    char *ns, *name; /* "default" */
    struct hbase_family *families;
    uint32_t n_families;
    bool tracks_files;                /* some family does */
    struct attribute_list attributes; /* attributes, then configuration */
};

/* A bare TableSchema message. Of settings that are no attributes of a family (hbase.…) those among a family's attributes beat
 * its configuration, which beats what the table has (StoreUtils.createStoreConfiguration). A value that HBase could not use is
 * ERR_INPUT naming family, key and value. On failure nothing is left to be freed. */
int hbase_table_parse(struct bytes message, struct hbase_table *out, struct err *err);
/* The newest whole .tableinfo.* of a directory (.tabledesc of a table, or of a snapshot without data.manifest).
 * 1 read, 0 there is none, -1 error. 0.94's Writable form is ERR_UNSUPPORTED by name. */
int hbase_tableinfo_read(const char *dir, struct hbase_table *out, struct err *err);
void hbase_table_free(struct hbase_table *t);

#endif
