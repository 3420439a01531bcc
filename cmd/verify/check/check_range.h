/* Joins what a full check learns of ranges of blocks that were read in any order. */
#ifndef CMD_VERIFY_CHECK_CHECK_RANGE_H
#define CMD_VERIFY_CHECK_CHECK_RANGE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cell/keyvalue.h"
#include "cmd/verify/check/check_findings.h"
#include "hfile/hfile.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"

struct file_sum;
struct hfile_cutter;
struct index_cursor;

struct check_missing {
    uint64_t n;
    struct buf row; /* the first one's */
};

/* Sums over cells, of which the order does not matter. */
struct check_sums {
    struct tally tally;
    uint64_t kv_bytes, key_bytes, value_bytes; /* kv_bytes: with tags; keys and values as file info counts them */
    uint64_t deletes, family_deletes, max_seq;
    uint64_t rows, keys, marked_rows; /* keys: of the general bloom filter; marked_rows: with delete markers of the family */
    int64_t ts_min, ts_max, earliest_put;
    int64_t next_expiry; /* next_expiry_note of rules/compact.h, where the rules of the file are known */
    bool zero_ts;        /* a DeleteColumn or DeleteFamily widens TIMERANGE to 0 */
    uint32_t max_tags;
    uint64_t references; /* to mob files */
    struct {
        uint64_t bytes;
        struct buf key;
    } biggest;
    struct check_missing no_key, no_marked; /* keys that the general bloom filter, marked rows that their own lacks */
};

struct check_range {
    uint64_t from, to; /* ranges [from, to) by number; one when it is made */
    struct hfile_range range;
    struct buf index_keys; /* what the index says of its data blocks: u64 offset, u32 length, key; native */
    struct check_sums sums;
    struct buf first_key, last_key, first_index_key; /* serialised; empty: no cells, or not known */
    bool first_marked, last_marked;                  /* the first, last row has delete markers of the family */
    struct hfile_passed passed;
};

struct check_range check_range_new(uint64_t number);
void check_range_free(struct check_range *r);

/* Ranges that follow each other are joined; what is kept of them is bounded by the number of threads. Not locked. */
struct check_spans {
    struct check_range *all; /* ascending, never adjacent */
    size_t n;
    const char *path;
    struct check_findings *findings;
    enum hfile_bloom bloom; /* what its keys are, to count those that two ranges share once */
    uint32_t bloom_prefix;
};
/* Takes *r over. What is wrong where two ranges meet goes to findings. */
int check_spans_add(struct check_spans *s, struct check_range *r, struct err *err);
void check_spans_free(struct check_spans *s);

struct check_cut {
    const struct hfile *h;
    struct check_findings *findings;
    size_t range_bytes;
    uint64_t at, ranges, data_blocks;
    struct hfile_cutter *cutter; /* once a header is damaged */
    struct index_cursor *index;  /* NULL: cannot be read (any more), or has ended */
    struct hfile_index_entry entry;
    bool has_entry;
    bool index_whole;        /* nothing of it was lost so far */
    struct err index_err;    /* why it is not: reported by those that have not seen the block itself */
    struct check_range *out; /* while it is made */
    struct file_sum *sum;    /* NULL: no checksum is wanted */
    uint64_t summed;
    struct buf window;
};

/* sum: the checksum of the whole file is wanted. */
int check_cut_open(struct check_cut *c, const struct hfile *h, bool sum, size_t range_bytes, struct check_findings *findings,
                   struct err *err);
/* 1 = *out made, 0 = no more, -1 = error. What the index says wrongly goes to findings. */
int check_cut_next(struct check_cut *c, struct check_range *out, struct err *err);
/* Returns the checksum of all bytes, once all ranges are out. */
int check_cut_sum(struct check_cut *c, char hex[17], struct err *err);
void check_cut_close(struct check_cut *c);

/* The index's key of the data block at offset, from *pos on in r->index_keys, which moves on; p == NULL: it has none. */
struct bytes check_cut_key(const struct check_range *r, size_t *pos, uint64_t offset);

#endif
