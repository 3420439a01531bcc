/* Loads the files of an export, several at a time, each by one statement. A file is in the journal before its statement is sent
 * and again when it is in; a file with only the first line was interrupted, and load_interrupted.c finds out what the server
 * made of it before it is loaded again. */
#include "cmd/load/load_files.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/pool.h"

#include <stdlib.h>
#include <string.h>

enum file_state { FILE_WAITS, FILE_INTERRUPTED /* a statement was sent once */, FILE_RUNS, FILE_IN };

struct lane_file {
    const struct export_file *file;
    enum file_state state;
    bool interrupted;
    uint32_t lane; /* files of one lane go one after the other */
    uint64_t kept; /* of its rows: existed, and stay as they were */
};

struct load {
    const struct load_files_opts *o;
    struct pool pool;
    struct lane_file *files;
    size_t n, first; /* first that may wait */
    uint64_t sent;
    struct load_files_result *r;
};

struct worker {
    struct load *l;
    struct pool_worker *member;
    struct connection *c;
};

static void report_event(struct load *l, const struct load_files_event *e) {
    if (l->o->event) l->o->event(l->o->arg, e);
}

int load_files_put_statement(struct buf *out, const struct load_files_opts *o, const struct export_file *f, bool replace,
                             struct err *err) {
    if (load_small_is(o, f))
        return buf_printf(out, err, "-- %llu rows of %s by REPLACE", (unsigned long long)f->sums.rows, f->path);
    char *path = fs_join(o->local ? o->dir : o->server_dir, f->path, err);
    if (!path) return -1;
    struct load_source s = export_load_source(o->m, f, path);
    struct load_target t = o->target;
    s.local = o->local;
    if (!o->is_oceanbase) s.partition = NULL;
    if (replace) t.on_duplicate = ON_DUPLICATE_REPLACE;
    int rc = load_sql_put(out, &t, &s, err);
    free(path);
    return rc;
}

/* ---- which file is next ---- */

static bool lane_runs(const struct load *l, uint32_t lane) {
    for (size_t i = l->first; i < l->n; i++)
        if (l->files[i].state == FILE_RUNS && l->files[i].lane == lane) return true;
    return false;
}

/* Under the lock. NULL: none now; *more: there will be. */
static struct lane_file *pick_file(struct load *l, bool *more) {
    *more = false;
    while (l->first < l->n && l->files[l->first].state == FILE_IN) l->first++;
    for (size_t i = l->first; i < l->n; i++) {
        struct lane_file *f = &l->files[i];
        if (f->state == FILE_IN || f->state == FILE_RUNS) continue;
        *more = true;
        if (lane_runs(l, f->lane)) continue;
        f->interrupted = f->state == FILE_INTERRUPTED;
        f->state = FILE_RUNS;
        return f;
    }
    return NULL;
}

static struct lane_file *next_file(struct load *l) {
    struct lane_file *f = NULL;
    bool more = true;
    pthread_mutex_lock(&l->pool.lock);
    while (!l->pool.halt && !(f = pick_file(l, &more)) && more) pthread_cond_wait(&l->pool.changed, &l->pool.lock);
    pthread_mutex_unlock(&l->pool.lock);
    return f;
}

/* What the file's partition should hold before it: what was there at first, and the files that are in. */
static int sums_before(struct load *l, const struct lane_file *of, struct load_interrupted_opts *s, struct err *err) {
    const struct export_file *f = of->file;
    const char *partition = export_partition_name(l->o->m, f->partition);
    if (journal_base(l->o->journal, l->o->m->table.families[f->family].sql_table, partition, &s->before, err)) return -1;
    s->base_empty = !s->before.rows;
    for (size_t i = 0; i < l->n; i++) {
        const struct export_file *g = l->files[i].file;
        if (g->family == f->family && g->partition == f->partition && l->files[i].state == FILE_IN)
            cell_sums_add(&s->before, &g->sums);
    }
    return 0;
}

/* ---- one file ---- */

/* What the server says it took must be what the file holds, or that without the rows that it kept; replaced rows are counted
 * differently. */
