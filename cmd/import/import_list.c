/* obkv-import --list: tables, families, regions and files of HBase directories. Trailers of store files are read for codec,
 * encoding and number of cells; of an archive only its small files are unpacked, so cells are not known there. */
#include "cmd/common/input_list.h"
#include "cmd/common/input_tree.h"
#include "cmd/common/result.h"
#include "cmd/common/warnings.h"
#include "cmd/import/import.h"
#include "cmd/common/table_options.h"
#include "cmd/common/inputs.h"

#include "base/fs.h"
#include "cmd/import/import_tables.h"
#include "formats/archive/archive_tree_open.h"
#include "formats/hbase/store_files.h"
#include "formats/hbase/tree_catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct import_listing {
    struct environment *env;
    json_t *json;                 /* NULL: text */
    size_t shown, failed, unread; /* tables and snapshots; files that could not be opened */
    bool packed;                  /* in an archive */
};

static void warn_unread(struct import_listing *l, const struct input_store *in) {
    size_t n = 0, first = 0;
    for (size_t i = in->files.n_files; i-- > 0;)
        if (in->survey.files[i].unread) {
            n++;
            first = i;
        }
    l->unread += n;
    if (n)
        report_warn(&l->env->reporter, WARN_INPUT_UNREAD, n,
                    "%s: files that cannot be opened as HFiles: %zu, first %s (obkv-verify info shows why)", in->files.what, n,
                    in->files.files[first].path);
}

static int show_store(struct import_listing *l, const struct input_store *in, struct err *err) {
    if (import_list_store(in, l->packed, !l->shown, l->json, err)) return -1;
    if (!l->packed) warn_unread(l, in);
    l->shown++;
    return 0;
}

/* A torn end is reported after the entries before it, and the next log is listed. */
static int show_logs(struct import_listing *l, const struct input_list *in, struct err *err) {
    for (uint32_t i = 0; i < in->n; i++) {
        struct err torn = {0};
        if (in->inputs[i].files) continue;
        int is = import_list_log(l->env, &in->inputs[i], l->json, &torn, err);
        if (is < 0) return -1;
        l->shown += (size_t)is;
        if (!torn.code) continue;
        (void)fflush(stdout); /* report_flush looks for errors */
        report_exit(&l->env->reporter, &torn);
        l->failed++;
    }
    return 0;
}

/* Each snapshot, table or other directory is opened by itself and let go again. */
static int show_path(struct import_listing *l, const char *path, const char *snapshot, struct err *err) {
    struct input_list in = {0};
    struct buf warnings = {0};
    struct input_opts o = environment_input_opts(l->env);
    uint64_t resident = l->env->job.resident_bytes;
    o.snapshot = snapshot;
    o.backup = NULL; /* each image is listed by itself */
    int rc = input_list_add_any(&in, path, &o, &warnings, err);
    if (!rc && !l->packed) rc = input_list_survey(&in, &l->env->job, &warnings, err);
    report_warnings(&l->env->reporter, &warnings);
    size_t before = l->shown;
    if (!rc) rc = show_logs(l, &in, err);
    if (!rc && !in.n_stores && l->shown == before)
        rc = err_set(err, ERR_UNSUPPORTED,
                     "%s: neither a directory of HBase nor a write-ahead log (for datasets and single HFiles "
                     "see obkv-verify info)",
                     path);
    for (uint32_t i = 0; !rc && i < in.n_stores; i++) rc = show_store(l, in.stores[i], err);
    buf_free(&warnings);
    input_list_free(&in);
    l->env->job.resident_bytes = resident;
    return rc;
}

/* Lists an entry of the root. A damaged one is reported, and the rest of the root is listed. */
static int show_entry(struct import_listing *l, const char *dir, struct err *err) {
    int rc = show_path(l, dir, NULL, err);
    if (!rc || (err->code != ERR_INPUT && err->code != ERR_UNSUPPORTED)) return rc;
    (void)fflush(stdout); /* report_flush looks for errors */
    report_exit(&l->env->reporter, err);
    *err = (struct err){0};
    l->failed++;
    return 0;
}

static int show_root(struct import_listing *l, const char *root, struct err *err) {
    struct tree_catalog c;
    const char *tables = l->env->o.wal.table;
    size_t found = 0;
    if (l->env->o.in.snapshot) return show_path(l, root, l->env->o.in.snapshot, err);
    if (tree_catalog_read(root, &c, err)) return -1;
    int rc = 0;
    for (size_t i = 0; !rc && i < c.n; i++) {
        if (tables && !import_table_fits(tables, &c.entries[i], err)) continue;
        found++;
        rc = err->code ? -1 : show_entry(l, c.entries[i].dir, err);
    }
    tree_catalog_free(&c);
    if (rc || err->code || found) return rc || err->code ? -1 : 0;
    if (tables) return err_set(err, ERR_USAGE, "--table '%s': no table of %s matches", tables, root);
    return input_refuse_root(root, err);
}

