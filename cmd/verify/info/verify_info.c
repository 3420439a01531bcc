/* `obkv-verify info`: describes HFiles, and datasets as their manifests do, with a table of their files on request. What is
 * printed of one HFile is in info_hfile.c, sums over many in info_figures.c. */
#include "base/fs.h"
#include "base/json.h"
#include "cmd/common/hfile_operand.h"
#include "cmd/common/page.h"
#include "cmd/common/report_figures.h"
#include "cmd/common/result.h"
#include "cmd/common/target.h"
#include "cmd/verify/info/file_figures.h"
#include "cmd/verify/info/info.h"
#include "cmd/verify/info/info_codecs.h"
#include "cmd/verify/info/info_codecs_report.h"
#include "cmd/verify/info/info_figures.h"
#include "cmd/verify/info/info_hfile.h"
#include "cmd/verify/info/info_text.h"
#include "cmd/verify/verify.h"
#include "dataset/dataset_open.h"
#include "dataset/pack_list.h"
#include "engine/memory_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a dataset as text ---- */

/* HBase counts files by region and family. */
static size_t most_files_of_a_family(const struct manifest *m) {
    size_t most = 0;
    for (uint32_t f = 0; f < m->table.n_families; f++) {
        size_t n = 0;
        for (size_t i = 0; i < m->n_files; i++) n += m->files[i].family == f;
        if (n > most) most = n;
    }
    return most;
}

/* Writes how an HBase bulk load of this directory would go. */
static int put_hbase(const struct manifest *m, struct buf *out, struct err *err) {
    enum { HBASE_DEFAULT = 32 };
    size_t n = most_files_of_a_family(m);
    if (m->table.partitioning.kind == PARTITION_KEY && m->n_files > 1)
        return buf_printf(
            out, err, "  %-22s every file spans all regions: a bulk load splits each one and needs\n  %-22s %s=%zu\n",
            "for HBase", "", "-Dhbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily", n > HBASE_DEFAULT ? n : HBASE_DEFAULT);
    return buf_printf(out, err, "  %-22s bulk-loads as it is where at most %d files fall into one region; load a copy\n",
                      "for HBase", HBASE_DEFAULT);
}

static int put_totals(const struct manifest *m, struct buf *out, struct err *err) {
    char a[32], b[32], hex[DIGEST_HEX];
    uint64_t bytes = 0, kv = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        bytes += m->files[i].file_bytes;
        kv += m->files[i].kv_bytes;
    }
    digest_print(ledger_written(&m->ledger)->digest, hex);
    if (buf_printf(out, err, "  %-22s %s in %zu file%s, %s\n", "cells", report_count(ledger_written(&m->ledger)->cells, a),
                   m->n_files, m->n_files == 1 ? "" : "s", report_bytes(bytes, b)))
        return -1;
    return buf_printf(out, err, "  %-22s %s\n  %-22s %s\n", "KeyValue bytes", report_bytes(kv, a), "digest", hex);
}

static int put_inputs(const struct manifest *m, struct buf *out, struct err *err) {
    enum { INPUTS_SHOWN = 20 };
    char a[32];
    for (size_t i = 0; i < m->n_inputs && i < INPUTS_SHOWN; i++)
        if (buf_printf(out, err, "  input %-16s %s (%s cell%s)\n", m->inputs[i].format, m->inputs[i].path,
                       report_count(m->inputs[i].tally.cells, a), m->inputs[i].tally.cells == 1 ? "" : "s"))
            return -1;
    if (m->n_inputs <= INPUTS_SHOWN) return 0;
    return buf_printf(out, err, "  %-22s %s more (--json lists all)\n", "inputs", report_count(m->n_inputs - INPUTS_SHOWN, a));
}

/* Deltas that a night by --policy ratio has left: without them, the dataset is not the whole table. */
static int put_pending(const struct manifest *m, struct buf *out, struct err *err) {
    char a[32], b[32];
    for (size_t i = 0; i < m->n_pending; i++)
        if (buf_printf(out, err, "  %-22s %s (%s cell%s, not merged yet in %s partition%s)\n", "waits for", m->pending[i].path,
                       report_count(m->pending[i].tally.cells, a), m->pending[i].tally.cells == 1 ? "" : "s",
                       report_count(m->pending[i].n, b), m->pending[i].n == 1 ? "" : "s"))
            return -1;
    return 0;
}

