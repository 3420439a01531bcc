/* Whether a target holds exactly the rows of an export: sums of each partition computed inside the database; where they differ,
 * sums of ranges of keys, down to the rows. A is the export, B the target. */
#ifndef TARGET_COMPARE_H
#define TARGET_COMPARE_H

#include "cmd/verify/target/compare_opts.h"

const char *compare_kind_name(enum compare_kind k);

int compare_run(const struct compare_opts *o, struct compare_result *r, struct err *err);

#endif
