/* obkv-verify target: the rows of a database against those of an export or a dataset. Prints a line for each difference, up to
 * --limit, and a summary; reports what could not be reached. */
#include "cmd/common/output_text.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/common/warnings.h"
#include "cmd/oceanbase/catalog.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/login.h"
#include "cmd/oceanbase/preflight_definition.h"
#include "cmd/oceanbase/sums_query.h"
#include "cmd/verify/target/compare.h"
#include "cmd/verify/verify.h"
#include "cmd/verify/target/target_source.h"
#include "cmd/oceanbase/connection.h"
#include "dataset/manifest_json.h"
#include "cmd/oceanbase/preflight.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS = 100, EXIT_UNREACHED = 75 };

struct target_run {
    struct environment *env;
    struct target_source source;
    const struct export_manifest *m;
    bool *wanted;         /* by family: its table exists and is as it should be */
    uint64_t definitions; /* tables that are not */
    uint64_t uncompared;  /* their rows in the export */
    uint64_t left;        /* findings still to be printed */
    bool delta;           /* only its own rows are compared */
    bool by_partition;    /* rows are where OceanBase would put them; else single rows are not looked for */
    bool gone;
};

static int print_json_line(struct target_run *r, json_t *j, struct err *err) {
    char *text = json_memory_dump(j, 0, "a line of the result", err);
    if (!text) return -1;
    struct buf line = {0};
    int rc = buf_printf(&line, err, "%s\n", text);
    if (!rc && !r->gone) rc = stdout_write(line.p, line.n, &r->gone, err);
    free(text);
    buf_free(&line);
    return rc;
}

/* ---- what compare finds ---- */

static bool is_wanted(void *arg, uint32_t family) {
    struct target_run *r = arg;
    return r->wanted[family];
}

static int files_of(void *arg, uint32_t family, uint32_t partition, const char **dir, const struct export_manifest **m,
                    struct err *err) {
    struct target_run *r = arg;
    return target_source_files(&r->source, family, partition, dir, m, err);
}

static void put_side(json_t *j, const char *bytes_name, const char *ttl_name, const struct compare_side *s) {
    json_object_set_new(j, bytes_name, json_integer((json_int_t)s->value_bytes));
    if (s->has_ttl) json_object_set_new(j, ttl_name, json_integer(s->ttl_ms));
}

static int print_finding(void *arg, const struct compare_finding *f, struct err *err) {
    struct target_run *r = arg;
    const struct family *family = &r->m->table.families[f->family];
    const char *partition = export_partition_name(r->m, f->partition);
    if (!r->left || r->gone) return 0;
    r->left--;
    json_t *j = json_pack("{s:s, s:o, s:o, s:o, s:I, s:s}", "kind", compare_kind_name(f->kind), "row", manifest_hex(f->k),
                          "family", manifest_hex(bytes_str(family->name)), "qualifier", manifest_hex(f->q), "ts",
                          (json_int_t)(0 - (uint64_t)f->t), "type", "Put");
    json_object_set_new(j, "row_text", json_plain(f->k));
    json_object_set_new(j, "column", json_plain_column(bytes_str(family->name), f->q));
    if (f->kind != COMPARE_EXTRA) put_side(j, "value_bytes_a", "ttl_ms_a", &f->a);
    if (f->kind != COMPARE_MISSING) put_side(j, "value_bytes_b", "ttl_ms_b", &f->b);
    json_object_set_new(j, "table", json_text(family->sql_table));
    if (partition) json_object_set_new(j, "partition", json_text(partition));
    return print_json_line(r, j, err);
}

static int print_partition(void *arg, const struct compare_partition *p, struct err *err) {
    struct target_run *r = arg;
    uint64_t n = p->found[COMPARE_MISSING] + p->found[COMPARE_EXTRA] + p->found[COMPARE_CHANGED] + p->found[COMPARE_LEFT];
    if (!n && p->expired + p->hidden && !p->changing) return 0;
    json_t *j = json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "kind", "partition", "table",
                          json_text(r->m->table.families[p->family].sql_table), "rows_a", (json_int_t)p->a.rows, "rows_b",
                          (json_int_t)p->b.rows, "missing", (json_int_t)p->found[COMPARE_MISSING], "extra",
                          (json_int_t)p->found[COMPARE_EXTRA], "changed", (json_int_t)p->found[COMPARE_CHANGED], "expired",
                          (json_int_t)p->expired, "hidden", (json_int_t)p->hidden);
    if (r->delta) json_object_set_new(j, "left", json_integer((json_int_t)p->found[COMPARE_LEFT]));
    if (p->name) json_object_set_new(j, "partition", json_text(p->name));
    if (p->changing) json_object_set_new(j, "changing", json_true());
    return print_json_line(r, j, err);
}

