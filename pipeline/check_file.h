/* One HFile checked whole, in parallel by block ranges: every checksum, sizes, order, one family, index against blocks,
 * blooms against rows and columns, file info against cells, placement of every row, digest, whole-file checksum. */
#ifndef PIPELINE_CHECK_FILE_H
#define PIPELINE_CHECK_FILE_H

#include "dataset/manifest.h"
#include "flow/placement.h"
#include "pipeline/job.h"
#include "pipeline/problems.h"

struct check_file_opts {
    const struct job *job;
    const char *path;
    const struct manifest_file *expected; /* NULL: a bare HFile */
    const char *family;                   /* with expected */
    const struct placement *placement;    /* with expected */
    struct problems *problems;
    bool quick; /* trailer, file info and index only */
    size_t range_bytes, block_limit;
};

struct check_file_result {
    struct tally tally;
    uint64_t kv_bytes, file_bytes, blocks;
    bool read; /* could be opened and was read to its end */
};

/* Called inside a parallel region: makes tasks. What is wrong goes to problems; -1 only for our own failures and stops. */
int check_file(const struct check_file_opts *o, struct check_file_result *out, struct err *err);

#endif
