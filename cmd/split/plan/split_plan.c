/* obkv-split plan: what partitionings and key designs would make of the rows of some inputs. Options are checked first, then each
 * design is planned by itself (inputs are read once for each), then files, page and report are written. */
#include "base/clock.h"
#include "base/fs.h"
#include "base/remote.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/next_steps.h"
#include "cmd/common/target.h"
#include "cmd/common/table_options.h"
#include "cmd/common/unmet.h"
#include "cmd/common/warnings.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/split/plan/plan_files.h"
#include "cmd/split/plan/plan_notes.h"
#include "cmd/split/plan/plan_options.h"
#include "cmd/split/plan/plan_read.h"
#include "cmd/split/plan/plan_view.h"
#include "cmd/split/plan/split_result.h"
#include "cmd/split/split.h"
#include "cmd/common/spread/spread.h"
#include "cmd/split/plan/plan.h"
#include "dataset/dataset_open.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/metadata.h"
#include "table/partitioning.h"
#include "table/placement.h"

#include <stdlib.h>
#include <unistd.h>

struct planning {
    struct environment *env;
    struct target *target;
    struct input_list in;
    struct read_opts read;
    struct reject_log *rejects; /* NULL: nothing is read */
    struct plan_view v;
    struct plan_generator generator;
    enum sample_by sample_by;
    struct partitioning one; /* all rows are in it, wherever the table has them */
    struct placement *placement;
    struct hbase_table described; /* by --ddl in words of HBase's shell */
    bool settled[FAMILIES_MOST];  /* by family: a manifest has said what it is like */
};

/* ---- inputs ---- */

/* A create statement of HBase's shell says which families there are, and nothing of partitions. */
static int read_shell_table(struct planning *p, struct table *out, struct err *err) {
    const char **ddl = &p->env->o.table.ddl;
    int rc = *ddl ? input_shell_table(*ddl, out, &p->described, err) : 0;
    if (rc != 1) return rc;
    *ddl = NULL;
    p->v.described = &p->described;
    return 1;
}

static int open_table(struct planning *p, struct intake *intake, struct err *err) {
    struct table of_shell;
    struct buf warnings = {0};
    if (partitioning_parse("none", &p->one, &warnings, err) || !(p->placement = placement_new(&p->one, err))) return -1;
    int shell = read_shell_table(p, &of_shell, err);
    if (shell < 0) return -1;
    const struct table *fallback = shell ? &of_shell : NULL;
    if (!p->env->o.table.ddl) p->env->o.table.partition = "none";
    environment_temp_elsewhere(p->env);
    int rc = split_options(&p->env->o)->generate ? target_of_inputs(p->env, intake, p->target, fallback, &p->in, err)
                                                 : target_read_inputs(p->env, intake, p->target, fallback, &p->in, err);
    if (!shell && !p->env->o.table.ddl && p->in.n_stores == 1) p->v.described = &p->in.stores[0]->files.table;
    if (!rc && split_options(&p->env->o)->generate && p->target->open_families)
        rc = table_add_family(&p->target->table, bytes_str("f"), err);
    if (shell) table_free(&of_shell);
    p->read = intake_read_opts(p->env, intake, p->target);
    p->rejects = intake->rejects;
    return rc;
}

static int reads_twice(const struct planning *p, struct err *err) {
    for (int i = 0; i < p->env->o.n_inputs; i++)
        if (!strcmp(p->env->o.inputs[i], "-"))
            return err_set(err, ERR_USAGE, "--try reads the inputs once for each key: standard input can be read only once");
    return 0;
}

/* ---- one design after the other ---- */

static int plan_one(struct planning *p, const struct key_design *design, struct plan_design *d, struct err *err) {
    const struct plan_opts o = {.job = &p->env->job,
                                .counts = p->v.counts.list,
                                .n_counts = p->v.counts.n,
                                .sample_by = p->sample_by,
                                .sample_bytes = split_options(&p->env->o)->plan.sample_bytes,
                                .inputs = p->in.inputs,
                                .n_inputs = p->in.n,
                                .read = p->read,
                                .placement = p->placement,
                                .rejects = p->rejects,
                                .generator = split_options(&p->env->o)->generate ? &p->generator : NULL,
                                .design = design,
                                .keeps_cells = p->env->o.messages.html && (!design || split_options(&p->env->o)->generate)};
    int rc = plan_run(&o, &d->r, err);
    p->env->job.resident_bytes += plan_memory(&o); /* results stay */
    return rc ? -1 : plan_view_judge(&p->v, d, err);
}

