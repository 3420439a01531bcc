/* obkv-verify target: what is compared with a database, an export or a dataset. */
#ifndef TARGET_TARGET_SOURCE_H
#define TARGET_TARGET_SOURCE_H

#include "cmd/text/export_target.h"

/* Load files of one partition of a dataset. */
struct target_part {
    char *dir;
    struct export_manifest m; /* shares all but its files with that of the whole */
};

/* The rows as they should be. */
struct target_source {
    struct export_options asked;
    struct environment *env;
    const char *dir;
    bool is_dataset;
    bool *chosen;                  /* by partition, of --partitions; NULL: all */
    struct export_manifest export; /* of an export */
    struct export_task tool;       /* of a dataset, exported on the fly */
    char *temp;                    /* load files of partitions that differ; NULL: none were needed */
    int temp_fd;                   /* of it, while there is one */
    struct job job;                /* the run's, with progress of its own: of a dataset's files, what was read of how much */
    uint64_t read, read_of;
    struct target_part **parts;
    size_t n_parts;
};

/* target_source.c */
int target_source_open(struct target_source *t, struct environment *env, const char *path, struct err *err);
const struct export_manifest *target_source_manifest(const struct target_source *t);
/* compare_opts.files; arg is the source. */
int target_source_files(struct target_source *t, uint32_t family, uint32_t partition, const char **dir,
                        const struct export_manifest **m, struct err *err);
void target_source_close(struct target_source *t);

#endif
