/* Adds up figures of HFiles. */
#ifndef CMD_VERIFY_INFO_FILE_FIGURES_H
#define CMD_VERIFY_INFO_FILE_FIGURES_H

#include "base/err.h"
#include "cmd/verify/info/info.h"

/* Data blocks, encoded or not. */
struct block_sum block_sums_data(const struct block_sums *s);

/* The first file that cannot be read ends it. */
int file_figures_run(struct file_figures *s, struct err *err);
void file_figures_free(struct file_figures *s); /* not the files */

#endif