static int plan_key(struct planning *p, const char *text, struct err *err) {
    struct plan_design *d = &p->v.designs[p->v.n_designs++];
    struct key_design design;
    *d = (struct plan_design){.text = text ? text : ""};
    if (!text) return plan_one(p, NULL, d, err);
    int rc = key_design_init(&design, text, split_options(&p->env->o)->generate > 0, err);
    if (!rc) key_design_warn(&design, &p->env->reporter);
    if (!rc) rc = plan_one(p, &design, d, err);
    key_design_free(&design);
    return rc;
}

static int plan_all(struct planning *p, struct err *err) {
    const struct options *o = &p->env->o;
    if (split_options(o)->plan.tries.n && reads_twice(p, err)) return -1;
    const char *made = split_options(o)->generate ? split_options(o)->key : NULL;
    if ((!split_options(o)->generate || made) && plan_key(p, made, err)) return -1;
    for (unsigned i = 0; i < split_options(o)->plan.tries.n; i++)
        if (plan_key(p, split_options(o)->plan.tries.item[i], err)) return -1;
    return 0;
}

/* ---- reports ---- */

/* Takes from the manifest of a dataset what it says of families: versions and time to live, unless an option or --ddl does;
 * lengths, if it was made for a table of OceanBase. */
static int take_manifest(struct planning *p, const struct table *from, struct err *err) {
    struct table *t = &p->target->table;
    for (uint32_t i = 0; i < from->n_families; i++) {
        const struct family *known = &from->families[i];
        int at = table_family(t, bytes_str(known->name));
        struct family *f = at < 0 ? NULL : &t->families[at];
        const bool says = known->rules.versions_given || known->rules.ttl_s || from->ddl;
        if (!f || at >= FAMILIES_MOST || p->settled[at] || !says) continue;
        p->settled[at] = true;
        f->rules = known->rules;
        if (rule_options_apply(&p->env->o, &f->rules, err)) return -1;
        if (!from->ddl) continue;
        f->k_max = known->k_max;
        f->q_max = known->q_max;
        f->has_ttl_column = known->has_ttl_column;
        free(f->v_type);
        f->v_type = known->v_type ? strdup(known->v_type) : NULL;
        if (known->v_type && !f->v_type) return err_nomem(err, 0, "a type");
    }
    if (t->name || !from->name || split_options(&p->env->o)->plan.table_name) return 0;
    return (t->name = strdup(from->name)) ? 0 : err_nomem(err, 0, "the table's name");
}

static int take_manifests(struct planning *p, struct err *err) {
    const struct options *o = &p->env->o;
    for (int i = 0; i < o->n_inputs && !p->target->table.ddl && !p->v.described && !p->in.n_stores; i++) {
        struct manifest m;
        int is = strcmp(o->inputs[i], "-") && !remote_name(o->inputs[i]) ? dataset_is(o->inputs[i], err) : 0;
        if (is < 0 || (is && dataset_open(o->inputs[i], &m, err))) return -1;
        if (!is) continue;
        int rc = take_manifest(p, &m.table, err);
        manifest_free(&m);
        if (rc) return -1;
    }
    return 0;
}

/* Column lengths that the data needs, and OceanBase's usual ones at least; those of a --ddl stay. */
static void fit_lengths(struct table *t, const struct plan_result *r) {
    if (t->ddl) return;
    for (uint32_t i = 0; i < t->n_families && i < FAMILIES_MOST; i++) {
        struct family *f = &t->families[i];
        f->k_max = r->facts.longest > 1024 ? 16383 : 1024;
        f->q_max = 256;
        while (f->q_max < r->lengths[i].qualifier) f->q_max *= 2;
        if (r->lengths[i].value > 1 << 20 && !f->v_type) f->v_type = strdup("longblob");
    }
}

/* The table as it is to be: with the choice, and columns that are long enough. */
static int make_table(struct planning *p, const struct candidate *choice, struct err *err) {
    struct table *t = &p->target->table;
    fit_lengths(t, &p->v.designs[0].r);
    if (take_manifests(p, err)) return -1;
    if (create_sql_name(t, split_options(&p->env->o)->plan.table_name, err)) return -1;
    free(t->ddl); /* it has another partitioning */
    t->ddl = NULL;
    return plan_table_partition(t, choice->choice, err);
}

