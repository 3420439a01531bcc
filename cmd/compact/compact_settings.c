/* Reads from options, before any input is read, how a compaction works: which of two equal cells is newer (--rank), by which
 * version rules cells are dropped (--rules; none is a merge, which has none), and which of the program's own options decide the
 * bytes that it writes. */
#include "cmd/common/output.h"
#include "cmd/compact/base_policy.h"

#include "cmd/common/table_options.h"
#include "cmd/compact/compact_settings.h"

#include <string.h>
#include <strings.h>

int compact_rank(const struct environment *env, enum tie_rule *tie, struct err *err) {
    *tie = TIE_BY_INPUT;
    if (!strcmp(env->o.rules.rank, "position")) return 0;
    *tie = TIE_BY_SEQUENCE;
    return strcmp(env->o.rules.rank, "sequence")
               ? err_set(err, ERR_USAGE, "--rank '%s': expected position or sequence", env->o.rules.rank)
               : 0;
}

/* Two states of a table have an order, and no version rules. */
static int check_changes(const struct environment *env, struct err *err) {
    const struct rule_options *o = &env->o.rules;
    const char *other = compact_options(&env->o)->base ? "base"
                        : o->purge_deletes             ? "purge-deletes"
                        : o->delta                     ? "delta"
                        : strcmp(o->rank, "position")  ? "rank"
                                                       : NULL;
    if (other) return err_set(err, ERR_USAGE, "--rules changes compares two states, and cannot be combined with --%s", other);
    if (env->o.n_inputs == 2) return 0;
    return err_set(err, ERR_USAGE, "--rules changes: expected two inputs, the state before and the state after; %d given",
                   env->o.n_inputs);
}

int compact_rules(struct environment *env, struct target *target, bool *keeps_all, struct err *err) {
    const struct compact_options *own = compact_options(&env->o);
    const struct rule_options *o = &env->o.rules;
    *keeps_all = o->rules && !strcasecmp(o->rules, "none");
    if (o->rules && !strcasecmp(o->rules, "changes")) {
        target->kind = COMPACTION_CHANGES;
        return check_changes(env, err);
    }
    if (!*keeps_all) return rule_options_kind(&env->o, &target->kind, err);
    if (own->base || o->purge_deletes)
        return err_set(err, ERR_USAGE, "--rules none keeps every cell, and cannot be combined with %s",
                       own->base ? "--base" : "--purge-deletes");
    return 0;
}

int compact_settings(struct environment *env, struct output *output, bool keeps_all, struct err *err) {
    const struct compact_options *own = compact_options(&env->o);
    if (keeps_all) output->own_settings = json_new(JSON("rules", "none"));
    if (!own->base) return keeps_all && !output->own_settings ? err_nomem(err, 0, "settings") : 0;
    output->own_settings = json_pack("{s:o?}", "base", own->policy ? json_string(own->policy) : json_true());
    return output->own_settings ? 0 : err_set(err, ERR_USAGE, "--policy must be valid UTF-8");
}
