/* Progress of a diff: each pass reads two sides, which are one phase, `read` and then `compare`; the walk over rows that may
 * differ is the last, `walk`. What else is reported of a run, such as spills, passes through. */
#include "cmd/verify/diff/diff.h"
#include "cmd/verify/diff/diff_progress.h"

#include <math.h>
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

/* Expects a second pass. Where one side has more cells than the other, some rows differ, and those that share a bucket with them
 * are read again too. */
static void expect_again(const struct diff_progress *p, const struct diff_opts *o) {
    enum { ROWS_OF_BUCKET = 16 }; /* about */
    uint64_t said[DIFF_SIDES] = {0};
    for (unsigned k = 0; k < DIFF_SIDES; k++)
        for (uint32_t i = 0; i < o->sides[k].n_inputs; i++) {
            if (!o->sides[k].inputs[i].in_manifest) return;
            said[k] += o->sides[k].inputs[i].manifest_tally.cells;
        }
    const bool a_more = said[DIFF_A] > said[DIFF_B];
    const uint64_t all = said[DIFF_A] + said[DIFF_B], most = said[a_more ? DIFF_A : DIFF_B],
                   more = most - said[a_more ? DIFF_B : DIFF_A];
    if (!more) return;
    double looked = 1 - exp(-(double)more / (double)most * ROWS_OF_BUCKET);
    diff_progress_again(p, (uint64_t)(looked * (double)all), all);
}

void diff_progress_begin(struct diff_progress *p, const struct diff_opts *o, struct job *job) {
    *job = *o->job;
    p->outer = job->progress;
    for (unsigned k = 0; k < DIFF_SIDES; k++)
        for (uint32_t i = 0; i < o->sides[k].n_inputs; i++) p->bytes[k] += o->sides[k].inputs[i].file_bytes;
    if (!p->outer.report) return;
    job->progress = (struct progress){report, p};
    expect_again(p, o);
}

void diff_progress_side(struct diff_progress *p, unsigned side, bool again) {
    p->side = side;
    p->again = again;
}

void diff_progress_again(const struct diff_progress *p, uint64_t cells, uint64_t of) {
    if (p->outer.report) p->outer.report(p->outer.arg, PROGRESS_AGAIN, cells, of);
}

void diff_progress_walk(const struct diff_progress *p, uint64_t cells) {
    if (p->outer.report) p->outer.report(p->outer.arg, "walk", 0, cells);
}
