/* Proves that partitions hold what was loaded into them. */
#ifndef CMD_LOAD_LOAD_VERIFY_H
#define CMD_LOAD_LOAD_VERIFY_H

#include "base/err.h"
#include "cmd/load/load_files.h"

/* Will the sums of each partition of this family show whether its rows are there: the target is OceanBase, nothing else may be
 * in the partitions, and no row expires meanwhile. */
bool load_verify_applies(const struct load_files_opts *o, uint32_t family);
/* Compares all sums of each partition of o->m, of one family, with those of its files and of what was there before. ERR_OUTPUT:
 * they differ. */
int load_verify_run(const struct load_files_opts *o, struct err *err);

#endif
