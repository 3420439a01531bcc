/* Loads the files of an export, a batch by one statement. Files are in the journal before their statement is sent and again when
 * they are in; those with only the first line were interrupted, and load_interrupted.c finds out what the server made of them
 * before they are loaded again. */
#include "cmd/common/report_figures.h"
#include "cmd/load/load_batch.h"
#include "cmd/load/load_external.h"
#include "cmd/load/load_files.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "cmd/load/load_interrupted.h"
#include "cmd/load/load_small.h"
#include "cmd/load/load_sorted.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/pool.h"
#include "cmd/oceanbase/sums_query.h"

#include <stdlib.h>
#include <string.h>

struct load {
    const struct load_files_opts *o;
    struct pool pool;
    struct load_list list; /* under the pool's lock */
    uint64_t sent;
    struct load_files_result *r;
};

struct load_worker {
    struct load *l;
    struct pool_worker *member;
    struct connection *c;
    struct load_batch batch;
};

/* Reports an event, under the lock. */
static void report_event(struct load *l, const struct load_files_event *e) {
    if (l->o->event) l->o->event(l->o->arg, e);
}

static bool next_batch(struct load_worker *w, struct err *err) {
    struct pool *p = &w->l->pool;
    bool more = true;
    int got = 0;
    pthread_mutex_lock(&p->lock);
    while (!p->halt && !(got = load_batch_pick(&w->l->list, &w->batch, &more, err)) && more)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return got == 1;
}

/* ---- the journal ---- */

static int note_batch(struct load_worker *w, bool done, struct err *err) {
    const struct load_files_opts *o = w->l->o;
    const struct load_batch *b = &w->batch;
    struct journal_file *files = calloc(b->n ? b->n : 1, sizeof *files);
    if (!files) return err_nomem(err, b->n * sizeof *files, "the journal");
    for (size_t i = 0; i < b->n; i++) {
        const struct export_file *f = b->files[i]->file;
        files[i] = (struct journal_file){f->path, f->checksum, f->sums.rows};
    }
    const bool kept = o->target.on_duplicate == ON_DUPLICATE_IGNORE;
    int rc = done ? journal_put_done(o->journal, files, b->n, kept, err) : journal_put_start(o->journal, files, b->n, err);
    free(files);
    return rc;
}

static void count_in(struct load *l, const struct load_files_event *e) {
    *(e->step == LOAD_FILE_WAS_THERE ? &l->r->files_found : &l->r->files) += e->files;
    l->r->rows += e->rows;
    l->r->kept += e->kept;
    l->r->bytes += e->file_bytes;
    report_event(l, e);
    pthread_cond_broadcast(&l->pool.changed);
}

/* Counts a file that load_interrupted_settle has found in the table, because its statement had worked, and notes it in the
 * journal. */
static int take_found(void *arg, struct load_file *f, struct err *err) {
    struct load *l = arg;
    const struct journal_file noted = {f->file->path, f->file->checksum, f->file->sums.rows};
    const struct load_files_event e = {
        .step = LOAD_FILE_WAS_THERE, .file = f->file, .files = 1, .file_bytes = f->file->file_bytes, .rows = f->file->sums.rows};
    if (journal_put_done(l->o->journal, &noted, 1, false, err)) return -1;
    pthread_mutex_lock(&l->pool.lock);
    f->state = LOAD_IN;
    count_in(l, &e);
    pthread_mutex_unlock(&l->pool.lock);
    return 0;
}

/* ---- one batch ---- */

/* Checks that the server took as many rows as the files hold, or that without those that it kept; replaced rows are counted
 * differently. */
static int check_rows(const struct load *l, struct load_batch *b, uint64_t rows, struct err *err) {
    const enum on_duplicate how = l->o->target.on_duplicate;
    if (how == ON_DUPLICATE_REPLACE || rows == b->rows) return 0;
    if (how == ON_DUPLICATE_IGNORE && rows < b->rows) {
        b->kept = b->rows - rows;
        return 0;
    }
    bool passed_over = l->o->local && rows < b->rows;
    const char *why = passed_over ? "; existing rows are skipped when files are sent from here (LOCAL)" : "";
    return err_set(err, ERR_OUTPUT, "the server loaded %s rows, the file%s %s%s; compare with obkv-verify target",
                   REPORT_COUNT(rows), b->n == 1 ? " holds" : "s hold", REPORT_COUNT(b->rows), why);
}

static bool has_replaced(const struct load_batch *b) {
    for (size_t i = 0; i < b->n; i++)
        if (b->files[i]->replace) return true;
    return false;
}

static int send_external(struct load_worker *w, uint64_t *rows, struct err *err) {
    pool_set_session(w->member, connection_id(w->c));
    int rc =
        pool_halts(&w->l->pool) ? err_set(err, ERR_STOPPED, "stopped") : load_external_run(w->c, w->l->o, &w->batch, rows, err);
    pool_set_session(w->member, 0);
    return rc;
}

