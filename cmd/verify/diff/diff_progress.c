/* Progress of a diff: each pass reads two sides, which are one phase, `read` and then `compare`. What else is reported of a run,
 * such as spills, passes through. */
#include "cmd/verify/diff/diff.h"

#include <string.h>

static void report(void *arg, const char *phase, uint64_t done, uint64_t total) {
    const struct diff_progress *p = arg;
    bool reads = !strcmp(phase, "read");
    if (!reads)
        p->outer.report(p->outer.arg, phase, done, total);
    else
        p->outer.report(p->outer.arg, p->again ? "compare" : "read", done + (p->side == DIFF_B ? p->bytes[DIFF_A] : 0),
                        p->bytes[DIFF_A] + p->bytes[DIFF_B]);
}

void diff_progress_begin(struct diff_progress *p, const struct diff_opts *o, struct job *job) {
    *job = *o->job;
    p->outer = job->progress;
    for (unsigned k = 0; k < DIFF_SIDES; k++)
        for (uint32_t i = 0; i < o->sides[k].n_inputs; i++) p->bytes[k] += o->sides[k].inputs[i].file_bytes;
    if (p->outer.report) job->progress = (struct progress){report, p};
}

void diff_progress_side(struct diff_progress *p, unsigned side, bool again) {
    p->side = side;
    p->again = again;
}
