/* obkv-verify skew: a dataset by its files, anything else as an import would place it. Options are checked, figures made, and
 * the report is printed in the form asked for. */
#include "base/clock.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/next_steps.h"
#include "cmd/common/result.h"
#include "cmd/common/target.h"
#include "cmd/common/table_options.h"
#include "cmd/common/output_text.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/verify/skew/skew_gates.h"
#include "cmd/verify/skew/skew_view.h"
#include "cmd/verify/verify.h"
#include "dataset/dataset_open.h"

#include <stdlib.h>
#include <string.h>

struct skew_run {
    struct environment *env;
    struct intake *intake;
    struct input_list in;
    struct manifest m; /* of the first dataset among the inputs */
    int first;         /* which input that is; -1: none */
    struct skew_result result;
    struct skew_gates gates;
};

static int check_options(struct skew_run *k, struct err *err) {
    const struct options *o = &k->env->o;
    if (skew_gates_parse(verify_options(o)->fail_above, verify_options(o)->quick, &k->gates, err)) return -1;
    if (!o->spread.nodes || o->spread.nodes > NODES_MAX)
        return err_set(err, ERR_USAGE, "--nodes %llu: expected 1 to %d", (unsigned long long)o->spread.nodes, NODES_MAX);
    if (!verify_options(o)->top || verify_options(o)->top > TOP_ROWS_MAX)
        return err_set(err, ERR_USAGE, "--top %llu: expected 1 to %d", (unsigned long long)verify_options(o)->top, TOP_ROWS_MAX);
    if (!o->spread.max_partition) return err_set(err, ERR_USAGE, "--max-partition must not be 0");
    return 0;
}

/* Returns whether the answer is in one dataset, as it is. */
static bool is_direct(const struct skew_run *k) {
    return k->first == 0 && k->env->o.n_inputs == 1 && !k->env->o.table.ddl && !k->env->o.table.partition &&
           !k->intake->selection;
}

static int find_dataset(struct skew_run *k, struct err *err) {
    const struct options *o = &k->env->o;
    k->first = -1;
    for (int i = 0; i < o->n_inputs && k->first < 0; i++) {
        int is = strcmp(o->inputs[i], "-") ? dataset_is(o->inputs[i], err) : 0;
        if (is < 0 || (is && (environment_dataset_room(k->env, o->inputs[i], err) || dataset_open(o->inputs[i], &k->m, err))))
            return -1;
        if (is) k->first = i;
    }
    if (verify_options(o)->quick && !is_direct(k))
        return err_set(err, ERR_USAGE, "--quick reports one dataset in its own partitioning: manifest and indexes hold no more");
    if (!is_direct(k)) return 0;
    if (o->in.snapshot) return target_refuse_snapshot(k->env, err);
    const char *text = column_options_given(o);
    return text ? err_set(err, ERR_USAGE, "%s applies to text, but %s is a dataset", text, o->inputs[0]) : 0;
}

/* ---- as it is ---- */

/* A block too large for a share of the memory may fit one of fewer threads. */
static int count_dataset(struct skew_run *k, struct err *err) {
    struct job job = k->env->job;
    const struct skew_opts o = {&job, &k->m.table, (uint32_t)verify_options(&k->env->o)->top};
    int rc;
    if (input_list_add_dataset(&k->in, k->env->o.inputs[0], &k->m, err)) return -1; /* to be watched */
    while ((rc = skew_dataset(&o, k->env->o.inputs[0], &k->m, verify_options(&k->env->o)->quick, &k->result, err)) &&
           err->code == ERR_LIMIT && job.threads > 1) {
        job.threads /= 2;
        *err = (struct err){0};
        skew_result_free(&k->result);
    }
    return input_watch_end(&k->in.watch, rc, err);
}

/* ---- placed on the way ---- */

static int count_inputs(struct skew_run *k, struct target *target, struct err *err) {
    environment_temp_elsewhere(k->env);
    if (target_read_inputs(k->env, k->intake, target, k->first < 0 || k->env->o.table.partition ? NULL : &k->m.table, &k->in,
                           err))
        return -1;
    const struct skew_opts o = {&k->env->job, &target->table, (uint32_t)verify_options(&k->env->o)->top};
    const struct skew_inputs in = {k->in.inputs, k->in.n, intake_read_opts(k->env, k->intake, target), target->placement,
                                   k->intake->rejects};
    int rc = input_watch_end(&k->in.watch, skew_inputs(&o, &in, &k->result, err), err);
    intake_warn(k->env, k->intake);
    return rc;
}

/* ---- the report ---- */

static int print_text(struct skew_run *k, const struct skew_view *v, struct err *err) {
    struct buf text = {0};
    char what[400];
    bool gone = false;
    snprintf(what, sizeof what, k->env->o.n_inputs == 1 ? "%.300s" : "%.300s and %d more", k->env->o.inputs[0],
             k->env->o.n_inputs - 1);
    int rc = skew_text_print(v, what, &text, err);
    if (!rc) rc = stdout_write_named(&k->env->unpacked, buf_bytes(&text), false, &gone, err);
    buf_free(&text);
    return rc;
}

/* Cells that differ from the manifest are damage: the report is complete, and the exit code shows it. */
static void judge_account(struct skew_run *k, const struct skew_view *v, int *code) {
    *code = !v->r->stored && v->r->ledger.records_rejected ? 3 : 0;
    if (skew_account_holds(v)) return;
    report_warn(&k->env->reporter, WARN_CELLS_DIFFER, 1,
                "the cells differ from what the manifest says was written; run obkv-verify check");
    *code = 1;
}