static int print_unreached(void *arg, uint32_t family, const char *partition, const char *why, struct err *err) {
    struct target_run *r = arg;
    json_t *j = json_pack("{s:s, s:o, s:o}", "kind", "unreached", "table", json_text(r->m->table.families[family].sql_table),
                          "text", json_text(why));
    if (partition) json_object_set_new(j, "partition", json_text(partition));
    return print_json_line(r, j, err);
}

static void show_progress(void *arg, uint64_t done, uint64_t of) {
    struct target_run *r = arg;
    const struct progress *p = &r->env->job.progress;
    if (p->report) p->report(p->arg, "partitions", done, of);
}

/* ---- tables ---- */

static void pass_over(struct target_run *r, uint32_t family) {
    r->wanted[family] = false;
    r->definitions++;
    for (uint32_t i = 0; i < r->m->table.partitioning.count; i++)
        if (!r->source.chosen || r->source.chosen[i]) r->uncompared += export_partition_sums(r->m, family, i).rows;
}

/* Findings that FAIL are differences; others are only printed as warnings. */
static int print_definition(struct target_run *r, uint32_t family, const struct preflight *p, struct err *err) {
    if (preflight_count(p, FINDING_FAIL)) pass_over(r, family);
    for (size_t i = 0; i < p->n; i++) {
        const struct finding *f = &p->findings[i];
        if (f->state == FINDING_WARN) report_warn(&r->env->reporter, WARN_TARGET_CHECK, 1, "%s", f->text);
        if (f->state != FINDING_FAIL) continue;
        if (print_json_line(r,
                            json_pack("{s:s, s:o, s:o}", "kind", "definition", "table",
                                      json_text(r->m->table.families[family].sql_table), "text", json_text(f->text)),
                            err))
            return -1;
    }
    return 0;
}

static int check_table(struct target_run *r, struct connection *c, const char *database, uint32_t family, struct err *err) {
    struct preflight found = {0};
    struct finding absent = {FINDING_FAIL, "table", "there is no such table"};
    const char *table = r->m->table.families[family].sql_table;
    char *ddl = NULL;
    r->wanted[family] = true;
    int rc = catalog_definition(c, database, table, &ddl, err);
    if (!rc && !ddl) rc = print_definition(r, family, &(struct preflight){.findings = &absent, .n = 1}, err);
    if (!rc && ddl) rc = preflight_definition(&found, r->m, family, ddl, connection_server(c)->is_oceanbase, err);
    if (!rc) rc = print_definition(r, family, &found, err);
    preflight_free(&found);
    free(ddl);
    return rc;
}

/* snapshot: at which moment rows are to be read. */
static int check_tables(struct target_run *r, const struct login *l, uint64_t *snapshot, struct err *err) {
    unsigned number;
    uint32_t n = r->m->table.n_families;
    struct connection *c = connection_open(l, &number, err);
    r->wanted = calloc(n ? n : 1, sizeof *r->wanted);
    int rc = !c ? -1 : r->wanted ? 0 : err_nomem(err, n, "families");
    for (uint32_t f = 0; !rc && f < n; f++) rc = check_table(r, c, l->address.database, f, err);
    if (!rc) rc = connection_snapshot(c, snapshot, err);
    if (!rc) r->by_partition = connection_server(c)->is_oceanbase || r->m->table.partitioning.kind != PARTITION_KEY;
    if (!rc && !r->by_partition && !r->delta && r->source.chosen)
        rc = err_set(err, ERR_USAGE,
                     "--partitions: this server is not OceanBase and places rows by other rules: only whole tables are compared");
    else if (!rc && !r->by_partition && !r->delta)
        report_warn(&r->env->reporter, WARN_WHOLE_TABLES_ONLY, 1,
                    "this server is not OceanBase and places rows by other rules: only whole tables are compared");
    connection_close(c);
    return rc;
}

/* ---- the end ---- */

