/* One load: paths and options, the checks in the target, missing tables, the journal, then the files. A run whose journal says
 * that all is in changes nothing. --from-target only writes table definitions. */
#include "cmd/common/warnings.h"
#include "cmd/load/load_choice.h"
#include "cmd/load/load_dataset.h"
#include "cmd/load/load_external.h"
#include "cmd/load/load_history.h"
#include "cmd/load/load_pipeline.h"
#include "cmd/load/load_report.h"
#include "cmd/load/load_run.h"
#include "cmd/load/load_verify.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "cmd/common/opt_given.h"
#include "cmd/common/output_text.h"
#include "cmd/oceanbase/catalog.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/login.h"
#include "cmd/oceanbase/preflight_definition.h"
#include "cmd/oceanbase/server_size.h"
#include "cmd/oceanbase/sums_query.h"
#include "dataset/dataset_open.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

/* One statement; an existing table is left alone, it was checked before. */
static int run_one(struct load_run *r, struct connection *c, struct bytes sql, const char *table, struct err *err) {
    char *there = NULL, *text = strndup((const char *)sql.p, sql.n);
    int rc = text ? 0 : err_nomem(err, sql.n, "a statement");
    if (!rc && table) rc = catalog_definition(c, r->login.login.address.database, table, &there, err);
    if (!rc && !there) rc = connection_run(c, text, NULL, err);
    if (!rc && !there && table) report_say(&r->env->reporter, "created table %s", table);
    free(there);
    free(text);
    return rc;
}

static int load_create(struct load_run *r, struct connection *c, struct err *err) {
    struct create_sql create;
    int rc = create_sql_make(&create, &r->m.table, err);
    for (size_t i = 0; !rc && i < create.n; i++) rc = run_one(r, c, create_sql_statement(&create, i), create.list[i].table, err);
    create_sql_free(&create);
    return rc;
}

static int load_from_target(struct environment *env, const struct target_login *l, struct err *err) {
    struct buf text = {0};
    unsigned number;
    struct connection *c = connection_open(&l->login, &number, err);
    int rc = c ? catalog_dump(c, l->login.address.database, load_options(&env->o)->from_target, &text, err) : -1;
    bool gone = false;
    if (!rc) rc = stdout_write_data(buf_bytes(&text), &gone, err);
    connection_close(c);
    buf_free(&text);
    return rc;
}

/* ---- the load ---- */

/* One journal for each target, in a directory beside the data. */
static int take_journal_path(struct load_run *r, struct err *err) {
    const struct address *a = &r->login.login.address;
    snprintf(r->subject, sizeof r->subject, strchr(a->host, ':') ? "[%s]:%u/%s" : "%s:%u/%s", a->host, a->port, a->database);
    if (load_options(&r->env->o)->journal) {
        r->journal_path = strdup(load_options(&r->env->o)->journal);
        return r->journal_path ? 0 : err_nomem(err, 0, "a path");
    }
    struct buf name = {0};
    char *directory = fs_join(r->dir, "_load", err);
    if (directory && !load_journal_name(r, &name, err)) r->journal_path = fs_join(directory, (char *)name.p, err);
    buf_free(&name);
    free(directory);
    return r->journal_path ? 0 : -1;
}

static int take_ways(struct load_run *r, struct connection *c, struct err *err) {
    const struct server_kind *server = connection_server(c);
    const struct options *o = &r->env->o;
    r->target = r->m.target;
    r->target.version = server->is_oceanbase ? server->version : LOAD_VERSION(4, 0, 0, 0);
    r->target.parallel = (unsigned)o->target.jobs;
    if (r->on_duplicate >= 0) r->target.on_duplicate = (enum on_duplicate)r->on_duplicate;
    return opt_given(o, "jobs") ? 0 : server_parallel(c, r->target.parallel, &r->target.parallel, err);
}

/* Sums of partitions, which show what an interrupted load has left, mean nothing where rows are deleted. */
static int check_ways(const struct load_run *r, struct err *err) {
    if ((!r->m.deletes.n && !(r->dataset && r->m.delta)) || r->target.on_duplicate != ON_DUPLICATE_ERROR) return 0;
    return err_set(err, ERR_USAGE,
                   "--on-duplicate error: a delta with deletes changes rows that exist; give replace or "
                   "ignore");
}

static int parse_via(const char *name, enum load_via *via, struct err *err) {
    *via = !strcmp(name, "server") ? VIA_SERVER : !strcmp(name, "local") ? VIA_LOCAL : VIA_AUTO;
    return *via != VIA_AUTO || !strcmp(name, "auto")
               ? 0
               : err_set(err, ERR_USAGE, "--via '%s': expected server, local or auto", name);
}

