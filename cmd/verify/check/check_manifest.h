/* A manifest held against itself and against what lies in its folder; no cell file is opened. */
#ifndef CHECK_CHECK_MANIFEST_H
#define CHECK_CHECK_MANIFEST_H

#include "cmd/verify/check/problems.h"
#include "dataset/manifest.h"

/* Seal, ledgers, totals, the order and names of files. */
void check_manifest(const char *dir, const struct manifest *m, struct problems *problems);
/* Files and folders that the manifest does not list. -1: a folder cannot be read. */
int check_folders(const char *dir, const struct manifest *m, struct problems *problems, struct err *err);

/* What a manifest says of the night it was made in (docs/compaction.md): which files were taken over, and for which cells of
 * which deltas the dataset waits. Held against its own inputs: the base and the deltas may be gone. */

int check_night(const char *dir, const struct manifest *m, struct problems *problems, struct err *err);

#endif
