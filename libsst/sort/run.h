/* Sorted runs that are spilled to disk and read once. */
#ifndef SORT_RUN_H
#define SORT_RUN_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/outfile.h"
#include "cell/cell.h"
#include "sort/record.h"
#include "sort/sorted.h"

struct run_file;

int run_frames_put(struct run_frames *f, const struct row_part *part, const struct shape_set *shapes, struct err *err);
int run_frames_flush(struct run_frames *f, struct err *err);
/* Makes and unlinks a file in dir. quota may be NULL. */
struct run_file *run_file_new(const char *dir, struct disk_quota *quota, struct err *err);
/* Opens one that has a name, to be read. */
struct run_file *run_file_open(const char *path, struct err *err);
int run_file_read(const struct run_file *f, void *p, size_t n, uint64_t offset, struct err *err);
void run_file_free(struct run_file *f);
uint64_t run_file_bytes(const struct run_file *f); /* written in all; of an open one: its size */
int run_write(struct run_file *f, struct source *src, const struct shape_set *shapes, uint64_t points_every,
              struct run_extent *out, struct err *err);

/* Reads an extent; damage is found by checksum. The extent outlives the source. */
struct source *run_open(const struct run_extent *x, const struct shape_set *shapes, struct bytes family, struct err *err);
/* Opens only the rows of a run in span, which is borrowed, from the last point before them on. Not of foreign runs. */
struct source *run_open_rows(const struct run_extent *x, const struct shape_set *shapes, struct bytes family,
                             const struct row_span *span, struct err *err);
void run_release(struct run_extent *x);
/* Drops every second one. No more are added then. */
void run_points_thin(struct run_points *p);

#endif
