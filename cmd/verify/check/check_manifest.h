/* A manifest held against itself and against what lies in its folder; no cell file is opened. */
#ifndef CHECK_CHECK_MANIFEST_H
#define CHECK_CHECK_MANIFEST_H

#include "dataset/manifest.h"
#include "cmd/verify/check/problems.h"

/* Seal, ledgers, totals, the order and names of files. */
void check_manifest(const char *dir, const struct manifest *m, struct problems *problems);
/* Files and folders that the manifest does not list. -1: a folder cannot be read. */
int check_folders(const char *dir, const struct manifest *m, struct problems *problems, struct err *err);

#endif
