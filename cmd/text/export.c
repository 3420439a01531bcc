/* A dataset as text, in order. Any thread takes the next stretch and turns it into text; stretches are then written one at a
 * time, in order:
 *
 *     stretch 3   read, format, pack ........ wait | write
 *     stretch 2   read, format, pack .. wait | write
 *     stretch 1   read, format, pack | write
 *
 * A thread waits for its turn asleep. A long stretch writes its first pieces and keeps reading while it has the turn. */
#include "cmd/common/report_figures.h"
#include "cmd/text/export_files.h"
#include "cmd/text/export_select.h"
#include "cmd/text/export_target.h"

#include "base/fs.h"
#include "base/hand_over.h"
#include "cmd/oceanbase/export_deletes.h"
#include "engine/memory_plan.h"
#include "hfile/hfile_open.h"
#include "select/selection_make.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

enum {
    STRETCH_BYTES = 1 << 20,
    LISTS_BYTES = 4 << 20,
    FILES_AT_ONCE = 4096,                             /* whose stretches are planned and held together */
    THREAD_BYTES = 3 * EXPORT_PIECE_BYTES + (2 << 20) /* a piece with a part after it, twice while it grows; a scan */
};

/* A file of the dataset, open as long as a stretch of it is being read. */
struct shared_file {
    char *path;
    struct hfile *h;
    struct tally read;
    bool narrowed; /* by the selection: not all of it is read */
};

struct export_worker {
    struct export_slice slice;
    struct export_slice_opts opts;
    struct export_pack pack;
};

struct export_run_state {
    const struct export_opts *o;
    struct export_result *out;
    struct export_files *files; /* NULL: text goes to o->put */
    struct export_plan plan;
    size_t first_file; /* of the plan */
    struct shared_file *shared;
    struct export_worker *workers;
    struct buf head; /* of every file, as it is stored */
    struct buf deletes_head;
    size_t block_limit;
    unsigned threads;
    bool enough;
    uint64_t done, total;        /* bytes of files */
    uint64_t cells, cells_total; /* read of them: progress */
    pthread_mutex_t open_lock;   /* of shared */
    struct hand_over stretches;  /* written one at a time, in order; its lock is of err, too */
    struct err err;
};

/* ---- one stretch: read by any thread ---- */

static struct hfile *share(struct export_run_state *r, const struct export_stretch *s, struct err *err) {
    struct shared_file *f = &r->shared[s->file - r->first_file];
    struct hfile *h;
    pthread_mutex_lock(&r->open_lock);
    if (!f->path) f->path = fs_join(r->o->dataset, r->o->m->files[s->file].path, err);
    if (f->path && !f->h) f->h = hfile_open(f->path, r->block_limit, err);
    h = f->h;
    pthread_mutex_unlock(&r->open_lock);
    return h;
}

/* Returns the family of the target for a file. A selection may name the file's family otherwise. */
static uint32_t family_of(const struct export_run_state *r, const struct manifest_file *f) {
    struct bytes name = bytes_str(r->o->m->table.families[f->family].name);
    selection_family(r->o->selection, name, &name);
    return (uint32_t)table_family(r->o->target, name);
}

/* Returns how many versions the table keeps; 0: every one. */
static uint32_t limit_of(const struct family_rules *r) {
    return r->versions_given && r->versions != UINT32_MAX ? r->versions : 0;
}

static int begin_stretch(struct export_run_state *r, const struct export_stretch *s, struct export_worker *w, struct err *err) {
    const struct manifest_file *f = &r->o->m->files[s->file];
    uint32_t family = family_of(r, f);
    const struct partitioning *p = &r->o->target->partitioning;
    w->opts = (struct export_slice_opts){.form = r->o->form,
                                         .family = &r->o->target->families[family],
                                         .now_ms = r->o->job->now_ms,
                                         .stop = r->o->job->stop,
                                         .strong = r->o->strong,
                                         .hex = r->o->hex,
                                         .replace = r->o->replace,
                                         .delta = r->o->delta,
                                         .selection = r->o->selection};
    w->opts.place = (struct delete_place){.table = w->opts.family->sql_table,
                                          .partition = p->kind == PARTITION_NONE ? NULL : p->names[f->partition],
                                          .versions = r->o->night ? limit_of(&w->opts.family->rules) : 0,
                                          .ttl_column = w->opts.family->has_ttl_column,
                                          .now_ms = r->o->job->now_ms};
    if (!export_select_rows(r->o->selection, s->start, s->stop)) {
        __atomic_store_n(&r->shared[s->file - r->first_file].narrowed, true, __ATOMIC_RELAXED);
        export_slice_pass(&w->slice, &w->opts, f->path);
        return 0;
    }
    struct hfile *h = share(r, s, err);
    if (!h || export_slice_open(&w->slice, &w->opts, h, s, err)) return -1;
    return export_slice_fill(&w->slice, err);
}

