/* Judges deltas that are merged at once one after the other. */
#ifndef CMD_COMPACT_NIGHT_TURNS_H
#define CMD_COMPACT_NIGHT_TURNS_H

#include "base/err.h"
#include "dataset/manifest.h"
#include "rules/compact.h"

struct environment;
struct target;

struct night_turns {
    struct rule_turns turns;
    uint32_t *of_input;
    int64_t *now_ms;
};
/* Fills turns from inputs in their order (is_dataset: m is of one), and *use: NULL where all are judged at once. based: the first
 * is a base. */
int night_turns_make(struct night_turns *t, const struct environment *env, const struct target *target, const struct manifest *m,
                     const bool *is_dataset, size_t n, bool based, const struct rule_turns **use, struct err *err);
void night_turns_free(struct night_turns *t);

#endif
