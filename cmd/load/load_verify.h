/* Proves that partitions hold what was loaded into them. */
#ifndef CMD_LOAD_LOAD_VERIFY_H
#define CMD_LOAD_LOAD_VERIFY_H

#include "base/err.h"
#include "cmd/load/load_files.h"
#include "cmd/oceanbase/sums_query.h"

/* Will the sums of each partition of this family show whether its rows are there: the target is OceanBase, nothing else may be
 * in the partitions, and no row expires meanwhile. */
bool load_verify_applies(const struct load_files_opts *o, uint32_t family);
/* Begins a scan for sums of a family's table. The caller adds the partitions, what they should hold, and other sums than those of
 * whole rows. */
struct sums_scan load_verify_scan(const struct load_files_opts *o, uint32_t family);
/* Returns whether it was proven, when it was loaded, that a partition holds the rows of this file and no others. -1: error. */
int load_verify_was_proven(const struct load_files_opts *o, const struct export_file *f, struct err *err);
/* Compares all sums of each partition of o->m, of one family, with those of its files and of what was there before. ERR_OUTPUT:
 * they differ. Adds to *proven the partitions that hold the rows of the dataset and no others. */
int load_verify_run(const struct load_files_opts *o, size_t *proven, struct err *err);
/* Whether partitions for which o->m has no file hold no rows. */
int load_verify_rest_is_empty(const struct load_files_opts *o, struct connection *c, bool *is_empty, struct err *err);

#endif