static int send_statement(struct load_worker *w, uint64_t *rows, struct err *err) {
    const struct load_files_opts *o = w->l->o;
    struct buf sql = {0};
    char *path = fs_join(o->dir, w->batch.files[0]->file->path, err);
    int rc = path && !load_batch_put_statement(&sql, o, &w->batch, err) ? buf_put_byte(&sql, 0, err) : -1;
    if (!rc) {
        if (o->local) connection_offer(w->c, path, &w->l->sent);
        pool_set_session(w->member, connection_id(w->c));
        rc = pool_halts(&w->l->pool) ? err_set(err, ERR_STOPPED, "stopped") : connection_run(w->c, (char *)sql.p, rows, err);
        pool_set_session(w->member, 0);
        connection_offer(w->c, NULL, NULL);
    }
    free(path);
    buf_free(&sql);
    return rc;
}

static int send_batch(struct load_worker *w, struct err *err) {
    const struct load_files_opts *o = w->l->o;
    const struct load_small_opts small = {o, w->batch.files[0]->file, w->c, w->member};
    struct load_placed_opts placed = {.loader = o, .batch = &w->batch, .c = w->c, .member = w->member};
    uint64_t rows = 0;
    if (w->batch.files[0]->small) return load_small_send(&small, err);
    if (o->target.on_duplicate != ON_DUPLICATE_ERROR && connection_snapshot(w->c, &placed.since, err)) return -1;
    if (load_batch_is_external(&w->batch) ? send_external(w, &rows, err) : send_statement(w, &rows, err)) return -1;
    if (!has_replaced(&w->batch) && check_rows(w->l, &w->batch, rows, err)) return -1;
    if (!o->is_oceanbase || o->verified_after) return 0;
    if (load_placed_check(&placed, err)) return -1;
    pthread_mutex_lock(&w->l->pool.lock);
    w->l->r->proven += placed.proven;
    pthread_mutex_unlock(&w->l->pool.lock);
    return 0;
}

static int check_listed_file(const struct load_files_opts *o, const struct export_file *f, struct err *err) {
    char sum[17], *path = fs_join(o->dir, f->path, err);
    int rc = path ? file_sum_of(path, sum, err) : -1;
    if (!rc && strcmp(sum, f->checksum))
        rc = err_set(err, ERR_INPUT, "%s: its checksum is %s, the manifest says %s; copy or export it again", path, sum,
                     f->checksum);
    free(path);
    return rc;
}

static int check_listed_files(struct load_worker *w, struct err *err) {
    for (size_t i = 0; i < w->batch.n; i++) {
        const struct export_file *f = w->batch.files[i]->file;
        if (stop_check(w->l->o->stop, err)) return -1;
        if (check_listed_file(w->l->o, f, err)) return err_prefix(err, "%s", f->path);
    }
    const struct load_source s = export_load_source(w->l->o->m, w->batch.files[0]->file, "");
    const bool sorted = w->l->o->is_oceanbase && load_sql_is_direct(&s) && !w->batch.files[0]->small;
    return sorted && !w->l->o->by_values ? load_sorted_check(w->l->o, &w->batch, err) : 0;
}

static bool was_interrupted(const struct load_batch *b) {
    for (size_t i = 0; i < b->n; i++)
        if (b->files[i]->interrupted) return true;
    return false;
}

/* One attempt. Files that are in already, as an earlier attempt had worked, leave the batch. */
static int try_batch(struct load_worker *w, unsigned *number, struct err *err) {
    const struct load_settle s = {&w->l->list, &w->batch};
    *number = 0;
    if (!w->c && !(w->c = connection_open(w->l->o->login, number, err))) return -1;
    if (was_interrupted(&w->batch)) {
        if (load_interrupted_settle(w->c, &s, take_found, w->l, err)) goto failed;
        pthread_mutex_lock(&w->l->pool.lock);
        int rc = load_batch_count(&w->l->list, &w->batch, err);
        pthread_mutex_unlock(&w->l->pool.lock);
        if (rc || !w->batch.n) return rc;
    }
    for (size_t i = 0; i < w->batch.n; i++) w->batch.files[i]->interrupted = true; /* until its end is seen */
    if (!send_batch(w, err)) return 0;
failed:
    *number = connection_error(w->c);
    return -1;
}

/* Returns whether the server found duplicates in partitions that it had counted as empty: it repeats statements by itself, and
 * the earlier attempt may have worked. Met on OceanBase 4.3.5.3 with direct loads soon after a DELETE. */
