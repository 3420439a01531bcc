/* obkv-split plan: what partitionings and key designs would make of the rows of some inputs. Options are checked first, then each
 * design is planned by itself (inputs are read once for each), then files, page and report are written. */
#include "base/clock.h"
#include "base/fs.h"
#include "cmd/common/output_text.h"
#include "cmd/split/plan/plan_view.h"
#include "cmd/split/split.h"
#include "cmd/common/spread/spread.h"
#include "cmd/split/plan/plan.h"
#include "table/partitioning.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct planning {
    struct session *s;
    struct input_list in;
    struct plan_view v;
    struct plan_generator generator;
    enum sample_by sample_by;
    struct partitioning one; /* all rows are in it, wherever the table has them */
    struct placement *placement;
};

/* ---- options ---- */

static int take_counts(struct plan_view *v, const char *list, struct err *err) {
    for (const char *p = list; *p;) {
        char *end;
        errno = 0;
        unsigned long n = strtoul(p, &end, 10);
        if (end == p || errno || (*end && *end != ',') || n < 2 || n > PARTITIONS_MAX || v->n_counts == PLAN_COUNTS_MAX)
            return err_set(err, ERR_USAGE, "--counts %s: expected up to %d numbers from 2 to %d with commas between them", list,
                           PLAN_COUNTS_MAX, PARTITIONS_MAX);
        v->counts[v->n_counts++] = (uint32_t)n;
        p = *end ? end + 1 : end;
    }
    return v->n_counts ? 0 : err_set(err, ERR_USAGE, "--counts: no number given");
}

/* "30%/y", "30%", "0.3" */
static int take_growth(const char *text, double *out, struct err *err) {
    char *end;
    double v = strtod(text, &end);
    if (end != text && *end == '%') {
        v /= 100;
        end++;
    }
    if (end != text && !strcmp(end, "/y")) end += 2;
    if (end == text || *end || !(v > -1) || v > 100)
        return err_set(err, ERR_USAGE, "--growth %s: expected a share a year, as 30%%/y", text);
    *out = v;
    return 0;
}

static int take_sample_by(const char *text, enum sample_by *out, struct err *err) {
    *out = SAMPLE_AUTO;
    if (!text || !strcmp(text, "auto")) return 0;
    for (enum sample_by by = SAMPLE_BLOCKS; by <= SAMPLE_ROWS; by++) {
        if (strcmp(text, sample_by_name(by)) != 0) continue;
        *out = by;
        return 0;
    }
    return err_set(err, ERR_USAGE, "--sample-by %s: expected blocks, rows or auto", text);
}

