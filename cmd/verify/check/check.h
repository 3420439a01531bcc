/* A dataset checked: manifest against ledgers, files and each other; every file by check_file. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "dataset/manifest.h"
#include "cmd/verify/check/check_result.h"
#include "engine/job.h"
#include "cmd/verify/check/problems.h"

/* m may come from manifest_load: missing files are findings, not errors. A file that cannot be read (-1, ERR_INPUT) does not
 * stop the check of others: *out and problems tell what was found. */
int check_dataset(const struct job *job, const char *dir, const struct manifest *m, bool quick, struct problems *problems,
                  struct check_result *out, struct err *err);
void check_result_free(struct check_result *r);

#endif
