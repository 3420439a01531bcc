/* Sorts row parts within a memory limit, a bucket at a time. */
#ifndef ENGINE_SORTER_GATHER_H
#define ENGINE_SORTER_GATHER_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "engine/sorter.h"

struct run_file;
struct sorter;

struct sorter *sorter_new(const struct sorter_opts *o, struct err *err);
void sorter_free(struct sorter *s);
unsigned sorter_threads(const struct sorter *s);

int sorter_put(struct sorter *s, unsigned thread, uint32_t bucket, const struct row_part *part, struct err *err);
bool sorter_full(const struct sorter *s);
/* Everything gathered becomes one run per bucket. Not while others put. */
int sorter_spill(struct sorter *s, struct err *err);
int sorter_flush_begin(struct sorter *s, size_t memory_bytes, struct err *err);
/* Rows before *below go to sink, as tasks, a bucket each; others stay. NULL: all go. */
int sorter_flush(struct sorter *s, const struct bytes *below, const struct sorter_sink *sink, struct sorter_flushed *out,
                 struct err *err);
void sorter_flush_end(struct sorter *s); /* what is left stays, and the memory is that of the plan again */

/* No more is put; once is enough. When anything was spilled the rest is too, and its memory goes to the merges. */
int sorter_finish(struct sorter *s, struct err *err);

/* fn(arg, bucket) for every bucket that holds something, largest first, as OpenMP tasks on all threads. The first error
 * stops it. */
int sorter_each(struct sorter *s, int (*fn)(void *arg, uint32_t bucket, struct err *err), void *arg, struct err *err);
uint64_t sorter_bytes(const struct sorter *s, uint32_t bucket); /* of records, all rounds */
/* Returns the bucket's records while all are in memory, instead of sorter_open. Their entries are to be freed. */
int sorter_records(struct sorter *s, uint32_t bucket, struct sorted_records *out, struct err *err);

/* Bytes of a record, while all are in memory; 0: some are not. */
uint64_t sorter_longest(const struct sorter *s);
struct sorter_stats sorter_stats(const struct sorter *s);

/* A bucket that is in memory, as a source. */
struct source *sorter_open_gathered(struct sorter *s, uint32_t bucket, struct bytes family, struct err *err);
/* The spill file of the calling thread. */
struct run_file *sorter_run_file(struct sorter *s, struct err *err);

#endif