static void note_metrics(struct target_run *r, const struct compare_result *c) {
    struct metrics *m = &r->env->metrics;
    snprintf(m->table, sizeof m->table, "%s", r->m->table.name ? r->m->table.name : "");
    snprintf(m->target, sizeof m->target, "%s", r->env->o.target.address);
    metrics_set(m, "rows_expected", "Rows of the export or dataset.", (double)c->rows_a);
    metrics_set(m, "rows_found", "Rows of the database.", (double)c->rows_b);
    metrics_set(m, "rows_missing", "Rows that the database lacks.", (double)c->found[COMPARE_MISSING]);
    metrics_set(m, "rows_extra", "Rows that only the database has.", (double)c->found[COMPARE_EXTRA]);
    metrics_set(m, "rows_changed", "Rows with another value.", (double)c->found[COMPARE_CHANGED]);
    metrics_set(m, "rows_uncompared", "Rows of tables that are missing or defined differently.", (double)r->uncompared);
    metrics_set(m, "partitions_changing", "Partitions that were written to while they were compared.", (double)c->changing);
    metrics_set(m, "partitions_unreached", "Partitions that were not compared.", (double)c->unreached);
    metrics_set(m, "definitions_different", "Tables that are missing or defined differently.", (double)r->definitions);
}

static int print_json_end(struct target_run *r, const struct compare_result *c, bool equal, struct err *err) {
    json_t *j = json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "kind", "summary", "equal", equal,
                          "partitions", (json_int_t)c->partitions, "differing", (json_int_t)c->differing, "definitions",
                          (json_int_t)r->definitions, "rows_a", (json_int_t)c->rows_a, "rows_b", (json_int_t)c->rows_b, "missing",
                          (json_int_t)c->found[COMPARE_MISSING], "extra", (json_int_t)c->found[COMPARE_EXTRA], "changed",
                          (json_int_t)c->found[COMPARE_CHANGED], "expired", (json_int_t)c->expired, "unreached",
                          (json_int_t)c->unreached, "strong", verify_options(&r->env->o)->strong);
    if (j && r->delta) json_object_set_new(j, "left", json_integer((json_int_t)c->found[COMPARE_LEFT]));
    if (j) json_object_set_new(j, "hidden", json_integer((json_int_t)c->hidden));
    if (j) json_object_set_new(j, "changing", json_integer((json_int_t)c->changing));
    if (j) json_object_set_new(j, "uncompared", json_integer((json_int_t)r->uncompared));
    return print_json_line(r, report_json_mark(&r->env->reporter, NULL, j), err);
}

static int print_line(struct target_run *r, struct buf *line, int rc, struct err *err) {
    if (!rc) rc = buf_put_byte(line, '\n', err);
    if (!rc) rc = stdout_write_text(buf_bytes(line), &r->gone, err);
    buf_free(line);
    return rc;
}

static int put_definitions(const struct target_run *r, struct buf *line, const char *before, struct err *err) {
    char tables[32], rows[32];
    const bool one = r->definitions == 1;
    if (!r->definitions) return 0;
    return buf_printf(line, err, "%s%s table%s not as in the export, so %s %s row%s %s not compared", before,
                      report_count(r->definitions, tables), one ? "" : "s", one ? "its" : "their",
                      report_count(r->uncompared, rows), r->uncompared == 1 ? "" : "s", r->uncompared == 1 ? "was" : "were");
}

/* Nothing was compared. */
static int print_definitions_end(struct target_run *r, struct err *err) {
    struct buf line = {0};
    return print_line(r, &line, put_definitions(r, &line, "different: ", err), err);
}

/* Only those rows of the target that the delta names were compared. */
static int print_delta_end(struct target_run *r, const struct compare_result *c, bool equal, struct err *err) {
    char a[32], b[32], d[32];
    uint64_t by[DELETE_TYPES], markers = export_deletes_markers(&r->m->deletes, by);
    struct buf line = {0};
    int rc = buf_printf(&line, err, "%s: %s rows of the delta in %s, %s of them in %s",
                        equal                            ? "loaded"
                        : c->differing || r->definitions ? "different"
                                                         : "unknown",
                        report_count(c->rows_a, a), r->source.dir, report_count(c->rows_b, b), r->env->o.target.address);
    if (!rc && markers && !c->found[COMPARE_LEFT] && !c->unreached)
        rc = buf_printf(&line, err, ", and no rows remain that %s markers hide", report_count(markers, a));
    if (!rc && c->differing)
        rc = buf_printf(&line, err, ": %s missing, %s changed, %s left", report_count(c->found[COMPARE_MISSING], a),
                        report_count(c->found[COMPARE_CHANGED], b), report_count(c->found[COMPARE_LEFT], d));
    if (!rc && c->unreached)
        rc = buf_printf(&line, err, "; %s partitions not compared: unreachable, try again", report_count(c->unreached, a));
    if (!rc) rc = put_definitions(r, &line, "; ", err);
    if (!rc && c->expired + c->hidden)
        rc = buf_printf(&line, err, "; %s expired and %s beyond MaxVersions are not there, which is no difference",
                        report_count(c->expired, a), report_count(c->hidden, b));
    return print_line(r, &line, rc, err);
}

