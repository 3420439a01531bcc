/* Merges the partitions of shards into the output of a join. */
#ifndef CMD_COMMON_JOIN_MERGE_H
#define CMD_COMMON_JOIN_MERGE_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "cmd/common/join.h"
#include "dataset/manifest.h"
#include "engine/build.h"

struct join {
    struct environment *env;
    const char *dir; /* where files are written; once it is known */
    const struct join_opts *o;
    struct manifest *parts; /* by number */
    const char **names;     /* their directories */
    bool of_shards;
    struct manifest whole; /* what is written; files belong to `made` */
    struct input_list in;  /* files of shards */
    struct build_result made;
};

/* Returns whether the file is of a partition of the share that is written. */
static inline bool join_is_of_share(const struct join_opts *o, const struct manifest_file *f) {
    return !o->shares || f->partition % o->shares == o->share - 1;
}
/* Merges the files of shards into those of one run, in the form that the settings of the shards say. */
int join_merge(struct join *j, const struct target *target, struct err *err);
/* Gives the files of shares a name in the output. */
int join_link(struct join *j, const struct target *target, struct err *err);

#endif
