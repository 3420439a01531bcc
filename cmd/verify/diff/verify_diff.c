/* obkv-verify diff: which operands are which side, what both sides are read with, and whether manifests alone answer the question
 * (--trust-manifest). The comparison is in diff_run.c. */
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/options.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "cmd/common/unmet.h"
#include "cmd/verify/diff/diff_print.h"
#include "cmd/verify/diff/diff_side.h"
#include "cmd/common/table_options.h"
#include "cmd/verify/diff/diff_walk.h"
#include "cmd/verify/verify.h"
#include "select/selection_make.h"

#include <stdlib.h>
#include <string.h>

struct diff_comparison {
    struct environment *env;
    struct target *target;
    struct side sides[DIFF_SIDES];
    struct diff_compaction compaction;
    const struct selection *of_a; /* NULL: all is taken */
    struct selection *of_b;       /* what --families and its like mean for B, which was made by them; NULL: all is taken */
};

/* ---- families and their rules: what is asked first has the say ---- */

static int add_families_of_stores(struct environment *env, struct target *target, const struct side *x, bool decide,
                                  struct err *err) {
    struct table t;
    int made = input_list_table(&x->in, &t, err);
    if (made <= 0) return made;
    int rc = selection_options_families(x->selection, &t, err) || target_add_families(env, target, &t, err) ? -1 : 0;
    for (uint32_t i = 0; !rc && i < t.n_families; i++) { /* decide: HBase's rules beat those of a DDL */
        int at = table_family(&target->table, bytes_str(t.families[i].name));
        if (decide && at >= 0 && t.families[i].rules.versions_given) target->table.families[at].rules = t.families[i].rules;
    }
    table_free(&t);
    return rc;
}

static int add_families_of_datasets(struct environment *env, struct target *target, const struct side *x, struct err *err) {
    int rc = 0;
    for (unsigned i = 0; !rc && i < x->n_datasets; i++) {
        struct table t;
        if (table_copy(&x->datasets[i]->manifest.table, &t, err)) return -1;
        rc = selection_options_families(x->selection, &t, err) || target_add_families(env, target, &t, err) ? -1 : 0;
        table_free(&t);
    }
    return rc;
}

/* Completes the table with families of side A's stores, the DDL, the datasets of B, those of A: known before reading, for there
 * may be many. A DDL closes the list. */
static int complete_table(struct diff_comparison *c, struct err *err) {
    if (c->env->o.table.ddl && !verify_options(&c->env->o)->diff.compacted) return 0;
    struct side *a = &c->sides[DIFF_A], *b = &c->sides[DIFF_B];
    /* B's rules already were the stricter of both. */
    if (c->compaction.kind == COMPACTION_OCEANBASE && add_families_of_datasets(c->env, c->target, b, err)) return -1;
    if (add_families_of_stores(c->env, c->target, a, c->compaction.kind != COMPACTION_OCEANBASE, err) ||
        add_families_of_datasets(c->env, c->target, b, err) || add_families_of_datasets(c->env, c->target, a, err))
        return -1;
    if (!verify_options(&c->env->o)->diff.compacted) return add_families_of_stores(c->env, c->target, b, false, err);
    if (rule_options_apply(&c->env->o, &c->target->table.default_rules, err)) return -1;
    for (uint32_t i = 0; i < c->target->table.n_families; i++) {
        struct family *f = &c->target->table.families[i];
        if (rule_options_apply(&c->env->o, &f->rules, err)) return -1;
        if (!f->rules.versions_given)
            return err_set(err, ERR_USAGE,
                           "--compacted: family %s: number of versions not given; give --versions N (or 'unlimited'), or --ddl",
                           f->name);
    }
    return c->target->table.n_families ? 0 : target_need_rules(c->env, c->target, err);
}

/* ---- as B was made ---- */

