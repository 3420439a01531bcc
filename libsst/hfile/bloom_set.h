/* The bloom filters of one file while it is written: a general one over rows, row prefixes or columns, and one over the
 * rows with delete-family markers, which a file with a ROWCOL filter does not get. Rules: HBase's StoreFileWriter. */
#ifndef HFILE_BLOOM_SET_H
#define HFILE_BLOOM_SET_H

#include "hfile/bloom_writer.h"
#include "hfile/hfile_write_opts.h"

struct bloom_set {
    enum hfile_bloom kind;
    uint32_t prefix;
    struct bloom_writer general, family_deletes;
    struct buf key;      /* the last key of `general`, but for ROW, whose caller knows the row */
    size_t columns_from; /* ROWCOL: length of key up to the qualifier, 0 = no column of this row was added */
    struct buf marked_row;
};

int bloom_set_init(struct bloom_set *b, const struct hfile_write_opts *o, struct err *err);
void bloom_set_free(struct bloom_set *b);
size_t bloom_set_memory(const struct hfile_write_opts *o);

/* In file order: each row once, each cell's column (ROWCOL only), each delete-family marker. */
int bloom_set_row(struct bloom_set *b, struct bytes row, struct err *err);
int bloom_set_column(struct bloom_set *b, struct bytes row, struct bytes qualifier, struct err *err);
int bloom_set_family_delete(struct bloom_set *b, struct bytes row, struct err *err);
/* Between two blocks: chunks that are full, or all (closing), become jobs of the block writer. */
int bloom_set_flush(struct bloom_set *b, bool closing, struct block_writer *w, struct err *err);
/* LAST_BLOOM_KEY. */
struct bytes bloom_set_last_key(const struct bloom_set *b, struct bytes last_row);

#endif
