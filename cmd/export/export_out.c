/* The output directory of an export: is this very export there already? Else it is opened and locked. After the run:
 * statements, manifest, publication. Relies on dataset/outdir.h, like a run that writes a dataset. */

#include "base/json.h"
#include "base/fs.h"
#include "base/remote.h"
#include "base/instream.h"
#include "base/plain.h"
#include "cmd/common/opt_bytes.h"
#include "cmd/common/selection_options.h"
#include "cmd/common/output.h"
#include "cmd/common/warnings.h"
#include "cmd/export/export_choice.h"
#include "cmd/export/export_out.h"
#include "cmd/export/export_sql.h"
#include "cmd/text/export_probe.h"
#include "cmd/oceanbase/create_sql.h"
#include "dataset/manifest_table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that an export may consist of. */
static const char *const parts[] = {"data",
                                    "big",
                                    EXPORT_DELETES_DIR,
                                    "create.sql",
                                    "load.sql",
                                    "check.sql",
                                    "probe.kqvt",
                                    "MANIFEST.b2sums",
                                    "MANIFEST.b2sums.minisig"};

static bool is_load(const struct export_task *e) {
    return !e->o.form->put;
}

/* The values of options, and what is made of the others. */
static json_t *make_settings(const struct export_task *e) {
    json_t *j = json_new(JSON("command", "export"), JSON("format", e->o.form->name),
                         JSON("on_duplicate", on_duplicate_name(e->made.target.on_duplicate)),
                         JSON("table", manifest_table_json(&e->made.table)));
    if (!j) return NULL;
    opt_bytes_put(j, &e->env->o, e->env->o.groups);
    if (e->made.delta) json_object_set_new(j, "delta", json_true());
    if (e->o.selection) json_object_set_new(j, "selection", selection_options_json(&e->env->o.selection));
    if (e->asked->partitions.n) json_object_set_new(j, "partitions", export_partitions_json(e->asked));
    return j;
}

/* ---- what the directory already holds ---- */

static int check_export_file(const char *dir, const char *name, uint64_t bytes, struct err *err) {
    struct stat st;
    char *path = fs_join(dir, name, err);
    if (!path) return -1;
    int rc = stat(path, &st) ? err_sys(err, ERR_INPUT, errno, "%s: listed in the manifest", path) : 0;
    if (!rc && (uint64_t)st.st_size != bytes)
        rc = err_set(err, ERR_INPUT, "%s: %lld bytes, the manifest says %llu", path, (long long)st.st_size,
                     (unsigned long long)bytes);
    free(path);
    return rc;
}

static int check_files(const char *dir, const struct export_manifest *m, struct err *err) {
    for (size_t i = 0; i < m->n_files; i++)
        if (check_export_file(dir, m->files[i].path, m->files[i].file_bytes, err)) return -1;
    for (size_t i = 0; i < m->deletes.n; i++)
        if (check_export_file(dir, m->deletes.files[i].path, m->deletes.files[i].file_bytes, err)) return -1;
    return 0;
}

static bool same_run(const struct export_task *e, const struct export_manifest *m, const char **what) {
    *what = "settings";
    if (!json_equal(e->made.settings, m->settings)) return false;
    *what = "cells";
    return m->dataset.cells.cells == e->made.dataset.cells.cells &&
           digest_eq(m->dataset.cells.digest, e->made.dataset.cells.digest);
}

static int is_signed(const struct export_task *e, const struct export_manifest *old, const char **what, struct err *err) {
    const struct signed_list files = export_signed_list(old);
    *what = "signature";
    return signature_is_by(&e->env->sign_key, e->env->o.out.dir, &files, &e->env->job, err);
}

static int check_finished(struct export_task *e, bool *done, int *code, struct err *err) {
    struct export_manifest old;
    struct err damage = {0};
    const char *what = "cells", *out = e->env->o.out.dir;
    int is = export_is(out, err);
    if (is < 0) return err_prefix(err, "%s cannot be replaced", out);
    if (!is) return err_set(err, ERR_USAGE, "%s holds a dataset, not an export; choose another output directory", out);
    if (export_manifest_load(out, &old, err)) return err_prefix(err, "%s cannot be replaced", out);
    bool whole = !check_files(out, &old, &damage);
    *done = whole && same_run(e, &old, &what);
    int signed_so = *done && e->env->o.trust.sign_key ? is_signed(e, &old, &what, err) : 1;
    if (signed_so != 1) *done = false;
    *code = old.ledger.records_rejected ? 3 : 0;
    int rc = signed_so < 0 ? -1 : *done ? report_strict_earlier(&e->env->reporter, out, old.warnings, err) : 0;
    if (!rc && *done) report_say(&e->env->reporter, "%s was finished with the same settings and cells; nothing to do", out);
    if (!rc && !*done && !e->env->o.out.overwrite)
        rc = whole ? output_refuse_finished(e->env, what, old.settings, e->made.settings, err)
                   : err_set(err, ERR_INPUT, "%s holds a damaged export (%s); give --overwrite to replace it", out, damage.text);
    export_manifest_free(&old);
    return rc;
}

