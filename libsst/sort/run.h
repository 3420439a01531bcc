/* Spill runs: sorted parts on disk, private to one run of one program.
 *
 * A run_file is one unlinked temp file of one worker. It holds extents one after the other; an extent is a sorted,
 * non-overlapping stream of parts of one bucket, cut into frames: u32 bytes | u32 CRC-32C | records (record.h).
 * Reading an extent needs one frame at a time. Space is given back (hole punched) when an extent is released. */
#ifndef SORT_RUN_H
#define SORT_RUN_H

#include "base/outfile.h"
#include "cell/cell.h"
#include "sort/shapes.h"

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

#endif
