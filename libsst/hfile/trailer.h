/* The trailer. At the end of an HFile, 212 bytes in v2 and 4096 in v3: magic, body, zeros, version word. The body is a delimited
 * FileTrailerProto; in v2.0 and v2.1 (HBase 0.92 and 0.94) it is fixed fields:
 *   fileInfoOffset i64 | loadOnOpenDataOffset i64 | dataIndexCount i32 | uncompressedDataIndexSize i64 | metaIndexCount i32 |
 *   totalUncompressedBytes i64 | entryCount i64 | compressionCodec i32 | numDataIndexLevels i32 |
 *   firstDataBlockOffset i64 | lastDataBlockOffset i64 | comparator class name, 128 bytes, padded with zeros */
#ifndef HFILE_TRAILER_H
#define HFILE_TRAILER_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

enum { TRAILER_V1_BYTES = 60, TRAILER_V2_BYTES = 212, TRAILER_V3_BYTES = 4096 };
#define TRAILER_NO_OFFSET UINT64_MAX
#define TRAILER_COMPARATOR_NAME "org.apache.hadoop.hbase.KeyValue$KVComparator"

enum trailer_field { /* FileTrailerProto, where all are optional */
                     TRAILER_FILE_INFO_OFFSET = 1,
                     TRAILER_LOAD_ON_OPEN_OFFSET,
                     TRAILER_INDEX_PLAIN_BYTES,
                     TRAILER_TOTAL_PLAIN_BYTES,
                     TRAILER_DATA_INDEX_COUNT,
                     TRAILER_META_INDEX_COUNT,
                     TRAILER_ENTRY_COUNT,
                     TRAILER_INDEX_LEVELS,
                     TRAILER_FIRST_DATA_OFFSET,
                     TRAILER_LAST_DATA_OFFSET,
                     TRAILER_COMPARATOR,
                     TRAILER_CODEC,
                     TRAILER_ENCRYPTION_KEY
};

struct trailer {
    unsigned major, minor;
    uint32_t missing; /* bit i: field i is not there, and reads as 0, NONE, the order of cells */
    uint32_t bytes;   /* its own size */
    uint64_t file_info_offset, load_on_open_offset, index_plain_bytes, total_plain_bytes;
    uint32_t data_index_count, meta_index_count, index_levels, codec;
    uint64_t entry_count, first_data_offset, last_data_offset; /* TRAILER_NO_OFFSET: no data block */
    struct bytes comparator;                                   /* borrowed from the bytes parsed */
    bool encrypted;
};

static inline bool trailer_lacks(const struct trailer *t, enum trailer_field f) {
    return t->missing >> f & 1;
}
/* Appends the names of the fields that are not there, as HFile.proto has them: "a, b and c". */
int trailer_put_missing(uint32_t missing, struct buf *out, struct err *err);

/* Appends a v3.3 trailer. */
int trailer_put(const struct trailer *t, struct buf *out, struct err *err);
/* Returns whether this is the end of an HFile of any version. */
bool trailer_looks_like(struct bytes tail);
/* tail: the last TRAILER_V3_BYTES of the file, or all of it. Kinds we do not read are ERR_UNSUPPORTED by name. */
int trailer_parse(struct bytes tail, struct trailer *t, struct err *err);

enum comparator_kind {
    COMPARATOR_CELLS,  /* the order of table data: kv_key_cmp */
    COMPARATOR_META,   /* hbase:meta and -ROOT- */
    COMPARATOR_RAW,    /* plain bytes */
    COMPARATOR_UNKNOWN /* not a name HBase has used */
};

#define COMPARATOR_CELLS_NAME "org.apache.hadoop.hbase.CellComparatorImpl"

enum comparator_kind comparator_by_name(struct bytes name);

#endif
