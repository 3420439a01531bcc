/* A compaction. Datasets of one partitioning are merged partition by partition, with or without a base whose files are reused;
 * anything else, or more inputs than can be open at once, goes through the engine that sorts (program_write). A base comes
 * first among the inputs; those that are partitioned differently are repartitioned before they are merged onto it. */
#include "cmd/common/input_list.h"
#include "cmd/common/session_kind.h"
#include "cmd/common/session_output.h"
#include "cmd/common/session_table.h"
#include "cmd/common/warnings.h"
#include "cmd/compact/compact_settings.h"
#include "cmd/compact/compact_share.h"
#include "cmd/compact/moved_inputs.h"
#include "cmd/compact/base_policy.h"

#include "base/fs.h"
#include "cmd/common/program.h"
#include "cmd/common/summary.h"
#include "cmd/common/table_options.h"
#include "cmd/compact/night_policy.h"
#include "cmd/compact/night_report.h"
#include "cmd/compact/night_turns.h"
#include "dataset/dataset_open.h"
#include "dataset/manifest_table.h"
#include "engine/build_run.h"
#include "engine/input_reader.h"
#include "engine/merge_datasets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    char **paths; /* the inputs in their order: a base first, shards by number */
    struct night_report night;
    struct night_policy policy;
    struct night_turns turns;
};

static void given_free(struct compact_inputs *g) {
    base_outcomes_free(&g->night.slices);
    night_policy_free(&g->policy);
    night_turns_free(&g->turns);
    free(g->paths);
    json_decref(g->share.notes);
    for (int i = 0; g->is_dataset && i < g->n; i++)
        if (g->is_dataset[i]) manifest_free(&g->manifests[i]);
    free(g->manifests);
    free(g->is_dataset);
    free(g->moves);
    free(g->first);
}

/* The base becomes the first input. */
static int put_base_first(struct environment *env, struct compact_inputs *g, struct err *err) {
    if (!g->own->base && !g->own->explain && !g->own->verify_base && !g->own->policy) return 0;
    if (!g->own->base)
        return err_set(err, ERR_USAGE, "%s needs --base",
                       g->own->explain  ? "--explain"
                       : g->own->policy ? "--policy"
                                        : "--verify-base");
    if (night_policy_parse(g->own->policy, &g->policy, err)) return -1;
    int same = env->o.out.dir ? fs_same(g->own->base, env->o.out.dir, err) : 0;
    if (same < 0) return -1;
    if (same)
        return err_set(err, ERR_USAGE, "%s is the base, whose files are reused; choose another output directory", env->o.out.dir);
    for (int i = 0; i < env->o.n_inputs; i++) {
        if ((same = fs_same(g->own->base, env->o.inputs[i], err)) < 0) return -1;
        if (same) return err_set(err, ERR_USAGE, "%s is the base and cannot also be an input", env->o.inputs[i]);
    }
    int is = dataset_is(g->own->base, err);
    if (is < 0) return -1;
    if (!is && access(g->own->base, F_OK)) return err_sys(err, ERR_INPUT, errno, "%s", g->own->base);
    if (!is) return err_set(err, ERR_USAGE, "--base %s: not a dataset (a directory with MANIFEST.json)", g->own->base);
    g->paths = calloc((size_t)env->o.n_inputs + 1, sizeof *g->paths);
    if (!g->paths) return err_nomem(err, 0, "the list of inputs");
    g->paths[0] = (char *)g->own->base;
    memcpy(g->paths + 1, env->o.inputs, (size_t)env->o.n_inputs * sizeof *g->paths);
    env->o.inputs = g->paths;
    env->o.n_inputs++;
    g->night.base = g->own->base;
    g->night.names = (const char *const *)g->paths;
    g->night.explain = g->own->explain;
    return 0;
}

/* Opens a dataset. Only a base may wait for other inputs: they are asked for. */
static int open_one(struct environment *env, const struct compact_inputs *g, int i, struct manifest *m, struct err *err) {
    if (session_dataset_room(env, env->o.inputs[i], err)) return -1;
    if (g->own->base) return i == 0 ? dataset_open_waiting(env->o.inputs[i], m, err) : dataset_open(env->o.inputs[i], m, err);
    return dataset_open_or_shard(env->o.inputs[i], m, err);
}

