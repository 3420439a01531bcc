/* obkv-split simulate: writes in the order in which they arrive, into regions of HBase and partitions of OceanBase. Options are
 * checked first; settings of a cluster ask for one to be emulated; files, page and report follow at the end. */
#include "base/clock.h"
#include "base/fs.h"
#include "cmd/common/input_list.h"
#include "cmd/common/input_watch.h"
#include "cmd/common/next_steps.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/target.h"
#include "cmd/common/signs.h"
#include "cmd/common/warnings.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/split/plan/split_result.h"
#include "cmd/split/simulate/settings.h"
#include "cmd/split/simulate/simulate_events.h"
#include "cmd/split/simulate/simulate_json.h"
#include "cmd/split/simulate/simulate_try.h"
#include "cmd/split/simulate/simulate_view.h"
#include "cmd/split/split.h"
#include "cmd/split/simulate/key_bounds.h"
#include "table/partitioning.h"
#include "table/placement.h"

#include <errno.h>
#include <stdlib.h>

struct simulation {
    struct environment *env;
    struct target *target;
    struct input_list in;
    struct read_opts read;
    struct reject_log *rejects; /* NULL: nothing is read */
    struct simulate_view v;
    struct plan_generator generator;
    struct key_design design;
    bool has_design, tried; /* tried: one of --try, of which only figures are kept */
    enum write_order write_order;
    uint32_t sampled;
    struct partitioning one; /* all rows are in it, whatever the target says */
    struct placement *loading, *place;
};

/* ---- options ---- */

static int take_order(struct simulation *m, struct err *err) {
    static const char *const names[] = {"time", "input", "key"};
    const struct options *o = &m->env->o;
    const char *order = split_options(o)->simulate.order ? split_options(o)->simulate.order : "time";
    size_t i = 0;
    while (i < countof(names) && strcmp(order, names[i])) i++;
    if (i == countof(names)) return err_set(err, ERR_USAGE, "--order %s: expected time, input or key", order);
    m->write_order = (enum write_order)i;
    m->v.order = split_options(o)->generate ? "generated" : names[i];
    m->v.by_timestamps = !split_options(o)->generate && m->write_order == ORDER_TIME;
    if (!split_options(o)->simulate.clock) return 0;
    if (!strcmp(split_options(o)->simulate.clock, "rate")) {
        m->v.by_timestamps = false;
        return 0;
    }
    if (strcmp(split_options(o)->simulate.clock, "timestamps"))
        return err_set(err, ERR_USAGE, "--clock %s: expected timestamps or rate", split_options(o)->simulate.clock);
    if (m->v.by_timestamps) return 0;
    return err_set(err, ERR_USAGE,
                   split_options(o)->generate ? "--clock timestamps: generated rows have no clock but --rate or --interval"
                                              : "--clock timestamps needs --order time: a clock does not run backwards");
}

static int take_rate(struct simulation *m, struct err *err) {
    struct options *o = &m->env->o;
    if (split_options(o)->simulate.rate > 1000000)
        return err_set(err, ERR_USAGE, "--rate %llu: expected at most 1000000",
                       (unsigned long long)split_options(o)->simulate.rate);
    if (opt_given(o, "rate") && !split_options(o)->simulate.rate)
        return err_set(err, ERR_USAGE, "--rate 0: expected at least 1 write a second");
    if (split_options(o)->simulate.rate && opt_given(o, "interval"))
        return err_set(err, ERR_USAGE, "--rate and --interval both set the speed of writes; give only one of them");
    if (split_options(o)->simulate.clock && m->v.by_timestamps && (split_options(o)->simulate.rate || opt_given(o, "interval")))
        return err_set(err, ERR_USAGE, "--clock timestamps: --rate and --interval need --clock rate");
    if (split_options(o)->simulate.rate)
        split_options(o)->interval = (1000000 + split_options(o)->simulate.rate / 2) / split_options(o)->simulate.rate;
    const uint64_t most_us = UINT64_C(1) << 53; /* 285 years */
    if (split_options(o)->interval > most_us ||
        (split_options(o)->interval && split_options(o)->generate > most_us / split_options(o)->interval))
        return err_set(err, ERR_USAGE, "--generate times --interval is more than 285 years");
    return 0;
}