static int check_rows(const struct load *l, struct lane_file *lf, uint64_t rows, struct err *err) {
    const struct export_file *f = lf->file;
    const enum on_duplicate how = l->o->target.on_duplicate;
    if (how == ON_DUPLICATE_REPLACE || rows == f->sums.rows) return 0;
    if (how == ON_DUPLICATE_IGNORE && rows < f->sums.rows) {
        lf->kept = f->sums.rows - rows;
        return 0;
    }
    bool passed_over = l->o->local && rows < f->sums.rows;
    const char *why = passed_over ? "; existing rows are skipped when files are sent from here (LOCAL)" : "";
    return err_set(err, ERR_OUTPUT, "the server loaded %llu rows, the file holds %llu%s; compare with obkv-verify target",
                   (unsigned long long)rows, (unsigned long long)f->sums.rows, why);
}

static int send_file(struct worker *w, struct lane_file *lf, bool replace, struct err *err) {
    const struct load_files_opts *o = w->l->o;
    const struct export_file *f = lf->file;
    const struct load_small_opts small = {o, f, w->c, w->member};
    struct buf sql = {0};
    uint64_t rows = 0;
    if (load_small_is(o, f)) return load_small_send(&small, err);
    char *path = fs_join(o->dir, f->path, err);
    int rc = path && !load_files_put_statement(&sql, o, f, replace, err) ? buf_put_byte(&sql, 0, err) : -1;
    if (!rc) {
        if (o->local) connection_offer(w->c, path, &w->l->sent);
        pool_set_session(w->member, connection_id(w->c));
        rc = pool_halts(&w->l->pool) ? err_set(err, ERR_STOPPED, "stopped") : connection_run(w->c, (char *)sql.p, &rows, err);
        pool_set_session(w->member, 0);
        connection_offer(w->c, NULL, NULL);
    }
    if (!rc && !replace) rc = check_rows(w->l, lf, rows, err);
    free(path);
    buf_free(&sql);
    return rc;
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

/* One attempt. *was_there: all rows are in already, no statement was sent. */
static int try_file(struct worker *w, struct lane_file *lf, bool interrupted, bool *was_there, unsigned *number,
                    struct err *err) {
    const struct load_files_opts *o = w->l->o;
    bool replace = false;
    *was_there = false;
    *number = 0;
    if (!w->c && !(w->c = connection_open(o->login, number, err))) return -1;
    if (interrupted) {
        struct load_interrupted_opts s = {.loader = o, .file = lf->file, .base_empty = false};
        pthread_mutex_lock(&w->l->pool.lock);
        int rc = sums_before(w->l, lf, &s, err);
        pthread_mutex_unlock(&w->l->pool.lock);
        if (rc) return -1;
        enum load_interrupted_answer answer;
        if (load_interrupted_find(w->c, &s, &answer, err)) goto failed;
        if (answer == INTERRUPTED_IN) {
            *was_there = true;
            return 0;
        }
        replace = answer == INTERRUPTED_PARTLY;
    }
    if (!send_file(w, lf, replace, err)) return 0;
failed:
    *number = connection_error(w->c);
    return -1;
}

/* Whether to try again after this failure; the connection is given up when it may be dead. */
static bool shall_retry(struct worker *w, const struct export_file *f, unsigned number, unsigned tries, const struct err *why) {
    struct server_error fault = server_error_of(number);
    if (!number || fault.action == SERVER_ERROR_STOP || tries >= w->l->o->retries || pool_halts(&w->l->pool)) return false;
    if (fault.action != SERVER_ERROR_RETRY) {
        connection_close(w->c);
        w->c = NULL;
    }
    pthread_mutex_lock(&w->l->pool.lock);
    w->l->r->retries++;
    report_event(w->l, &(struct load_files_event){.step = LOAD_FILE_RETRIES, .file = f, .rows = f->sums.rows, .text = why->text});
    pthread_mutex_unlock(&w->l->pool.lock);
    return pool_back_off(&w->l->pool, tries);
}

static int load_file(struct worker *w, struct lane_file *lf, struct err *err) {
    const struct export_file *f = lf->file;
    bool interrupted = lf->interrupted, was_there = false;
    double from;
    if (check_listed_file(w->l->o, f, err) || journal_put_start(w->l->o->journal, f->path, f->checksum, err)) return -1;
    pthread_mutex_lock(&w->l->pool.lock);
    report_event(w->l, &(struct load_files_event){.step = LOAD_FILE_BEGINS, .file = f, .rows = f->sums.rows});
    pthread_mutex_unlock(&w->l->pool.lock);
    for (unsigned tries = 0;; tries++, interrupted = true) {
        unsigned number;
        struct err own = {0};
        from = clock_steady();
        if (!try_file(w, lf, interrupted, &was_there, &number, &own)) break;
        if (shall_retry(w, f, number, tries, &own)) continue;
        err_keep(err, &own);
        return err_prefix(err, "%s", f->path);
    }
    const bool kept = w->l->o->target.on_duplicate == ON_DUPLICATE_IGNORE;
    if (journal_put_done(w->l->o->journal, f->path, f->checksum, f->sums.rows, kept, err)) return -1;
    pthread_mutex_lock(&w->l->pool.lock);
    lf->state = FILE_IN;
    const struct load_files_event e = {.step = was_there ? LOAD_FILE_WAS_THERE : LOAD_FILE_DONE,
                                       .file = f,
                                       .rows = f->sums.rows - lf->kept,
                                       .kept = lf->kept,
                                       .seconds = clock_seconds_since(from)};
    *(was_there ? &w->l->r->files_found : &w->l->r->files) += 1;
    w->l->r->rows += e.rows;
    w->l->r->kept += e.kept;
    w->l->r->bytes += f->file_bytes;
    report_event(w->l, &e);
    pthread_cond_broadcast(&w->l->pool.changed);
    pthread_mutex_unlock(&w->l->pool.lock);
    return 0;
}

static void work(void *arg, struct pool_worker *me, struct err *err) {
    struct worker w = {.l = arg, .member = me};
    struct lane_file *f;
    while ((f = next_file(w.l)) && !load_file(&w, f, err)) {
    }
    connection_close(w.c);
}

static void tick(void *arg) {
    struct load *l = arg;
    if (l->o->tick) l->o->tick(l->o->arg, __atomic_load_n(&l->sent, __ATOMIC_RELAXED));
}

/* Direct loads are one lane, and so are the few plain ones into tables that are loaded directly; else a lane is a partition. */
static void set_lanes(struct load *l) {
    const struct export_manifest *m = l->o->m;
    for (size_t i = 0; i < l->n; i++) {
        const struct export_file *f = l->files[i].file;
        struct load_source s = export_load_source(m, f, "");
        s.big = false;
        bool direct = l->o->is_oceanbase && load_sql_is_direct(&s) && !load_small_is(l->o, f);
        l->files[i].lane = direct ? 0 : 1 + f->family * m->table.partitioning.count + f->partition;
    }
}

static int make_file_list(struct load *l, struct err *err) {
    const struct load_files_opts *o = l->o;
    l->n = o->m->n_files;
    l->files = calloc(l->n ? l->n : 1, sizeof *l->files);
    if (!l->files) return err_nomem(err, l->n * sizeof *l->files, "the list of files");
    for (size_t i = 0; i < l->n; i++) {
        const struct export_file *f = &o->m->files[i];
        enum journal_state state = journal_state_of(o->journal, f->path, f->checksum);
        l->files[i].file = f;
        l->files[i].state = state == JOURNAL_DONE ? FILE_IN : state == JOURNAL_STARTED ? FILE_INTERRUPTED : FILE_WAITS;
    }
    set_lanes(l);
    return 0;
}

int load_files_run(const struct load_files_opts *o, struct load_files_result *r, struct err *err) {
    struct load *l = calloc(1, sizeof *l);
    if (!l) return err_nomem(err, sizeof *l, "the load");
    l->o = o;
    l->r = r;
    pool_init(&l->pool);
    struct pool_opts co = {.login = o->login, .stop = o->stop, .jobs = o->jobs, .work = work, .tick = tick, .arg = l};
    int rc = make_file_list(l, err) || pool_run(&l->pool, &co, err) ? -1 : 0;
    pool_free(&l->pool);
    free(l->files);
    free(l);
    return rc;
}
