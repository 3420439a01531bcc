/* --partitions: one of several runs that load an export between them loads the files of some partitions. The others leave the
 * manifest at hand, so checks, journal and report are of these files alone. */
#include "cmd/load/load_choice.h"
#include "cmd/load/load_run.h"

#include "base/buf.h"
#include "cmd/common/table_options.h"
#include "cmd/oceanbase/export_file.h"

#include <stdlib.h>

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

int load_choose(struct load_run *r, struct err *err) {
    bool *chosen;
    int rc = partition_options_choose(&load_options(&r->s->o)->partitions, &r->m.table.partitioning, r->dir, &chosen, err);
    if (!rc && chosen) {
        keep_files(&r->m, chosen);
        keep_deletes(&r->m.deletes, chosen);
    }
    free(chosen);
    return rc;
}

int load_journal_name(const struct load_run *r, struct buf *name, struct err *err) {
    const struct opt_list *l = &load_options(&r->s->o)->partitions;
    if (buf_printf(name, err, "%s", r->subject)) return -1;
    for (unsigned i = 0; i < l->n; i++)
        if (buf_printf(name, err, "%s%s", i ? "," : ".partitions-", l->item[i])) return -1;
    for (size_t i = 0; i < name->n; i++)
        if (name->p[i] == '/' || name->p[i] == ':') name->p[i] = '_';
    return buf_printf(name, err, ".journal") || buf_put_byte(name, 0, err) ? -1 : 0;
}