/* Settings of a cluster ask for one. */
static int take_mode(struct simulation *m, struct err *err) {
    const struct options *o = &m->env->o;
    bool settings =
        split_options(o)->simulate.site || split_options(o)->simulate.settings.n || split_options(o)->simulate.file_ratio;
    m->v.emulated = settings || (split_options(o)->simulate.mode && !strcmp(split_options(o)->simulate.mode, "emulate"));
    if (!split_options(o)->simulate.mode || !strcmp(split_options(o)->simulate.mode, "emulate")) return 0;
    if (strcmp(split_options(o)->simulate.mode, "simple"))
        return err_set(err, ERR_USAGE, "--mode %s: expected simple or emulate", split_options(o)->simulate.mode);
    return settings ? err_set(err, ERR_USAGE, "--mode simple: --site, --set and --compression-ratio need --mode emulate") : 0;
}

/* Checks before the first run that inputs can be read again, and that expressions are some. */
static int check_tries(const struct options *o, struct err *err) {
    const struct opt_list *tries = &split_options(o)->simulate.tries;
    for (int i = 0; i < o->n_inputs && tries->n; i++)
        if (!strcmp(o->inputs[i], "-"))
            return err_set(err, ERR_USAGE, "--try reads the inputs once for each key: standard input can be read only once");
    for (unsigned i = 0; i < tries->n; i++) {
        struct key_design design;
        int rc = key_design_init(&design, tries->item[i], split_options(o)->generate > 0, err);
        key_design_free(&design);
        if (rc) return -1;
    }
    return 0;
}

static int take_options(struct simulation *m, struct err *err) {
    const struct options *o = &m->env->o;
    if (!split_options(o)->generate && !o->n_inputs)
        return err_set(err, ERR_USAGE, "simulate: no input given; give inputs, or --generate N --key EXPR");
    if (split_options(o)->generate && o->n_inputs) return err_set(err, ERR_USAGE, "simulate: give either inputs or --generate");
    if (split_options(o)->generate && !split_options(o)->key)
        return err_set(err, ERR_USAGE, "--generate needs --key EXPR, an expression over counter, now and random");
    if (!split_options(o)->generate && split_options(o)->key && !o->in.columns)
        return err_set(err, ERR_USAGE,
                       "--key needs --generate, or the --columns of a text whose row key it builds; for keys of existing rows, "
                       "see --try");
    if (split_options(o)->generate && split_options(o)->simulate.order)
        return err_set(err, ERR_USAGE, "--order is about inputs; rows of a generator come as generated");
    if (!split_options(o)->generate && opt_given(o, "cell-bytes"))
        return err_set(err, ERR_USAGE, "--cell-bytes needs --generate: cells of inputs have their own sizes");
    if (opt_given(o, "servers") && !split_options(o)->simulate.servers)
        return err_set(err, ERR_USAGE, "--servers 0: expected at least 1");
    if (!o->spread.nodes || o->spread.nodes > NODES_MAX || split_options(o)->simulate.servers > NODES_MAX)
        return err_set(err, ERR_USAGE, "--nodes, --servers: expected 1 to %d", NODES_MAX);
    if (check_tries(o, err) || take_mode(m, err) || take_order(m, err) || take_rate(m, err)) return -1;
    m->v.splits = split_options(o)->simulate.splits ? split_options(o)->simulate.splits : m->v.emulated ? "none" : "sampled:10";
    m->generator = (struct plan_generator){split_options(o)->generate, split_options(o)->seed,
                                           (int64_t)split_options(o)->interval, (uint32_t)split_options(o)->cell_bytes};
    if (splits_parse(m->v.splits, &m->v.r.bounds, &m->sampled, err)) return -1;
    if (split_options(o)->simulate.servers && !m->v.emulated)
        return err_set(err, ERR_USAGE, "--servers needs --mode emulate: otherwise regions do not move");
    if (opt_given(o, "seed") && !split_options(o)->generate && !m->v.emulated)
        return err_set(err, ERR_USAGE, "--seed needs --generate or --mode emulate: nothing else is random");
    if (opt_given(o, "sample-rows") && !split_options(o)->simulate.sample_rows)
        return err_set(err, ERR_USAGE, "--sample-rows 0: expected at least 1");
    if (split_options(o)->simulate.sample_rows && !m->sampled)
        return err_set(err, ERR_USAGE, "--sample-rows needs --splits sampled:N");
    if (!split_options(o)->generate) return 0; /* text has its key by then: see split_simulate */
    m->has_design = true;
    if (key_design_init(&m->design, split_options(o)->key, true, err)) return -1;
    key_design_warn(&m->design, &m->env->reporter);
    return 0;
}

/* ---- inputs and target ---- */