static const char *report_dir(void *arg, struct err *err) {
    struct output *output = arg;
    if (output->out_open) return outdir_need_report(&output->out, err) ? NULL : output->out.report;
    err_set(err, ERR_REJECTS, "a cell does not fit the table; with -o DIR the report says which");
    return NULL;
}

static int find_server_dir(struct export_task *e, struct err *err) {
    const char *given = e->asked->server_dir;
    const bool away = remote_name(e->env->o.out.dir);
    if (away && !given && is_load(e))
        return err_set(err, ERR_USAGE, "%s is on a server: give --server-dir, the path by which the database reads it",
                       e->env->o.out.dir);
    char *real = given || away ? NULL : realpath(e->env->o.out.dir, NULL);
    e->made.server_dir = fs_printf(err, "%s", given ? given : away ? "" : real ? real : e->env->o.out.dir);
    free(real);
    if (!e->made.server_dir) return -1;
    if (is_load(e) && (e->made.server_dir[0] != '/' || strpbrk(e->made.server_dir, ",*?[") ||
                       plain_find_control(bytes_str(e->made.server_dir))))
        return err_set(err, ERR_USAGE,
                       "%s: LOAD DATA needs an absolute path without control characters, and treats commas, *, ? and [ as a "
                       "list or pattern; give --server-dir, or another output directory",
                       e->made.server_dir);
    return 0;
}

int export_open(struct export_task *e, bool *done, int *code, struct err *err) {
    struct environment *env = e->env;
    enum outdir_state state;
    *done = false;
    if (!env->o.out.dir || !env->o.out.dir[0])
        return err_set(err, ERR_USAGE,
                       "no output given; give -o DIR, or -o - for "
                       "standard output");
    if (!env->o.write.target_file_size) return err_set(err, ERR_USAGE, "--target-file-size must not be 0");
    if (!(e->o.rejects = reject_log_new(e->o.reject_limit, report_dir, e->output, err))) return -1;
    if (!strcmp(env->o.out.dir, "-")) return 0;
    e->made.settings = make_settings(e);
    if (!e->made.settings) return err_set(err, ERR_USAGE, "options must be valid UTF-8");
    if (outdir_look(env->o.out.dir, &state, err)) return -1;
    if (state == OUTDIR_FINISHED && check_finished(e, done, code, err)) return -1;
    if (*done || env->o.out.dry_run) return 0;
    if (output_begin(env, e->output, state, err)) return -1;
    return find_server_dir(e, err);
}

/* ---- publication ---- */

static int copy_statements(struct export_task *e, const char *name, struct outfile *to, struct err *err) {
    enum { WINDOW_BYTES = 1 << 20 };
    char *path = fs_join(e->output->out.tmp, name, err);
    struct instream *in = path ? instream_open(path, &e->env->stop, WINDOW_BYTES, err) : NULL;
    struct buf text = {0};
    ssize_t n = in && !buf_reserve(&text, WINDOW_BYTES, err) ? 1 : -1;
    while (n > 0 && (n = instream_read(in, text.p, WINDOW_BYTES, err)) > 0)
        if (outfile_write(to, text.p, (size_t)n, err)) n = -1;
    instream_close(in);
    buf_free(&text);
    free(path);
    return n < 0 ? -1 : 0;
}

/* after: NULL, or what follows the statements that delete. */
static int write_file(struct export_task *e, const char *name, const struct buf *text, const struct buf *after, struct err *err) {
    char *path = fs_join(e->output->out.tmp, name, err), sum[17];
    struct outfile *f = path ? outfile_create(path, &e->env->quota, err) : NULL;
    int rc = f ? outfile_write(f, text->p, text->n, err) : -1;
    for (size_t i = 0; !rc && after && i < e->made.deletes.n; i++) rc = copy_statements(e, e->made.deletes.files[i].path, f, err);
    if (!rc && after) rc = outfile_write(f, after->p, after->n, err);
    if (!rc) rc = outfile_finish(f, sum, err);
    outfile_close(f);
    free(path);
    return rc;
}

static int make_create(const struct export_manifest *m, struct buf *out, struct err *err) {
    return buf_printf(out, err, "SET NAMES utf8mb4;\n") || create_sql_put(out, &m->table, err) ? -1 : 0;
}

