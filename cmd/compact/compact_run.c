/* A compaction. Datasets of one partitioning are merged partition by partition, with or without a base whose files are reused;
 * anything else, or more inputs than can be open at once, goes through the engine that sorts (program_write). A base comes
 * first among the inputs; those that are partitioned differently are repartitioned before they are merged onto it. */
#include "cmd/common/input_list.h"
#include "cmd/common/target_kind.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "cmd/common/intake.h"
#include "cmd/common/environment.h"
#include "cmd/common/warnings.h"
#include "cmd/compact/compact_merge.h"
#include "cmd/compact/compact_settings.h"
#include "cmd/compact/compact_share.h"
#include "cmd/compact/base_policy.h"

#include "base/fs.h"
#include "cmd/common/program.h"
#include "cmd/common/summary.h"
#include "cmd/common/table_options.h"
#include "cmd/compact/night_policy.h"
#include "cmd/compact/night_report.h"
#include "cmd/compact/night_turns.h"
#include "dataset/alike_manifests.h"
#include "dataset/dataset_open.h"
#include "dataset/manifest_table.h"
#include "engine/build_run.h"
#include "engine/memory_plan.h"
#include "formats/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void given_free(struct compact_inputs *g) {
    base_outcomes_free(&g->night.outcomes);
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
    const uint64_t room = env->manifests.taken;
    if (environment_dataset_room(env, env->o.inputs[i], err)) return -1;
    if (g->own->base) return i == 0 ? dataset_open_waiting(env->o.inputs[i], m, err) : dataset_open(env->o.inputs[i], m, err);
    const struct dataset_files files = {g->share.of ? g->share.number - 1 : 0, g->share.of ? g->share.of : 1};
    if (dataset_open_or_shard(env->o.inputs[i], files, &env->manifests, m, err)) return -1;
    const uint64_t kept = m->shard.of ? alike_manifests_lend(&g->manifests[0], m) : UINT64_MAX;
    if (kept < env->manifests.taken - room) env->manifests.taken = room + kept;
    return 0;
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

/* Refuses CSV and TSV before anything else is asked for: they have no cells without --columns, which is an option of imports. */
static int refuse_text(const struct environment *env, const char *path, struct err *err) {
    struct content content;
    struct err unread = {0};
    struct stat st;
    const char *given = env->o.in.format;
    const struct format *format = given ? format_by_name(given) : NULL;
    if (!given && !stat(path, &st) && S_ISREG(st.st_mode) &&
        !format_content(path, memory_share(&env->job, MEMORY_UNPACK), &content, &unread))
        format = content.format;
    if (!format || (strcmp(format->name, "csv") != 0 && strcmp(format->name, "tsv") != 0)) return 0;
    return err_set(
        err, ERR_USAGE,
        "%s: is text, which obkv-compact does not read: import it first (obkv-import --columns … -o DATASET FILE), then "
        "compact the dataset",
        path);
}

static int open_datasets(struct environment *env, struct compact_inputs *g, struct err *err) {
    if (put_base_first(env, g, err)) return -1;
    if (!env->o.n_inputs) return err_set(err, ERR_USAGE, "no input given; see obkv-compact --help");
    if (intake_demand_signatures(env, env->o.inputs, env->o.n_inputs, err)) return -1;
    g->n = env->o.n_inputs;
    g->manifests = calloc((size_t)g->n, sizeof *g->manifests);
    g->is_dataset = calloc((size_t)g->n, sizeof *g->is_dataset);
    g->moves = calloc((size_t)g->n, sizeof *g->moves);
    g->first = calloc((size_t)g->n, sizeof *g->first);
    if (!g->manifests || !g->is_dataset || !g->moves || !g->first) return err_nomem(err, 0, "the list of inputs");
    for (int i = 0; i < g->n; i++) {
        int is = strcmp(env->o.inputs[i], "-") ? dataset_is(env->o.inputs[i], err) : 0;
        if (is < 0 || (is ? open_one(env, g, i, &g->manifests[i], err) : refuse_text(env, env->o.inputs[i], err))) return -1;
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
    if (target->kind == COMPACTION_CHANGES) {
        for (int i = 0; i < g->n; i++)
            if (g->is_dataset[i] && g->manifests[i].kind == DATASET_DELTA)
                return err_set(err, ERR_USAGE, "--rules changes: %s is a delta, which does not hold the whole table",
                               env->o.inputs[i]);
        target->holds = DATASET_DELTA;
        return 0;
    }
    return target_kind_take(env, target, base ? DATASET_WHOLE : all, !g->keeps_all, err);
}

/* Returns what defines the output where no option does: the first dataset, or the state that changes lead to. */
static const struct table *defining_table(const struct compact_inputs *g, const struct target *target) {
    if (target->kind == COMPACTION_CHANGES && g->is_dataset[g->n - 1]) return &g->manifests[g->n - 1].table;
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
        if (target_add_families(env, target, t, err)) return -1;
    }
    return compact_check_tables(env, target, g->manifests, g->is_dataset, g->n, g->tie, err);
}