static int take_options(struct planning *p, struct err *err) {
    const struct options *o = &p->s->o;
    double growth = 0;
    if (!o->spread.nodes || o->spread.nodes > NODES_MAX)
        return err_set(err, ERR_USAGE, "--nodes %llu: 1 to %d are expected", (unsigned long long)o->spread.nodes, NODES_MAX);
    if (take_sample_by(split_options(o)->plan.sample_by, &p->sample_by, err)) return -1;
    if (!o->spread.max_partition) return err_set(err, ERR_USAGE, "--max-partition must not be 0");
    if (!split_options(o)->generate && !o->n_inputs)
        return err_set(err, ERR_USAGE, "plan: no input given (or --generate N --key EXPR)");
    if (split_options(o)->generate && o->n_inputs) return err_set(err, ERR_USAGE, "plan: either inputs or --generate");
    if (split_options(o)->generate && !split_options(o)->key && !split_options(o)->plan.tries.n)
        return err_set(err, ERR_USAGE, "--generate: what are the keys? give --key EXPR over counter, now and random");
    if (!split_options(o)->generate && split_options(o)->key)
        return err_set(err, ERR_USAGE, "--key goes with --generate; for keys of rows see --try");
    static const char *const made[] = {"seed", "interval", "cell-bytes"}, *const written[] = {"take", "table"};
    for (size_t i = 0; i < countof(made); i++)
        if (!split_options(o)->generate && opt_given(o, made[i]))
            return err_set(err, ERR_USAGE, "--%s goes with --generate", made[i]);
    for (size_t i = 0; i < countof(written); i++)
        if (!o->out.dir && opt_given(o, written[i])) return err_set(err, ERR_USAGE, "--%s goes with -o DIR", written[i]);
    if (opt_given(o, "years") && !split_options(o)->plan.growth) return err_set(err, ERR_USAGE, "--years goes with --growth");
    if (split_options(o)->generate && (split_options(o)->plan.sample_by || opt_given(o, "sample")))
        return err_set(err, ERR_USAGE, "--sample and --sample-by are about inputs: all rows of a generator are taken");
    if (split_options(o)->plan.growth && take_growth(split_options(o)->plan.growth, &growth, err)) return -1;
    if (split_options(o)->plan.expect)
        p->v.expected_bytes = (double)split_options(o)->plan.expect * pow(1 + growth, (double)split_options(o)->plan.years);
    if (split_options(o)->plan.growth && !split_options(o)->plan.expect)
        return err_set(err, ERR_USAGE, "--growth needs --expect SIZE, the bytes there are today");
    p->generator = (struct plan_generator){split_options(o)->generate, split_options(o)->seed,
                                           (int64_t)split_options(o)->interval, (uint32_t)split_options(o)->cell_bytes};
    return take_counts(&p->v, split_options(o)->plan.counts, err);
}

/* ---- inputs ---- */

static int open_table(struct planning *p, struct err *err) {
    struct session *s = p->s;
    struct buf warnings = {0};
    if (partitioning_parse("none", &p->one, &warnings, err) || !(p->placement = placement_new(&p->one, err))) return -1;
    if (!s->o.table.ddl) s->o.table.partition = "none";
    session_temp_elsewhere(s);
    if (!split_options(&s->o)->generate) return session_read_inputs(s, NULL, &p->in, err);
    if (session_table_of(s, NULL, &p->in, err)) return -1;
    return s->open_families ? table_add_family(&s->table, bytes_str("f"), err) : 0;
}

static int reads_twice(const struct planning *p, struct err *err) {
    for (int i = 0; i < p->s->o.n_inputs; i++)
        if (!strcmp(p->s->o.inputs[i], "-"))
            return err_set(err, ERR_USAGE, "--try reads the inputs once for each key: standard input can be read only once");
    return 0;
}

/* ---- one design after the other ---- */

static int plan_one(struct planning *p, const struct key_design *design, struct plan_design *d, struct err *err) {
    struct session *s = p->s;
    const struct plan_opts o = {.job = &s->job,
                                .counts = p->v.counts,
                                .n_counts = p->v.n_counts,
                                .sample_by = p->sample_by,
                                .sample_bytes = split_options(&s->o)->plan.sample_bytes,
                                .inputs = p->in.inputs,
                                .n_inputs = p->in.n,
                                .read = session_read_opts(s),
                                .placement = p->placement,
                                .rejects = s->rejects,
                                .generator = split_options(&s->o)->generate ? &p->generator : NULL,
                                .design = design,
                                .keeps_cells = s->o.spread.html && (!design || split_options(&s->o)->generate)};
    int rc = plan_run(&o, &d->r, err);
    s->job.resident_bytes += plan_memory(&o); /* results stay */
    return rc ? -1 : plan_view_judge(&p->v, d, err);
}

static int plan_key(struct planning *p, const char *text, struct err *err) {
    struct plan_design *d = &p->v.designs[p->v.n_designs++];
    struct key_design design;
    *d = (struct plan_design){.text = text ? text : ""};
    if (!text) return plan_one(p, NULL, d, err);
    int rc = key_design_init(&design, text, split_options(&p->s->o)->generate > 0, err);
    if (!rc) rc = plan_one(p, &design, d, err);
    key_design_free(&design);
    return rc;
}

