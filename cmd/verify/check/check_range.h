/* What full check learns of one range of blocks of a file, and how ranges that were read in any order are joined again. */
#ifndef CHECK_CHECK_RANGE_H
#define CHECK_CHECK_RANGE_H

#include "hfile/hfile_layout.h"
#include "cmd/verify/check/problems.h"

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
    int64_t next_expiry; /* rules/next_expiry.h, where the rules of the file are known */
    bool zero_ts;        /* a DeleteColumn or DeleteFamily widens TIMERANGE to 0 */
    uint32_t max_tags;
    uint64_t biggest_bytes;
    struct buf biggest_key;
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
    struct problems *problems;
    enum hfile_bloom bloom; /* what its keys are, to count those that two ranges share once */
    uint32_t bloom_prefix;
};
/* Takes *r over. What is wrong where two ranges meet goes to problems. */
int check_spans_add(struct check_spans *s, struct check_range *r, struct err *err);
void check_spans_free(struct check_spans *s);

#endif
