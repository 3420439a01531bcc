/* Checks a manifest against itself and against the entries of its directory; opens no cell file. */
#ifndef CMD_VERIFY_CHECK_CHECK_MANIFEST_H
#define CMD_VERIFY_CHECK_CHECK_MANIFEST_H

#include "base/err.h"
#include "cmd/verify/check/check_findings.h"
#include "dataset/manifest.h"

/* Seal, ledgers, totals, the order and names of files. */
void check_manifest(const char *dir, const struct manifest *m, struct check_findings *findings);
/* Finds files and directories that the manifest does not list. -1: a directory cannot be read. */
int check_directories(const char *dir, const struct manifest *m, struct check_findings *findings, struct err *err);

#endif
