/* Chooses what is loaded: an export, or a dataset that becomes one batch by batch; and, with --partitions, the partitions that
 * this one of several runs loads. The others leave the manifest at hand, so checks, journal and report are of these files
 * alone. */
#include "cmd/load/load_choice.h"
#include "cmd/load/load_dataset.h"
#include "cmd/load/load_run.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/remote.h"
#include "base/outfile.h"
#include "cmd/common/table_options.h"
#include "cmd/oceanbase/export_file.h"
#include "dataset/dataset_open.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void keep_files(struct export_manifest *m, const bool *chosen) {
    size_t n = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        struct export_file f = m->files[i];
        if (!chosen[f.partition]) continue;
        m->files[i] = m->files[n]; /* those that are left go to the end, and are freed with the manifest's */
        m->files[n++] = f;
    }
    for (size_t i = n; i < m->n_files; i++) export_file_free(&m->files[i]);
    m->n_files = n;
}

static void keep_deletes(struct export_deletes *d, const bool *chosen) {
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) {
        struct export_delete_file f = d->files[i];
        if (!chosen[f.partition]) {
            free(f.path);
            continue;
        }
        d->files[n++] = f;
    }
    d->n = n;
}

static int choose_partitions(struct load_run *r, struct err *err) {
    bool *chosen;
    int rc = partition_options_choose(&load_options(&r->env->o)->partitions, &r->m.table.partitioning, r->dir, &chosen, err);
    if (!rc && chosen) {
        keep_files(&r->m, chosen);
        keep_deletes(&r->m.deletes, chosen);
    }
    free(chosen);
    return rc;
}

static int open_export(struct load_run *r, struct err *err) {
    const struct options *o = &r->env->o;
    if (export_manifest_open(o->inputs[0], &r->m, err)) return -1;
    const struct signed_list files = export_signed_list(&r->m);
    return signature_demand(&o->trust, r->dir, &files, &r->env->job, err);
}

/* The database cannot read the files where this program does: they are sent from here, unless it has them at another place. */
static int take_remote_export(struct load_run *r, struct err *err) {
    if (load_options(&r->env->o)->server_dir) return 0;
    if (r->via == VIA_SERVER)
        return err_set(err, ERR_USAGE,
                       "--via server: %s is a URL: give --server-dir, the path at which the database has these files", r->dir);
    r->via = VIA_LOCAL;
    return 0;
}

int load_choice_open(struct load_run *r, struct err *err) {
    const struct options *o = &r->env->o;
    char resolved[PATH_MAX], *manifest;
    if (o->n_inputs != 1)
        return err_set(err, ERR_USAGE, "%s (see obkv-load --help)",
                       o->n_inputs ? "expected one export or dataset" : "no export or dataset given");
    if (!realpath(o->inputs[0], resolved)) return err_sys(err, ERR_INPUT, errno, "%s", o->inputs[0]);
    int there = dataset_is(resolved, err);
    if (there < 0) return -1;
    if (!there)
        return err_set(err, ERR_INPUT, "%s is neither a finished export nor a dataset; make an export with obkv-export",
                       o->inputs[0]);
    r->dir = strdup(resolved);
    r->server_dir = strdup(load_options(o)->server_dir ? load_options(o)->server_dir : resolved);
    if (!r->dir || !r->server_dir) return err_nomem(err, strlen(resolved), "a path");
    if (!(manifest = fs_join(r->dir, "MANIFEST.json", err))) return -1;
    int rc = file_sum_of(manifest, r->export_sum, err);
    free(manifest);
    int is_export = rc ? -1 : export_is(o->inputs[0], err);
    if (is_export == 1 && remote_name(r->dir) && take_remote_export(r, err)) return -1;
    if (is_export >= 0 && remote_name(r->dir) && !load_options(o)->journal && !o->out.dry_run)
        return err_set(err, ERR_USAGE, "%s is on a server: give --journal FILE, a record of the loaded files", r->dir);
    if (is_export < 0 || (is_export ? open_export(r, err) : load_dataset_open(r, err))) return -1;
    return choose_partitions(r, err);
}

int load_journal_name(const struct load_run *r, struct buf *name, struct err *err) {
    const struct opt_list *l = &load_options(&r->env->o)->partitions;
    if (buf_printf(name, err, "%s", r->subject)) return -1;
    for (unsigned i = 0; i < l->n; i++)
        if (buf_printf(name, err, "%s%s", i ? "," : ".partitions-", l->item[i])) return -1;
    for (size_t i = 0; i < name->n; i++)
        if (name->p[i] == '/' || name->p[i] == ':') name->p[i] = '_';
    return buf_printf(name, err, ".journal") || buf_put_byte(name, 0, err) ? -1 : 0;
}