/* Counts checks that warn as warnings, so that --strict loads nothing. The findings have been printed; those of a second look,
 * once tables are made, are not counted again. */
static int warn_of_checks(struct load_run *r, size_t warned, struct err *err) {
    char names[200] = "";
    const char *last = "";
    size_t n = 0;
    for (size_t i = 0; i < r->checks.n && n < sizeof names - 40; i++) {
        const struct finding *f = &r->checks.findings[i];
        if (f->state != FINDING_WARN || !strcmp(f->name, last)) continue;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", f->name);
        last = f->name;
    }
    if (warned > r->warned_checks)
        report_warn(&r->env->reporter, WARN_TARGET_CHECK, warned - r->warned_checks, "%zu of %zu checks of the target warn: %s",
                    warned, r->checks.n, names);
    r->warned_checks = warned;
    return r->env->o.out.dry_run ? 0 : report_strict(&r->env->reporter, err);
}

/* Checks once more, after tables were made: what was printed by the first look is not printed again. */
static int look(struct load_run *r, struct connection *c, const struct preflight_opts *o, struct err *err) {
    struct preflight before = r->checks;
    r->checks = (struct preflight){0};
    int rc = preflight_run(c, o, &r->checks, err);
    for (size_t i = 0; !rc && i < r->checks.n; i++)
        for (size_t k = 0; k < before.n; k++)
            if (!strcmp(r->checks.findings[i].text, before.findings[k].text))
                r->checks.findings[i].shown |= before.findings[k].shown;
    preflight_free(&before);
    return rc;
}

/* Table of findings; a FAIL ends the run. */
static int preflight(struct load_run *r, struct connection *c, const struct load_journal *j, struct err *err) {
    struct preflight_opts o = {.login = &r->login.login,
                               .m = &r->m,
                               .dir = r->dataset ? r->dataset->temp : r->dir,
                               .server_dir = r->dataset ? r->dataset->server_temp : r->server_dir,
                               .made = r->dataset ? &r->dataset->made : NULL,
                               .server_dir_given = load_options(&r->env->o)->server_dir,
                               .target = r->target,
                               .via = r->via,
                               .journal = j,
                               .stop = &r->env->stop,
                               .create = load_options(&r->env->o)->create};
    if (look(r, c, &o, err)) return -1;
    size_t failed = preflight_count(&r->checks, FINDING_FAIL), warned = preflight_count(&r->checks, FINDING_WARN);
    bool shown = r->env->o.out.dry_run && !r->env->o.messages.json;
    if (shown || failed || (warned && !r->env->o.messages.quiet) || r->env->o.messages.verbose)
        (void)load_report_checks(r, shown ? stdout : stderr, err);
    if (!failed) return warn_of_checks(r, warned, err);
    return err_set(err, r->checks.damaged ? ERR_INPUT : ERR_USAGE, "%zu of %zu checks failed: nothing was loaded", failed,
                   r->checks.n);
}

/* Partitions of a table that hold rows before the first load: what is loaded later is found by these sums. n: the files from the
 * first on that are of its family. */
static int note_base(struct load_run *r, struct connection *c, struct load_journal *j, const struct export_file *first, size_t n,
                     struct err *err) {
    const char **names = calloc(n, sizeof *names);
    struct cell_sums *sums = calloc(n, sizeof *sums);
    struct sums_places p = {.table = r->m.table.families[first->family].sql_table,
                            .partitions = names,
                            .opts = {.ttl_column = export_sums_opts(&r->m, first->family).ttl_column}};
    int rc = names && sums ? 0 : err_nomem(err, n * sizeof *sums, "sums");
    for (size_t i = 0; !rc && i < n; i++)
        if (!i || first[i].partition != first[i - 1].partition) names[p.n++] = export_partition_name(&r->m, first[i].partition);
    if (!rc) rc = sums_query_each(c, &p, sums, err);
    for (size_t i = 0; !rc && i < p.n; i++)
        if (sums[i].rows) rc = journal_put_base(j, p.table, names[i], &sums[i], err);
    free(names);
    free(sums);
    return rc;
}

static int note_bases(struct load_run *r, struct connection *c, struct load_journal *j, struct err *err) {
    int rc = 0;
    for (size_t i = 0, n; !rc && i < r->m.n_files; i += n) {
        for (n = 1; i + n < r->m.n_files && r->m.files[i + n].family == r->m.files[i].family; n++) {
        }
        rc = stop_check(&r->env->stop, err) || note_base(r, c, j, &r->m.files[i], n, err) ? -1 : 0;
    }
    return rc;
}

