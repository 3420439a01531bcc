/* Decides what a run writes of its table: the whole, or a delta. A delete marker hides cells that are elsewhere as well: in the
 * base, and in the table that a delta is loaded into. So a compaction of a delta keeps its markers. If it was not said what the
 * inputs are, they are purged as in a major compaction, but not without a warning. */
#include "cmd/common/environment.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "cmd/common/target_kind.h"
#include "cmd/common/table_options.h"
#include "cmd/common/warnings.h"

#include <string.h>

bool target_kind_is_edits(const struct manifest *m) {
    if (m->kind != DATASET_DELTA || m->rules || !m->n_inputs) return false;
    bool declared = json_is_true(json_object_get(m->settings, "delta")); /* else logs alone make a delta, in archives, too */
    for (size_t i = 0; i < m->n_inputs; i++)
        if (strcmp(m->inputs[i].format, "wal") && (declared || strcmp(m->inputs[i].format, "archive"))) return false;
    return true;
}

/* --rules minor keeps markers as HBase does, and is left alone. */
static enum compaction_kind rules_of_delta(enum compaction_kind kind) {
    return kind == COMPACTION_MAJOR ? COMPACTION_DELTA : kind == COMPACTION_OCEANBASE ? COMPACTION_OCEANBASE_DELTA : kind;
}

enum compaction_kind target_kind_rules(const struct environment *env, const struct target *target, enum dataset_kind holds) {
    return holds == DATASET_DELTA && !env->o.rules.purge_deletes ? rules_of_delta(target->kind) : target->kind;
}

/* obkv-import alone has --compact. */
static const char *purge_option(const struct environment *env) {
    return env->o.rules.compact ? "--config purge-deletes=yes" : "--purge-deletes";
}

int target_kind_take(struct environment *env, struct target *target, enum dataset_kind inputs, bool compacts, struct err *err) {
    const struct rule_options *o = &env->o.rules;
    if (o->purge_deletes && !compacts)
        return err_set(err, ERR_USAGE, "--config purge-deletes=yes needs --compact: without it every cell is kept");
    if (o->purge_deletes && (o->delta || rule_options_minor(&env->o)))
        return err_set(err, ERR_USAGE, "%s drops what %s keeps; give only one of them", purge_option(env),
                       o->delta ? "--delta" : "--rules minor");
    target->holds = o->delta ? DATASET_DELTA : inputs;
    if (compacts) target->kind = target_kind_rules(env, target, target->holds);
    return 0;
}

/* Logs alone are a delta; a store and the logs that continue it are the whole table. */
static enum dataset_kind kind_of(unsigned holds) {
    if (holds & HOLDS_UNSAID) return DATASET_UNSAID;
    return holds & HOLDS_WHOLE ? DATASET_WHOLE : holds & HOLDS_EDITS ? DATASET_DELTA : DATASET_UNSAID;
}

/* All shards of a run hold the same, also one that reads nothing: the list says it, which has no logs (shard_notes_end). */
static unsigned shards_hold(const struct input_list *in) {
    unsigned holds = 0;
    for (uint32_t i = 0; i < in->n + in->n_others; i++)
        holds |= in->inputs[i].files || in->inputs[i].in_manifest ? in->inputs[i].holds : HOLDS_UNSAID;
    return holds;
}

void target_kind_learn(struct environment *env, struct target *target, bool is_shard, const struct input_list *in,
                       bool compacts) {
    if (target->holds != DATASET_UNSAID) return;
    target->holds = kind_of(is_shard ? shards_hold(in) : inputs_hold(in->inputs, in->n));
    if (compacts) target->kind = target_kind_rules(env, target, target->holds);
}

void target_kind_warn_purged(struct environment *env, struct target *target, const struct ledger *l) {
    uint64_t n = l->dropped[VERDICT_PURGED].cells;
    bool purges = target->kind == COMPACTION_MAJOR || target->kind == COMPACTION_OCEANBASE;
    if (!n || !purges || env->o.rules.purge_deletes || target->holds == DATASET_WHOLE) return;
    report_warn(&env->reporter, WARN_MARKERS_PURGED, n,
                "%llu delete marker%s dropped: cells they hide in an earlier dataset or in a target stay visible; "
                "--delta keeps the markers, %s confirms that the inputs are complete",
                (unsigned long long)n, n == 1 ? " was" : "s were", purge_option(env));
}
