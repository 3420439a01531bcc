/* A dataset checked: manifest against ledgers, files and each other; every file by check_file. */
#ifndef PIPELINE_CHECK_H
#define PIPELINE_CHECK_H

#include "pipeline/check_file.h"

/* Per partition of a family, from the files (full) or the manifest (quick). */
struct check_partition {
    uint64_t cells, bytes, kv_bytes, rows;
    struct digest digest;
    uint32_t files;
};

struct check_result {
    struct check_partition *partitions; /* [family][partition]; NULL: not a dataset */
    uint64_t cells, file_bytes, kv_bytes, rows, blocks;
    uint64_t files, unread; /* unread: of them, files that could not be read */
    struct digest digest;
};

/* m may come from manifest_load: missing files are findings, not errors. A file that cannot be read (-1, ERR_INPUT) does not
 * stop the check of others: *out and problems tell what was found. */
int check_dataset(const struct job *job, const char *dir, const struct manifest *m, bool quick, struct problems *problems,
                  struct check_result *out, struct err *err);
void check_result_free(struct check_result *r);

#endif
