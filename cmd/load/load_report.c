/* Reports a load to people and pipelines: the findings of the checks, a line for each file, the summary, and the figures for
 * monitoring. */
#include "cmd/common/command_line.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/load/load_pipeline.h"
#include "cmd/load/load_report.h"
#include "cmd/load/load_run.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "cmd/common/output_text.h"
#include "cmd/oceanbase/export_deletes.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/preflight_definition.h"

#include <stdlib.h>
#include <string.h>

int load_report_checks(struct load_run *r, FILE *out, struct err *err) {
    (void)err;
    for (size_t i = 0; i < r->checks.n; i++) {
        struct finding *f = &r->checks.findings[i];
        if (!f->shown) fprintf(out, "%s  %-13s  %s\n", finding_state_name(f->state), f->name, f->text);
        f->shown = true;
    }
    if (out == stderr) (void)fflush(stderr); /* a failure cannot be reported */
    return 0;
}

static int print_statement(void *arg, struct bytes sql, struct err *err) {
    (void)arg;
    (void)err;
    text_print("%.*s;\n", (int)sql.n, (const char *)sql.p);
    return 0;
}

static int put_statements(struct load_run *r, const struct load_files_opts *o,
                          int (*put)(void *arg, struct bytes sql, struct err *err), void *arg, struct err *err) {
    return r->dataset ? load_pipeline_statements(r, o, put, arg, err) : load_files_statements(o, put, arg, err);
}

int load_report_statements(struct load_run *r, const struct load_files_opts *o, struct err *err) {
    text_print("\n");
    for (size_t i = 0; i < r->m.deletes.n; i++)
        text_print("-- %llu statements of %s;\n", (unsigned long long)r->m.deletes.files[i].statements,
                   r->m.deletes.files[i].path);
    return put_statements(r, o, print_statement, NULL, err);
}

static json_t *checks_json(const struct load_run *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->checks.n; i++) {
        const struct finding *f = &r->checks.findings[i];
        json_array_append_new(list, json_new(JSON("state", finding_state_name(f->state)), JSON("check", f->name),
                                             JSON("text", json_text(f->text))));
    }
    return list;
}

static int list_statement(void *arg, struct bytes sql, struct err *err) {
    struct buf text = {0};
    int rc = buf_copy(&text, sql, err) || buf_put_byte(&text, 0, err) ? -1 : 0;
    if (!rc) json_array_append_new(arg, json_text((const char *)text.p));
    buf_free(&text);
    return rc;
}

int load_report_dry_run_json(struct load_run *r, const struct load_files_opts *o, struct err *err) {
    json_t *statements = json_array();
    if (put_statements(r, o, list_statement, statements, err)) {
        json_decref(statements);
        return -1;
    }
    json_t *j = json_new(JSON("tool", r->env->about->name), JSON("did", "dry run"), JSON("target", r->subject),
                         JSON("checks", checks_json(r)), JSON("statements", statements));
    if (j && r->m.deletes.n) json_object_set_new(j, "deletes", export_deletes_json(&r->m.deletes, &r->m.table));
    return report_json_put(&r->env->reporter, "dry-run", j, err);
}

static const char *place_of(const struct load_run *r, const struct export_file *f) {
    const char *partition = export_partition_name(&r->m, f->partition);
    return partition ? partition : r->m.table.families[f->family].sql_table;
}

static void event_json(const struct load_run *r, const struct load_files_event *e) {
    static const char *const steps[] = {"begins", "done", "was there", "retries"};
    struct err lost = {0};
    json_t *j = json_pack("{s:s, s:o, s:o, s:I, s:f, s:o?, s:I, s:I}", "step", steps[e->step], "file", json_text(e->file->path),
                          "partition", json_text(place_of(r, e->file)), "rows", (json_int_t)e->rows, "seconds", e->seconds, "why",
                          e->text ? json_text(e->text) : NULL, "files_done", (json_int_t)r->done_files, "files",
                          (json_int_t)r->all_files);
    if (j && e->files > 1) json_object_set_new(j, "together", json_integer((json_int_t)e->files));
    if (j && e->kept) json_object_set_new(j, "kept", json_integer((json_int_t)e->kept));
    char *text = json_memory_dump(j, JSON_COMPACT, "an event", &lost);
    if (text) fprintf(stderr, "%s\n", text);
    (void)fflush(stderr); /* a failure cannot be reported */
    free(text);
}