static int open_journal(struct load_run *r, struct connection *c, struct load_journal **j, struct err *err) {
    bool found;
    struct journal_subject subject = {r->subject, r->export_sum, r->dataset ? r->dataset->job.now_ms : 0};
    char *directory = load_options(&r->env->o)->journal ? NULL : fs_join(r->dir, "_load", err);
    int rc = load_options(&r->env->o)->journal || (directory && !fs_mkdirs(directory, err))
                 ? 0
                 : err_prefix(err, "the journal (choose its place with --journal FILE)");
    free(directory);
    if (rc) return -1;
    if (journal_open(r->journal_path, &subject, load_options(&r->env->o)->restart, j, &found, err)) return -1;
    return found || !r->checks.has_rows || r->target.on_duplicate != ON_DUPLICATE_ERROR ? 0 : note_bases(r, c, *j, err);
}

static struct load_files_opts load_files_opts_of(struct load_run *r, const struct server_kind *server) {
    return (struct load_files_opts){.login = &r->login.login,
                                    .m = &r->m,
                                    .dir = r->dir,
                                    .server_dir = r->server_dir,
                                    .local = r->checks.local,
                                    .external = r->checks.makes_tables,
                                    .target = r->target,
                                    .is_oceanbase = server->is_oceanbase,
                                    .jobs = (unsigned)r->env->o.target.jobs,
                                    .retries = (unsigned)r->env->o.target.retries,
                                    .stop = &r->env->stop,
                                    .event = load_report_event,
                                    .tick = load_report_tick,
                                    .arg = r};
}

static bool all_done(struct load_run *r, const struct load_journal *j) {
    r->all_files = r->m.n_files;
    for (size_t i = 0; i < r->m.n_files; i++) {
        const struct export_file *f = &r->m.files[i];
        bool done = journal_state_of(j, f->path, f->checksum) == JOURNAL_DONE;
        r->done_files += done;
        r->total_bytes += f->file_bytes;
        if (done) r->done_bytes += f->file_bytes;
    }
    bool deleted = true;
    for (size_t i = 0; i < r->m.deletes.n; i++) {
        const struct export_delete_file *f = &r->m.deletes.files[i];
        deleted = deleted && journal_state_of(j, f->path, f->checksum) == JOURNAL_DONE;
    }
    return deleted && r->done_files == r->m.n_files;
}

/* A server may refuse it whatever is granted. */
static int try_external(struct load_run *r, struct connection *c, struct load_files_opts *o, struct err *err) {
    char why[500];
    if (load_external_try(c, o, &o->external, why, err)) return -1;
    if (*why) report_say(&r->env->reporter, "no external table, so LOAD DATA loads what takes no direct load: %s", why);
    return 0;
}

/* Adds up what was proven batch by batch, by this run and those before: is it all of the table? */
static int prove_whole(struct load_run *r, struct connection *c, const struct load_files_opts *o, size_t before,
                       struct err *err) {
    const bool whole = o->is_oceanbase && !r->m.delta && !load_options(&r->env->o)->partitions.n;
    r->result.is_proven = whole && before + r->result.proven == r->m.n_files;
    return r->result.is_proven ? load_verify_rest_is_empty(o, c, &r->result.is_proven, err) : 0;
}

static int run_dataset(struct load_run *r, struct connection *c, const struct load_files_opts *o, struct err *err) {
    size_t before = 0;
    for (size_t i = 0; i < r->m.n_files; i++) {
        const struct export_file *f = &r->m.files[i];
        if (journal_state_of(o->journal, f->path, f->checksum) != JOURNAL_DONE) continue;
        const int was = load_verify_was_proven(o, f, err);
        if (was < 0) return -1;
        before += (size_t)was;
    }
    return load_dataset_plan(r, o->journal, connection_server(c), err) || load_pipeline_run(r, o, err) ||
                   prove_whole(r, c, o, before, err)
               ? -1
               : 0;
}

