/* --policy of nightly compactions: what a base still waits for, what is merged already, and what is left this time. */
#ifndef CMD_COMPACT_NIGHT_POLICY_H
#define CMD_COMPACT_NIGHT_POLICY_H

#include "cmd/common/session.h"
#include "engine/fuse.h"

struct night_policy {
    bool by_ratio;
    struct explore_opts explore;
    bool *merged; /* as fuse_base wants it; NULL: nothing is */
    struct manifest_pending *pending;
    size_t n_pending;
};

/* all | ratio[:RATIO[,MIN-FILES[,MAX-FILES[,MIN-SIZE]]]] */
int night_policy_parse(const char *text, struct night_policy *p, struct err *err);
/* inputs: the base first. What the base waits for must be among the others, in the same order and before all that is new. */
int night_policy_match(struct night_policy *p, const struct session *s, const struct manifest *inputs, size_t n, struct err *err);
/* Says which of the inputs the run that made the base has read already. */
void night_policy_warn(struct session *s, const struct manifest *inputs, size_t n);
/* After a run: what was left, for the manifest (p->pending). */
int night_policy_leave(struct night_policy *p, const struct session *s, const struct manifest *inputs, size_t n,
                       const struct fuse_slices *slices, struct err *err);
void night_policy_free(struct night_policy *p);

#endif