/* Shards in the order of their list. */
static int order_shards(struct environment *env, struct compact_inputs *g, struct err *err) {
    if (g->own->base) return 0;
    g->paths = calloc((size_t)g->n + 1, sizeof *g->paths);
    if (!g->paths) return err_nomem(err, 0, "the list of inputs");
    memcpy(g->paths, env->o.inputs, (size_t)g->n * sizeof *g->paths);
    env->o.inputs = g->paths;
    if (compact_shards_order(g->manifests, g->paths, g->is_dataset, (size_t)g->n, &g->shards, err)) return -1;
    if (g->shards) g->tie = TIE_BY_SEQUENCE; /* as the join of an import */
    return 0;
}

static int open_datasets(struct environment *env, struct compact_inputs *g, struct err *err) {
    if (put_base_first(env, g, err)) return -1;
    if (!env->o.n_inputs) return err_set(err, ERR_USAGE, "no input given; see obkv-compact --help");
    if (session_demand_signatures(env, env->o.inputs, env->o.n_inputs, err)) return -1;
    g->n = env->o.n_inputs;
    g->manifests = calloc((size_t)g->n, sizeof *g->manifests);
    g->is_dataset = calloc((size_t)g->n, sizeof *g->is_dataset);
    g->moves = calloc((size_t)g->n, sizeof *g->moves);
    g->first = calloc((size_t)g->n, sizeof *g->first);
    if (!g->manifests || !g->is_dataset || !g->moves || !g->first) return err_nomem(err, 0, "the list of inputs");
    for (int i = 0; i < g->n; i++) {
        int is = strcmp(env->o.inputs[i], "-") ? dataset_is(env->o.inputs[i], err) : 0;
        if (is < 0 || (is && open_one(env, g, i, &g->manifests[i], err))) return -1;
        g->is_dataset[i] = is;
    }
    return order_shards(env, g, err);
}

/* Decides what the output is of its table. With a base it is the whole, and so is what is compacted with a dataset that is. */
static int take_kind(struct environment *env, struct target *target, const struct compact_inputs *g, struct err *err) {
    bool base = g->own->base;
    enum dataset_kind all = g->is_dataset[0] ? g->manifests[0].kind : DATASET_UNSAID;
    if (base && env->o.rules.delta)
        return err_set(err, ERR_USAGE, "--delta and --base exclude each other: compaction onto a base makes the whole table");
    if (base && all == DATASET_DELTA)
        return err_set(err, ERR_USAGE, "--base %s: this is a delta, which does not hold the whole table", env->o.inputs[0]);
    for (int i = 1; !g->shards && i < g->n; i++)
        all = dataset_kind_add(all, g->is_dataset[i] ? g->manifests[i].kind : DATASET_UNSAID);
    return session_take_kind(env, target, base ? DATASET_WHOLE : all, !g->keeps_all, err);
}

static const struct table *first_table(const struct compact_inputs *g) {
    for (int i = 0; i < g->n; i++)
        if (g->is_dataset[i]) return &g->manifests[i].table;
    return NULL;
}

/* Rows of a dataset of another partitioning are placed anew: by sorting all, or before they are merged onto a base. The base
 * itself would be rewritten each night. */
static int take_other_partitioning(struct environment *env, struct compact_inputs *g, struct input_list *in, int i,
                                   struct err *err) {
    if (g->own->base && !i)
        return err_set(err, ERR_USAGE, "--base %s is not partitioned as --%s says; repartition it with obkv-split apply first",
                       env->o.inputs[i], env->o.table.ddl ? "ddl" : "partition");
    if (g->policy.by_ratio)
        return err_set(err, ERR_USAGE,
                       "%s is partitioned differently from the base, and --policy ratio may have to wait for it; repartition it "
                       "with obkv-split apply first, or use --policy all",
                       env->o.inputs[i]);
    for (size_t k = 0; k < g->manifests[i].n_files; k++) in->inputs[g->first[i] + k].place = INPUT_ANY_PLACE;
    g->moves[i] = g->moves_rows = true;
    return 0;
}

