/* Checks the values that are in mob files. */
#ifndef CMD_VERIFY_CHECK_CHECK_MOB_H
#define CMD_VERIFY_CHECK_CHECK_MOB_H

#include "base/err.h"
#include "cmd/verify/check/check.h"
#include "cmd/verify/check/check_findings.h"
#include "engine/job.h"
#include "formats/hbase/read_tree.h"

/* Returns whether there is a family whose values may be in mob files. */
bool check_mob_wanted(const struct store_files *files);
/* Follows every reference to a mob file: what is missing or damaged goes to findings. */
int check_mob(const struct job *job, const struct store_files *files, struct check_findings *findings, struct check_result *out,
              struct err *err);

#endif
