/* Holds inputs against the output of HBase's HashTable job: sorts them, takes what the Scan of the job would see, hashes it batch
 * by batch as the job does, and compares, as its SyncTable would. */
#ifndef HASHTABLE_HASH_CHECK_H
#define HASHTABLE_HASH_CHECK_H

#include "cmd/verify/hashtable/hash_table.h"
#include "engine/job.h"
#include "engine/input.h"

/* A batch whose hash is another one. Borrowed. */
struct hash_range {
    struct bytes start, stop; /* stop empty: to the end */
    struct bytes hash;        /* p NULL: the job has none for these rows */
    struct bytes ours;
    uint64_t rows, cells, bytes; /* of ours; bytes as the job counts them */
};

struct hash_check_opts {
    const struct job *job;
    const struct hash_table *reference;
    struct input *inputs;
    uint32_t n_inputs;
    struct read_opts read; /* its table has the families' rules */
    bool ignore_timestamps;
    /* In the order of rows: 0 continue, -1 error. */
    int (*found)(void *arg, const struct hash_range *r, struct err *err);
    void *arg;
};

struct hash_check_result {
    uint64_t batches, matched, differing;
    uint64_t empty; /* batches without a cell of ours */
    uint64_t rows, cells;
};

int hash_check_run(const struct hash_check_opts *o, struct hash_check_result *out, struct err *err);

#endif
