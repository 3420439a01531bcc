/* Expectations of check_file of a file, and what it found there. */
#ifndef CHECK_CHECK_FILE_H
#define CHECK_CHECK_FILE_H

#include "cmd/verify/check/check_findings.h"
#include "dataset/manifest.h"
#include "engine/job.h"
#include "table/partitioner.h"

struct check_file_opts {
    const struct job *job;
    const char *path;
    const struct manifest_file *expected; /* NULL: a bare HFile */
    const char *family;                   /* that its cells should be of; NULL: any */
    char *const *names;                   /* with expected: of partitions */
    const struct placement *placement;    /* with expected */
    const struct family_rules *rules;     /* with expected: of its family */
    int64_t now_ms;                       /* with expected: of the run */
    const json_t *settings;               /* with expected: of the manifest */
    struct bytes start_row, stop_row;     /* of its region; empty: open */
    struct check_findings *findings;
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

/* One HFile checked whole, in parallel by block ranges: every checksum, sizes, order, one family, index against blocks,
 * blooms against rows and columns, file info against cells, placement of every row, digest, whole-file checksum. Damage ends
 * nothing: what comes after it is checked if it can be found. */

/* Options for one file with the shares of memory that a run gives it. */
struct check_file_opts check_file_opts_of(const struct job *job, const char *path, bool quick, struct check_findings *findings);
/* Checks a file, inside a parallel region: makes tasks. What is wrong goes to findings; -1 only for our own failures and stops:
 * with ERR_INPUT the file could not be read, and others may be. */
int check_file(const struct check_file_opts *o, struct check_file_result *out, struct err *err);

#endif