static int print_end(struct target_run *r, const struct compare_result *c, bool equal, struct err *err) {
    char a[32], b[32], d[32], e[32];
    note_metrics(r, c);
    if (r->env->o.messages.quiet || r->gone) return 0;
    if (r->env->o.messages.json) return print_json_end(r, c, equal, err);
    if (r->definitions && !c->partitions && !c->unreached) return print_definitions_end(r, err);
    if (r->delta) return print_delta_end(r, c, equal, err);
    struct buf line = {0};
    int rc = buf_printf(&line, err, "%s: %s rows in %s, %s in %s, %s partition%s compared, %s of them different",
                        equal                            ? "equal"
                        : c->differing || r->definitions ? "different"
                                                         : "unknown",
                        report_count(c->rows_a, a), r->source.dir, report_count(c->rows_b, b), r->env->o.target.address,
                        report_count(c->partitions, d), c->partitions == 1 ? "" : "s", report_count(c->differing, e));
    if (!rc && c->differing && !r->by_partition)
        rc = buf_printf(&line, err, ": by their sums; single rows are not compared here");
    if (!rc && c->differing && r->by_partition)
        rc = buf_printf(&line, err, ": %s missing, %s extra, %s changed", report_count(c->found[COMPARE_MISSING], a),
                        report_count(c->found[COMPARE_EXTRA], b), report_count(c->found[COMPARE_CHANGED], d));
    if (!rc && c->changing)
        rc = buf_printf(&line, err, "; %s changed while they were compared: compare again when nothing writes to the table",
                        report_count(c->changing, a));
    if (!rc && c->unreached)
        rc = buf_printf(&line, err, "; %s not compared: unreachable, try again", report_count(c->unreached, a));
    if (!rc) rc = put_definitions(r, &line, "; ", err);
    if (!rc && c->expired)
        rc = buf_printf(&line, err, "; %s expired by TTL on one side only, which is no difference", report_count(c->expired, a));
    if (!rc && c->hidden)
        rc = buf_printf(&line, err, "; %s beyond MaxVersions in the table only, which is no difference",
                        report_count(c->hidden, a));
    return print_line(r, &line, rc, err);
}

static int compare_with_target(struct target_run *r, const struct login *l, int *code, struct err *err) {
    const struct options *o = &r->env->o;
    struct compare_result c;
    r->left = verify_options(o)->limit ? verify_options(o)->limit : FINDINGS;
    struct compare_opts co = {.login = l,
                              .m = r->m,
                              .delta = r->m->delta || verify_options(o)->delta,
                              .strong = verify_options(o)->strong,
                              .jobs = (unsigned)o->target.jobs,
                              .retries = (unsigned)o->target.retries,
                              .now_ms = r->env->job.now_ms,
                              .stop = &r->env->stop,
                              .wanted = is_wanted,
                              .chosen = r->source.chosen,
                              .files = files_of,
                              .found = print_finding,
                              .differs = print_partition,
                              .unreached = print_unreached,
                              .tick = show_progress,
                              .arg = r,
                              .limit = r->left};
    r->delta = co.delta;
    if (check_tables(r, l, &co.snapshot, err)) return -1;
    co.by_partition = r->by_partition;
    if (compare_run(&co, &c, err)) return -1;
    reporter_end_line(&r->env->reporter);
    bool differs = c.differing || r->definitions;
    *code = differs ? 1 : c.unreached ? EXIT_UNREACHED : 0;
    return print_end(r, &c, !*code, err);
}

int verify_target(struct session *s, int *code, struct err *err) {
    struct target_login l;
    struct target_run r = {.env = &s->env};
    if (s->env.o.n_inputs != 1)
        return err_set(err, ERR_USAGE, "target: expected one export or dataset, %d given", s->env.o.n_inputs);
    int rc = target_login_make(&s->env.o, &l, err);
    if (!rc) rc = target_source_open(&r.source, &s->env, s->env.o.inputs[0], err);
    r.m = target_source_manifest(&r.source);
    if (!rc) rc = compare_with_target(&r, &l.login, code, err);
    target_source_close(&r.source);
    target_login_free(&l);
    free(r.wanted);
    return rc;
}