static int plan_all(struct planning *p, struct err *err) {
    const struct options *o = &p->s->o;
    if (split_options(o)->plan.tries.n && reads_twice(p, err)) return -1;
    if ((!split_options(o)->generate || split_options(o)->key) && plan_key(p, split_options(o)->key, err)) return -1;
    for (unsigned i = 0; i < split_options(o)->plan.tries.n; i++)
        if (plan_key(p, split_options(o)->plan.tries.item[i], err)) return -1;
    return 0;
}

/* ---- reports ---- */

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

static int name_tables(struct table *t, const char *name, struct err *err) {
    if (t->ddl) return 0;
    if (name || !t->name) {
        free(t->name);
        t->name = strdup(name ? name : "htable1");
    }
    for (uint32_t i = 0; i < t->n_families; i++) {
        struct family *f = &t->families[i];
        char *sql = t->name ? fs_printf(err, "%s$%s", t->name, f->name) : NULL;
        if (!sql) return err->code ? -1 : err_nomem(err, 0, "a table's name");
        free(f->sql_table);
        f->sql_table = sql;
    }
    return 0;
}

static int write_files(struct planning *p, struct err *err) {
    struct session *s = p->s;
    const struct plan_design *d = &p->v.designs[0];
    if (!d->n || !d->r.facts.rows) return err_set(err, ERR_INPUT, "there are no rows to plan for");
    fit_lengths(&s->table, &d->r);
    if (!split_options(&s->o)->plan.take || split_options(&s->o)->plan.take > d->n)
        return err_set(err, ERR_USAGE, "--take %llu: 1 to %u are ranked", (unsigned long long)split_options(&s->o)->plan.take,
                       d->n);
    if (name_tables(&s->table, split_options(&s->o)->plan.table_name, err)) return -1;
    free(s->table.ddl); /* it has another partitioning */
    s->table.ddl = NULL;
    return plan_files_write(&p->v, d->list[split_options(&s->o)->plan.take - 1].choice, &s->table, s->o.out.dir, err) ? -1 : 0;
}

static json_t *make_json(const void *view) {
    return plan_json_make(view);
}

static int print_text(const void *view, struct buf *out, struct err *err) {
    return plan_text_print(view, out, err);
}

static int write_report(struct planning *p, struct err *err) {
    struct session *s = p->s;
    p->v.seconds = clock_seconds_since(s->started);
    reporter_end_line(&s->reporter);
    if (!p->v.designs[0].r.facts.rows) report_warn(&s->reporter, WARN_NO_RECORDS, 1, "the input holds no rows");
    int rc = report_strict(&s->reporter, err);
    if (!rc) rc = s->o.out.dir && !s->o.out.dry_run ? write_files(p, err) : 0;
    if (!rc && s->o.spread.html && !s->o.out.dry_run)
        rc = plan_page_write(&p->v, &(struct page_origin){s->about->name, s->job.now_ms}, s->o.spread.html, err);
    const struct split_report report = {make_json, print_text, &p->v};
    return rc ? -1 : split_result_print(s, &report, err);
}

int split_plan(struct session *s, int *code, struct err *err) {
    struct planning p = {.s = s, .v.o = &s->o};
    p.v.designs = calloc(PLAN_DESIGNS_MAX, sizeof *p.v.designs);
    if (!p.v.designs) return err_nomem(err, PLAN_DESIGNS_MAX * sizeof *p.v.designs, "a plan");
    int rc = take_options(&p, err) || split_result_check(&s->o, "plan", "plan.json", err) || open_table(&p, err) ? -1 : 0;
    if (!rc) rc = plan_all(&p, err);
    if (!rc) {
        session_warn_inputs(s);
        rc = write_report(&p, err);
    }
    if (!rc) *code = p.v.designs[0].r.ledger.records_rejected || p.v.designs[0].r.unfit ? 3 : 0;
    plan_view_free(&p.v);
    placement_free(p.placement);
    partitioning_free(&p.one);
    input_list_free(&p.in);
    return rc;
}