/* The table with the choice, and its import. */
static int make_next(struct planning *p, struct err *err) {
    const char *dir = p->env->o.out.dir;
    char table[4096];
    snprintf(table, sizeof table, "%s%stable.sql", dir ? dir : "", dir ? "/" : "");
    p->v.shown.next = create_sql_next(&p->target->table, true,
                                      dir ? "The table with this choice, as in table.sql. One click selects all of it."
                                          : "The table with this choice; save it as table.sql. One click selects all of it.",
                                      err);
    if (!p->v.shown.next) return -1;
    return p->env->o.n_inputs ? next_steps_import(p->v.shown.next, &p->env->o, table, err) : 0;
}

/* Files and the document, where they are asked for; both have the DDL. */
static int write_files(struct planning *p, struct err *err) {
    const struct plan_design *d = &p->v.designs[0];
    const struct candidate *choice;
    const bool rows = d->n && d->r.facts.rows;
    if (!p->env->o.out.dir && !environment_documents(p->env)) return 0;
    if (!rows && p->env->o.out.dir)
        return err_set(err, ERR_INPUT, "there are no rows to plan for%s%s",
                       *p->v.first_reject ? ": all records were rejected, first: " : "", p->v.first_reject);
    if (!rows) return 0;
    if (plan_options_choice(&p->v, &choice, err) || make_table(p, choice, err) || make_next(p, err)) return -1;
    p->v.shown.taken = choice;
    if (!p->env->o.out.dir) return 0;
    p->v.written = choice;
    return plan_files_write(&p->v, choice->choice, &p->target->table, p->env->o.out.dir, err);
}

static json_t *make_json(const void *view) {
    return plan_json_make(view);
}

static int print_text(const void *view, struct buf *out, struct err *err) {
    return plan_text_print(view, out, err);
}

static int write_report(struct planning *p, struct intake *intake, struct err *err) {
    p->v.seconds = clock_seconds_since(p->env->started);
    reporter_end_line(&p->env->reporter);
    if (p->rejects) p->v.first_reject = reject_log_first(p->rejects);
    if (!p->v.designs[0].r.facts.rows && *p->v.first_reject)
        report_warn(&p->env->reporter, WARN_NO_RECORDS, 1, "all records were rejected");
    else if (!p->v.designs[0].r.facts.rows)
        unmet_warn_empty(p->env, intake, "the input holds no rows");
    int rc = plan_notes_make(&p->v, err) || plan_access_doubt(&p->v, &p->v.designs[0], &p->v.access_doubt, err) ? -1 : 0;
    if (!rc && p->v.access_doubt.n) report_warn(&p->env->reporter, WARN_ACCESS, 1, "%s", (const char *)p->v.access_doubt.p);
    if (!rc && p->target->table.ddl) rc = plan_review(&p->v, &p->target->table, err);
    if (!rc && p->v.refused.n) report_warn(&p->env->reporter, WARN_DDL_ROWS, 1, "--ddl: %s", (const char *)p->v.refused.p);
    if (!rc) rc = report_strict(&p->env->reporter, err);
    if (!rc && !p->env->o.out.dry_run) rc = write_files(p, err);
    const struct split_report report = {make_json, print_text, &p->v};
    return rc ? -1 : split_result_print(p->env, &report, err);
}

int split_plan(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target target = {0};
    struct planning p = {.env = env, .target = &target, .v = {.o = &env->o, .first_reject = ""}};
    if (!split_options(&env->o)->generate) env->o.in.key = split_options(&env->o)->key; /* as obkv-import has it */
    p.v.designs = calloc(PLAN_DESIGNS_MAX, sizeof *p.v.designs);
    if (!p.v.designs) return err_nomem(err, PLAN_DESIGNS_MAX * sizeof *p.v.designs, "a plan");
    int rc = plan_options_take(&p.v, &p.sample_by, &p.generator, err) || split_result_check(&env->o, "plan", "plan.json", err) ||
                     open_table(&p, intake, err)
                 ? -1
                 : 0;
    if (!rc) rc = input_watch_end(&p.in.watch, plan_all(&p, err), err);
    if (!rc) {
        intake_warn(env, intake);
        rc = write_report(&p, intake, err);
    }
    if (!rc) *code = p.v.designs[0].r.ledger.records_rejected || p.v.designs[0].r.unfit ? 3 : 0;
    plan_view_free(&p.v);
    hbase_table_free(&p.described);
    placement_free(p.placement);
    partitioning_free(&p.one);
    input_list_free(&p.in);
    target_close(env, &target);
    return rc;
}
