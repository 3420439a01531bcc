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
int run_frames_put(struct run_frames *f, const struct row_part *part, const struct shape_set *shapes, struct err *err);
int run_frames_flush(struct run_frames *f, struct err *err);

/* ---- run: sorted parts on disk, private to one run of one program.
 *
 * A run_file is one unlinked temp file of one worker. It holds extents one after the other; an extent is a sorted,
 * non-overlapping stream of parts of one bucket in frames.
 * Reading an extent needs one frame at a time. Space is given back (hole punched) when an extent is released. */
struct run_file;
/* Makes and unlinks a file in dir. quota may be NULL. */
struct run_file *run_file_new(const char *dir, struct disk_quota *quota, struct err *err);
/* Opens one that has a name, to be read. */
struct run_file *run_file_open(const char *path, struct err *err);
int run_file_read(const struct run_file *f, void *p, size_t n, uint64_t offset, struct err *err);
void run_file_free(struct run_file *f);
uint64_t run_file_bytes(const struct run_file *f); /* written in all; of an open one: its size */

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
int run_write(struct run_file *f, struct source *src, const struct shape_set *shapes, uint64_t points_every,
              struct run_extent *out, struct err *err);

/* Reads an extent; damage is found by checksum. The extent outlives the source. */
struct source *run_open(const struct run_extent *x, const struct shape_set *shapes, struct bytes family, struct err *err);
/* Only its rows in span, which is borrowed, from the last point before them on. Not of foreign runs. */
struct source *run_open_rows(const struct run_extent *x, const struct shape_set *shapes, struct bytes family,
                             const struct row_span *span, struct err *err);
void run_release(struct run_extent *x);

static inline struct bytes run_point_row(const struct run_points *p, size_t i) {
    return bytes_of(p->rows.p + p->list[i].row, p->list[i].row_n);
}
/* Drops every second one. No more are added then. */
void run_points_thin(struct run_points *p);
static inline uint64_t run_points_memory(const struct run_points *p) {
    return p->n * sizeof *p->list + p->rows.n;
}

/* ---- kept run (kept_run.c): a run in a file with a name, which another start of the program reads. Frames, then u32 largest
 * frame | u32 CRC-32C of it | "OBKVRUN1". Native byte order: it stays on the machine. Records name their columns. A file holds
 * many runs, one after the other. */
struct kept_run;
/* Begins where out ends, which is borrowed, and not written to by others until the run is finished. */
struct kept_run *kept_run_create(struct outfile *out, struct err *err);
int kept_run_put(struct kept_run *r, const struct row_part *part, struct err *err);

struct kept_run_stats {
    uint64_t offset, bytes; /* in its file */
    uint64_t cells, deletes, kv_bytes;
    uint64_t sum; /* of its frames: no other run has it */
    int64_t ts_min, ts_max;
    struct bytes first_row, last_row; /* valid until the run is freed */
};
int kept_run_finish(struct kept_run *r, struct kept_run_stats *out, struct err *err);
void kept_run_free(struct kept_run *r); /* accepts NULL */

struct kept_run_place {
    const char *path;
    uint64_t offset, bytes;
    uint64_t sum; /* as kept_run_finish gave it */
};
/* input goes into the ranks of cells, which otherwise are those of their order. family is borrowed. */
struct source *kept_run_open(const struct kept_run_place *at, uint32_t input, struct bytes family, struct err *err);
/* What reading it takes. 0: it cannot be read, which kept_run_open explains. */
size_t kept_run_memory(const struct kept_run_place *at);

/* The files that runs are written into: one for each worker and family, DIR/FAMILY/w00003.run. Workers do not share them, so that
 * each run is in one piece; and there are few, because a file costs more than a small run. */
struct kept_run_files;
/* dir, where the family directories are, and quota are borrowed. */
struct kept_run_files *kept_run_files_new(const char *dir, unsigned workers, uint32_t families, struct disk_quota *quota,
                                          struct err *err);
/* The file of a worker, made when it is asked for first. */
struct outfile *kept_run_file(struct kept_run_files *l, unsigned worker, uint32_t family, const char *name, struct err *err);
int kept_run_files_finish(struct kept_run_files *l, struct err *err);
void kept_run_files_free(struct kept_run_files *l); /* accepts NULL; files that are not finished are removed */
/* FAMILY/w00003.run */
char *kept_run_file_path(unsigned worker, const char *family, struct err *err);
/* Whether a file is called as one of them. */
bool kept_run_is(const char *path);

/* ---- merge: sorted sources become one. Rows are merged through a binary heap (8-byte prefixes first); cells only where two
 * inputs hold the same row. A part of one input passes through untouched when no other input has its row.
 * Needs one part per input; never copies row or value bytes.
 *
 * Takes ownership of the sources, also on failure. n may be 0 or 1. */
struct source *merge_open(struct source **inputs, size_t n, enum tie_rule tie, struct err *err);

#endif
