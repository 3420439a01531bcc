/* Progress of a diff. */
#ifndef CMD_VERIFY_DIFF_DIFF_PROGRESS_H
#define CMD_VERIFY_DIFF_DIFF_PROGRESS_H

#include "cmd/verify/diff/diff.h"
#include "engine/job.h"

/* *job becomes that of o, with p between readers and who shows progress. Sizes of inputs are known. */
void diff_progress_begin(struct diff_progress *p, const struct diff_opts *o, struct job *job);
/* Pass 2 will read so many cells of so many again. */
void diff_progress_again(const struct diff_progress *p, uint64_t cells, uint64_t of);
/* Notes that so many cells are walked now. */
void diff_progress_walk(const struct diff_progress *p, uint64_t cells);
/* Notes which side is read next. */
void diff_progress_side(struct diff_progress *p, unsigned side, bool again);

#endif
