/* Sums over many HFiles, several at a time. */
#ifndef INFO_FILE_FIGURES_H
#define INFO_FILE_FIGURES_H

#include "cmd/verify/check/block_sums.h"
#include "cmd/verify/info/cell_stats.h"
#include "engine/job.h"

struct figures_file {
    char *path;
    struct block_sum data; /* its data blocks */
    uint64_t cells, file_bytes;
};

struct file_figures {
    const struct job *job;
    struct figures_file *files; /* path given, the rest is filled in */
    size_t n;
    bool read_cells, failed;
    struct block_sums blocks;
    struct cell_stats cells; /* with read_cells */
};

/* The first file that cannot be read ends it. */
int file_figures_run(struct file_figures *s, struct err *err);
void file_figures_free(struct file_figures *s); /* not the files */

#endif