static int put_origin(const struct manifest *m, struct buf *out, struct err *err) {
    if (buf_printf(out, err, "  %-22s %s\n", "version rules applied", m->rules ? m->rules : "none")) return -1;
    if (buf_printf(out, err, "  %-22s %lld%s\n", "now", (long long)m->now_ms, m->now_given ? "" : " (clock)")) return -1;
    for (uint32_t i = 0; i < m->table.n_families; i++) {
        const struct family *f = &m->table.families[i];
        if (buf_printf(out, err, "  family %-15s K <= %u, Q <= %u, V <= %llu bytes\n", f->name, f->k_max, f->q_max,
                       (unsigned long long)f->v_max))
            return -1;
    }
    return put_inputs(m, out, err) || put_pending(m, out, err) ? -1 : 0;
}

static int dataset_text(const char *dir, const struct manifest *m, struct buf *out, struct err *err) {
    struct buf text = {0};
    int rc = partitioning_describe(&m->table.partitioning, &text, err);
    if (!rc)
        rc = buf_printf(out, err, "%s: dataset by %s\n  %-22s %s\n  %-22s %.*s\n", dir, m->tool, "table",
                        m->table.name ? m->table.name : "(no name)", "partitioning", (int)text.n, (const char *)text.p);
    buf_free(&text);
    if (rc || put_totals(m, out, err) || put_origin(m, out, err)) return -1;
    return put_hbase(m, out, err);
}

static int files_text(const struct manifest *m, const struct file_figures *f, struct buf *out, struct err *err) {
    char cells[32], bytes[32], plain[32];
    if (buf_printf(out, err, " %-27s %14s %18s %18s %8s\n", "files:", "cells", "bytes on disk", "bytes of data", "ratio"))
        return -1;
    for (size_t i = 0; i < f->n; i++) {
        const struct figures_file *x = &f->files[i];
        if (buf_printf(out, err, "  %-26s %14s %18s %18s %8.2f\n", m->files[i].path, report_count(x->cells, cells),
                       report_count(x->file_bytes, bytes), report_count(x->data.plain_bytes, plain),
                       x->data.disk_bytes ? (double)x->data.plain_bytes / (double)x->data.disk_bytes : 0.0))
            return -1;
    }
    return 0;
}

/* ---- the command ---- */

struct info {
    struct environment *env;
    const struct options *o;
    struct info_out out;
};

static int put_json(struct info *i, json_t *j, struct err *err) {
    char *text = json_memory_dump(j, JSON_INDENT(1), "the result document", err);
    if (!text) return -1;
    int rc = i->env->reporter.page ? page_add(i->env->reporter.page, bytes_str(text), err) : 0;
    if (!rc && i->o->messages.json) rc = buf_printf(&i->out.text, err, "%s\n", text);
    free(text);
    return rc ? -1 : info_out_write(&i->out, true, err);
}

static sst_file *open_hfile(const struct info *i, const char *path, struct err *err) {
    sst_file_options o = {sizeof o, job_block_limit(&i->env->job, i->env->job.threads)};
    sst_error error;
    sst_file *f = sst_file_open(path, &o, &error);
    if (!f) info_error(err, &error);
    return f;
}

/* --index and --headers. */
static int put_lists(struct info *i, const sst_file *h, struct err *err) {
    if (verify_options(i->o)->info.index && !i->out.gone && info_list_index(h, i->o->messages.json, &i->out, err)) return -1;
    if (verify_options(i->o)->info.headers && !i->out.gone && info_list_blocks(h, i->o->messages.json, &i->out, err)) return -1;
    return info_out_write(&i->out, true, err);
}

/* ---- an HFile ---- */

