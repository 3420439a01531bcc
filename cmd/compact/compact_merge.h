/* Merges the datasets of a compaction directly. */
#ifndef CMD_COMPACT_COMPACT_MERGE_H
#define CMD_COMPACT_COMPACT_MERGE_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "cmd/compact/base_policy.h"
#include "cmd/compact/compact_share.h"
#include "cmd/compact/moved_inputs.h"
#include "cmd/compact/night_policy.h"
#include "cmd/compact/night_report.h"
#include "cmd/compact/night_turns.h"
#include "engine/read_opts.h"
#include "engine/rejects.h"

struct output;

/* The inputs as given: datasets with their manifests, everything else as NULL. */
struct compact_inputs {
    const struct compact_options *own;
    struct manifest *manifests;
    bool *is_dataset;
    uint32_t *first; /* of the files of each */
    bool *moves;     /* by input: it is partitioned differently from the output */
    bool moves_rows; /* some input is */
    struct moved_inputs moved;
    bool shards;    /* all of them are: they are one dataset */
    bool keeps_all; /* --rules none */
    struct manifest_share share;
    int n;
    enum tie_rule tie;
    struct read_opts read; /* of those that are repartitioned first; with rejects NULL, they are counted only */
    struct reject_log *rejects;
    const struct reject_limit *reject_limit;
    char **paths; /* the inputs in their order: a base first, shards by number */
    struct night_report night;
    struct night_policy policy;
    struct night_turns turns;
};

/* *merged: all inputs are datasets, of this partitioning or repartitioned, and few enough to be merged at once. */
int compact_merge(struct environment *env, struct target *target, struct output *output, struct compact_inputs *g,
                  struct input_list *in, struct build_result *r, bool *merged, struct err *err);
/* Decides, for a dry run, what compact_merge would decide. */
int compact_merge_plan(struct environment *env, struct target *target, struct output *output, struct compact_inputs *g,
                       struct input_list *in, struct err *err);

#endif