static int make_probe(const struct export_manifest *m, struct buf *out, struct err *err) {
    struct cell_sums sums;
    (void)m;
    return export_probe_put(out, &sums, err);
}

static int write_load(struct export_task *e, struct err *err) {
    struct buf head = {0}, loads = {0};
    int rc = export_sql_load(&e->made, &head, err) || export_sql_load_files(&e->made, &loads, err) ||
                     write_file(e, "load.sql", &head, &loads, err)
                 ? -1
                 : 0;
    buf_free(&head);
    buf_free(&loads);
    return rc;
}

/* The sums of a delta say nothing: rows of other days are there as well. */
static int write_scripts(struct export_task *e, struct err *err) {
    const struct {
        const char *name;
        int (*make)(const struct export_manifest *m, struct buf *out, struct err *err);
        bool wanted;
    } scripts[] = {{"check.sql", export_sql_check, !e->made.delta},
                   {"probe.kqvt", make_probe, true},
                   {"create.sql", make_create, e->asked->create}};
    if (write_load(e, err)) return -1;
    for (size_t i = 0; i < countof(scripts); i++) {
        struct buf text = {0};
        int rc = 0;
        if (scripts[i].wanted)
            rc = scripts[i].make(&e->made, &text, err) || write_file(e, scripts[i].name, &text, NULL, err) ? -1 : 0;
        buf_free(&text);
        if (rc) return -1;
    }
    return 0;
}

/* Lists the parts of the output that were made. */
static int list_parts(struct export_task *e, char *names[], size_t *n, struct err *err) {
    *n = 0;
    for (size_t i = 0; i < countof(parts); i++) {
        char *path = fs_join(e->output->out.tmp, parts[i], err);
        if (!path) return -1;
        if (!strcmp(parts[i], "big") || !strcmp(parts[i], EXPORT_DELETES_DIR))
            (void)rmdir(path); /* fails when something is in it */
        int there = fs_exists(path, err);
        free(path);
        if (there < 0) return -1;
        if (there) names[(*n)++] = (char *)(uintptr_t)parts[i];
    }
    return 0;
}

static int sync_all(struct export_task *e, char *const *names, size_t n, struct err *err) {
    size_t data = e->made.n_files, deletes = e->made.deletes.n;
    char **paths = calloc(data + deletes + n + 1, sizeof *paths);
    if (!paths) return err_nomem(err, (data + deletes) * sizeof *paths, "the list of files");
    for (size_t i = 0; i < data; i++) paths[i] = e->made.files[i].path;
    for (size_t i = 0; i < deletes; i++) paths[data + i] = e->made.deletes.files[i].path;
    memcpy(paths + data + deletes, names, n * sizeof *names);
    int rc = outdir_sync_files(&e->output->out, paths, data + deletes + n, e->env->job.threads, err);
    free(paths);
    return rc;
}

/* Scripts are signed too: they are beside the directories of load files. */
static int sign(struct export_task *e, char **names, size_t *n, const char *manifest, struct err *err) {
    const char *scripts[countof(parts)];
    size_t n_scripts = 0;
    const struct signed_list files = export_signed_list(&e->made);
    if (!e->env->o.trust.sign_key) return 0;
    for (size_t i = 0; i < *n; i++)
        if (strchr(names[i], '.')) scripts[n_scripts++] = names[i];
    if (signature_write(&e->env->sign_key, e->output->out.tmp, &files, scripts, n_scripts, manifest, e->made.tool, &e->env->job,
                        err))
        return -1;
    for (size_t i = 0; i < countof(outdir_signature); i++) names[(*n)++] = (char *)(uintptr_t)outdir_signature[i];
    return 0;
}

int export_publish(struct export_task *e, struct err *err) {
    struct environment *env = e->env;
    char *names[countof(parts)];
    const struct name_list old = {(char *const *)(uintptr_t)parts, countof(parts)};
    size_t n;
    if (stop_check(&env->stop, err) || reject_log_finish(e->o.rejects, err)) return -1;
    e->made.ledger = e->result.ledger;
    e->made.ttl_lost = e->result.ttl_lost;
    e->made.ahead = e->result.ahead;
    if (is_load(e) && write_scripts(e, err)) return -1;
    char *text = report_warnings_counts(&env->reporter, &e->made.warnings, err) ? NULL : export_manifest_print(&e->made, err);
    int rc = !text || list_parts(e, names, &n, err) || sync_all(e, names, n, err) || sign(e, names, &n, text, err) ? -1 : 0;
    if (!rc) rc = outdir_replace(&e->output->out, &(struct name_list){names, n}, &old, text, err);
    free(text);
    return rc;
}