static int put_figures(struct info *i, const struct file_figures *f, json_t *j, struct err *err) {
    if (j) {
        json_put(j, JSON("blocks", info_blocks_json(&f->blocks)));
        if (f->read_cells) json_object_set_new(j, "statistics", info_stats_json(&f->cells));
        return 0;
    }
    if (info_blocks_text(&f->blocks, &i->out.text, err)) return -1;
    return f->read_cells ? info_stats_text(&f->cells, &f->blocks, &i->out.text, err) : 0;
}

static int figures_of_file(struct info *i, const char *path, json_t *j, struct err *err) {
    struct figures_file file = {.path = (char *)path};
    struct file_figures f = {.job = &i->env->job, .files = &file, .n = 1, .read_cells = verify_options(i->o)->info.stats};
    if (!verify_options(i->o)->info.blocks && !verify_options(i->o)->info.stats) return 0;
    int rc = file_figures_run(&f, err);
    if (!rc) rc = put_figures(i, &f, j, err);
    file_figures_free(&f);
    return rc;
}

static int try_codecs(struct info *i, const sst_file *h, json_t *j, struct err *err) {
    struct codec_trial t = {.stop = &i->env->stop};
    if (!verify_options(i->o)->info.codecs) return 0;
    environment_temp_elsewhere(i->env);
    int rc = codec_trial_run(&t, h, i->env->job.temp_dir, err);
    if (!rc && !i->o->messages.json) rc = codec_trial_text(&t, h, &i->out.text, err);
    if (!rc && j && json_object_set_new(j, "codecs", codec_trial_json(&t, h))) rc = err_nomem(err, 0, "the result document");
    codec_trial_free(&t);
    return rc;
}

static int info_hfile(struct info *i, const char *path, struct err *err) {
    sst_file *h = hfile_operand_file(i->env, path, err) ? NULL : open_hfile(i, path, err);
    json_t *j = NULL;
    int rc = -1;
    if (h && environment_documents(i->env)) rc = (j = info_hfile_json(h, err)) ? 0 : -1;
    if (h && !i->o->messages.json) rc = rc < 0 && environment_documents(i->env) ? -1 : info_hfile_text(h, &i->out.text, err);
    if (!rc) rc = figures_of_file(i, path, j, err);
    if (!rc) rc = try_codecs(i, h, j, err);
    if (!rc && j) {
        rc = put_json(i, report_json_mark(&i->env->reporter, "hfile", j), err);
        j = NULL;
    }
    if (!rc) rc = put_lists(i, h, err);
    json_decref(j);
    sst_file_close(h);
    return rc;
}

/* ---- a dataset ---- */

static int list_files(const char *dir, const struct manifest *m, struct figures_file *files, struct err *err) {
    for (size_t i = 0; i < m->n_files; i++)
        if (!(files[i].path = fs_join(dir, m->files[i].path, err))) return -1;
    return 0;
}

/* The manifest's document, and what was found. */
static int put_dataset_json(struct info *i, const struct manifest *m, const struct file_figures *f, struct err *err) {
    char *text = manifest_print(m, err);
    json_t *j = text ? json_loads(text, 0, NULL) : NULL, *files = json_object_get(j, "files");
    free(text);
    if (!j) return err->code ? -1 : err_nomem(err, 0, "the result document");
    for (size_t k = 0; f->n && k < json_array_size(files); k++) {
        json_t *file = json_array_get(files, k);
        json_put(file, JSON("data_blocks", f->files[k].data.blocks), JSON("data_disk_bytes", f->files[k].data.disk_bytes),
                 JSON("data_plain_bytes", f->files[k].data.plain_bytes));
    }
    if (f->n && put_figures(i, f, j, err)) {
        json_decref(j);
        return -1;
    }
    return put_json(i, j, err);
}

