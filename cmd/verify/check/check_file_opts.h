/* What check_file is told of a file, and what it found there. */
#ifndef CHECK_CHECK_FILE_OPTS_H
#define CHECK_CHECK_FILE_OPTS_H

#include "dataset/manifest.h"
#include "table/placement.h"
#include "engine/job.h"
#include "cmd/verify/check/problems.h"

struct check_file_opts {
    const struct job *job;
    const char *path;
    const struct manifest_file *expected; /* NULL: a bare HFile */
    const char *family;                   /* that its cells should be of; NULL: any */
    char *const *names;                   /* with expected: of partitions */
    const struct placement *placement;    /* with expected */
    const struct family_rules *rules;     /* with expected: of its family */
    int64_t now_ms;                       /* with expected: of the run */
    struct bytes start_row, stop_row;     /* of its region; empty: open */
    struct problems *problems;
    bool quick; /* trailer, file info and index only */
    size_t range_bytes, block_limit;
    void (*passed)(void *arg, uint64_t bytes); /* of the file, from any thread; may be NULL */
    void *arg;
};

struct check_file_result {
    struct tally tally;
    uint64_t kv_bytes, file_bytes, blocks, rows;
    bool opened, read; /* read: to its end, and nothing was damaged */
};

#endif
