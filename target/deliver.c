#include "target/deliver.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "target/fault.h"
#include "target/settle.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 500, KILL_EVERY_MS = 2000, BACK_OFF_MAX_S = 30, JOBS_MAX = 64 };

enum file_state { FILE_WAITS, FILE_UNSETTLED /* a statement was sent once */, FILE_RUNS, FILE_IN };

struct lane_file {
    const struct export_file *file;
    enum file_state state;
    bool unsettled;
    uint32_t lane; /* files of one lane go one after the other */
};

struct worker {
    struct load *l;
    pthread_t thread;
    struct connection *c;
    uint64_t session; /* in a statement; 0 = not */
};

struct load {
    const struct deliver_opts *o;
    struct lane_file *files;
    size_t n, first; /* first that may wait */
    struct worker workers[JOBS_MAX];
    unsigned n_workers, running;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int wake; /* eventfd: a worker ended */
    bool halt;
    uint64_t sent;
    struct deliver_result *r;
    struct err err;
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void tell(struct load *l, const struct deliver_event *e) {
    if (l->o->event) l->o->event(l->o->arg, e);
}

int deliver_put_statement(struct buf *out, const struct deliver_opts *o, const struct export_file *f, bool replace,
                          struct err *err) {
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

/* Under the lock. NULL: none now; *more tells whether there will be. */
static struct lane_file *pick(struct load *l, bool *more) {
    *more = false;
    while (l->first < l->n && l->files[l->first].state == FILE_IN) l->first++;
    for (size_t i = l->first; i < l->n; i++) {
        struct lane_file *f = &l->files[i];
        if (f->state == FILE_IN || f->state == FILE_RUNS) continue;
        *more = true;
        if (lane_runs(l, f->lane)) continue;
        f->unsettled = f->state == FILE_UNSETTLED;
        f->state = FILE_RUNS;
        return f;
    }
    return NULL;
}

static struct lane_file *next_file(struct load *l) {
    struct lane_file *f = NULL;
    bool more = true;
    pthread_mutex_lock(&l->lock);
    while (!l->halt && !(f = pick(l, &more)) && more) pthread_cond_wait(&l->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
    return f;
}

/* What the file's partition should hold before it: what was there at first, and the files that are in. */
static struct cell_sums sums_before(struct load *l, const struct lane_file *of) {
    const struct export_file *f = of->file;
    struct cell_sums s =
        journal_base(l->o->journal, l->o->m->table.families[f->family].sql_table, export_partition_name(l->o->m, f->partition));
    for (size_t i = 0; i < l->n; i++) {
        const struct export_file *g = l->files[i].file;
        if (g->family == f->family && g->partition == f->partition && l->files[i].state == FILE_IN) cell_sums_add(&s, &g->sums);
    }
    return s;
}

/* ---- one file ---- */

static void set_session(struct worker *w, uint64_t session) {
    pthread_mutex_lock(&w->l->lock);
    w->session = session;
    pthread_mutex_unlock(&w->l->lock);
}

static bool halted(struct load *l) {
    pthread_mutex_lock(&l->lock);
    bool halt = l->halt;
    pthread_mutex_unlock(&l->lock);
    return halt;
}

/* Waits before a further attempt; false when the load ends meanwhile. */
static bool back_off(struct load *l, unsigned attempt) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += attempt < 5 ? 1 << attempt : BACK_OFF_MAX_S;
    pthread_mutex_lock(&l->lock);
    int rc = 0;
    while (!l->halt && rc != ETIMEDOUT) rc = pthread_cond_timedwait(&l->changed, &l->lock, &until);
    bool go_on = !l->halt;
    pthread_mutex_unlock(&l->lock);
    return go_on;
}

/* What the server says it took must be what the file holds; replaced and ignored rows are counted differently. */
static int check_rows(const struct load *l, const struct export_file *f, uint64_t rows, struct err *err) {
    if (l->o->target.on_duplicate != ON_DUPLICATE_ERROR || rows == f->sums.rows) return 0;
    return err_set(err, ERR_OUTPUT, "%s: the server took %llu rows, the file holds %llu: see obkv-verify target", f->path,
                   (unsigned long long)rows, (unsigned long long)f->sums.rows);
}

static int send(struct worker *w, const struct export_file *f, bool replace, struct err *err) {
    const struct deliver_opts *o = w->l->o;
    struct buf sql = {0};
    uint64_t rows = 0;
    char *path = fs_join(o->dir, f->path, err);
    int rc = path && !deliver_put_statement(&sql, o, f, replace, err) ? buf_put_byte(&sql, 0, err) : -1;
    if (!rc) {
        if (o->local) connection_offer(w->c, path, &w->l->sent);
        set_session(w, connection_id(w->c));
        rc = halted(w->l) ? err_set(err, ERR_STOPPED, "stopped") : connection_run(w->c, (char *)sql.p, &rows, err);
        set_session(w, 0);
        connection_offer(w->c, NULL, NULL);
    }
    if (!rc && !replace) rc = check_rows(w->l, f, rows, err);
    free(path);
    buf_free(&sql);
    return rc;
}

static int check_file(const struct deliver_opts *o, const struct export_file *f, struct err *err) {
    char sum[17], *path = fs_join(o->dir, f->path, err);
    int rc = path ? file_sum_of(path, sum, err) : -1;
    if (!rc && strcmp(sum, f->checksum))
        rc = err_set(err, ERR_INPUT, "%s: its checksum is %s, the manifest says %s: export again", path, sum, f->checksum);
    free(path);
    return rc;
}

/* One attempt. *done: settled as being in already, without a statement of ours. */
static int attempt(struct worker *w, struct lane_file *lf, bool unsettled, bool *was_there, unsigned *number, struct err *err) {
    const struct deliver_opts *o = w->l->o;
    bool replace = false;
    *was_there = false;
    *number = 0;
    if (!w->c && !(w->c = connection_open(o->login, number, err))) return -1;
    if (unsettled) {
        struct settle_opts s = {.loader = o, .file = lf->file, .base_empty = false};
        pthread_mutex_lock(&w->l->lock);
        s.before = sums_before(w->l, lf);
        pthread_mutex_unlock(&w->l->lock);
        s.base_empty = !journal_base(o->journal, o->m->table.families[lf->file->family].sql_table,
                                     export_partition_name(o->m, lf->file->partition))
                            .rows;
        enum settle_answer answer;
        if (settle_file(w->c, &s, &answer, err)) goto failed;
        if (answer == SETTLED_IN) return *was_there = true, 0;
        replace = answer == SETTLED_PARTLY;
    }
    if (!send(w, lf->file, replace, err)) return 0;
failed:
    *number = connection_error(w->c);
    return -1;
}

/* Whether to try again after this failure; the connection is given up when it may be dead. */
static bool shall_retry(struct worker *w, const struct export_file *f, unsigned number, unsigned tries, const struct err *why) {
    struct fault fault = fault_of(number);
    if (!number || fault.action == FAULT_STOP || tries >= w->l->o->retries || halted(w->l)) return false;
    if (fault.action != FAULT_RETRY) {
        connection_close(w->c);
        w->c = NULL;
    }
    pthread_mutex_lock(&w->l->lock);
    w->l->r->retries++;
    tell(w->l, &(struct deliver_event){DELIVER_RETRIES, f, 0, why->text});
    pthread_mutex_unlock(&w->l->lock);
    return back_off(w->l, tries);
}

static int load_file(struct worker *w, struct lane_file *lf, struct err *err) {
    const struct export_file *f = lf->file;
    bool unsettled = lf->unsettled, was_there = false;
    double from = now_s();
    if (check_file(w->l->o, f, err) || journal_put_start(w->l->o->journal, f->path, f->checksum, err)) return -1;
    pthread_mutex_lock(&w->l->lock);
    tell(w->l, &(struct deliver_event){DELIVER_BEGINS, f, 0, NULL});
    pthread_mutex_unlock(&w->l->lock);
    for (unsigned tries = 0;; tries++, unsettled = true) {
        unsigned number;
        struct err own = {0};
        if (!attempt(w, lf, unsettled, &was_there, &number, &own)) break;
        if (shall_retry(w, f, number, tries, &own)) continue;
        err_keep(err, &own);
        return err_prefix(err, "%s", f->path);
    }
    if (journal_put_done(w->l->o->journal, f->path, f->checksum, f->sums.rows, err)) return -1;
    pthread_mutex_lock(&w->l->lock);
    lf->state = FILE_IN;
    *(was_there ? &w->l->r->files_found : &w->l->r->files) += 1;
    w->l->r->rows += f->sums.rows;
    w->l->r->bytes += f->file_bytes;
    tell(w->l, &(struct deliver_event){was_there ? DELIVER_WAS_THERE : DELIVER_DONE, f, now_s() - from, NULL});
    pthread_cond_broadcast(&w->l->changed);
    pthread_mutex_unlock(&w->l->lock);
    return 0;
}

static void *work(void *arg) {
    struct worker *w = arg;
    struct err err = {0};
    struct lane_file *f;
    uint64_t one = 1;
    while ((f = next_file(w->l)) && !load_file(w, f, &err)) {
    }
    connection_close(w->c);
    w->c = NULL;
    connection_thread_end();
    pthread_mutex_lock(&w->l->lock);
    if (err.code && err.code != ERR_STOPPED) err_keep(&w->l->err, &err);
    if (err.code) w->l->halt = true;
    w->l->running--;
    pthread_cond_broadcast(&w->l->changed);
    pthread_mutex_unlock(&w->l->lock);
    while (write(w->l->wake, &one, sizeof one) < 0 && errno == EINTR) {
    }
    return NULL;
}

/* ---- the thread that waits for them ---- */

/* Ends what the server does for us: all or nothing, or settled when the load goes on. */
static void kill_statements(struct load *l) {
    struct err ignored = {0};
    unsigned number;
    uint64_t sessions[JOBS_MAX];
    unsigned n = 0;
    pthread_mutex_lock(&l->lock);
    for (unsigned i = 0; i < l->n_workers; i++)
        if (l->workers[i].session) sessions[n++] = l->workers[i].session;
    pthread_mutex_unlock(&l->lock);
    struct connection *c = n ? connection_open(l->o->login, &number, &ignored) : NULL;
    for (unsigned i = 0; c && i < n; i++) connection_kill(c, sessions[i], &ignored);
    connection_close(c);
}

static void halt(struct load *l) {
    pthread_mutex_lock(&l->lock);
    l->halt = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void wait_for_workers(struct load *l) {
    double killed = 0;
    struct pollfd p[2] = {{.fd = l->wake, .events = POLLIN}, {.fd = l->o->stop->fd, .events = POLLIN}};
    for (bool run = true, stopped = false; run;) {
        poll(p, stopped ? 1 : 2, TICK_MS);
        struct err err = {0};
        if (!stopped && stop_check(l->o->stop, &err)) {
            stopped = true;
            halt(l);
        }
        uint64_t n;
        if (p[0].revents && read(l->wake, &n, sizeof n) < 0) continue;
        pthread_mutex_lock(&l->lock);
        if (err.code) err_keep(&l->err, &err);
        bool ends = l->halt;
        run = l->running > 0;
        if (l->o->tick) l->o->tick(l->o->arg, __atomic_load_n(&l->sent, __ATOMIC_RELAXED));
        pthread_mutex_unlock(&l->lock);
        if (!run || !ends || now_s() - killed < KILL_EVERY_MS / 1000.0) continue;
        kill_statements(l);
        killed = now_s();
    }
}

/* Direct loads are one lane, and so are the few plain ones into tables that are loaded directly; else a lane is a partition. */
static void set_lanes(struct load *l) {
    const struct export_manifest *m = l->o->m;
    for (size_t i = 0; i < l->n; i++) {
        const struct export_file *f = l->files[i].file;
        struct load_source s = export_load_source(m, f, "");
        s.big = false;
        bool direct = l->o->is_oceanbase && load_sql_is_direct(&s);
        l->files[i].lane = direct ? 0 : 1 + f->family * m->table.partitioning.count + f->partition;
    }
}

static int prepare(struct load *l, struct err *err) {
    const struct deliver_opts *o = l->o;
    l->n = o->m->n_files;
    l->files = calloc(l->n ? l->n : 1, sizeof *l->files);
    l->wake = eventfd(0, EFD_CLOEXEC);
    if (!l->files) return err_nomem(err, l->n * sizeof *l->files, "the list of files");
    if (l->wake < 0) return err_sys(err, ERR_LIMIT, errno, "eventfd");
    for (size_t i = 0; i < l->n; i++) {
        const struct export_file *f = &o->m->files[i];
        enum journal_state state = journal_state_of(o->journal, f->path, f->checksum);
        l->files[i].file = f;
        l->files[i].state = state == JOURNAL_DONE ? FILE_IN : state == JOURNAL_STARTED ? FILE_UNSETTLED : FILE_WAITS;
        l->r->files_before += state == JOURNAL_DONE;
    }
    set_lanes(l);
    return 0;
}

static void start(struct load *l) {
    unsigned jobs = l->o->jobs < JOBS_MAX ? l->o->jobs : JOBS_MAX;
    pthread_mutex_lock(&l->lock);
    for (unsigned i = 0; i < jobs; i++) {
        struct worker *w = &l->workers[l->n_workers];
        w->l = l;
        int rc = pthread_create(&w->thread, NULL, work, w);
        if (rc && !l->n_workers) err_sys(&l->err, ERR_LIMIT, rc, "cannot start a thread");
        if (rc) break;
        l->n_workers++;
        l->running++;
    }
    pthread_mutex_unlock(&l->lock);
}

int deliver_run(const struct deliver_opts *o, struct deliver_result *r, struct err *err) {
    struct load *l = calloc(1, sizeof *l);
    *r = (struct deliver_result){0};
    if (!l) return err_nomem(err, sizeof *l, "the load");
    *l = (struct load){.o = o, .r = r, .wake = -1};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    if (!prepare(l, &l->err)) {
        start(l);
        if (l->n_workers) wait_for_workers(l);
        for (unsigned i = 0; i < l->n_workers; i++) pthread_join(l->workers[i].thread, NULL);
    }
    err_keep(err, &l->err);
    int rc = l->err.code ? -1 : 0;
    if (l->wake >= 0) close(l->wake);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    free(l->files);
    free(l);
    return rc;
}