/* Families of later datasets join the table. */
static int check_tables(struct environment *env, struct target *target, struct compact_inputs *g, struct input_list *in,
                        struct err *err) {
    for (int i = 0; i < g->n; i++) {
        if (!g->is_dataset[i]) continue;
        const struct table *t = &g->manifests[i].table;
        if (!partitioning_eq(&t->partitioning, &target->table.partitioning) && take_other_partitioning(env, g, in, i, err))
            return -1;
        for (uint32_t f = 0; env->o.table.ddl && f < t->n_families; f++)
            if (table_family(&target->table, bytes_str(t->families[f].name)) < 0)
                return err_set(err, ERR_USAGE, "%s holds family %s, which the table definition lacks", env->o.inputs[i],
                               t->families[f].name);
        if (session_add_families(env, target, t, err)) return -1;
    }
    return compact_check_tables(env, target, g->manifests, g->is_dataset, g->n, g->tie, err);
}

static int list_inputs(struct environment *env, const struct compact_inputs *g, struct input_list *l, struct err *err) {
    if (session_name_copies(env, l, err)) return -1;
    for (int i = 0; i < g->n; i++) {
        uint32_t first = g->first[i] = l->n;
        int rc = g->is_dataset[i] ? input_list_add_dataset(l, env->o.inputs[i], &g->manifests[i], err)
                                  : session_add_input(env, l, env->o.inputs[i], err);
        if (rc) return -1;
        for (size_t k = 0; g->is_dataset[i] && k < g->manifests[i].n_files;
             k++) /* unless check_tables finds another partitioning */
            l->inputs[first + k].place = INPUT_FIRST_PLACE + g->manifests[i].files[k].partition;
    }
    if (!g->shards && session_warn_twice(env, err)) return -1;
    return column_options_wanted(&env->o, l, err);
}

static int stat_inputs(struct input_list *in, struct err *err) {
    for (uint32_t i = 0; i < in->n; i++)
        if (input_stat(&in->inputs[i], err)) return -1;
    return 0;
}

/* Merging checks no cell against the table: it must promise no less than what the inputs were checked against. */
static bool lengths_hold(const struct environment *env, const struct target *target, const struct table *t) {
    for (uint32_t i = 0; i < t->n_families; i++) {
        const struct family *was = &t->families[i],
                            *is = &target->table.families[table_family(&target->table, bytes_str(was->name))];
        if (was->k_max > is->k_max || was->q_max > is->q_max || was->v_max > is->v_max) return false;
    }
    return !env->o.write.max_cell_size;
}

/* Returns why the inputs cannot be merged directly: NULL: they can, or a reason in words. Cells that are repartitioned are
 * checked then. */
static const char *not_direct(struct session *s, const struct compact_inputs *g, struct merge_datasets_opts *f) {
    const bool must_merge = g->own->base || g->shards || g->share.of; /* what is written depends on it, or sorting cannot do it */
    if (s->intake.on_damage != DAMAGE_FAILS) return "--on-damage is given";
    if (g->moves_rows && !g->own->base) return "datasets are partitioned differently";
    for (int i = 0; i < g->n; i++) {
        if (!g->is_dataset[i]) return "an input is not a dataset (convert it with obkv-import)";
        if (!g->moves[i] && !lengths_hold(&s->env, &s->target, &g->manifests[i].table))
            return "its cells must be checked against smaller lengths";
    }
    bool fits = must_merge ? compact_find_room(&s->env, f) : merge_datasets_fit(f);
    return fits ? NULL : "this many inputs need more --memory or open files (ulimit -n), or fewer inputs at once";
}

/* Inputs that are partitioned differently are replaced by repartitioned copies. */
static int move_inputs(struct session *s, struct compact_inputs *g, struct merge_input *inputs, struct merge_datasets_opts *f,
                       struct err *err) {
    const struct moved_plan plan = {.inputs = inputs, .moves = g->moves, .n = (uint32_t)g->n, .output = &f->output};
    if (moved_inputs_make(s, &plan, &g->moved, err)) return -1;
    if (g->moved.of) f->scan_bytes = 0;
    for (int i = 0; g->moved.of && i < g->n; i++)
        if (g->moves[i]) inputs[i] = (struct merge_input){&g->moved.of[i].m, g->moved.of[i].files};
    return 0;
}