void load_report_event(void *arg, const struct load_files_event *e) {
    struct load_run *r = arg;
    char rows[32], kept[32], others[48] = "";
    if (e->step == LOAD_FILE_DONE || e->step == LOAD_FILE_WAS_THERE) {
        r->done_files += e->files;
        r->done_bytes += e->file_bytes;
    }
    if (r->env->reporter.progress == PROGRESS_JSON) {
        event_json(r, e);
        return;
    }
    report_count(e->rows, rows);
    report_count(e->kept, kept);
    if (e->files > 1) snprintf(others, sizeof others, " and %zu others", e->files - 1);
    const char *place = e->files > 1 ? r->m.table.families[e->file->family].sql_table : place_of(r, e->file);
    switch (e->step) {
    case LOAD_FILE_BEGINS: report_note(&r->env->reporter, "%s%s: begin%s", e->file->path, others, e->files > 1 ? "" : "s"); break;
    case LOAD_FILE_DONE:
        report_note(&r->env->reporter, "%s%s: %s rows into %s in %.1f s%s%s%s (%zu of %zu files)", e->file->path, others, rows,
                    place, e->seconds, e->kept ? ", " : "", e->kept ? kept : "", e->kept ? " existed" : "", r->done_files,
                    r->all_files);
        break;
    case LOAD_FILE_WAS_THERE:
        report_say(&r->env->reporter, "%s: its %s rows were already loaded by an earlier attempt", e->file->path, rows);
        break;
    case LOAD_FILE_RETRIES: report_say(&r->env->reporter, "%s%s: trying again: %s", e->file->path, others, e->text); break;
    }
}

void load_report_tick(void *arg, uint64_t sent) {
    struct load_run *r = arg;
    const struct progress *p = &r->env->job.progress;
    uint64_t done = r->done_bytes > sent ? r->done_bytes : sent;
    load_stall_watch(r, sent);
    if (p->report) p->report(p->arg, "loading", done < r->total_bytes ? done : r->total_bytes, r->total_bytes);
}

static int end_json(struct load_run *r, bool did_something, double s, struct err *err) {
    const struct load_files_result *l = &r->result;
    json_t *j = json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:I, s:I, s:I, s:I}, s:I, s:I, s:I, s:f}", "tool", r->env->about->name,
                          "did", did_something ? "loaded" : "nothing", "target", r->subject, "export", json_text(r->dir),
                          "checks", checks_json(r), "files", "count", (json_int_t)r->all_files, "loaded", (json_int_t)l->files,
                          "found", (json_int_t)l->files_found, "before", (json_int_t)l->files_before, "rows", (json_int_t)l->rows,
                          "bytes", (json_int_t)l->bytes, "retries", (json_int_t)l->retries, "seconds", s);
    if (j) json_object_set_new(j, "rows_kept", json_integer((json_int_t)l->kept));
    if (j && r->dataset && did_something) json_object_set_new(j, "proven", json_boolean(r->result.is_proven));
    if (j && r->m.deletes.n)
        json_put(
            j, JSON("deletes", json_new(JSON("files", r->m.deletes.n), JSON("run", l->delete_files), JSON("rows", l->deleted))));
    return report_json_put(&r->env->reporter, NULL, j, err);
}

