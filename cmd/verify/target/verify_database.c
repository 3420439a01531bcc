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
#include "cmd/verify/target/target_print.h"
#include "cmd/verify/target/target_source.h"
#include "cmd/oceanbase/connection.h"
#include "dataset/manifest_json.h"
#include "cmd/oceanbase/preflight.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_UNREACHED = 75 };

struct target_run {
    struct environment *env;
    struct target_source source;
    const struct export_manifest *m;
    bool *wanted; /* by family: its table exists and is as it should be */
    struct target_printer print;
};

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

static int print_row(void *arg, const struct compare_finding *f, struct err *err) {
    struct target_run *r = arg;
    return target_print_row(&r->print, f, err);
}

static int print_partition(void *arg, const struct compare_partition *p, struct err *err) {
    struct target_run *r = arg;
    return target_print_partition(&r->print, p, err);
}

static int note_compared(void *arg, const struct compare_partition *p, struct err *err) {
    struct target_run *r = arg;
    return target_print_compared(&r->print, p, err);
}

static int print_unreached(void *arg, uint32_t family, const char *partition, const char *why, struct err *err) {
    struct target_run *r = arg;
    return target_print_unreached(&r->print, family, partition, why, err);
}

static void show_progress(void *arg, uint64_t done, uint64_t of) {
    struct target_run *r = arg;
    const struct progress *p = &r->env->job.progress;
    if (p->report) p->report(p->arg, "partitions", done, of);
}

/* ---- tables ---- */

static void pass_over(struct target_run *r, uint32_t family) {
    r->wanted[family] = false;
    r->print.definitions++;
    for (uint32_t i = 0; i < r->m->table.partitioning.count; i++)
        if (!r->source.chosen || r->source.chosen[i]) r->print.uncompared += export_partition_sums(r->m, family, i).rows;
}

/* Findings that FAIL are differences; others are only printed as warnings. */
static int print_definition(struct target_run *r, uint32_t family, const struct preflight *p, struct err *err) {
    if (preflight_count(p, FINDING_FAIL)) pass_over(r, family);
    for (size_t i = 0; i < p->n; i++) {
        const struct finding *f = &p->findings[i];
        if (f->state == FINDING_WARN) report_warn(&r->env->reporter, WARN_TARGET_CHECK, 1, "%s", f->text);
        if (f->state != FINDING_FAIL) continue;
        if (target_print_definition(&r->print, family, f->text, err)) return -1;
    }
    return 0;
}

static int check_table(struct target_run *r, struct connection *c, const char *database, uint32_t family, struct err *err) {
    struct preflight found = {0};
    struct finding absent = {.state = FINDING_FAIL, .name = "table", .text = "there is no such table"};
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
    if (!rc) r->print.by_partition = connection_server(c)->is_oceanbase || r->m->table.partitioning.kind != PARTITION_KEY;
    if (!rc && !r->print.by_partition && !r->print.delta && r->source.chosen)
        rc = err_set(err, ERR_USAGE,
                     "--partitions: this server is not OceanBase and places rows by other rules: only whole tables are compared");
    else if (!rc && !r->print.by_partition && !r->print.delta)
        report_warn(&r->env->reporter, WARN_WHOLE_TABLES_ONLY, 1,
                    "this server is not OceanBase and places rows by other rules: only whole tables are compared");
    connection_close(c);
    return rc;
}

static int compare_with_target(struct target_run *r, const struct login *l, int *code, struct err *err) {
    const struct options *o = &r->env->o;
    struct compare_result c;
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
                              .found = print_row,
                              .differs = print_partition,
                              .compared = environment_documents(r->env) ? note_compared : NULL,
                              .unreached = print_unreached,
                              .tick = show_progress,
                              .arg = r,
                              .limit = r->print.limit};
    r->print.delta = co.delta;
    if (check_tables(r, l, &co.snapshot, err)) return -1;
    co.by_partition = r->print.by_partition;
    if (compare_run(&co, &c, err)) return -1;
    reporter_end_line(&r->env->reporter);
    bool differs = c.differing || r->print.definitions;
    *code = differs ? 1 : c.unreached ? EXIT_UNREACHED : 0;
    return target_print_end(&r->print, &c, !*code, err);
}

int verify_target(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct target_login l;
    struct target_run r = {.env = env};
    (void)intake;
    if (env->o.n_inputs != 1) return err_set(err, ERR_USAGE, "target: expected one export or dataset, %d given", env->o.n_inputs);
    int rc = target_login_make(&env->o, &l, err);
    if (!rc) rc = target_source_open(&r.source, env, env->o.inputs[0], err);
    r.m = r.print.m = target_source_manifest(&r.source);
    r.print.dir = r.source.dir;
    if (!rc) rc = target_print_begin(&r.print, env, err);
    if (!rc) rc = compare_with_target(&r, &l.login, code, err);
    target_source_close(&r.source);
    target_login_free(&l);
    free(r.wanted);
    target_print_free(&r.print);
    return rc;
}
