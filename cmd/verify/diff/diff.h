/* The sides of a diff, how they are compared, and what is found. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "base/threads.h"
#include "cell/cell.h"
#include "engine/input.h"
#include "rules/ledger.h"
#include "table/table.h"

enum diff_kind {
    DIFF_MISSING,    /* on side A only */
    DIFF_EXTRA,      /* on side B only */
    DIFF_CHANGED,    /* same row, column, timestamp and type, another value or other tags */
    DIFF_MISPLACED,  /* the same cell, but in a file of another partition than its row belongs to */
    DIFF_MISORDERED, /* the same cells, but duplicates are ranked otherwise, or a cell comes after larger ones in its file */
    DIFF_KINDS
};

enum { DIFF_A, DIFF_B, DIFF_SIDES };

/* Where a file of a dataset says that its rows belong. Borrowed. */
struct diff_file {
    const struct placement *placement; /* NULL: it says nothing */
    const struct partitioning *partitioning;
    uint32_t partition;
    struct bytes first_row, last_row; /* of one of several files of a partition and family; p == NULL: it is the only one */
};

struct diff_side {
    struct input *inputs; /* their groups are numbered anew while they are read */
    uint32_t n_inputs;
    struct read_opts read;         /* table: shared by both sides; families may be added while reading */
    const struct diff_file *files; /* [n_inputs]; NULL: no input is a file of a dataset */
    bool in_order;                 /* all are files of one dataset without common rows: each has its cells in the side's order */
    const struct store_input *stores;
    size_t n_stores;
};

/* Side A is compacted before it is compared. Rules: those of the table's families. */
struct diff_compaction {
    enum compaction_kind kind;
    enum tie_rule tie;
    const struct placement *placement; /* partitions, where whole files decide; NULL: all is one */
};

/* One side's copy of a cell. */
struct diff_copy {
    const char *path; /* file it was read from */
    size_t value_bytes, tags_bytes;
    int64_t ts_ms;                   /* its own, also where timestamps are ignored */
    const char *partition, *belongs; /* DIFF_MISPLACED: where it is and where it should be; belongs NULL: nowhere */
};

/* Everything is borrowed. */
struct diff_finding {
    enum diff_kind kind;
    struct bytes row, family, qualifier;
    int64_t ts_ms;
    uint8_t type;
    const struct diff_copy *a, *b; /* NULL: that side has none */
    uint64_t copies;               /* DIFF_MISORDERED: cells that share this key; 0: one cell comes after larger ones */
    struct bytes behind;           /* row of the cell before it then */
};

struct diff_opts {
    const struct job *job;
    struct diff_side sides[DIFF_SIDES];
    const struct diff_compaction *compaction; /* NULL: A as it is */
    bool ignore_timestamps, ignore_deleted;
    double sample;       /* share of the rows, by hash; 0 or 1 = all */
    uint64_t most_found; /* findings wanted: of cells out of order no more are kept */
    /* Called for every difference; by family, then row. 0 continue, -1 error. */
    int (*found)(void *arg, const struct diff_finding *f, struct err *err);
    void *arg;
};

struct diff_result {
    struct tally cells[DIFF_SIDES]; /* compared */
    uint64_t found[DIFF_KINDS];
    uint64_t rows;                  /* that differ */
    struct buf first_row, last_row; /* of these */
    uint64_t buckets, looked;       /* looked: their rows were read again */
    struct ledger dropped;          /* by the compaction of A */
};

/* Compares two sides cell by cell, whatever their order, format and partitioning, within a memory limit.
 *
 * Pass 1 adds the cells' digests of both sides into buckets by row hash, beside sums that show the order of cells of one key;
 * buckets that are equal and hold nothing to inspect are done. Pass 2 reads again, keeps the rows of the other buckets only,
 * sorts both sides (spilling to disk what does not fit) and walks them side by side. A side that is compacted, or any side's
 * markers where deleted cells are ignored, needs whole rows: a compacted side is sorted in pass 1 too, and buckets with markers
 * are always inspected. */