/* Clock, partitions, and how its compaction ranked equal cells. */
static void follow_dataset(struct diff_comparison *c) {
    const struct manifest *m = side_manifest(&c->sides[DIFF_B]);
    c->compaction = (struct diff_compaction){.kind = COMPACTION_MAJOR, .tie = TIE_BY_SEQUENCE};
    const struct manifest *clock = m ? m : side_manifest(&c->sides[DIFF_A]);
    if (clock && !c->env->o.resources.now_given) c->env->job.now_ms = clock->now_ms;
    if (!m) return;
    c->compaction.placement = c->sides[DIFF_B].datasets[0]->placement;
    const char *command = json_string_value(json_object_get(m->settings, "command"));
    const char *rank = json_string_value(json_object_get(m->settings, "rank"));
    const char *minor = json_string_value(json_object_get(m->settings, "minor"));
    const char *rules = json_string_value(json_object_get(m->settings, "rules"));
    if (rules && !strcmp(rules, "oceanbase")) c->compaction.kind = COMPACTION_OCEANBASE;
    if (!command || strcmp(command, "compact")) return;
    if (!rank || strcmp(rank, "sequence")) c->compaction.tie = TIE_BY_INPUT;
    if (minor && c->compaction.kind == COMPACTION_MAJOR)
        c->compaction.kind = strcmp(minor, "before") ? COMPACTION_MINOR : COMPACTION_MINOR_BEFORE;
}

enum agreement { AGREEMENT_UNKNOWN, AGREEMENT_NONE, AGREEMENT_FULL };

/* Finds out whether both are datasets whose manifests count the same cells. *r: what they count, if they are trusted and
 * agree. */
static enum agreement compare_manifests(const struct diff_comparison *c, bool trusted, struct diff_result *r) {
    const struct manifest *m[DIFF_SIDES] = {side_manifest(&c->sides[DIFF_A]), side_manifest(&c->sides[DIFF_B])};
    if (!m[DIFF_A] || !m[DIFF_B]) return AGREEMENT_UNKNOWN;
    for (unsigned k = 0; k < DIFF_SIDES; k++) r->cells[k] = *ledger_written(&m[k]->ledger);
    const bool agree = diff_equal(r);
    if (!agree || !trusted) *r = (struct diff_result){0};
    return agree ? AGREEMENT_FULL : AGREEMENT_NONE;
}

/* Returns whether all of both sides is compared: what is left out may be all that differs. */
static bool compares_all(const struct environment *env, const struct intake *intake) {
    const struct verify_options *o = verify_options(&env->o);
    return !intake->selection && !o->diff.compacted && !o->diff.ignore_deleted && !o->ignore_timestamps;
}

/* ---- a run ---- */

static int check_options(struct diff_comparison *c, struct err *err) {
    const struct options *o = &c->env->o;
    const char *rule = o->rules.versions || o->rules.min_versions || o->rules.ttl || o->rules.keep_deleted ||
                               o->rules.purge_deletes_after || o->rules.new_version_behavior
                           ? "version rules (--versions, --ttl …)"
                           : NULL;
    if (o->n_inputs < 2) return err_set(err, ERR_USAGE, "diff compares two sides: A... B, %d input given", o->n_inputs);
    if (rule && !verify_options(o)->diff.compacted) return err_set(err, ERR_USAGE, "%s need --compacted", rule);
    if (verify_options(o)->diff.trust_manifest && c->of_a)
        return err_set(err, ERR_USAGE, "--trust-manifest: manifests do not cover the selection of --%s",
                       selection_options_given(&o->selection));
    if (verify_options(o)->diff.trust_manifest && verify_options(o)->diff.compacted)
        return err_set(err, ERR_USAGE, "--trust-manifest: no manifest records what a compaction keeps (--compacted)");
    return 0;
}

/* --snapshot is for whichever side has roots, --a snapshot=NAME for that one. */
static int check_snapshots(const struct diff_comparison *c, struct err *err) {
    const char *all = c->env->o.in.snapshot, *unused = all;
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        const struct side *x = &c->sides[k];
        if (x->in.n_stores && x->options.in.snapshot == all) unused = NULL;
        if (!x->in.n_stores && x->options.in.snapshot != all) unused = x->options.in.snapshot;
    }
    return unused ? err_set(err, ERR_USAGE, "--snapshot %s: no input is an HBase root directory", unused) : 0;
}

/* Text on either side: those of one side are for it alone. */
static int check_columns(const struct diff_comparison *c, struct err *err) {
    struct err unwanted = {0};
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        unwanted = (struct err){0};
        if (!column_options_wanted(&c->env->o, &c->sides[k].in, &unwanted)) return 0;
        if (unwanted.code != ERR_USAGE) break;
    }
    err_keep(err, &unwanted);
    return -1;
}

