/* Decides by --policy what is rewritten of the base. */
#ifndef CMD_COMPACT_NIGHT_POLICY_H
#define CMD_COMPACT_NIGHT_POLICY_H

#include "base/err.h"
#include "dataset/manifest.h"
#include "dataset/manifest_json.h"
#include "engine/partition_merge.h"
#include "rules/whole_files.h"

struct environment;
struct target;

struct night_policy {
    bool by_ratio;
    struct explore_opts explore;
    bool *merged; /* as merge_base takes it; NULL: nothing is */
    struct manifest_pending *pending;
    size_t n_pending;
};

/* all | ratio[:RATIO[,MIN-FILES[,MAX-FILES[,MIN-SIZE]]]] */
int night_policy_parse(const char *text, struct night_policy *p, struct err *err);
/* Sets err, and returns true, if there is no file at path. */
bool night_input_missing(const char *path, struct err *err);
/* inputs: the base first. What the base waits for must be among the others, in the same order and before all that is new. */
int night_policy_match(struct night_policy *p, const struct environment *env, const struct target *target,
                       const struct manifest *inputs, size_t n, struct err *err);
/* Says which of the inputs the run that made the base has read already. */
void night_policy_warn(struct environment *env, const struct manifest *inputs, size_t n);
/* The clock of the night in which input i came: that of this run, unless the base waits for it. */
int64_t night_clock(const struct environment *env, const struct manifest *inputs, size_t i);
/* Lists, after a run, what was left, for the manifest (p->pending). */
int night_policy_leave(struct night_policy *p, const struct environment *env, const struct target *target,
                       const struct manifest *inputs, size_t n, const struct base_outcomes *outcomes, struct err *err);
void night_policy_free(struct night_policy *p);

#endif