/* "missing", "extra" …: as text and JSON have it. */
const char *diff_kind_name(enum diff_kind k);

/* Nothing was found, and both sides have the same cells by number and digest. */
bool diff_equal(const struct diff_result *r);
/* 0 whether sides differ or not: see *out. -1: a side could not be read to its end, a limit, a stop. */
int diff_run(const struct diff_opts *o, struct diff_result *out, struct err *err);
void diff_result_free(struct diff_result *r);

/* The walk of a diff: two sorted sources of one family, side by side. Cells of one key (duplicates) are compared as sets first,
 * what is left over is paired. */

struct diff_walk;
/* paths: how a cell's rank leads to its file. result: its counts grow. */
struct diff_walk *diff_walk_new(const struct diff_opts *o, struct diff_result *result, struct err *err);
void diff_walk_free(struct diff_walk *w);
size_t diff_walk_memory(void);
/* Sources may be NULL: empty. seen[side] adds up. */
int diff_walk_run(struct diff_walk *w, struct bytes family, struct source *a, struct source *b, struct tally seen[DIFF_SIDES],
                  struct err *err);
/* Counts and reports a finding. */
int diff_report(const struct diff_opts *o, struct diff_result *r, const struct diff_finding *f, struct err *err);

/* Cells that come after larger ones in their file, as they are found while a diff reads: all count, the first ones by side,
 * file and key are kept. */

struct disorder_list;
struct disorder_list *disorder_list_new(uint64_t most, struct err *err);
void disorder_list_free(struct disorder_list *l);
/* From any thread. Keys are serialised: of the cell before, and of the one that should have come before it. */
int disorder_list_add(struct disorder_list *l, unsigned side, const char *path, struct bytes before, struct bytes key,
                      struct err *err);
/* DIFF_MISORDERED for each that was kept; the others are only counted. */
int disorder_list_report(struct disorder_list *l, const struct diff_opts *o, struct diff_result *r, struct err *err);

/* The last key that a thread has read. Zeros: none. */
struct last_key {
    uint64_t row_hash, qualifier_hash;
    int64_t ts_ms;
    uint64_t rank, seq;
    uint64_t nth; /* cells of this key right before it */
    uint32_t family;
    uint8_t type;
    bool any;
};
/* Cells of a part that repeat the key before them (diff_repeats.c). */
struct repeats {
    uint64_t order; /* sum over these cells and their places: the same on both sides if the orders are */
    bool unsure;    /* the order of some does not follow from their file */
};
struct repeats_of {
    struct buf *scratch;
    uint64_t row_hash;
    uint32_t family;
    bool in_order; /* see diff_side */
};
/* The last key is that of the part from then on. */
int last_key_repeats(struct last_key *key, const struct repeats_of *of, const struct row_part *part, struct repeats *out,
                     struct err *err);

/* Side A of a diff as a compaction would leave it: what whole files decide, and the version rules over its sorted rows. */

struct diff_compacted;
/* NULL with ERR_NONE: o->compaction is NULL. Notes which logical input each input of side A is of. */
struct diff_compacted *diff_compacted_new(const struct diff_opts *o, uint32_t families, struct err *err);
void diff_compacted_free(struct diff_compacted *c);
size_t diff_compacted_memory(const struct diff_opts *o, uint32_t families);
/* Partitions that are decided about one by one, one more for rows that none holds; 1: there is no need. c may be NULL. */
uint32_t diff_compacted_partitions(const struct diff_compacted *c);
uint32_t diff_compacted_partition(const struct diff_compacted *c, struct bytes row);
/* While A is read, by many threads. */
void diff_compacted_note(struct diff_compacted *c, uint32_t family, uint32_t partition, const struct row_part *part);
/* All has been read. */
int diff_compacted_decide(struct diff_compacted *c, struct err *err);
/* The rules on top of src, which it then owns. ledger: of what is dropped. */
struct source *diff_compacted_open(struct diff_compacted *c, uint32_t family, uint32_t partition, size_t row_bytes,
                                   struct source *src, struct ledger *ledger, struct err *err);

