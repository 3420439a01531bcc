/* Inputs of a nightly compaction that are partitioned differently from the base: each is repartitioned first, into a temporary
 * directory, and merged from there like any other input. What rejects and spilling that took belongs to the run. */
#ifndef CMD_COMPACT_MOVED_INPUTS_H
#define CMD_COMPACT_MOVED_INPUTS_H

#include "cmd/common/environment.h"
#include "cmd/common/target.h"
#include "engine/merge_datasets.h"

/* The copy of one input. */
struct moved_input {
    bool moved; /* there is one */
    struct build_result result;
    struct manifest m;   /* table and files; both are owned by others */
    struct input *files; /* as many as m lists */
    uint64_t resident;   /* bytes of these lists: part of --memory */
};

struct moved_inputs {
    struct moved_input *of; /* by input */
    uint32_t n, n_moved;
    char *dir;
    int fd; /* the lock of dir */
    uint64_t temp_bytes, rows_client_misplaces;
    struct reject_log *rejects, *own_rejects;
    struct ledger sum;
};

struct moved_plan {
    const struct merge_input *inputs; /* as they were given: reading fills in their tallies */
    const bool *moves;                /* by input */
    uint32_t n;
    const struct output_opts *output; /* of the run */
    const struct read_opts *read;
    struct reject_log *rejects; /* NULL: they are counted only */
    const struct reject_limit *reject_limit;
};

/* Does nothing where none moves. What was made is to be freed whatever is returned. */
int moved_inputs_make(struct environment *env, struct target *target, const struct moved_plan *plan, struct moved_inputs *out,
                      struct err *err);
/* Counts, after the merge, what the copies lack because it was rejected as read and rejected by this run. */
void moved_inputs_count(const struct moved_inputs *m, struct build_result *r);
/* Removes the copies; figures stay. */
int moved_inputs_free(struct environment *env, struct moved_inputs *m, struct err *err);

#endif