static int open_table(struct simulation *m, struct intake *intake, struct err *err) {
    struct buf warnings = {0};
    int rc = partitioning_parse("none", &m->one, &warnings, err);
    buf_free(&warnings);
    if (rc || !(m->loading = placement_new(&m->one, err))) return -1;
    if (!m->env->o.table.ddl && !m->env->o.table.partition) m->env->o.table.partition = "key:97";
    environment_temp_elsewhere(m->env);
    if (split_options(&m->env->o)->generate) {
        if (target_of_inputs(m->env, intake, m->target, NULL, &m->in, err)) return -1;
        if (m->target->open_families && table_add_family(&m->target->table, bytes_str("f"), err)) return -1;
    } else if (target_read_inputs(m->env, intake, m->target, NULL, &m->in, err)) {
        return -1;
    }
    m->read = intake_read_opts(m->env, intake, m->target);
    m->read.keeps_latest = false; /* it is no moment */
    m->rejects = intake->rejects;
    m->v.table = &m->target->table;
    m->place = placement_new(&m->target->table.partitioning, err);
    return m->place ? 0 : -1;
}

static struct write_stream_opts stream_opts(const struct simulation *m) {
    return (struct write_stream_opts){.job = &m->env->job,
                                      .place = m->place,
                                      .design = m->has_design ? &m->design : NULL,
                                      .interval_us = (int64_t)split_options(&m->env->o)->interval,
                                      .generator = split_options(&m->env->o)->generate ? &m->generator : NULL,
                                      .order = m->write_order,
                                      .by_timestamps = m->v.by_timestamps,
                                      .inputs = m->in.inputs,
                                      .n_inputs = m->in.n,
                                      .read = m->read,
                                      .one = m->loading,
                                      .rejects = m->rejects};
}

static int settings_of(void *arg, struct sim_settings *out, struct err *err) {
    const struct simulation *m = arg;
    return simulate_settings_make(m->env, m->target, &m->in, out, err);
}

static int on_event(void *arg, const struct sim_event *event, struct err *err) {
    struct simulation *m = arg;
    return simulate_events_add(&m->v.events, event, err);
}

static int emulate(struct simulation *m, const struct simulation_opts *counted, struct err *err) {
    const struct options *o = &m->env->o;
    const struct emulation_opts e = {
        .counted = *counted,
        .servers = (uint32_t)(split_options(o)->simulate.servers ? split_options(o)->simulate.servers : o->spread.nodes),
        .seed = split_options(o)->seed,
        .settings = settings_of,
        .event = on_event,
        .arg = m};
    m->v.events.table = &m->target->table;
    if (!m->tried && o->out.dir && !o->out.dry_run && simulate_events_begin(&m->v.events, o->out.dir, &m->env->quota, err))
        return -1;
    return emulation_run(&e, &m->v.r, &m->v.cluster, err);
}

static int run_one(struct simulation *m, struct err *err) {
    const struct write_stream_opts w = stream_opts(m);
    const struct simulation_opts o = {.job = &m->env->job,
                                      .writes = &w,
                                      .sampled = m->sampled,
                                      .sample_rows = split_options(&m->env->o)->simulate.sample_rows,
                                      .partitions = m->target->table.partitioning.count};
    int rc = m->v.emulated ? emulate(m, &o, err) : simulation_count(&o, &m->v.r, err);
    if (m->rejects) m->v.shown.first_reject = reject_log_first(m->rejects);
    return rc || simulate_view_make(&m->v, err) ? -1 : 0;
}

/* ---- other keys ---- */

/* Repeats the simulation with this key. It shares inputs and target, and leaves a few figures. */
static int run_try(const struct simulation *of, const char *key, struct simulate_design *out, struct err *err) {
    struct simulation m = *of;
    uint32_t sampled;
    m.tried = true;
    m.v = (struct simulate_view){.o = of->v.o,
                                 .table = of->v.table,
                                 .splits = of->v.splits,
                                 .order = of->v.order,
                                 .by_timestamps = of->v.by_timestamps,
                                 .emulated = of->v.emulated};
    int rc = key_design_init(&m.design, key, split_options(of->v.o)->generate > 0, err);
    if (!rc) key_design_warn(&m.design, &of->env->reporter);
    m.has_design = true;
    if (!rc) rc = splits_parse(m.v.splits, &m.v.r.bounds, &sampled, err) || run_one(&m, err) ? -1 : 0;
    if (!rc) simulate_design_take(out, key, &m.v);
    simulate_view_free(&m.v);
    key_design_free(&m.design);
    return rc;
}

/* The others first: they leave no more than figures, so that each has all the memory. */
static int run_all(struct simulation *m, struct err *err) {
    const struct split_options *own = split_options(&m->env->o);
    const struct opt_list *tries = &own->simulate.tries;
    int rc = 0;
    for (unsigned i = 0; i < tries->n && !rc; i++) rc = run_try(m, tries->item[i], &m->v.designs[i + 1], err);
    if (!rc) rc = run_one(m, err);
    if (!rc) simulate_design_take(&m->v.designs[0], own->key, &m->v);
    m->v.n_designs = tries->n + 1;
    return input_watch_end(&m->in.watch, rc, err);
}

