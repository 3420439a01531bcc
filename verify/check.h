/* A dataset checked: manifest against ledgers, files and each other; every file by check_file. */
#ifndef VERIFY_CHECK_H
#define VERIFY_CHECK_H

#include "dataset/manifest.h"
#include "verify/check_result.h"
#include "pipeline/job.h"
#include "verify/problems.h"

/* m may come from manifest_load: missing files are findings, not errors. A file that cannot be read (-1, ERR_INPUT) does not
 * stop the check of others: *out and problems tell what was found. */
int check_dataset(const struct job *job, const char *dir, const struct manifest *m, bool quick, struct problems *problems,
                  struct check_result *out, struct err *err);
void check_result_free(struct check_result *r);

#endif
