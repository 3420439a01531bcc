/* Cuts one file into ranges of blocks, in file order, for check_file. On the way block headers are held against the index, and
 * the bytes go into the checksum of the whole file: they are then near when the range is read. Not locked. */
#ifndef CHECK_CHECK_CUT_H
#define CHECK_CHECK_CUT_H

#include "base/outfile.h"
#include "hfile/hfile_layout.h"
#include "hfile/index_reader.h"
#include "cmd/verify/check/check_range.h"

struct check_cut {
    const struct hfile *h;
    struct problems *problems;
    size_t range_bytes;
    uint64_t at, ranges, data_blocks;
    struct hfile_cutter *cutter; /* once a header is damaged */
    struct index_cursor *index;  /* NULL: cannot be read (any more), or has ended */
    struct hfile_index_entry entry;
    bool has_entry;
    bool index_whole;        /* nothing of it was lost so far */
    struct err index_err;    /* why it is not: told by who has not seen the block itself */
    struct check_range *out; /* while it is made */
    struct file_sum *sum;    /* NULL: no checksum is wanted */
    uint64_t summed;
    struct buf window;
};

/* sum: the checksum of the whole file is wanted. */
int check_cut_open(struct check_cut *c, const struct hfile *h, bool sum, size_t range_bytes, struct problems *problems,
                   struct err *err);
/* 1 = *out made, 0 = no more, -1 = error. What the index says wrongly goes to problems. */
int check_cut_next(struct check_cut *c, struct check_range *out, struct err *err);
/* Once all ranges are out: checksum of all bytes. */
int check_cut_sum(struct check_cut *c, char hex[17], struct err *err);
void check_cut_close(struct check_cut *c);

/* The index's key of the data block at offset, from *pos on in r->index_keys, which moves on; p == NULL: it has none. */
struct bytes check_cut_key(const struct check_range *r, size_t *pos, uint64_t offset);

#endif