/* ---- writing: one stretch at a time, in order ---- */

static int check_rejects(struct export_run_state *r, struct err *err) {
    const struct ledger *l = &r->out->ledger;
    if (!l->rejected.cells || (!reject_log_hopeless(r->o->rejects) && r->done < r->total)) return 0;
    uint64_t in = r->done < r->total ? UINT64_MAX : l->in.cells;
    if (!reject_limit_exceeded(r->o->reject_limit, l->rejected.cells, in)) return 0;
    return err_set(err, ERR_REJECTS, "%s cell%s rejected, more than --max-rejects allows, see %s/reasons.tsv; first: %s",
                   REPORT_COUNT(l->rejected.cells), l->rejected.cells == 1 ? "" : "s", reject_log_dir(r->o->rejects),
                   reject_log_first(r->o->rejects));
}

static int put_piece(struct export_run_state *r, struct export_worker *w, bool big, struct bytes packed, struct err *err) {
    struct export_piece *p = big ? &w->slice.big : &w->slice.data;
    if (!p->text.n) return 0;
    if (r->files) return export_files_put(r->files, big, p, packed, err);
    bool enough = false;
    int rc = r->o->put(r->o->arg, buf_bytes(&p->text), &enough, err);
    if (enough) __atomic_store_n(&r->enough, true, __ATOMIC_RELAXED);
    return rc;
}

/* The current piece; data may have been packed already, very long lines are packed here. */
static int write_piece(struct export_run_state *r, struct export_worker *w, struct bytes data, struct err *err) {
    struct bytes big;
    for (unsigned t = 0; t < DELETE_TYPES; t++) r->out->markers += w->slice.batch.markers[t];
    if (r->files && w->slice.deletes.n && export_files_put_deletes(r->files, buf_bytes(&w->slice.deletes), &w->slice.batch, err))
        return -1;
    if (w->slice.rejects.n && reject_log_flush(r->o->rejects, 0, false, &w->slice.rejects, err)) return -1;
    if (put_piece(r, w, false, data, err)) return -1;
    if (!w->slice.big.text.n) return 0;
    return export_pack_run(&w->pack, buf_bytes(&w->slice.big.text), &big, err) || put_piece(r, w, true, big, err) ? -1 : 0;
}

static void close_file(struct export_run_state *r, const struct export_stretch *s) {
    struct shared_file *f = &r->shared[s->file - r->first_file];
    if (!s->last) return;
    hfile_close(f->h);
    free(f->path);
    f->h = NULL;
    f->path = NULL;
}

/* Counts the cells of a file that were not read as not selected, by its manifest. */
static void pass_rest(struct export_run_state *r, const struct manifest_file *f, struct tally *read) {
    struct tally rest = f->tally;
    rest.cells -= read->cells;
    digest_sub(&rest.digest, read->digest);
    tally_add(&r->out->ledger.in, rest);
    tally_add(&r->out->ledger.not_selected, rest);
    *read = f->tally;
}

/* Files may be large: cells stand for their bytes. */
static void report_cells(const struct export_run_state *r) {
    const struct progress *p = &r->o->job->progress;
    double share = r->cells < r->cells_total ? (double)r->cells / (double)r->cells_total : 1;
    if (p->report) p->report(p->arg, "export", (uint64_t)(share * (double)r->total), r->total);
}

/* Exactly what the manifest lists has been read, no more and no less. */
static int add_read(struct export_run_state *r, const struct export_stretch *s, const struct export_slice *slice,
                    struct err *err) {
    const struct manifest_file *f = &r->o->m->files[s->file];
    struct tally *read = &r->shared[s->file - r->first_file].read;
    tally_add(read, slice->read);
    r->cells += slice->read.cells;
    report_cells(r);
    ledger_add(&r->out->ledger, &slice->ledger);
    tally_add(&r->out->ledger.in, r->o->selection ? slice->taken : slice->read);
    tally_add(&r->out->ledger.in, slice->ledger.not_selected);
    r->out->ttl_lost += slice->lost.ttl;
    r->out->tags_lost += slice->lost.tags;
    r->out->ahead += slice->ahead;
    if (!s->last) return 0;
    if (r->shared[s->file - r->first_file].narrowed) pass_rest(r, f, read);
    if (read->cells != f->tally.cells || !digest_eq(read->digest, f->tally.digest))
        return err_set(err, ERR_INPUT, "%s: holds %s cells, the manifest says %s%s; run obkv-verify check", slice->path,
                       REPORT_COUNT(read->cells), REPORT_COUNT(f->tally.cells),
                       read->cells == f->tally.cells ? " (digests differ)" : "");
    r->done += f->file_bytes;
    return 0;
}

