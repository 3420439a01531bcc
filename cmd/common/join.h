/* Shards, or shares of their partitions, become the dataset that one run would have written. */
#ifndef CMD_COMMON_JOIN_H
#define CMD_COMMON_JOIN_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"

/* dirs: all shards of a run, in any order, or all shares. share (number and of; of == 0: all): which part of the partitions is
 * written; only of shards. Into the output of s. */
struct join_opts {
    char *const *dirs;
    size_t n;
    uint32_t share, shares;
    bool staged;         /* dirs are copies, as the option of this name says, without the files that this run does not read */
    char *const *shards; /* dirs are shares of these, in their order: their warnings are given, and their reports kept; or NULL */
    size_t n_shards;
    const struct manifest *opened; /* of all shards, in their order, lent by a caller who joins share by share; or NULL */
};
int join_run(struct environment *env, struct intake *intake, const struct join_opts *o, int *code, struct err *err);

#endif
