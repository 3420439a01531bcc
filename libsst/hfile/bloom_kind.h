/* The kinds of general bloom filters: what they are called and what their keys are. Sources: HBase's BloomType,
 * BloomFilterUtil, RowBloomContext, RowColBloomContext, RowPrefixFixedLengthBloomContext. */
#ifndef HFILE_BLOOM_KIND_H
#define HFILE_BLOOM_KIND_H

#include "base/buf.h"
#include "cell/cell.h"
#include "hfile/hfile.h"

enum {
    BLOOM_PREFIX_MAX = ROW_MAX_BYTES,
    BLOOM_COLUMN_TAIL_BYTES = 9 /* timestamp and type, behind the qualifier */
};

/* As in file info's BLOOM_FILTER_TYPE. */
const char *bloom_kind_name(enum hfile_bloom kind);
bool bloom_kind_by_name(struct bytes name, enum hfile_bloom *kind);

/* ROWPREFIX_FIXED_LENGTH: shorter rows are their own prefix. */
static inline struct bytes bloom_kind_prefix(struct bytes row, uint32_t prefix) {
    return bytes_of(row.p, row.n < prefix ? row.n : prefix);
}

/* ROWCOL: the serialised key of the first cell that the column could have, in the empty family. In two steps: all
 * columns of a row begin alike. */
int bloom_kind_begin_column(struct buf *key, struct bytes row, struct err *err);
int bloom_kind_end_column(struct buf *key, struct bytes qualifier, struct err *err);

#endif