static int load_all(struct load_run *r, struct connection *c, const struct server_kind *server, struct err *err) {
    struct load_journal *j = NULL;
    const bool begins = r->checks.missing_tables || (!r->m.delta && !r->checks.has_rows);
    int rc = r->checks.missing_tables ? load_create(r, c, err) : 0;
    if (!rc && r->checks.missing_tables) rc = preflight(r, c, NULL, err);
    struct load_files_opts o = load_files_opts_of(r, server);
    if (!rc && o.external) rc = try_external(r, c, &o, err);
    if (!rc) rc = open_journal(r, c, &j, err);
    o.journal = j;
    if (!rc) rc = load_history_begin(r, c, begins, err);
    if (!rc && r->dataset)
        rc = run_dataset(r, c, &o, err);
    else if (!rc)
        rc = load_deletes_run(&o, &r->result, err) || load_files_run(&o, &r->result, err) ? -1 : 0;
    journal_close(j);
    return rc ? rc : load_report_end(r, true, err);
}

/* Refuses to continue with replace what was loaded with ignore: existing rows were kept, and would not be replaced. */
static int check_kept(const struct load_run *r, const struct load_journal *j, struct err *err) {
    size_t n = journal_count_kept(j);
    if (!n || r->target.on_duplicate != ON_DUPLICATE_REPLACE) return 0;
    return err_set(err, ERR_USAGE,
                   "%zu file%s loaded with --on-duplicate ignore according to the journal, and rows that existed were kept; give "
                   "--restart to load all files with replace, or ignore again",
                   n, n == 1 ? " was" : "s were");
}

/* An export is all at hand. */
static int begin_dataset(struct load_run *r, const struct load_journal *j, const struct server_kind *server, struct err *err) {
    if (!r->dataset) return 0;
    return load_dataset_begin(r, j, err) || load_dataset_plan(r, j, server, err) ? -1 : 0;
}

static int run_connected(struct load_run *r, struct connection *c, struct err *err) {
    const struct server_kind *server = connection_server(c);
    struct load_journal *j = NULL;
    struct journal_subject subject = {.target = r->subject, .export_sum = r->export_sum};
    if (take_ways(r, c, err) || check_ways(r, err)) return -1;
    if (!load_options(&r->env->o)->restart && journal_read(r->journal_path, &subject, &j, err)) return -1;
    int rc = check_kept(r, j, err) || begin_dataset(r, j, server, err) || preflight(r, c, j, err) ? -1 : 0;
    bool done = !rc && all_done(r, j) && !r->checks.missing_tables;
    if (!rc && !done) rc = load_history_check(r, c, err);
    journal_close(j);
    if (rc) return rc;
    struct load_files_opts o = load_files_opts_of(r, server);
    if (r->env->o.out.dry_run)
        return r->env->o.messages.json ? load_report_dry_run_json(r, &o, err) : load_report_statements(r, &o, err);
    r->result.files_before = r->done_files;
    return done ? load_report_end(r, false, err) : load_all(r, c, server, err);
}

static int run_load(struct load_run *r, struct err *err) {
    unsigned number;
    if (load_choice_open(r, err) || take_journal_path(r, err)) return -1;
    struct connection *c = connection_open(&r->login.login, &number, err);
    int rc = c ? run_connected(r, c, err) : -1;
    connection_close(c);
    load_report_metrics(r);
    return err->code ? -1 : rc;
}

static int take_options(struct load_run *r, struct err *err) {
    const struct options *o = &r->env->o;
    if (load_options(o)->from_target &&
        (o->n_inputs || load_options(o)->create || o->out.dry_run || load_options(o)->restart || load_options(o)->journal ||
         load_options(o)->server_dir || load_options(o)->partitions.n))
        return err_set(err, ERR_USAGE, "--from-target loads nothing; give no export and no options of a load");
    if (load_options(o)->server_dir && load_options(o)->server_dir[0] != '/')
        return err_set(err, ERR_USAGE, "--server-dir '%s': expected an absolute path, as the server sees it",
                       load_options(o)->server_dir);
    r->on_duplicate = load_options(o)->on_duplicate ? on_duplicate_parse(load_options(o)->on_duplicate) : -1;
    if (load_options(o)->on_duplicate && r->on_duplicate < 0)
        return err_set(err, ERR_USAGE, "--on-duplicate '%s': expected error, ignore or replace", load_options(o)->on_duplicate);
    return parse_via(load_options(o)->via, &r->via, err);
}

int load_run(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct load_run r = {.env = env};
    (void)intake;
    *code = 0;
    int rc = take_options(&r, err) || target_login_make(&env->o, &r.login, err) ? -1 : 0;
    if (!rc) rc = load_options(&env->o)->from_target ? load_from_target(env, &r.login, err) : run_load(&r, err);
    preflight_free(&r.checks);
    load_dataset_free(r.dataset);
    export_manifest_free(&r.m);
    target_login_free(&r.login);
    free(r.dir);
    free(r.server_dir);
    free(r.journal_path);
    return rc;
}