static int put_dataset(struct info *i, const char *dir, const struct manifest *m, struct figures_file *files, struct err *err) {
    bool look = verify_options(i->o)->info.blocks || verify_options(i->o)->info.stats;
    struct file_figures f = {
        .job = &i->env->job, .files = files, .n = look ? m->n_files : 0, .read_cells = verify_options(i->o)->info.stats};
    int rc = look ? file_figures_run(&f, err) : 0;
    if (!rc && i->o->messages.json) rc = put_dataset_json(i, m, &f, err);
    if (!rc && !i->o->messages.json) rc = dataset_text(dir, m, &i->out.text, err);
    if (!rc && !i->o->messages.json && look) rc = files_text(m, &f, &i->out.text, err) || put_figures(i, &f, NULL, err) ? -1 : 0;
    file_figures_free(&f);
    return rc ? -1 : info_out_write(&i->out, true, err);
}

static int put_lists_of(struct info *i, const struct figures_file *files, size_t n, struct err *err) {
    for (size_t k = 0; k < n && (verify_options(i->o)->info.index || verify_options(i->o)->info.headers) && !i->out.gone; k++) {
        sst_file *h = open_hfile(i, files[k].path, err);
        int rc = h && !i->o->messages.json ? buf_printf(&i->out.text, err, "%s:\n", files[k].path) : 0;
        if (h && !rc) rc = put_lists(i, h, err);
        sst_file_close(h);
        if (!h || rc || stop_check(&i->env->stop, err)) return -1;
    }
    return 0;
}

/* Frees m. */
static int refuse_codecs(const char *dir, struct manifest *m, struct err *err) {
    const struct manifest_file *largest = m->n_files ? m->files : NULL;
    for (size_t i = 1; i < m->n_files; i++)
        if (m->files[i].file_bytes > largest->file_bytes) largest = &m->files[i];
    if (largest)
        err_set(err, ERR_USAGE, "%s is a dataset: --codecs tries one of its files; its largest one is %s/%s", dir, dir,
                largest->path);
    else
        err_set(err, ERR_USAGE, "%s is a dataset without files: --codecs tries a file", dir);
    manifest_free(m);
    return -1;
}

static int info_dataset(struct info *i, const char *dir, struct err *err) {
    struct manifest m;
    if (environment_dataset_room(i->env, dir, err) || manifest_load(dir, &m, err)) return -1;
    if (pack_list_all(dir, &m, DATASET_ALL_FILES, &i->env->manifests, err)) {
        manifest_free(&m);
        return -1;
    }
    if (verify_options(i->o)->info.codecs) return refuse_codecs(dir, &m, err);
    struct figures_file *files = calloc(m.n_files + 1, sizeof *files);
    int rc = files ? dataset_refuse_runs(dir, &m, err) : err_nomem(err, m.n_files * sizeof *files, "the list of files");
    if (!rc) rc = list_files(dir, &m, files, err);
    if (!rc) rc = put_dataset(i, dir, &m, files, err);
    if (!rc) rc = put_lists_of(i, files, m.n_files, err);
    for (size_t k = 0; files && k < m.n_files; k++) free(files[k].path);
    free(files);
    manifest_free(&m);
    return rc;
}

static int check_page(const struct options *o, struct err *err) {
    if (!o->messages.html) return 0;
    if (!verify_options(o)->info.codecs) return err_set(err, ERR_USAGE, "--html needs --codecs, the report that has a page");
    return o->n_inputs > 1 ? err_set(err, ERR_USAGE, "--html: a page is about one file, but %d are given", o->n_inputs) : 0;
}

int verify_info(struct environment *env, struct intake *intake, int *code, struct err *err) {
    struct info i = {.env = env, .o = &env->o, .out = {.json = env->o.messages.json, .names = &env->unpacked}};
    (void)intake;
    int rc = 0;
    *code = 0;
    if (check_page(&env->o, err)) return -1;
    env->job.threads = memory_plan_describers(&env->job);
    for (int k = 0; !rc && k < env->o.n_inputs && !i.out.gone; k++) {
        int is = strcmp(env->o.inputs[k], "-") ? dataset_is(env->o.inputs[k], err) : 0;
        rc = is < 0 ? -1 : is ? info_dataset(&i, env->o.inputs[k], err) : info_hfile(&i, env->o.inputs[k], err);
    }
    buf_free(&i.out.text);
    return rc;
}