/* The command that proves the load. It has the options that name database and user, as they were given: it runs as it stands. */
static int print_proof(const struct load_run *r, struct err *err) {
    const struct target_options *t = &r->env->o.target;
    const struct {
        const char *option, *value, *by_default;
    } login[] = {{"--target", r->subject, NULL}, {"--user", t->user, "root"},   {"--password-file", t->password_file, NULL},
                 {"--tls", t->tls, "off"},       {"--tls-ca", t->tls_ca, NULL}, {"--tls-cert", t->tls_cert, NULL},
                 {"--tls-key", t->tls_key, NULL}};
    struct buf words = {0};
    int rc = command_line_word(&words, r->dir, err);
    for (unsigned i = 0; !rc && i < countof(login); i++) {
        if (!login[i].value || (login[i].by_default && !strcmp(login[i].value, login[i].by_default))) continue;
        rc = buf_printf(&words, err, " %s ", login[i].option) || command_line_word(&words, login[i].value, err) ? -1 : 0;
    }
    if (!rc) text_print("  proof     obkv-verify target %.*s\n", (int)words.n, (const char *)words.p);
    buf_free(&words);
    return rc;
}

int load_report_end(struct load_run *r, bool did_something, struct err *err) {
    const struct load_files_result *l = &r->result;
    double s = clock_seconds_since(r->env->started);
    char a[32], b[32], c[32], d[32];
    if (environment_documents(r->env) && end_json(r, did_something, s, err)) return -1;
    if (r->env->o.messages.json || r->env->o.messages.quiet) return 0;
    if (!did_something) {
        if (!r->m.n_files && !r->m.deletes.n)
            text_print("nothing to do: %s holds no rows\n", r->dir);
        else
            text_print("nothing to do: all %s files of %s are in %s\n", report_count(r->all_files, a), r->dir, r->subject);
        return 0;
    }
    text_print("loaded %s into %s\n", r->dir, r->subject);
    if (l->delete_files)
        text_print("  deleted   %s rows by %s file%s of statements\n", report_count(l->deleted, a),
                   report_count(l->delete_files, b), l->delete_files == 1 ? "" : "s");
    text_print("  files     %s loaded", report_count(l->files, a));
    if (l->files_found) text_print("  %s found loaded", report_count(l->files_found, a));
    if (l->files_before) text_print("  %s loaded before", report_count(l->files_before, a));
    text_print("\n  rows      %s in %.1f s, %s a second\n", report_count(l->rows, a), s,
               report_count((uint64_t)((double)l->rows / (s > 0.001 ? s : 0.001)), b));
    if (l->kept) text_print("  kept      %s rows that existed, as they were\n", report_count(l->kept, a));
    text_print("  bytes     %s", report_bytes(l->bytes, c));
    if (l->retries) text_print("  retries %s", report_count(l->retries, d));
    text_print("\n");
    if (!r->result.is_proven) return print_proof(r, err);
    text_print("  proof     the target holds these rows and no others, by the sums of keys and values of each partition\n");
    return 0;
}

/* ---- metrics ---- */

void load_report_metrics(struct load_run *r) {
    struct metrics *m = &r->env->metrics;
    const struct load_files_result *l = &r->result;
    snprintf(m->table, sizeof m->table, "%s", r->m.table.name ? r->m.table.name : "");
    snprintf(m->target, sizeof m->target, "%s", r->subject);
    metrics_set(m, "files", "Files of the export.", (double)r->all_files);
    metrics_set(m, "files_done", "Files that are in the target.", (double)r->done_files);
    metrics_set(m, "rows", "Rows the last run loaded.", (double)l->rows);
    metrics_set(m, "rows_kept", "Rows of the last run that existed and stay as they were.", (double)l->kept);
    metrics_set(m, "rows_deleted", "Rows the last run deleted.", (double)l->deleted);
    metrics_set(m, "bytes", "Bytes of files the last run loaded.", (double)l->bytes);
    metrics_set(m, "retries", "Attempts of the last run that failed and were repeated.", (double)l->retries);
}