static int write_stretch(struct export_run_state *r, const struct export_stretch *s, struct export_worker *w, struct bytes data,
                         struct err *err) {
    const struct manifest_file *f = &r->o->m->files[s->file];
    if (r->files && export_files_turn(r->files, family_of(r, f), f->partition, err)) return -1;
    if (write_piece(r, w, data, err)) return -1;
    while (!w->slice.ended && !r->enough) {
        if (stop_check(r->o->job->stop, err) || export_slice_fill(&w->slice, err) ||
            export_pack_run(&w->pack, buf_bytes(&w->slice.data.text), &data, err) || write_piece(r, w, data, err))
            return -1;
    }
    return r->enough || (!add_read(r, s, &w->slice, err) && !check_rejects(r, err)) ? 0 : -1;
}

/* ---- all ---- */

static bool must_stop(struct export_run_state *r) {
    enum err_code code;
#pragma omp atomic read
    code = r->err.code;
    return code || __atomic_load_n(&r->enough, __ATOMIC_RELAXED);
}

static void keep_error(struct export_run_state *r, const struct err *mine) {
    if (!mine->code) return;
    hand_over_lock(&r->stretches);
    err_keep(&r->err, mine);
    hand_over_unlock(&r->stretches);
}

static void run_stretch(struct export_run_state *r, size_t i, struct export_worker *w, struct bytes *data) {
    struct err mine = {0};
    *data = (struct bytes){0};
    if (must_stop(r)) return;
    if (!stop_check(r->o->job->stop, &mine) && !begin_stretch(r, &r->plan.list[i], w, &mine))
        (void)export_pack_run(&w->pack, buf_bytes(&w->slice.data.text), data, &mine);
    keep_error(r, &mine);
}

static void end_stretch(struct export_run_state *r, size_t i, struct export_worker *w, struct bytes data) {
    struct err mine = {0};
    if (!must_stop(r)) (void)write_stretch(r, &r->plan.list[i], w, data, &mine);
    keep_error(r, &mine);
    export_slice_close(&w->slice);
    close_file(r, &r->plan.list[i]);
}

/* Stretches are handed out in order, so a thread always has the one whose turn it is. */
static void run_plan(struct export_run_state *r) {
    r->stretches.turn = 0;
#pragma omp parallel for schedule(monotonic : dynamic, 1) num_threads(r->threads)
    for (size_t i = 0; i < r->plan.n; i++) {
        struct export_worker *w = &r->workers[omp_get_thread_num()];
        struct bytes data;
        run_stretch(r, i, w, &data);
        hand_over_await_turn(&r->stretches, i);
        end_stretch(r, i, w, data);
        hand_over_end_turn(&r->stretches);
    }
}

static int run_files(struct export_run_state *r, size_t first, size_t n, struct err *err) {
    struct export_plan_opts p = {.dir = r->o->dataset,
                                 .m = r->o->m,
                                 .first = first,
                                 .n = n,
                                 .stretch_bytes = STRETCH_BYTES,
                                 .block_limit = r->block_limit,
                                 .threads = r->threads};
    if (p.stretch_bytes > r->o->target_bytes / 4) p.stretch_bytes = r->o->target_bytes / 4 + 1;
    r->first_file = first;
    r->shared = calloc(n, sizeof *r->shared);
    int rc = r->shared ? export_plan_make(&p, &r->plan, err) : err_nomem(err, n * sizeof *r->shared, "the list of files");
    if (!rc) run_plan(r);
    for (size_t i = 0; r->shared && i < n; i++) {
        hfile_close(r->shared[i].h);
        free(r->shared[i].path);
    }
    free(r->shared);
    export_plan_free(&r->plan);
    err_keep(err, &r->err);
    return rc || r->err.code ? -1 : 0;
}