static bool is_unlikely_duplicate(const struct load_worker *w, unsigned number) {
    const struct load_files_opts *o = w->l->o;
    if (number != SERVER_DUPLICATE_KEY || !o->is_oceanbase || o->target.on_duplicate != ON_DUPLICATE_ERROR) return false;
    for (size_t i = 0; i < w->batch.n_parts; i++)
        if (!w->batch.parts[i].base_empty) return false;
    return true;
}

/* Returns whether to try again after this failure; the connection is given up when it may be dead. */
static bool shall_retry(struct load_worker *w, unsigned number, unsigned tries, const struct err *why) {
    struct server_error fault = server_error_of(number);
    if (is_unlikely_duplicate(w, number)) fault.action = SERVER_ERROR_UNKNOWN; /* its sums will show */
    if (!number || fault.action == SERVER_ERROR_STOP || tries >= w->l->o->retries || pool_halts(&w->l->pool)) return false;
    if (fault.action != SERVER_ERROR_RETRY) {
        connection_close(w->c);
        w->c = NULL;
    }
    struct load_files_event e = load_batch_event(&w->batch, LOAD_FILE_RETRIES);
    e.text = why->text;
    pthread_mutex_lock(&w->l->pool.lock);
    w->l->r->retries++;
    report_event(w->l, &e);
    pthread_mutex_unlock(&w->l->pool.lock);
    return pool_back_off(&w->l->pool, tries);
}

static int finish_batch(struct load_worker *w, double from, struct err *err) {
    struct load_batch *b = &w->batch;
    if (!b->n) return 0;
    if (note_batch(w, true, err)) return -1;
    struct load_files_event e = load_batch_event(b, LOAD_FILE_DONE);
    e.rows -= b->kept;
    e.kept = b->kept;
    e.seconds = clock_seconds_since(from);
    pthread_mutex_lock(&w->l->pool.lock);
    for (size_t i = 0; i < b->n; i++) b->files[i]->state = LOAD_IN;
    count_in(w->l, &e);
    pthread_mutex_unlock(&w->l->pool.lock);
    return 0;
}

static int load_batch(struct load_worker *w, struct err *err) {
    double from;
    if (check_listed_files(w, err) || note_batch(w, false, err)) return -1;
    const struct load_files_event e = load_batch_event(&w->batch, LOAD_FILE_BEGINS);
    pthread_mutex_lock(&w->l->pool.lock);
    report_event(w->l, &e);
    pthread_mutex_unlock(&w->l->pool.lock);
    for (unsigned tries = 0;; tries++) {
        unsigned number;
        struct err own = {0};
        from = clock_steady();
        if (!try_batch(w, &number, &own)) return finish_batch(w, from, err);
        if (w->batch.n && shall_retry(w, number, tries, &own)) continue;
        err_keep(err, &own);
        return err_prefix(err, "%s%s", e.file->path, e.files > 1 ? " and others" : "");
    }
}

static void work(void *arg, struct pool_worker *me, struct err *err) {
    struct load_worker w = {.l = arg, .member = me};
    bool good = true;
    while (good && next_batch(&w, err)) {
        good = !load_batch(&w, err);
        load_batch_free(&w.batch);
    }
    load_batch_free(&w.batch);
    connection_close(w.c);
}

static void tick(void *arg) {
    struct load *l = arg;
    if (l->o->tick) l->o->tick(l->o->arg, __atomic_load_n(&l->sent, __ATOMIC_RELAXED));
}

int load_files_run(const struct load_files_opts *o, struct load_files_result *r, struct err *err) {
    struct load *l = calloc(1, sizeof *l);
    if (!l) return err_nomem(err, sizeof *l, "the load");
    l->o = o;
    l->r = r;
    pool_init(&l->pool);
    struct pool_opts co = {.login = o->login, .stop = o->stop, .jobs = o->jobs, .work = work, .tick = tick, .arg = l};
    int rc = load_list_make(&l->list, o, err) || pool_run(&l->pool, &co, err) ? -1 : 0;
    pool_free(&l->pool);
    load_list_free(&l->list);
    free(l);
    return rc;
}

int load_files_statements(const struct load_files_opts *o, int (*put)(void *arg, struct bytes sql, struct err *err), void *arg,
                          struct err *err) {
    struct load_list list;
    struct load_batch b = {0};
    struct buf sql = {0};
    bool more;
    int rc = load_list_make(&list, o, err), got = 1;
    while (!rc && (got = load_batch_pick(&list, &b, &more, err)) == 1) {
        buf_clear(&sql);
        rc = load_batch_put_statement(&sql, o, &b, err) || put(arg, buf_bytes(&sql), err) ? -1 : 0;
        for (size_t i = 0; i < b.n; i++) b.files[i]->state = LOAD_IN;
        load_batch_free(&b);
    }
    load_batch_free(&b);
    load_list_free(&list);
    buf_free(&sql);
    return got < 0 ? -1 : rc;
}