/* Fills the options of merge_datasets_run. false: an error, or the inputs cannot be merged directly and the engine sorts them. */
static bool prepare_merge(struct session *s, struct compact_inputs *g, struct input_list *in, struct merge_datasets_opts *f,
                          struct err *err) {
    size_t at = 0;
    struct merge_input *inputs = calloc((size_t)g->n, sizeof *inputs);
    f->inputs = inputs;
    if (!inputs) {
        err_nomem(err, 0, "the list of inputs");
        return false;
    }
    for (int i = 0; i < g->n; i++) {
        inputs[i] = (struct merge_input){&g->manifests[i], in->inputs + at};
        at += g->is_dataset[i] ? g->manifests[i].n_files : 0;
    }
    const char *why = not_direct(s, g, f);
    for (int i = 0; why && g->own->base && i < g->n; i++)
        if (!g->is_dataset[i] && night_input_missing(s->env.o.inputs[i], err)) return false;
    if (why && (g->policy.by_ratio || g->shards || g->share.of || (g->is_dataset[0] && g->manifests[0].n_pending))) {
        err_set(err, ERR_USAGE, "partitions cannot be merged one by one: %s", why);
        return false;
    }
    if (why && g->own->base) report_warn(&s->env.reporter, WARN_BASE_NOT_REUSED, 1, "no file of the base is reused: %s", why);
    return !why && !move_inputs(s, g, inputs, f, err);
}

static struct merge_datasets_opts merge_opts_of(struct environment *env, struct target *target, const struct compact_inputs *g,
                                                const struct output_opts *output, const struct merge_base *base) {
    return (struct merge_datasets_opts){.job = &env->job,
                                        .base = g->own->base ? base : NULL,
                                        .n_inputs = (uint32_t)g->n,
                                        .table = &target->table,
                                        .tie = g->tie,
                                        .kind = target->kind,
                                        .output = *output,
                                        .keeps_all = g->keeps_all,
                                        .as_one = g->shards,
                                        .share = g->share.of ? g->share.number - 1 : 0,
                                        .shares = g->share.of};
}

static struct merge_base base_of(struct compact_inputs *g) {
    return (struct merge_base){.verify = g->own->verify_base,
                               .explore = g->policy.by_ratio ? &g->policy.explore : NULL,
                               .merged = g->policy.merged,
                               .report = &g->night.slices};
}

