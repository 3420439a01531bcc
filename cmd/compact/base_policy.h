/* The parts of obkv-compact: shards and shares; nightly compactions over a base: which partitions are merged, what waits for a
 * later night, and what became of the base. */
#ifndef CMD_COMPACT_BASE_POLICY_H
#define CMD_COMPACT_BASE_POLICY_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/target.h"

/* The program's own options. */
struct compact_options {
    const char *base, *policy, *share;
    bool verify_base, explain;
};
static inline const struct compact_options *compact_options(const struct options *o) {
    return o->own;
}

/* compact_run.c: a run of the program. */
int compact_run(struct environment *env, struct intake *intake, int *code, struct err *err);

/* ---- compact_tables.c ---- */

/* Warns of n inputs that hardly belong together in this order. The table of s has the families of all. ERR_USAGE: an input is of
 * another table than the base. */
int compact_check_tables(struct environment *env, struct target *target, const struct manifest *m, const bool *is_dataset, int n,
                         enum tie_rule tie, struct err *err);

#endif