static int list_inputs(struct environment *env, const struct compact_inputs *g, struct input_list *l, struct err *err) {
    if (intake_name_copies(env, l, err)) return -1;
    for (int i = 0; i < g->n; i++) {
        uint32_t first = g->first[i] = l->n;
        int rc = g->is_dataset[i] ? input_list_add_dataset(l, env->o.inputs[i], &g->manifests[i], err)
                                  : intake_add(env, l, env->o.inputs[i], err);
        if (rc) return -1;
        for (size_t k = 0; g->is_dataset[i] && k < g->manifests[i].n_files;
             k++) /* unless check_tables finds another partitioning */
            l->inputs[first + k].place = INPUT_FIRST_PLACE + g->manifests[i].files[k].partition;
    }
    if (!g->shards && intake_warn_twice(env, err)) return -1;
    return column_options_wanted(&env->o, l, err);
}

/* Prints the summary, and the outcome of the base below it, or in its document. */
static int end(struct environment *env, struct intake *intake, struct target *target, struct output *output,
               const struct compact_inputs *g, struct input_list *in, const struct build_result *r, struct err *err) {
    const bool shows = g->own->base && !env->o.messages.json && (!r || !env->o.messages.quiet);
    json_t *own = json_object();
    int rc = own ? 0 : err_nomem(err, 0, "the summary");
    if (!rc && g->own->base && environment_documents(env)) rc = night_report_json(env, target, &g->night, own, err);
    if (!rc)
        rc = r ? summary_print(env, target, output, "compacted", in, r, own, err)
               : summary_dry_run(env, intake, target, output, in, own, err);
    if (!rc && shows) rc = night_report_print(env, target, &g->night, err);
    json_decref(own);
    return rc;
}

static int write_dataset(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                         struct compact_inputs *g, struct input_list *in, int *code, struct err *err) {
    const struct program_write w = {.command = "compact", .tie = g->tie, .compacted = !g->keeps_all, .learns_kind = true};
    struct build_result r = {0};
    enum program_step next;
    int rc = program_begin(env, intake, target, output, in, &w, &next, code, err);
    g->read = intake_read_opts(env, intake, target);
    g->rejects = intake->rejects;
    g->reject_limit = &intake->reject_limit;
    if (!rc && next == PROGRAM_SHOWS)
        rc = compact_merge_plan(env, target, output, g, in, err) ? -1 : end(env, intake, target, output, g, in, NULL, err);
    if (!rc && next == PROGRAM_WRITES) {
        bool merged = false;
        rc = compact_merge(env, target, output, g, in, &r, &merged, err);
        if (!rc && !merged) rc = program_build(env, intake, target, output, in, &w, &r, err);
        rc = program_publish(env, intake, target, output, in, &w, &r, rc, code, err);
        if (!rc) rc = end(env, intake, target, output, g, in, &r, err);
    }
    build_result_free(&r);
    return rc;
}

int compact_run(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct compact_inputs g = {.own = compact_options(&env->o)};
    struct target target = {0};
    struct output output = {.out.lock_fd = -1};
    struct input_list in = {.watch.relinks = g.own->base};
    int rc = compact_rank(env, &g.tie, err) || compact_rules(env, &target, &g.keeps_all, err) ||
                     compact_share_parse(g.own, &g.share, err) || compact_settings(env, &output, g.keeps_all, err)
                 ? -1
                 : 0;
    if (!rc) rc = open_datasets(env, &g, err);
    if (g.share.of) output.share = &g.share;
    if (!rc) rc = take_kind(env, &target, &g, err);
    if (!rc) rc = list_inputs(env, &g, &in, err);
    if (!rc) rc = target_of_inputs(env, intake, &target, defining_table(&g, &target), &in, err);
    if (!rc) rc = check_tables(env, &target, &g, &in, err);
    if (!rc && g.own->base) rc = night_policy_match(&g.policy, env, &target, g.manifests, (size_t)g.n, err);
    if (!rc && g.own->base) night_policy_warn(env, g.manifests, (size_t)g.n);
    const bool judges = !g.keeps_all && target.kind != COMPACTION_CHANGES;
    if (!rc && judges) rc = target_need_rules(env, &target, err);
    if (!rc && judges && !g.shards && g.tie == TIE_BY_INPUT)
        rc = night_turns_make(&g.turns, env, &target, g.manifests, g.is_dataset, (size_t)g.n, g.own->base, &env->job.turns, err);
    if (!rc) rc = write_dataset(env, intake, &target, &output, &g, &in, code, err);
    intake_end_rejects(intake);
    output_close(env, &output, err);
    target_close(env, &target);
    env->job.turns = NULL;
    given_free(&g);
    input_list_free(&in);
    return rc;
}
