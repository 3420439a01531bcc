/* The sides of a diff, how they are compared, and what is found. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "cell/cell.h"
#include "cmd/verify/difference/value_head.h"
#include "engine/input.h"
#include "engine/job.h"
#include "rules/ledger.h"
#include "table/partitioner.h"
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

/* The partition to which the rows of a file of a dataset belong, as it says. Borrowed. */
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
    struct value_head value;
    size_t tags_bytes;
    int64_t ts_ms;         /* its own, also where timestamps are ignored */
    const char *partition; /* of the file; NULL: not known */
    bool misplaced;        /* its row belongs into another partition */
    const char *belongs;   /* that one; NULL: none */
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
    uint64_t most_found; /* findings wanted: of cells out of order no more are kept */
    /* Called for every difference; by family, then row. 0 continue, -1 error. */
    int (*found)(void *arg, const struct diff_finding *f, struct err *err);
    void *arg;
};

struct diff_result {
    struct tally cells[DIFF_SIDES]; /* compared */
    uint64_t found[DIFF_KINDS];
    uint64_t rows;                  /* that differ; a row counts once for each family in which it does */
    uint64_t families;              /* with such rows */
    struct bytes last_family;       /* of these; borrowed from the table of the sides */
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
 * are always inspected.
 *
 * 0 whether sides differ or not: see *out. -1: a side could not be read to its end, a limit, a stop. */
int diff_run(const struct diff_opts *o, struct diff_result *out, struct err *err);

/* Side and pass that progress is of (diff_progress.c). */
struct diff_progress {
    struct progress outer;
    uint64_t bytes[DIFF_SIDES];
    unsigned side;
    bool again; /* pass 2 */
};

#endif
