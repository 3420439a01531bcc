/* The small files that describe a table: descriptors (.tableinfo), regions (.regioninfo), references, lists of live files, and
 * the checksums beside files. Parsing is apart from reading files, so that tests and fuzz targets need no disk.
 * Exports: attribute */
#ifndef FORMATS_HBASE_METADATA_H
#define FORMATS_HBASE_METADATA_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/hbase/attributes.h"
#include "table/table.h"

#include <stdbool.h>

/* The four bytes that HBase puts before a protobuf message on disk (ProtobufMagic). What lacks them is damaged, or a Writable
 * of HBase 0.94 and older. */

enum { PBUF_BYTES = 4 };

/* Takes the magic from the head of *in. false: it is not there, *in unchanged. */
static inline bool pbuf_take(struct bytes *in) {
    if (in->n < PBUF_BYTES || memcmp(in->p, "PBUF", PBUF_BYTES) != 0) return false;
    *in = bytes_of(in->p + PBUF_BYTES, in->n - PBUF_BYTES);
    return true;
}

/* Table descriptors: TableSchema of HBase.proto, as in .tableinfo files and snapshot manifests; attributes are decoded as
 * TableDescriptorBuilder and ColumnFamilyDescriptorBuilder do, with the same defaults. */

struct hbase_family {
    char *name;
    struct family_rules rules;            /* versions_given is always true */
    char *compression, *encoding, *bloom; /* "SNAPPY", "FAST_DIFF", "ROW": upper case, not checked further, never NULL */
    uint32_t block_bytes;                 /* 65536 */
    uint32_t bloom_prefix;                /* of ROWPREFIX_FIXED_LENGTH: RowPrefixBloomFilter.prefix_length; 0 = not set */
    bool compress_tags;                   /* true */
    bool is_mob;
    bool may_be_mob;        /* it is not known, without a descriptor */
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

/* shell_script.c: the create statement of HBase's shell in a text, or what `describe` printed, up to the end of the text, and
 * on which line it begins. false: there is none. */
struct shell_text {
    struct bytes text;
    size_t line;
    bool is_description;
};

/* Hadoop's side files `.NAME.crc` of local and copied trees: "crc\0", i32 bytes per sum, a CRC-32 (seen), or CRC-32C, a
 * chunk. Source: ChecksumFileSystem. */

/* Checks path against its side file. 1 it exists and fits, 0 none, -1 error: ERR_INPUT names file and offset. */
int crc_file_check(const char *path, struct err *err);

#endif
