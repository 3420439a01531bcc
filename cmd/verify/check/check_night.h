/* What a manifest says of the night it was made in (docs/compaction.md): which files were taken over, and for which cells of
 * which deltas the dataset waits. Held against its own inputs: the base and the deltas may be gone. */
#ifndef CHECK_CHECK_NIGHT_H
#define CHECK_CHECK_NIGHT_H

#include "dataset/manifest.h"
#include "cmd/verify/check/problems.h"

int check_night(const char *dir, const struct manifest *m, struct problems *problems, struct err *err);

#endif