/* ---- reports ---- */

static void warn_of_result(struct simulation *m) {
    struct reporter *r = &m->env->reporter;
    const struct write_stream_facts *f = &m->v.r.facts;
    if (!m->v.counted.writes && !m->v.r.sample_seen) report_warn(r, WARN_NO_RECORDS, 1, "nothing is written: there are no rows");
    if (!m->v.counted.writes && m->v.r.sample_seen)
        report_warn(r, WARN_SAMPLE, 1, "all keys went into the sample; give a smaller --sample-rows");
    for (size_t i = 0; i < m->v.cluster.settings.n_ignored; i++)
        report_warn(r, WARN_NOT_EMULATED, 1, "not emulated: %s", m->v.cluster.settings.ignored[i]);
    if (f->one_moment)
        report_warn(r, WARN_ONE_TIMESTAMP, 1,
                    "all cells have the same timestamp, so their times of arrival are not known; using --interval");
    if (m->sampled && m->v.r.bounds.n + 1 < m->sampled && m->v.r.sample_seen)
        report_warn(r, WARN_SAMPLE, 1, "the sample gives bounds for %u regions only: keys repeat", m->v.r.bounds.n + 1);
}

static int write_files(struct simulation *m, struct err *err) {
    const struct options *o = &m->env->o;
    if (!o->out.dir || o->out.dry_run) return 0;
    return simulate_events_end(&m->v.events, err) || simulate_files_write(&m->v, o->out.dir, err) ? -1 : 0;
}

/* Keys that are made have no import: a plan writes their table and shows which partitioning suits them. */
static int add_plan(const struct simulation *m, struct err *err) {
    const struct options *o = &m->env->o;
    const struct split_options *own = split_options(o);
    char rows[32];
    snprintf(rows, sizeof rows, "%llu", (unsigned long long)own->generate);
    if (own->generate)
        return next_steps_add(
            m->v.shown.next, "Compare partitionings for these keys:",
            (const char *const[]){"obkv-split", "plan", "--generate", rows, "--key", own->key, "-o", "PLAN", NULL}, err);
    return next_steps_read(m->v.shown.next, "Compare partitionings for the keys as they are and for this key:",
                           (const char *const[]){"obkv-split", "plan", "--try", own->key, NULL}, o, err);
}

static int make_next(struct simulation *m, struct err *err) {
    if (!m->v.table->n_families) return 0;
    m->v.shown.next = create_sql_next(
        m->v.table, false, "The table of the simulation in OceanBase; save it as table.sql. One click selects all of it.", err);
    if (!m->v.shown.next) return -1;
    return split_options(&m->env->o)->key ? add_plan(m, err) : next_steps_import(m->v.shown.next, &m->env->o, "table.sql", err);
}

static json_t *make_json(const void *view) {
    return simulate_json_make(view);
}

static int print_text(const void *view, struct buf *out, struct err *err) {
    return simulate_text_print(view, out, err);
}

static int write_report(struct simulation *m, struct err *err) {
    int rc;
    m->v.seconds = clock_seconds_since(m->env->started);
    reporter_end_line(&m->env->reporter);
    warn_of_result(m);
    rc = report_strict(&m->env->reporter, err) || (environment_documents(m->env) && make_next(m, err)) || write_files(m, err) ? -1
                                                                                                                              : 0;
    const struct split_report report = {make_json, print_text, &m->v};
    return rc ? -1 : split_result_print(m->env, &report, err);
}

int split_simulate(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target target = {0};
    struct simulation m = {.env = env, .target = &target, .v.o = &env->o};
    if (!split_options(&env->o)->generate) env->o.in.key = split_options(&env->o)->key; /* as obkv-import has it */
    int rc = take_options(&m, err) || split_result_check(&env->o, "simulation", "simulate.json", err) ||
                     open_table(&m, intake, err) || run_all(&m, err)
                 ? -1
                 : 0;
    if (!rc) {
        intake_warn(env, intake);
        signs_warn(env, intake, &m.in);
        rc = write_report(&m, err);
    }
    if (!rc) *code = m.v.r.facts.ledger.records_rejected || m.v.r.facts.unfit ? 3 : 0;
    simulate_view_free(&m.v);
    key_design_free(&m.design);
    placement_free(m.loading);
    placement_free(m.place);
    partitioning_free(&m.one);
    input_list_free(&m.in);
    target_close(env, &target);
    return rc;
}
