/* Merges datasets of one partitioning directly, partition by partition. Those that are partitioned differently from a base are
 * repartitioned first. Says why inputs cannot be merged so: then the engine sorts them, unless what is written depends on it. */
#include "cmd/common/report_figures.h"
#include "cmd/compact/compact_merge.h"

#include "cmd/common/environment.h"
#include "cmd/common/output.h"
#include "cmd/common/output_writers.h"
#include "cmd/common/target.h"
#include "cmd/common/warnings.h"
#include "base/fs.h"
#include "engine/input_reader.h"
#include "engine/merge_datasets.h"

#include <stdlib.h>

/* Takes size and time of the files of a staged copy. Those of other partitions than the share's are not there: they have the size
 * that their manifest says, and its time. */
static int stat_staged(const struct compact_inputs *g, int i, struct input_list *in, struct err *err) {
    const struct manifest *m = &g->manifests[i];
    char *path = fs_join(g->paths[i], "MANIFEST.json", err);
    struct input manifest = {.path = path};
    int rc = path ? input_stat(&manifest, err) : -1;
    for (size_t k = 0; !rc && k < m->n_files; k++) {
        struct input *f = &in->inputs[g->first[i] + k];
        if (m->files[k].partition % g->share.of == g->share.number - 1) {
            rc = input_stat(f, err);
            continue;
        }
        f->file_bytes = m->files[k].file_bytes;
        f->mtime_ns = manifest.mtime_ns;
        f->ctime_ns = manifest.ctime_ns;
    }
    free(path);
    return rc;
}

static int stat_inputs(const struct compact_inputs *g, struct input_list *in, struct err *err) {
    const bool staged = in->n_staged && g->share.of;
    for (int i = 0; staged && i < g->n; i++)
        if (stat_staged(g, i, in, err)) return -1;
    for (uint32_t i = 0; !staged && i < in->n; i++)
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
static const char *not_direct(struct environment *env, struct target *target, const struct compact_inputs *g,
                              struct merge_datasets_opts *f) {
    if (g->read.on_damage != DAMAGE_FAILS) return "--on-damage is given";
    if (g->moves_rows && !g->own->base) return "datasets are partitioned differently";
    for (int i = 0; i < g->n; i++) {
        if (!g->is_dataset[i]) return "an input is not a dataset (convert it with obkv-import)";
        if (!g->moves[i] && !lengths_hold(env, target, &g->manifests[i].table))
            return "its cells must be checked against smaller lengths";
    }
    if (!merge_datasets_room(f, &env->job))
        return "not even two inputs can be open at once: give more --memory or open files (ulimit -n)";
    if (f->width) report_note(&env->reporter, "%u inputs are merged in levels, %zu at a time", f->n_inputs, f->width);
    return NULL;
}

/* Inputs that are partitioned differently are replaced by repartitioned copies. */
static int move_inputs(struct environment *env, struct target *target, struct compact_inputs *g, struct merge_input *inputs,
                       struct merge_datasets_opts *f, struct err *err) {
    const struct moved_plan plan = {.inputs = inputs,
                                    .moves = g->moves,
                                    .n = (uint32_t)g->n,
                                    .output = &f->output,
                                    .read = &g->read,
                                    .rejects = g->rejects,
                                    .reject_limit = g->reject_limit};
    if (moved_inputs_make(env, target, &plan, &g->moved, err)) return -1;
    if (g->moved.of) f->scan_bytes = 0;
    for (int i = 0; g->moved.of && i < g->n; i++)
        if (g->moves[i]) inputs[i] = (struct merge_input){&g->moved.of[i].m, g->moved.of[i].files};
    return 0;
}

/* Fills the options of merge_datasets_run. false: an error, or the inputs cannot be merged directly and the engine sorts them. */
static bool prepare_merge(struct environment *env, struct target *target, struct compact_inputs *g, struct input_list *in,
                          struct merge_datasets_opts *f, struct err *err) {
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
    const char *why = not_direct(env, target, g, f);
    for (int i = 0; why && g->own->base && i < g->n; i++)
        if (!g->is_dataset[i] && night_input_missing(env->o.inputs[i], err)) return false;
    if (why && (g->policy.by_ratio || g->shards || g->share.of || (g->is_dataset[0] && g->manifests[0].n_pending))) {
        err_set(err, ERR_USAGE, "partitions cannot be merged one by one: %s", why);
        return false;
    }
    if (why && g->own->base) report_warn(&env->reporter, WARN_BASE_NOT_REUSED, 1, "no file of the base is reused: %s", why);
    return !why && !move_inputs(env, target, g, inputs, f, err);
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
                               .report = &g->night.outcomes};
}

/* Versions are counted as they were written, and the base no longer has all of them. */
static void warn_repeats(struct environment *env, const struct compact_inputs *g, uint64_t n) {
    if (!g->own->base || !n) return;
    report_warn(
        &env->reporter, WARN_MERGED_BEFORE, n,
        "%s cell%s of the base %s in a delta again, with the same sequence id%s: it overlaps an earlier one. Under "
        "NEW_VERSION_BEHAVIOR the result may differ from HBase's, because the base has dropped versions that count; compact "
        "the base of the first of these deltas with the last one instead",
        REPORT_COUNT(n), n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "" : "s");
}

static int note_pending(struct environment *env, struct target *target, struct compact_inputs *g, struct err *err) {
    struct night_policy *p = &g->policy;
    if (!g->own->base) return 0;
    if (night_policy_leave(p, env, target, g->manifests, (size_t)g->n, &g->night.outcomes, err)) return -1;
    night_report_warn(env, &g->night);
    g->night.pending = p->pending;
    g->night.n_pending = p->n_pending;
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

int compact_merge(struct environment *env, struct target *target, struct output *output, struct compact_inputs *g,
                  struct input_list *in, struct build_result *r, bool *merged, struct err *err) {
    const struct merge_base base = base_of(g);
    struct output_opts o;
    if (output_writers_make(env, target, output, &o, err)) return -1;
    struct merge_datasets_opts f = merge_opts_of(env, target, g, &o, &base);
    *merged = prepare_merge(env, target, g, in, &f, err);
    int rc = err->code || stat_inputs(g, in, err) ? -1 : *merged ? merge_datasets_run(&f, r, err) : 0;
    if (!rc && *merged) warn_repeats(env, g, r->repeats);
    if (!rc && *merged) rc = note_pending(env, target, g, err);
    output->pending = g->policy.pending;
    output->n_pending = g->policy.n_pending;
    if (!rc && *merged) moved_inputs_count(&g->moved, r);
    if (!rc && g->share.of) compact_share_count(&g->share, f.inputs, f.n_inputs);
    rc = end_move(env, g, rc, err);
    g->night.finished = *merged;
    free((void *)f.inputs);
    return rc;
}

int compact_merge_plan(struct environment *env, struct target *target, struct output *output, struct compact_inputs *g,
                       struct input_list *in, struct err *err) {
    const struct merge_base base = base_of(g);
    struct output_opts o;
    if (!g->own->base) return 0;
    if (output_writers_make(env, target, output, &o, err)) return -1;
    struct merge_datasets_opts f = merge_opts_of(env, target, g, &o, &base);
    int rc = prepare_merge(env, target, g, in, &f, err) ? merge_datasets_plan(&f, err) : err->code ? -1 : 0;
    if (!rc) rc = note_pending(env, target, g, err);
    rc = end_move(env, g, rc, err);
    free((void *)f.inputs);
    return rc;
}
