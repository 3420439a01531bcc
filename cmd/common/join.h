/* Shards, or shares of their partitions, become the dataset that one run would have written. */
#ifndef CMD_COMMON_JOIN_H
#define CMD_COMMON_JOIN_H

#include "cmd/common/session.h"

/* dirs: all shards of a run, in any order, or all shares. share (number and of; of == 0: all): which part of the partitions is
 * written; only of shards. Into the output of s. */
struct join_opts {
    char *const *dirs;
    size_t n;
    uint32_t share, shares;
    char *const *shards; /* dirs are shares of these, in their order: their warnings are given, and their reports kept; or NULL */
    size_t n_shards;
    const struct manifest *opened; /* of all shards, in their order, lent by a caller who joins share by share; or NULL */
};
int join_run(struct session *s, const struct join_opts *o, int *code, struct err *err);

/* ---- rejects of shards (shard_rejects.c) ---- */

struct reject_limit;
/* The limit of one shard, from that of all. */
void shard_tolerate(struct reject_limit *limit);
/* ERR_REJECTS: all shards together have more than they were allowed. */
int shards_check_rejects(const struct manifest *m, const char *const *names, size_t n, struct err *err);
/* The reports of the shards in these directories, which are in order, into that of the output. */
int shards_keep_reports(struct session *s, const char *const *dirs, size_t n, struct err *err);

/* ---- what join.c and join_merge.c share ---- */

struct join {
    struct session *s;
    const struct join_opts *o;
    struct manifest *parts; /* by number */
    const char **names;     /* their directories */
    bool of_shards;
    struct manifest whole; /* what is written; files belong to `made` */
    struct input_list in;  /* files of shards */
    struct build_result made;
};

/* Merges the files of shards into those of one run, in the form that the settings of the shards say. */
int join_merge(struct join *j, struct err *err);
/* Gives the files of shares a name in the output. */
int join_link(struct join *j, struct err *err);

#endif