static int open_sides(struct diff_comparison *c, struct err *err) {
    unsigned n = (unsigned)c->env->o.n_inputs;
    char **paths = c->env->o.inputs;
    if (target_open(c->env, c->target, err)) return -1;
    if (c->of_a && !(c->of_b = selection_of_result(c->of_a, err))) return -1;
    c->sides[DIFF_A].selection = c->of_a;
    c->sides[DIFF_B].selection = c->of_b;
    if (side_open(&c->sides[DIFF_A], c->env, DIFF_A, paths, n - 1, err)) return -1;
    for (unsigned i = 0; i + 1 < n; i++)
        if (!strcmp(paths[i], "-") && !strcmp(paths[n - 1], "-"))
            return err_set(err, ERR_USAGE, "standard input ('-') can be read only once");
    if (side_open(&c->sides[DIFF_B], c->env, DIFF_B, paths + n - 1, 1, err) || check_snapshots(c, err) || check_columns(c, err))
        return -1;
    follow_dataset(c);
    return complete_table(c, err);
}

static int compare_cells(struct diff_comparison *c, struct intake *intake, struct diff_printer *p, struct diff_result *r,
                         struct err *err) {
    struct diff_opts o = {.job = &c->env->job,
                          .compaction = verify_options(&c->env->o)->diff.compacted ? &c->compaction : NULL,
                          .ignore_timestamps = verify_options(&c->env->o)->ignore_timestamps,
                          .ignore_deleted = verify_options(&c->env->o)->diff.ignore_deleted,
                          .most_found = p->limit,
                          .found = diff_print_found,
                          .arg = p};
    for (unsigned k = 0; k < DIFF_SIDES; k++)
        if (side_survey(&c->sides[k], c->env, intake, err) || side_of(&c->sides[k], c->env, intake, c->target, &o.sides[k], err))
            return -1;
    int rc = diff_run(&o, r, err);
    for (unsigned k = 0; k < DIFF_SIDES; k++) rc = input_watch_end(&c->sides[k].in.watch, rc, err);
    intake_warn(c->env, intake);
    return rc;
}

/* Two sides of which nothing was compared are equal, and prove nothing; unless a compaction drops all of A. */
static void warn_of_nothing(struct environment *env, struct intake *intake, const struct diff_result *r) {
    uint64_t seen = r->cells[DIFF_A].cells + r->cells[DIFF_B].cells;
    for (unsigned v = 0; v < VERDICT_COUNT; v++) seen += r->dropped.dropped[v].cells;
    if (!seen) unmet_warn_empty(env, intake, "neither side holds a cell that is compared");
}

/* Options of one side, and a compaction of A, make two of one input. */
static int warn_of_itself(struct environment *env, struct err *err) {
    const struct verify_options *o = verify_options(&env->o);
    return o->diff.side[DIFF_A].n || o->diff.side[DIFF_B].n || o->diff.compacted ? 0 : intake_warn_twice(env, err);
}

int verify_diff(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target target = {0};
    struct diff_comparison c = {.env = env, .target = &target, .of_a = intake->selection};
    struct diff_printer p = {.env = env, .sides = c.sides, .limit = verify_differences_most(env), .table.title = {"A", "B"}};
    struct diff_result r = {0};
    verify_share_heap(env);
    int rc = check_options(&c, err) || value_form_parse(verify_options(&env->o)->values, &p.table.values, err) ? -1 : 0;
    if (!rc) rc = intake_demand_signatures(env, env->o.inputs, env->o.n_inputs, err);
    if (!rc) rc = open_sides(&c, err);
    if (!rc) rc = warn_of_itself(env, err);
    const bool trusted = verify_options(&env->o)->diff.trust_manifest;
    const enum agreement manifests = rc ? AGREEMENT_UNKNOWN : compare_manifests(&c, trusted, &r);
    const bool by_manifest = trusted && manifests == AGREEMENT_FULL;
    if (manifests == AGREEMENT_NONE && compares_all(env, intake)) progress_expect_second_pass(env->reporter.run);
    if (!rc && !by_manifest) rc = compare_cells(&c, intake, &p, &r, err);
    if (!rc && intake->selection) unmet_warn(env, intake, &(struct ledger){.in = r.cells[DIFF_A]});
    if (!rc) warn_of_nothing(env, intake, &r);
    if (!rc) rc = diff_print_result(&p, &r, by_manifest, err);
    if (!rc) *code = diff_equal(&r) ? 0 : 1;
    diff_printer_free(&p);
    diff_result_free(&r);
    for (unsigned k = 0; k < DIFF_SIDES; k++) side_close(&c.sides[k]);
    selection_free(c.of_b);
    target_close(env, &target);
    return rc;
}