/* Versions are counted as they were written, and the base no longer has all of them. */
static void warn_repeats(struct environment *env, const struct compact_inputs *g, uint64_t n) {
    if (!g->own->base || !n) return;
    report_warn(
        &env->reporter, WARN_MERGED_BEFORE, n,
        "%llu cell%s of the base %s in a delta again, with the same sequence id%s: it overlaps an earlier one. Under "
        "NEW_VERSION_BEHAVIOR the result may differ from HBase's, because the base has dropped versions that count; compact "
        "the base of the first of these deltas with the last one instead",
        (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "" : "s");
}

static int note_pending(struct session *s, struct compact_inputs *g, struct err *err) {
    struct night_policy *p = &g->policy;
    if (!g->own->base) return 0;
    if (night_policy_leave(p, &s->env, &s->target, g->manifests, (size_t)g->n, &g->night.slices, err)) return -1;
    s->output.pending = p->pending;
    night_report_warn(&s->env, &g->night);
    g->night.pending = p->pending;
    s->output.n_pending = g->night.n_pending = p->n_pending;
    return 0;
}

/* Removes the copies. An error before that is the one to report. */
static int end_move(struct environment *env, struct compact_inputs *g, int rc, struct err *err) {
    struct err later = {0};
    if (moved_inputs_free(env, &g->moved, rc ? &later : err)) rc = -1;
    g->night.moved = g->moved.n_moved;
    g->night.moved_cells = ledger_written(&g->moved.sum)->cells;
    g->night.moved_bytes = g->moved.temp_bytes;
    return rc;
}

/* *merged: all inputs are datasets, of this partitioning or repartitioned, and few enough to be merged at once. */
static int merge_directly(struct session *s, struct compact_inputs *g, struct input_list *in, struct build_result *r,
                          bool *merged, struct err *err) {
    const struct merge_base base = base_of(g);
    struct output_opts output;
    if (session_store_opts(s, &output, err)) return -1;
    struct merge_datasets_opts f = merge_opts_of(&s->env, &s->target, g, &output, &base);
    *merged = prepare_merge(s, g, in, &f, err);
    int rc = err->code || stat_inputs(in, err) ? -1 : *merged ? merge_datasets_run(&f, r, err) : 0;
    if (!rc && *merged) warn_repeats(&s->env, g, r->repeats);
    if (!rc && *merged) rc = note_pending(s, g, err);
    if (!rc && *merged) moved_inputs_count(&g->moved, r);
    if (!rc && g->share.of) compact_share_count(&g->share, f.inputs, f.n_inputs);
    rc = end_move(&s->env, g, rc, err);
    g->night.finished = *merged;
    free((void *)f.inputs);
    return rc;
}

/* Decides for a dry run what the run would decide. */
static int plan_merge(struct session *s, struct compact_inputs *g, struct input_list *in, struct err *err) {
    const struct merge_base base = base_of(g);
    struct output_opts output;
    if (!g->own->base) return 0;
    if (session_store_opts(s, &output, err)) return -1;
    struct merge_datasets_opts f = merge_opts_of(&s->env, &s->target, g, &output, &base);
    int rc = prepare_merge(s, g, in, &f, err) ? merge_datasets_plan(&f, err) : err->code ? -1 : 0;
    if (!rc) rc = note_pending(s, g, err);
    rc = end_move(&s->env, g, rc, err);
    free((void *)f.inputs);
    return rc;
}

/* Prints the summary, and the outcome of the base below it, or in its document. */
static int end(struct session *s, const struct compact_inputs *g, struct input_list *in, const struct build_result *r,
               struct err *err) {
    const bool shows = g->own->base && !s->env.o.messages.json && (!r || !s->env.o.messages.quiet);
    json_t *own = json_object();
    int rc = own ? 0 : err_nomem(err, 0, "the summary");
    if (!rc && g->own->base && s->env.o.messages.json) rc = night_report_json(&s->env, &s->target, &g->night, own, err);
    if (!rc) rc = r ? summary_print(s, "compacted", in, r, own, err) : summary_dry_run(s, in, own, err);
    if (!rc && shows) rc = night_report_print(&s->env, &s->target, &g->night, err);
    json_decref(own);
    return rc;
}

static int write_dataset(struct session *s, struct compact_inputs *g, struct input_list *in, int *code, struct err *err) {
    const struct program_write w = {.command = "compact", .tie = g->tie, .compacted = !g->keeps_all, .learns_kind = true};
    struct build_result r = {0};
    enum program_step next;
    int rc = program_begin(s, in, &w, &next, code, err);
    if (!rc && next == PROGRAM_SHOWS) rc = plan_merge(s, g, in, err) ? -1 : end(s, g, in, NULL, err);
    if (!rc && next == PROGRAM_WRITES) {
        bool merged = false;
        rc = merge_directly(s, g, in, &r, &merged, err);
        if (!rc && !merged) rc = program_build(s, in, &w, &r, err);
        rc = program_publish(s, in, &w, &r, rc, code, err);
        if (!rc) rc = end(s, g, in, &r, err);
    }
    build_result_free(&r);
    return rc;
}

int compact_run(struct session *s, int *code, struct err *err) {
    struct compact_inputs g = {.own = compact_options(&s->env.o)};
    struct input_list in = {.watch.relinks = g.own->base};
    int rc = compact_rank(&s->env, &g.tie, err) || compact_rules(&s->env, &s->target, &g.keeps_all, err) ||
                     compact_share_parse(g.own, &g.share, err) || compact_settings(&s->env, &s->output, g.keeps_all, err)
                 ? -1
                 : 0;
    if (!rc) rc = open_datasets(&s->env, &g, err);
    if (g.share.of) s->output.share = &g.share;
    if (!rc) rc = take_kind(&s->env, &s->target, &g, err);
    if (!rc) rc = list_inputs(&s->env, &g, &in, err);
    if (!rc) rc = session_table_of(s, first_table(&g), &in, err);
    if (!rc) rc = check_tables(&s->env, &s->target, &g, &in, err);
    if (!rc && g.own->base) rc = night_policy_match(&g.policy, &s->env, &s->target, g.manifests, (size_t)g.n, err);
    if (!rc && g.own->base) night_policy_warn(&s->env, g.manifests, (size_t)g.n);
    if (!rc && !g.keeps_all) rc = session_need_rules(&s->env, &s->target, err);
    if (!rc && !g.keeps_all && !g.shards && g.tie == TIE_BY_INPUT)
        rc = night_turns_make(&g.turns, &s->env, &s->target, g.manifests, g.is_dataset, (size_t)g.n, g.own->base,
                              &s->env.job.turns, err);
    if (!rc) rc = write_dataset(s, &g, &in, code, err);
    s->output.pending = NULL;
    s->output.share = NULL;
    s->env.job.turns = NULL;
    given_free(&g);
    input_list_free(&in);
    return rc;
}
