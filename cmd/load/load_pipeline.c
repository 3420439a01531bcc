/* Batches of a dataset go through three stages side by side, in their order:
 *
 *     export ──at most two batches of text──▶ load ──text is removed──▶ verify ──▶ the journal has the partitions as in
 *
 * The loader is the calling thread. A stage that fails halts the others after the batch that they have at hand; what was loaded
 * stays loaded, and the next run resumes where the journal ends. Of a batch that was loaded and not verified, it makes the files
 * again, finds their rows in the server, and verifies them. */
#include "cmd/load/load_pipeline.h"

#include "base/hand_over.h"
#include "cmd/common/warnings.h"
#include "cmd/load/load_dataset.h"
#include "cmd/load/load_verify.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/text/export_losses.h"

#include <pthread.h>
#include <stdlib.h>

enum { BATCHES_ON_DISK = 2 };

struct pipeline {
    struct load_run *r;
    const struct load_files_opts *o;
    struct hand_over at;
    size_t exported, loaded; /* batches that have passed the stage */
    size_t proven;           /* partitions, by the stage that verifies */
    bool halt;
    struct err err; /* the first */
};

/* Waits until the counter is above i; false: the pipeline halts. */
static bool wait_above(struct pipeline *p, const size_t *counter, size_t i) {
    hand_over_lock(&p->at);
    while (!p->halt && *counter <= i) hand_over_wait(&p->at);
    const bool go_on = !p->halt;
    hand_over_unlock(&p->at);
    return go_on;
}

static void pass(struct pipeline *p, size_t *counter, const struct err *err) {
    hand_over_lock(&p->at);
    err_keep(&p->err, err);
    p->halt = p->halt || err->code;
    if (!err->code) ++*counter;
    hand_over_changed(&p->at);
    hand_over_unlock(&p->at);
}

static void *export_all(void *arg) {
    struct pipeline *p = arg;
    struct load_dataset *d = p->r->dataset;
    for (size_t i = 0; i < d->n; i++) {
        struct err own = {0};
        if (i >= BATCHES_ON_DISK && !wait_above(p, &p->loaded, i - BATCHES_ON_DISK)) break;
        if (load_dataset_export(p->r, &d->stages[i], &own)) (void)err_prefix(&own, "%s", p->r->dir);
        pass(p, &p->exported, &own);
        if (own.code) break;
    }
    return NULL;
}

/* ---- load ---- */

static struct load_files_opts opts_of(const struct pipeline *p, const struct load_stage *g) {
    struct load_files_opts o = *p->o;
    o.m = &g->m;
    o.dir = g->dir;
    o.server_dir = g->server_dir;
    o.verified_after = g->m.n_files && load_verify_applies(&o, g->m.files[0].family);
    o.by_values = true;
    return o;
}

/* The number of files and their size were not known before. */
static void count_files(struct load_run *r, const struct load_stage *g) {
    r->all_files = r->all_files + g->m.n_files - g->n_parts;
    r->total_bytes -= g->bytes;
    for (size_t i = 0; i < g->m.n_files; i++) r->total_bytes += g->m.files[i].file_bytes;
}

/* The last batch shows whether all cells of the table have expired: those of one batch may well. Batches that an earlier run has
 * loaded are taken to hold rows. */
static void warn_expired(const struct load_run *r, const struct load_stage *g) {
    const struct load_dataset *d = r->dataset;
    struct ledger all = {0};
    if (g + 1 != d->stages + d->n || r->result.files_before) return;
    for (size_t i = 0; i < d->n; i++) ledger_add(&all, &d->stages[i].result.ledger);
    export_losses_warn_expired(&r->env->reporter, &all, !r->m.delta && !load_options(&r->env->o)->partitions.n);
}

static int load_one(struct pipeline *p, const struct load_stage *g, struct err *err) {
    struct load_run *r = p->r;
    const struct load_files_opts o = opts_of(p, g);
    count_files(r, g);
    export_losses_warn(&r->env->reporter, &export_kqvt, &g->result);
    warn_expired(r, g);
    if (report_strict(&r->env->reporter, err)) return -1;
    if (load_deletes_run(&o, &r->result, err) || load_files_run(&o, &r->result, err)) return -1;
    return load_dataset_drop(r, g, err);
}

static void load_all(struct pipeline *p) {
    const struct load_dataset *d = p->r->dataset;
    for (size_t i = 0; i < d->n; i++) {
        struct err own = {0};
        if (!wait_above(p, &p->exported, i)) break;
        (void)load_one(p, &d->stages[i], &own);
        pass(p, &p->loaded, &own);
        if (own.code) break;
    }
}

/* ---- verify ---- */

static int note_partitions(const struct pipeline *p, const struct load_stage *g, struct err *err) {
    const struct export_file *parts = &p->r->m.files[g->first_part];
    struct journal_file *in = calloc(g->n_parts, sizeof *in);
    if (!in) return err_nomem(err, g->n_parts * sizeof *in, "the journal");
    for (size_t i = 0; i < g->n_parts; i++) {
        const struct export_file *f = &parts[i];
        in[i] = (struct journal_file){f->path, f->checksum, export_partition_sums(&g->m, f->family, f->partition).rows};
    }
    int rc = journal_put_done(p->o->journal, in, g->n_parts, p->o->target.on_duplicate == ON_DUPLICATE_IGNORE, err);
    free(in);
    return rc;
}

static void *verify_all(void *arg) {
    struct pipeline *p = arg;
    const struct load_dataset *d = p->r->dataset;
    size_t verified = 0;
    for (size_t i = 0; i < d->n; i++) {
        struct err own = {0};
        if (!wait_above(p, &p->loaded, i)) break;
        const struct load_files_opts o = opts_of(p, &d->stages[i]);
        if (!load_verify_run(&o, &p->proven, &own)) (void)note_partitions(p, &d->stages[i], &own);
        pass(p, &verified, &own);
        if (own.code) break;
    }
    connection_thread_end();
    return NULL;
}

int load_pipeline_run(struct load_run *r, const struct load_files_opts *o, struct err *err) {
    struct pipeline p = {.r = r, .o = o, .at = HAND_OVER_INITIALIZER};
    void *(*const stages[])(void *) = {export_all, verify_all};
    pthread_t threads[countof(stages)];
    size_t n = 0;
    for (int rc = 0; !rc && n < countof(stages); n += !rc) {
        rc = pthread_create(&threads[n], NULL, stages[n], &p);
        struct err own = {0};
        if (rc) {
            err_sys(&own, ERR_LIMIT, rc, "cannot start a thread");
            pass(&p, &p.exported, &own);
        }
    }
    load_all(&p);
    for (size_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    r->result.proven += p.proven;
    err_keep(err, &p.err);
    return p.err.code ? -1 : 0;
}

int load_pipeline_statements(struct load_run *r, const struct load_files_opts *o,
                             int (*put)(void *arg, struct bytes sql, struct err *err), void *arg, struct err *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < r->dataset->n; i++) {
        const struct load_stage *g = &r->dataset->stages[i];
        struct load_files_opts of = *o;
        struct export_manifest m = r->m;
        m.files += g->first_part;
        m.n_files = g->n_parts;
        of.m = &m;
        of.dir = g->dir;
        of.server_dir = g->server_dir;
        rc = load_files_statements(&of, put, arg, err);
    }
    return rc;
}
