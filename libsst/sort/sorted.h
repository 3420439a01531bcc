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

#include "base/outfile.h"
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

/* e[i].window must be rowsort_window(row, lcp); afterwards, all that windows say is that rows differ where they do.
 * scratch: room for n entries. */
void rowsort(const struct rowsort *s, struct sort_entry *e, size_t n, struct sort_entry *scratch);
/* The full order: row, shape, then first cell (explicit records) or ts desc, rank desc (records of a shape). */
int rowsort_cmp(const struct rowsort *s, const struct sort_entry *a, const struct sort_entry *b);
/* Window of a row at a depth. */
uint64_t rowsort_window(struct bytes row, size_t depth);

/* ---- segment: a sorted bucket as a source. Records of one row become parts that do not overlap.
 * One record of a row goes out as it is. Several of one shape are read column by column (no heap, the sort entries serve
 * as cursors); records of different shapes, or explicit ones that overlap, are merged cell by cell in lanes.
 *
 * Borrows entries (overwrites their windows) and the records they refer to; parts point into the records. */
struct source *segment_open(struct sort_entry *entries, size_t n, const struct shape_set *shapes, struct bytes family,
                            enum tie_rule tie, struct err *err);

/* ---- run: sorted parts on disk, private to one run of one program.
 *
 * A run_file is one unlinked temp file of one worker. It holds extents one after the other; an extent is a sorted,
 * non-overlapping stream of parts of one bucket, cut into frames: u32 bytes | u32 CRC-32C | records (record.h).
 * Reading an extent needs one frame at a time. Space is given back (hole punched) when an extent is released. */
struct run_file;
/* Makes and unlinks a file in dir. quota may be NULL. */
struct run_file *run_file_new(const char *dir, struct disk_quota *quota, struct err *err);
void run_file_free(struct run_file *f);
uint64_t run_file_bytes(const struct run_file *f); /* written in all */

struct run_extent {
    struct run_file *file;
    uint64_t offset, bytes;
    uint32_t frame_max; /* largest frame: memory a reader needs */
    uint32_t pad;
    uint64_t records;
};

/* Copies all parts of src (not closed) into a new extent at the end of f. One writer per file at a time. */
int run_write(struct run_file *f, struct source *src, const struct shape_set *shapes, struct run_extent *out, struct err *err);

/* Reads an extent; damage is found by checksum. The extent outlives the source. */
struct source *run_open(const struct run_extent *x, const struct shape_set *shapes, struct bytes family, struct err *err);
void run_release(struct run_extent *x);

enum { RUN_FRAME_BYTES = 64 * 1024 };

/* ---- merge: sorted sources become one. Rows are merged through a binary heap (8-byte prefixes first); cells only where two
 * inputs hold the same row. A part of one input passes through untouched when no other input has its row.
 * Needs one part per input; never copies row or value bytes.
 *
 * Takes ownership of the sources, also on failure. n may be 0 or 1. */
struct source *merge_open(struct source **inputs, size_t n, enum tie_rule tie, struct err *err);

#endif
