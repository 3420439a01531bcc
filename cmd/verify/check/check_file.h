/* What check_file expects of a file, and what it found there. */
#ifndef CHECK_CHECK_FILE_H
#define CHECK_CHECK_FILE_H

#include "base/outfile.h"
#include "cmd/verify/check/check_findings.h"
#include "dataset/manifest.h"
#include "engine/job.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_reader.h"
#include "hfile/block_index.h"
#include "table/placement.h"

struct check_file_opts {
    const struct job *job;
    const char *path;
    const struct manifest_file *expected; /* NULL: a bare HFile */
    const char *family;                   /* that its cells should be of; NULL: any */
    char *const *names;                   /* with expected: of partitions */
    const struct placement *placement;    /* with expected */
    const struct family_rules *rules;     /* with expected: of its family */
    int64_t now_ms;                       /* with expected: of the run */
    const json_t *settings;               /* with expected: of the manifest */
    struct bytes start_row, stop_row;     /* of its region; empty: open */
    struct check_findings *findings;
    bool quick; /* trailer, file info and index only */
    size_t range_bytes, block_limit;
    void (*passed)(void *arg, uint64_t bytes); /* of the file, from any thread; may be NULL */
    void *arg;
};

struct check_file_result {
    struct tally tally;
    uint64_t kv_bytes, file_bytes, blocks, rows;
    bool opened, read; /* read: to its end, and nothing was damaged */
};

/* What full check learns of one range of blocks of a file, and how ranges that were read in any order are joined again. */

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
    struct check_findings *findings;
    enum hfile_bloom bloom; /* what its keys are, to count those that two ranges share once */
    uint32_t bloom_prefix;
};
/* Takes *r over. What is wrong where two ranges meet goes to findings. */
int check_spans_add(struct check_spans *s, struct check_range *r, struct err *err);
void check_spans_free(struct check_spans *s);

/* Cuts one file into ranges of blocks, in file order, for check_file. On the way block headers are compared with the index, and
 * the bytes go into the checksum of the whole file: they are then near when the range is read. Not locked. */

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
/* Once all ranges are out: checksum of all bytes. */
int check_cut_sum(struct check_cut *c, char hex[17], struct err *err);
void check_cut_close(struct check_cut *c);

/* The index's key of the data block at offset, from *pos on in r->index_keys, which moves on; p == NULL: it has none. */
struct bytes check_cut_key(const struct check_range *r, size_t *pos, uint64_t offset);

/* Cells against the bloom filters of their file: a key that a filter does not know is data that HBase would not find. */

struct check_bloom {
    const struct hfile *h;
    struct hfile_bloom_reader *general, *family_deletes; /* NULL: the file has none, or it cannot be read (any more) */
    struct err why;                                      /* why not */
};

/* -1: no memory, or a filter that cannot be read. */
int check_bloom_open(struct check_bloom *b, const struct hfile *h, struct err *err);
/* Row parts in file order. What is missing is counted in *sums. Damage ends the asking, with b->why; -1: no memory … */
int check_bloom_part(struct check_bloom *b, const struct row_part *part, struct check_sums *sums, struct err *err);
/* What is missing from the filters of a whole file, and their figures. marked: rows with markers of the family. */
void check_bloom_report(const struct check_bloom *b, const struct check_sums *sums, struct check_findings *findings);
void check_bloom_close(struct check_bloom *b);

/* Checks the cells of one range of blocks as check_file wants it. */

struct check_scan { /* of one worker; goes from range to range of one file */
    const struct check_file_opts *o;
    const struct hfile *h;
    bool dated;     /* the file has been through o->rules, at … */
    int64_t now_ms; /* … this time: when time drops its cells is known */
    struct check_bloom bloom;
    struct check_findings findings; /* of the current range: reported at its end */
    /* Of the current range. */
    struct check_range *r;
    size_t index_at;                /* in r->index_keys */
    uint64_t misplaced, disordered; /* rows, cells reported */
    bool damaged, index_damaged;    /* blocks with, without cells; cells out of order count as the latter */
    bool marked;                    /* the current row has delete markers of the family */
    struct buf column;              /* ROWCOL and prefixes: the filter's last key */
};

/* blooms: the file's bloom filters can be read. To be ended whatever comes back. */
int check_scan_begin(struct check_scan *s, const struct check_file_opts *o, const struct hfile *h, bool blooms, struct err *err);
/* Fills r. Damage is reported and skipped: then s->damaged. -1: the range could not be read. */
int check_scan_range(struct check_scan *s, struct check_range *r, struct err *err);
void check_scan_end(struct check_scan *s);

/* What trailer, file info and manifest say about a file, against what its cells are. */

/* Has a file of a dataset been through the version rules that its manifest names? Then *now_ms is when. */
bool check_facts_dated(const struct check_file_opts *o, const struct hfile *h, int64_t *now_ms);
/* Trailer and file info against all cells; those of a dataset are exact where HBase's are bounds. */
void check_facts_report(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all);
/* The manifest against all cells. */
void check_facts_report_listed(const struct check_file_opts *o, const struct hfile *h, const struct check_range *all);
void check_facts_report_family(const struct check_file_opts *o, struct bytes key);
/* The manifest against trailer and file info: all that --quick sees. */
void check_facts_report_opened(const struct check_file_opts *o, const struct hfile *h);

/* One HFile checked whole, in parallel by block ranges: every checksum, sizes, order, one family, index against blocks,
 * blooms against rows and columns, file info against cells, placement of every row, digest, whole-file checksum. Damage ends
 * nothing: what comes after it is checked if it can be found. */

/* Options for one file with the shares of memory that a run gives it. */
struct check_file_opts check_file_opts_of(const struct job *job, const char *path, bool quick, struct check_findings *findings);
/* Called inside a parallel region: makes tasks. What is wrong goes to findings; -1 only for our own failures and stops: with
 * ERR_INPUT the file could not be read, and others may be. */
int check_file(const struct check_file_opts *o, struct check_file_result *out, struct err *err);

#endif