static int open_files(struct export_run_state *r, struct err *err) {
    const char *text = r->o->form->head;
    struct bytes head = {0};
    if (text && (export_pack_run(&r->workers[0].pack, bytes_str(text), &head, err) || buf_copy(&r->head, head, err))) return -1;
    if (load_sql_put_session(&r->deletes_head, err)) return -1;
    struct export_files_opts f = {.dir = r->o->dir,
                                  .quota = r->o->job->quota,
                                  .table = r->o->target,
                                  .form = r->o->form,
                                  .compression = r->o->compression,
                                  .head = buf_bytes(&r->head),
                                  .deletes_head = buf_bytes(&r->deletes_head),
                                  .target_bytes = r->o->target_bytes};
    r->files = export_files_new(&f, err);
    return r->files ? 0 : -1;
}

static int set_up_workers(struct export_run_state *r, struct err *err) {
    const struct job *job = r->o->job;
    size_t each = THREAD_BYTES + export_pack_memory(r->o->compression, r->o->level, EXPORT_PIECE_BYTES);
    if (r->o->delta) each += EXPORT_MARKERS_BYTES + 2 * EXPORT_PIECE_BYTES;
    if (memory_plan_floor(job, err)) return -1;
    r->threads = memory_plan_workers(job, LISTS_BYTES, each);
    r->block_limit = job_block_limit(job, r->threads);
    r->workers = calloc(r->threads, sizeof *r->workers);
    if (!r->workers) return err_nomem(err, r->threads * sizeof *r->workers, "workers");
    for (unsigned i = 0; i < r->threads; i++) r->workers[i].pack = export_pack_make(r->o->compression, r->o->level);
    for (size_t i = 0; i < r->o->m->n_files; i++) {
        r->total += r->o->m->files[i].file_bytes;
        r->cells_total += r->o->m->files[i].tally.cells;
    }
    report_cells(r);
    return r->o->dir ? open_files(r, err) : 0;
}

/* Written is what neither a rule nor the table's limits kept back. */
static void balance_ledger(struct ledger *l) {
    struct tally *written = &l->dropped[VERDICT_KEEP];
    *written = l->in;
    written->cells -= l->rejected.cells;
    digest_sub(&written->digest, l->rejected.digest);
    written->cells -= l->not_selected.cells;
    digest_sub(&written->digest, l->not_selected.digest);
    for (int v = VERDICT_KEEP + 1; v < VERDICT_COUNT; v++) {
        written->cells -= l->dropped[v].cells;
        digest_sub(&written->digest, l->dropped[v].digest);
    }
    l->records_read = l->in.cells;
    l->records_rejected = l->rejected.cells;
    l->records_skipped = l->not_selected.cells;
    l->records_accepted = l->in.cells - l->rejected.cells - l->not_selected.cells;
}

static int check_rows(const struct export_manifest *m, const struct ledger *l, struct err *err) {
    uint64_t by[DELETE_TYPES], rows = export_deletes_markers(&m->deletes, by);
    for (size_t i = 0; i < m->n_files; i++) rows += m->files[i].sums.rows;
    if (rows == ledger_written(l)->cells) return ledger_check(l, err);
    return err_set(err, ERR_INTERNAL, "%s rows and markers were written, the ledger says %s", REPORT_COUNT(rows),
                   REPORT_COUNT(ledger_written(l)->cells));
}

int export_run(const struct export_opts *o, struct export_manifest *out, struct export_result *result, struct err *err) {
    struct export_run_state r = {
        .o = o, .out = result, .open_lock = PTHREAD_MUTEX_INITIALIZER, .stretches = HAND_OVER_INITIALIZER};
    *result = (struct export_result){.ledger = {.in = o->passed, .not_selected = o->passed}};
    int rc = set_up_workers(&r, err);
    result->threads = r.threads;
    for (size_t i = 0; !rc && i < o->m->n_files && !r.enough; i += FILES_AT_ONCE)
        rc = run_files(&r, i, o->m->n_files - i < FILES_AT_ONCE ? o->m->n_files - i : FILES_AT_ONCE, err);
    for (unsigned i = 0; r.workers && i < r.threads; i++) {
        export_slice_free(&r.workers[i].slice);
        export_pack_free(&r.workers[i].pack);
    }
    free(r.workers);
    result->enough = r.enough;
    balance_ledger(&result->ledger);
    if (!rc && r.files) rc = export_files_finish(r.files, out, err) || check_rows(out, &result->ledger, err) ? -1 : 0;
    export_files_free(r.files);
    buf_free(&r.head);
    buf_free(&r.deletes_head);
    return rc;
}
