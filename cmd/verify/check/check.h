/* Results of a check of many files. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "cell/keyvalue.h"
#include "cmd/verify/check/check_findings.h"
#include "dataset/manifest.h"
#include "engine/job.h"
#include "formats/hbase/read_tree.h"

/* Figures of a partition of a family, from the files (full) or the manifest (quick). */
struct check_partition {
    uint64_t cells, bytes, kv_bytes, rows;
    struct digest digest;
    uint32_t files;
};

struct check_result {
    struct check_partition *partitions; /* [family][partition]; NULL: not a dataset */
    uint64_t cells, file_bytes, kv_bytes, rows, blocks;
    uint64_t files, unread, skipped; /* of the files: that could not be read; of which only metadata was */
    uint64_t mob_values;             /* read from mob files */
    bool mob_skipped;                /* there may be some, and they were not */
    struct digest digest;
};

/* A dataset checked: manifest against ledgers, files and each other; every file by check_file. */

struct check_opts {
    const struct job *job;
    bool quick;         /* trailers and indexes only */
    bool skip_reused;   /* the same of files that were reused from a base */
    const bool *chosen; /* by partition: whether its files are checked; NULL: all are */
};
/* m may come from manifest_load: missing files are findings, not errors. A file that cannot be read (-1, ERR_INPUT) does not
 * stop the check of others: *out and findings have what was found. Manifest and directory are checked with partition 0, so that
 * what several checks of some partitions find adds up. */
int check_dataset(const struct check_opts *o, const char *dir, const struct manifest *m, struct check_findings *findings,
                  struct check_result *out, struct err *err);
void check_result_free(struct check_result *r);

/* The store files of an HBase table or snapshot checked: each by check_file, with the rows of its region and its family. */

/* Checks the files that are there; those missing are in files->findings already. Returns as check_dataset does. */
int check_tree(const struct job *job, const struct store_files *files, bool quick, struct check_findings *findings,
               struct check_result *out, struct err *err);

/* Checks what a manifest says of the night it was made in (docs/compaction.md): which files it reused, and for which cells of
 * which deltas the dataset waits. Compares it with its own inputs only: the base and the deltas may be gone. */

int check_night(const char *dir, const struct manifest *m, struct check_findings *findings, struct err *err);

#endif