/* A source that shows what a client's Scan of one family shows: deleted and expired cells are gone, versions limited, times
 * selected; or, of a raw scan, markers too. The inner source must hold whole rows of one family in cell order, duplicates
 * newest first. Source: HBase NormalUserScanQueryMatcher, RawScanQueryMatcher, ScanWildcardColumnTracker, StoreScanner. */

struct visible_opts {
    struct family_rules family;
    uint64_t versions;      /* that the scan asks for */
    bool raw;               /* then only the scan's versions count, and no TTL but that of cells */
    int64_t from_ms, to_ms; /* [from, to); 0 and INT64_MAX: all */
    int64_t now_ms;
    size_t row_bytes; /* see rules/rules.h */
};

/* Owns inner from now on, also if it fails. */
struct source *visible_open(struct source *inner, const struct visible_opts *o, struct err *err);

/* A source without delete markers and without the Puts they hide; nothing else goes: neither versions nor duplicates. The inner
 * source must hold whole rows of one family in cell order, duplicates newest first. */

/* Owns inner from now on, also if it fails. Of the family's rules only NEW_VERSION_BEHAVIOR matters. */
struct source *undeleted_open(struct source *inner, const struct family_rules *family, size_t row_bytes, struct err *err);

/* What pass 1 leaves (diff_buckets.c). A row's bucket is its hash, modulo their number. Any thread may add to it. */
struct diff_buckets {
    uint64_t n;                     /* a power of two */
    struct tally *sums[DIFF_SIDES]; /* [n] */
    uint64_t *order[DIFF_SIDES];    /* [n]: see struct repeats */
    uint64_t *look;                 /* [n / 64]: a bit for each bucket whose rows are read again */
};
/* How many are worth their memory. */
int diff_buckets_number(const struct diff_opts *o, uint64_t *n, struct err *err);
size_t diff_buckets_bytes(uint64_t n);
/* b: zeros. To be released in any case. */
int diff_buckets_init(struct diff_buckets *b, uint64_t n, struct err *err);
void diff_buckets_release(struct diff_buckets *b);
/* The rows of this bucket are to be read again. */
void diff_buckets_look(struct diff_buckets *b, uint64_t hash);
static inline bool diff_buckets_looked(const struct diff_buckets *b, uint64_t hash) {
    uint64_t i = hash & (b->n - 1);
    return b->look[i / 64] >> i % 64 & 1;
}
void diff_buckets_order(struct diff_buckets *b, unsigned side, uint64_t hash, uint64_t order);
/* All is summed up: those that differ are read again, too. How many are. */
uint64_t diff_buckets_choose(struct diff_buckets *b);
/* Of one side in these. */
uint64_t diff_buckets_cells(const struct diff_buckets *b, unsigned side);

/* Of which side and pass progress is (diff_progress.c). */
struct diff_progress {
    struct progress outer;
    uint64_t bytes[DIFF_SIDES];
    unsigned side;
    bool again; /* pass 2 */
};
/* *job becomes that of o, with p between readers and who shows progress. Sizes of inputs are known. */
void diff_progress_begin(struct diff_progress *p, const struct diff_opts *o, struct job *job);
/* This side is read next. */
void diff_progress_side(struct diff_progress *p, unsigned side, bool again);

/* Sums of one thread that are not in their buckets yet (late_sums.c). Zeros: none. */
enum { LATE_SUMS = 16 };
struct late_sums {
    struct tally sums[LATE_SUMS];
    struct tally *buckets[LATE_SUMS]; /* NULL: none */
    unsigned next;
};
/* Adds *sum to *bucket, now or later; other threads may add to it, too. */
void late_sums_add(struct late_sums *l, struct tally *bucket, const struct tally *sum);
/* Adds what is left. */
void late_sums_end(struct late_sums *l);

/* What a thread has of its own. */
struct diff_worker {
    struct buf scratch;
    struct last_key last;
    struct late_sums late;
    uint8_t apart[APART_BYTES];
};

#endif
