/* Opens what was spilled of a bucket, merged. */
#ifndef ENGINE_SORTER_RUNS_H
#define ENGINE_SORTER_RUNS_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "engine/sorter.h"

struct slice_point;
struct sorter;

/* Sets how many sources are to be open on one thread, all at a time: they share the memory for merges. After sorter_finish. */
void sorter_at_once(struct sorter *s, uint32_t sources);
/* The bucket as one source (its cells get this family); may be called from tasks. Each bucket once. */
struct source *sorter_open(struct sorter *s, uint32_t bucket, struct bytes family, struct err *err);
bool sorter_can_split(const struct sorter *s, uint32_t bucket, struct run_split *out);
size_t sorter_points(const struct sorter *s, uint32_t bucket, struct slice_point *out);
/* Opens the rows of the bucket in span, which is copied; what it points to is borrowed. */
struct source *sorter_open_rows(struct sorter *s, uint32_t bucket, const struct row_span *span, struct bytes family,
                                struct err *err);
/* Memory that the writer of the bucket may use in addition to its file writer and its source. */
size_t sorter_spare(const struct sorter *s, uint32_t bucket);
/* Gives back the disk space of the bucket's runs; its source is closed. */
void sorter_release(struct sorter *s, uint32_t bucket);

#endif