/* ---- backups ---- */

static int show_table(struct import_listing *l, const char *root, const struct backup_image *b, const struct backup_table *t,
                      struct err *err) {
    const struct tree_catalog_entry e = {.ns = t->ns, .table = t->name};
    const char *tables = l->env->o.wal.table;
    if (tables && !import_table_fits(tables, &e, err)) return err->code ? -1 : 0;
    char *dir = fs_printf(err, "%s/%s/%s/%s", root, b->id, t->ns, t->name);
    int rc = dir ? show_entry(l, dir, err) : -1;
    free(dir);
    return rc;
}

static int show_image(struct import_listing *l, const char *root, const struct backup_image *b, struct err *err) {
    int rc = import_list_image(root, b, l->json, err);
    for (size_t i = 0; !rc && i < b->n_tables; i++) rc = show_table(l, root, b, &b->tables[i], err);
    return rc;
}

/* Images that cannot be read are said, and the others listed. */
static int show_problems(struct import_listing *l, const struct backup_images *all) {
    const char *p = (const char *)all->problems.p, *end = p + all->problems.n;
    (void)fflush(stdout); /* report_flush looks for errors */
    for (const char *next; p < end; p = next + 1) {
        struct err problem = {0};
        next = memchr(p, '\n', (size_t)(end - p));
        err_set(&problem, ERR_INPUT, "%.*s", (int)(next - p), p);
        report_exit(&l->env->reporter, &problem);
        l->failed++;
    }
    return 0;
}

static int show_backups(struct import_listing *l, const char *root, struct err *err) {
    struct backup_images all;
    const char *id = l->env->o.in.backup;
    if (backup_images_read(root, &all, err)) return -1;
    int rc = id && !backup_images_find(&all, id, err) ? -1 : 0;
    for (size_t i = 0; !rc && i < all.n; i++)
        if (!id || !strcmp(id, all.images[i].id)) rc = show_image(l, all.root, &all.images[i], err);
    if (!rc && all.n_problems) rc = show_problems(l, &all);
    backup_images_free(&all);
    return rc;
}

static int show_one_image(struct import_listing *l, const char *path, struct err *err) {
    struct backup_image image;
    char *real = realpath(path, NULL), *root = real ? directory_above(real, err) : NULL;
    int rc = !real ? err_sys(err, ERR_INPUT, errno, "%s", path) : root ? backup_image_read(real, &image, err) : -1;
    if (!rc) {
        rc = show_image(l, root, &image, err);
        backup_image_free(&image);
    }
    free(root);
    free(real);
    return rc;
}

static int show_directory(struct import_listing *l, const char *path, struct err *err) {
    enum tree_kind kind;
    if (tree_kind_of(path, &kind, err)) return -1;
    if (kind == TREE_BACKUPS) return show_backups(l, path, err);
    if (kind == TREE_IMAGE) return show_one_image(l, path, err);
    return kind == TREE_ROOT ? show_root(l, path, err) : show_path(l, path, NULL, err);
}

/* Lists an input. Of an archive only the small files are unpacked, so the content of store files is not known then. */
static int show_input(struct import_listing *l, const char *path, struct err *err) {
    struct input_opts o = environment_input_opts(l->env);
    struct archive_tree *tree = NULL;
    struct stat st;
    const int there = fs_look(path, &st, err);
    int packed = there < 0 ? -1 : !there || !S_ISDIR(st.st_mode) ? input_tree_open(path, &o, &tree, err) : 0;
    if (packed < 0) return -1;
    l->packed = packed;
    int rc = show_directory(l, packed ? archive_tree_dir(tree) : path, err);
    l->packed = false;
    archive_tree_close(tree);
    return rc;
}

int import_list(struct environment *env, struct err *err) {
    struct import_listing l = {.env = env, .json = env->o.messages.json ? json_array() : NULL};
    const char *text = column_options_given(&env->o);
    int rc = env->o.n_inputs ? 0 : err_set(err, ERR_USAGE, "--list: no input given (see obkv-import --help)");
    if (!rc && text) rc = err_set(err, ERR_USAGE, "%s applies to CSV and TSV: --list shows HBase directories", text);
    for (int i = 0; !rc && i < env->o.n_inputs; i++) rc = show_input(&l, env->o.inputs[i], err);
    reporter_end_line(&env->reporter);
    if (!rc && l.json)
        rc = report_json_put(&env->reporter, "list", json_new(JSON("entries", l.json)), err);
    else
        json_decref(l.json);
    if (!rc && l.unread && !l.failed) rc = err_set(err, ERR_INPUT, "files that cannot be opened as HFiles: %zu", l.unread);
    if (!rc && l.failed) rc = err_set(err, ERR_INPUT, "not listed because of the errors above: %zu", l.failed);
    return rc;
}
