/* Shared by sorter_gather.c (records in memory, spilling) and sorter_runs.c (spilled runs, merged). */
#ifndef ENGINE_SORTER_STATE_H
#define ENGINE_SORTER_STATE_H

#include "engine/sorter.h"
#include "sort/gather_state.h"
#include "sort/sorted.h"

struct run_file;

/* The runs of one bucket. */
struct run_list {
    struct run_extent *x;
    size_t n;
};

struct sorter {
    struct sorter_opts o;
    uint32_t buckets; /* in use, when counted last */
    bool finished;
    struct gather *gather;       /* NULL once the runs are being merged */
    struct gather *later;        /* receives what a flush leaves over; NULL: nothing is flushed */
    struct run_list *runs;       /* [bucket] */
    struct run_file **run_files; /* [thread] */
    uint64_t *weight;            /* bytes of a bucket in all rounds */
    uint64_t weight_all;
    uint64_t point_bytes;  /* of a run, from one of its points to the next */
    uint64_t points_bytes; /* memory of all points */
    struct sorter_stats stats;
    struct first_error first;
};

#endif
