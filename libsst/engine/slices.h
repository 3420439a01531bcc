/* Writes a partition out of slices of its rows. */
#ifndef ENGINE_SLICES_H
#define ENGINE_SLICES_H

#include "base/err.h"
#include "cell/cell.h"
#include "engine/bucket_rules.h"
#include "engine/partition_writer.h"
#include "engine/slice_points.h"

struct partition_writer;

/* Some of the rows of a partition, on their way into its file. */
struct slice {
    struct source *src;
    struct bucket_rules rules; /* of its own, where the partition has some */
    int64_t *next_drop_ms;     /* as of partition_writer_put: that of rules, if the partition has some */
    int64_t moment;            /* for next_drop_ms of a slice without rules */
    void *own;                 /* memory in which its source lives, freed after it; NULL: none */
};
/* Rows that are read in slices, each of which can be opened by itself: records in memory, runs, files. Slices ascend; up to
 * at_once of them are prepared side by side, as tasks, while those before them are written. The bytes written do not depend on
 * the cuts. */
struct sliced_source {
    size_t n;
    unsigned at_once;
    size_t batch_bytes;         /* of cells that are prepared at a time, at most, but for one part more */
    struct bucket_rules *rules; /* the facts of which each slice gets, and that add up what it came to, in order; NULL: none */
    bool retries;               /* a slice that failed with ERR_LIMIT is opened once more */
    /* Opens slice i, by any thread. *s has its rules; own is freed after a failure, too. alone: no other slice is read, so it may
     * take more memory; it yields the rows that it yielded before. */
    struct source *(*open_at)(void *arg, size_t i, bool alone, struct slice *s, struct err *err);
    /* Takes a slice that is written, in order; after an error also others, in any order. NULL: nothing is to be done. */
    void (*ended)(void *arg, const struct slice *s);
    void *arg;
};
int partition_writer_put_slices(struct partition_writer *s, const struct sliced_source *from, struct err *err);
/* Returns what at_once slices take beside their sources. */
size_t slices_memory(unsigned at_once, size_t batch_bytes);

/* The points of several sources become those to cut at, ascending, about slice_bytes apart. Returns how many. *row_bytes, unless
 * NULL: of the row that most of them are at; 0: none is at one row with another. */
size_t slice_points_choose(struct slice_point *points, size_t n, uint64_t slice_bytes, uint64_t *row_bytes);
/* The rows of slice i, where n of them have been chosen. span: of all; narrowed. */
void slice_points_narrow(const struct slice_point *points, size_t n, size_t i, struct row_span *span);

#endif
