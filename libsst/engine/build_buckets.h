/* Sorted buckets on their way into files. */
#ifndef ENGINE_BUILD_BUCKETS_H
#define ENGINE_BUILD_BUCKETS_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "engine/build_state.h"
#include "engine/sorter.h"

struct bytes build_family_name(void *build, uint32_t bucket);
/* All of a bucket, or what is left of it after windows. Closes src. */
int build_write_bucket(void *build, uint32_t bucket, struct source *src, struct err *err);
/* A large bucket, cut into slices. 1: done, 0: it is not to be cut, -1. */
int build_write_slices(void *build, uint32_t bucket, struct err *err);
/* Writes the rows that a window has of a bucket, whose writer stays open. Closes src. */
int build_write_window(void *build, uint32_t bucket, struct source *src, struct err *err);
/* As build_write_window, in slices, if it is large. 1: done, 0: it is not to be cut, -1. */
int build_write_window_slices(void *build, uint32_t bucket, const struct sorted_records *records, struct err *err);
/* Finishes the writers that are open. */
int build_finish_open(struct build *b, struct err *err);
void build_close_open(struct build *b);

#endif
