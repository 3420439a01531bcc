#include "base/fs.h"
#include "cmd/verify/verify.h"
#include "cmd/verify/info/info.h"
#include "cmd/common/output_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct info {
    struct session *s;
    const struct options *o;
    struct info_out out;
};

static int put_json(struct info *i, json_t *j, struct err *err) {
    char *text = j ? json_dumps(j, JSON_INDENT(1)) : NULL;
    json_decref(j);
    if (!text) return err_nomem(err, 0, "the result document");
    int rc = buf_printf(&i->out.text, err, "%s\n", text);
    free(text);
    return rc ? -1 : info_out_write(&i->out, true, err);
}

static struct hfile *open_hfile(const struct info *i, const char *path, struct err *err) {
    return hfile_open(path, job_block_limit(&i->s->job, i->s->job.threads), err);
}

/* --index and --headers. */
static int put_lists(struct info *i, const struct hfile *h, struct err *err) {
    if (verify_options(i->o)->info.index && !i->out.gone && info_list_index(h, i->o->messages.json, &i->out, err)) return -1;
    if (verify_options(i->o)->info.headers && !i->out.gone && info_list_blocks(h, i->o->messages.json, &i->out, err)) return -1;
    return info_out_write(&i->out, true, err);
}

/* ---- an HFile ---- */

static int put_figures(struct info *i, const struct file_figures *f, json_t *j, struct err *err) {
    if (j) {
        json_object_set_new(j, "blocks", info_blocks_json(&f->blocks));
        if (f->read_cells) json_object_set_new(j, "statistics", info_stats_json(&f->cells));
        return 0;
    }
    if (info_blocks_text(&f->blocks, &i->out.text, err)) return -1;
    return f->read_cells ? info_stats_text(&f->cells, &f->blocks, &i->out.text, err) : 0;
}

static int figures_of_file(struct info *i, const char *path, json_t *j, struct err *err) {
    struct figures_file file = {.path = (char *)path};
    struct file_figures f = {.job = &i->s->job, .files = &file, .n = 1, .read_cells = verify_options(i->o)->info.stats};
    if (!verify_options(i->o)->info.blocks && !verify_options(i->o)->info.stats) return 0;
    int rc = file_figures_run(&f, err);
    if (!rc) rc = put_figures(i, &f, j, err);
    file_figures_free(&f);
    return rc;
}

static int info_hfile(struct info *i, const char *path, struct err *err) {
    struct hfile *h = hfile_operand_file(i->s, path, err) ? NULL : open_hfile(i, path, err);
    json_t *j = NULL;
    int rc = -1;
    if (h) rc = i->o->messages.json ? ((j = info_hfile_json(h, err)) ? 0 : -1) : info_hfile_text(h, &i->out.text, err);
    if (!rc) rc = figures_of_file(i, path, j, err);
    if (!rc && j) {
        rc = put_json(i, j, err);
        j = NULL;
    }
    if (!rc) rc = put_lists(i, h, err);
    json_decref(j);
    hfile_close(h);
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
        json_object_set_new(file, "data_blocks", json_integer((json_int_t)f->files[k].data.blocks));
        json_object_set_new(file, "data_disk_bytes", json_integer((json_int_t)f->files[k].data.disk_bytes));
        json_object_set_new(file, "data_plain_bytes", json_integer((json_int_t)f->files[k].data.plain_bytes));
    }
    if (f->n && put_figures(i, f, j, err)) return json_decref(j), -1;
    return put_json(i, j, err);
}

static int put_dataset(struct info *i, const char *dir, const struct manifest *m, struct figures_file *files, struct err *err) {
    bool look = verify_options(i->o)->info.blocks || verify_options(i->o)->info.stats;
    struct file_figures f = {
        .job = &i->s->job, .files = files, .n = look ? m->n_files : 0, .read_cells = verify_options(i->o)->info.stats};
    int rc = look ? file_figures_run(&f, err) : 0;
    if (!rc && i->o->messages.json) rc = put_dataset_json(i, m, &f, err);
    if (!rc && !i->o->messages.json) rc = info_dataset_text(dir, m, &i->out.text, err);
    if (!rc && !i->o->messages.json && look)
        rc = info_files_text(m, &f, &i->out.text, err) || put_figures(i, &f, NULL, err) ? -1 : 0;
    file_figures_free(&f);
    return rc ? -1 : info_out_write(&i->out, true, err);
}

static int put_lists_of(struct info *i, const struct figures_file *files, size_t n, struct err *err) {
    for (size_t k = 0; k < n && (verify_options(i->o)->info.index || verify_options(i->o)->info.headers) && !i->out.gone; k++) {
        struct hfile *h = open_hfile(i, files[k].path, err);
        int rc = h && !i->o->messages.json ? buf_printf(&i->out.text, err, "%s:\n", files[k].path) : 0;
        if (h && !rc) rc = put_lists(i, h, err);
        hfile_close(h);
        if (!h || rc || stop_check(&i->s->stop, err)) return -1;
    }
    return 0;
}

static int info_dataset(struct info *i, const char *dir, struct err *err) {
    struct manifest m;
    if (manifest_load(dir, &m, err)) return -1;
    struct figures_file *files = calloc(m.n_files + 1, sizeof *files);
    int rc = files ? list_files(dir, &m, files, err) : err_nomem(err, m.n_files * sizeof *files, "the list of files");
    if (!rc) rc = put_dataset(i, dir, &m, files, err);
    if (!rc) rc = put_lists_of(i, files, m.n_files, err);
    for (size_t k = 0; files && k < m.n_files; k++) free(files[k].path);
    free(files);
    manifest_free(&m);
    return rc;
}

/* A file is looked at with a buffer or two: fewer threads rather than smaller blocks when memory is short. */
enum { MEMORY_PER_FILE = 16 << 20 };

int verify_info(struct session *s, int *code, struct err *err) {
    struct info i = {.s = s, .o = &s->o};
    uint64_t most = s->job.memory_bytes / MEMORY_PER_FILE;
    int rc = 0;
    *code = 0;
    if (s->job.threads > most) s->job.threads = most ? (unsigned)most : 1;
    for (int k = 0; !rc && k < s->o.n_inputs && !i.out.gone; k++) {
        int is = strcmp(s->o.inputs[k], "-") ? dataset_is(s->o.inputs[k], err) : 0;
        rc = is < 0 ? -1 : is ? info_dataset(&i, s->o.inputs[k], err) : info_hfile(&i, s->o.inputs[k], err);
    }
    buf_free(&i.out.text);
    return rc;
}
