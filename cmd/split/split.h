/* Commands of obkv-split that have rooms of their own: their options, and what they share. */
#ifndef CMD_SPLIT_SPLIT_H
#define CMD_SPLIT_SPLIT_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"

#include <jansson.h>

/* Options of plan and simulate. */
struct split_options {
    const char *share; /* of join: J/M */
    /* rows that are made instead of read */
    const char *key;
    uint64_t generate, seed, interval, cell_bytes;
    struct {
        const char *counts, *expect, *sample_by, *table_name, *access, *take;
        struct opt_list tries;
        uint64_t sample_bytes;
    } plan;
    struct {
        const char *splits, *order, *clock, *mode, *site, *file_ratio;
        struct opt_list settings, tries;
        uint64_t sample_rows, rate, servers;
    } simulate;
};
static inline struct split_options *split_options(const struct options *o) {
    return o->own;
}

/* ---- commands ---- */

int split_plan(struct environment *env, struct intake *intake, int *code, struct err *err);
int split_simulate(struct environment *env, struct intake *intake, int *code, struct err *err);

#endif