/* A figure above its limit: the report is complete, a line names it, and the exit code is 1. */
static void judge_gates(struct skew_run *k, const struct skew_view *v, int *code) {
    if (skew_gates_judge(&k->gates, v)) *code = 1;
    for (unsigned i = 0; i < k->gates.n; i++) {
        const struct skew_gate *g = &k->gates.gate[i];
        char name[48];
        skew_gate_name(g, name);
        if (g->exceeded) report_say(&k->env->reporter, "%s is %.6g, above %.6g (--fail-above)", name, g->value, g->limit);
    }
}

static void note_metrics(struct skew_run *k, const struct skew_view *v) {
    struct metrics *m = &k->env->metrics;
    const struct table *t = v->table;
    if (t && t->name) snprintf(m->table, sizeof m->table, "%s", t->name);
    metrics_set(m, "cells", "Cells counted.", (double)v->all.total.cells);
    metrics_set(m, "partitions", "Partitions of the table.", v->partitions);
    if (v->known[SKEW_ROWS])
        metrics_set(m, "rows_max_mean", "Rows of the fullest partition over the mean.", v->all.spread[SKEW_ROWS].max_mean);
    if (v->known[SKEW_KV_BYTES])
        metrics_set(m, "kv_bytes_max_mean", "KeyValue bytes of the fullest partition over the mean.",
                    v->all.spread[SKEW_KV_BYTES].max_mean);
    metrics_set(m, "partitions_empty", "Partitions without a cell.", v->all.spread[SKEW_CELLS].empty);
    metrics_set(m, "partitions_above_limit", "Partitions above --max-partition.", v->n_over);
    metrics_set(m, "limits_exceeded", "Limits of --fail-above that are exceeded.", skew_gates_judge(&k->gates, v));
}

/* The document with the limits, where there are some. */
static json_t *make_json(struct skew_run *k, const struct skew_view *v) {
    json_t *j = skew_json_make(v, k->env->o.inputs, k->env->o.n_inputs);
    if (j && k->gates.n) json_object_set_new(j, "limits", skew_gates_json(&k->gates));
    return j;
}

static int add_steps(const struct skew_run *k, const struct skew_view *v, struct err *err) {
    const char *input = k->env->o.inputs[0];
    const struct {
        const char *why, *const *words;
    } steps[] = {{"Write the dataset as load files, then load them:",
                  (const char *const[]){"obkv-export", "--ddl", "table.sql", "--create", "-o", "EXPORT", input, NULL}},
                 {NULL, (const char *const[]){"obkv-load", "--create", "--target", "HOST:2881/DATABASE", "--user", "USER@TENANT",
                                              "EXPORT", NULL}},
                 {"Compare other partitionings, and repartition the dataset without reading the source again:",
                  (const char *const[]){"obkv-split", "plan", "-o", "PLAN", "--html", "plan.html", input, NULL}},
                 {NULL, (const char *const[]){"obkv-split", "apply", "--ddl", "PLAN/table.sql", "-o", "OUT", input, NULL}}};
    if (!v->r->stored) return next_steps_import(v->next, v->o, "table.sql", err);
    for (unsigned i = 0; i < countof(steps); i++)
        if (next_steps_add(v->next, steps[i].why, steps[i].words, err)) return -1;
    return 0;
}

static int make_next(const struct skew_run *k, struct skew_view *v, struct err *err) {
    if (!v->families) return 0;
    v->next = create_sql_next(v->table, false,
                              "The table with this partitioning; save it as table.sql. One click selects all of it.", err);
    return v->next ? add_steps(k, v, err) : -1;
}

static int print_report(struct skew_run *k, const struct table *table, int *code, struct err *err) {
    struct skew_view v;
    int rc = skew_view_make(&k->env->o, table, &k->result, &v, err);
    v.seconds = clock_seconds_since(k->env->started);
    if (k->intake->rejects) v.first_reject = reject_log_first(k->intake->rejects);
    reporter_end_line(&k->env->reporter);
    if (!rc && !v.all.total.cells) unmet_warn_empty(k->env, k->intake, "the input holds no cells");
    if (!rc) {
        judge_account(k, &v, code);
        judge_gates(k, &v, code);
        note_metrics(k, &v);
    }
    if (!rc && environment_documents(k->env)) rc = make_next(k, &v, err);
    if (!rc && environment_documents(k->env)) rc = report_json_put(&k->env->reporter, NULL, make_json(k, &v), err);
    if (!rc && !k->env->o.messages.json && !k->env->o.messages.quiet) rc = print_text(k, &v, err);
    skew_view_free(&v);
    return rc;
}

int verify_skew(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target target = {0};
    struct skew_run k = {.env = env, .intake = intake};
    int rc = check_options(&k, err) || find_dataset(&k, err) ? -1 : 0;
    if (!rc) rc = is_direct(&k) ? count_dataset(&k, err) : count_inputs(&k, &target, err);
    if (!rc) rc = print_report(&k, is_direct(&k) ? &k.m.table : &target.table, code, err);
    skew_result_free(&k.result);
    input_list_free(&k.in);
    target_close(env, &target);
    if (k.first >= 0) manifest_free(&k.m);
    return rc;
}
