/* Gather, sort, merge: from the parts that threads put into buckets to one sorted stream per bucket.
 *
 *    threads      gather.h                rowsort           segment         run                    merge
 *    part  --+    bucket 0 [slab][slab]   16-byte entries   parts that      extent 0 | extent 1    one source,
 *    part  --+--> bucket 1 [slab]    -->  sorted by row --> do not    -+--> on disk, 64 KB   ----> rows through a heap,
 *    part  --+    ...                                       overlap    |    frames with CRC        cells only where rows meet
 *                      ^                                               |                             |
 *                      |  memory full: every bucket becomes a run      +-- the last round stays -----+--> version rules, HFile
 *
 * Each stage hands out what the next one reads: a source of row parts (cell/cell.h). A bucket that never filled the memory goes
 * from segment straight to the writer; runs are merged in several passes only when there are more than the memory can read. */
#ifndef SORT_SORTED_H
#define SORT_SORTED_H

#include "cell/cell.h"
#include "sort/record.h"

/* ---- rowsort: references to records by row, then so that records of one row are in the order of their first cells.
 *
 * Entries are 16 bytes: the 8 key bytes at the depth being sorted, and the record. MSD radix (in place) over those
 * bytes, small ranges by insertion, ties continue at the next 8 bytes. The bytes all rows share are skipped (lcp).
 * Input that is sorted already is noticed, and ascending runs (sorted files, one per source) are merged, not sorted. */
struct sort_entry {
    uint64_t window; /* row bytes [depth, depth + 8), big-endian, zero padded */
    const uint8_t *record;
};

struct rowsort {
    const struct shape_set *shapes;
    enum tie_rule tie;
    size_t lcp; /* leading bytes that all rows of this call share */
};

/* ---- segment: a sorted bucket as a source. Records of one row become parts that do not overlap.
 * One record of a row goes out as it is. Several of one shape are read column by column (no heap, the sort entries serve
 * as cursors); records of different shapes, or explicit ones that overlap, are merged cell by cell in lanes.
 *
 * Borrows entries (overwrites their windows) and the records they refer to; parts point into the records. */
struct source *segment_open(struct sort_entry *entries, size_t n, const struct shape_set *shapes, struct bytes family,
                            enum tie_rule tie, struct err *err);

/* ---- frames: how records lie on disk. u32 bytes | u32 CRC-32C | records (record.h), one frame after the other. */
enum { RUN_FRAME_BYTES = 64 * 1024 };

struct run_frames {
    int (*write)(void *arg, const void *p, size_t n, struct err *err);
    void *arg;
    struct buf frame; /* being filled */
    uint64_t bytes, records;
    uint32_t frame_max; /* largest frame: memory a reader needs */
    uint64_t sum;       /* of all heads of frames, in their order */
};

/* ---- run: sorted parts on disk, private to one run of one program.
 *
 * A run_file is one unlinked temp file of one worker. It holds extents one after the other; an extent is a sorted,
 * non-overlapping stream of parts of one bucket in frames.
 * Reading an extent needs one frame at a time. Space is given back (hole punched) when an extent is released. */
struct run_file;

/* Rows of a run at which a reader may begin: each is the first one of a frame, and all of its parts follow. */
struct run_point {
    uint64_t at; /* of the frame, within the extent */
    size_t row;  /* in `rows` */
    uint32_t row_n;
};
struct run_points {
    struct run_point *list;
    size_t n;
    struct buf rows;
};

struct run_extent {
    struct run_file *file;
    struct run_points points; /* freed by run_release */
    uint64_t offset, bytes;
    uint32_t frame_max; /* largest frame: memory a reader needs */
    uint64_t records;
    uint64_t top_rank; /* not 0: cells get ranks as they come, counted down from it; 0: they keep their own */
    bool is_foreign;   /* written by another process: records are checked before they are read, and in the end the sum */
    uint64_t sum;      /* of its frames */
};

/* Copies all parts of src (not closed) into a new extent at the end of f, with a point every points_every bytes or a little more
 * (0: none; rows of more than RUN_POINT_ROW_BYTES become none). One writer per file at a time. */
enum { RUN_POINT_ROW_BYTES = 1024 };

static inline struct bytes run_point_row(const struct run_points *p, size_t i) {
    return bytes_of(p->rows.p + p->list[i].row, p->list[i].row_n);
}
static inline uint64_t run_points_memory(const struct run_points *p) {
    return p->n * sizeof *p->list + p->rows.n;
}

struct kept_run_stats {
    uint64_t offset, bytes; /* in its file */
    uint64_t cells, deletes, kv_bytes;
    uint64_t sum; /* of its frames: no other run has it */
    int64_t ts_min, ts_max;
    struct bytes first_row, last_row; /* valid until the run is freed */
};

struct kept_run_place {
    const char *path;
    uint64_t offset, bytes;
    uint64_t sum; /* as kept_run_finish gave it */
};

/* ---- merge: sorted sources become one. Rows are merged through a binary heap (8-byte prefixes first); cells only where two
 * inputs hold the same row. A part of one input passes through untouched when no other input has its row.
 * Needs one part per input; never copies row or value bytes.
 *
 * Takes ownership of the sources, also on failure. n may be 0 or 1. */
struct source *merge_open(struct source **inputs, size_t n, enum tie_rule tie, struct err *err);

#endif
