/* Runs the statements that delete, before any file is loaded: what a delta puts must come after what it deletes. Partitions go
 * side by side, the statements of one in order. A statement that is run again deletes nothing more, so a file that was
 * interrupted starts over; what a loader that was killed has left running in the server is ended first. */
#include "cmd/load/load_files.h"

#include "cmd/load/load_interrupted.h"
#include "cmd/oceanbase/delete_lines.h"
#include "cmd/oceanbase/journal.h"
#include "cmd/oceanbase/pool.h"

struct deletes {
    const struct load_files_opts *o;
    struct load_files_result *r;
    struct pool pool;
    size_t next;
};

struct deletes_worker {
    struct deletes *all;
    struct pool_worker *member;
    struct connection *c;
    struct buf sql;
};

static int try_statement(struct deletes_worker *w, uint64_t *rows, unsigned *number, struct err *err) {
    *number = 0;
    if (!w->c && !(w->c = connection_open(w->all->o->login, number, err))) return -1;
    pool_set_session(w->member, connection_id(w->c));
    int rc = pool_halts(&w->all->pool) ? err_set(err, ERR_STOPPED, "stopped")
                                       : connection_run(w->c, (const char *)w->sql.p, rows, err);
    pool_set_session(w->member, 0);
    if (rc) *number = connection_error(w->c);
    return rc;
}

static void note_retry(struct deletes_worker *w, const struct export_delete_file *f, const struct err *why) {
    const struct export_file file = {.path = f->path, .family = f->family, .partition = f->partition};
    pthread_mutex_lock(&w->all->pool.lock);
    w->all->r->retries++;
    const struct load_files_event e = {.step = LOAD_FILE_RETRIES, .file = &file, .files = 1, .text = why->text};
    if (w->all->o->event) w->all->o->event(w->all->o->arg, &e);
    pthread_mutex_unlock(&w->all->pool.lock);
}

static int run_statement(struct deletes_worker *w, const struct export_delete_file *f, uint64_t *rows, struct err *err) {
    for (unsigned tries = 0;; tries++) {
        unsigned number;
        struct err own = {0};
        if (!try_statement(w, rows, &number, &own)) return 0;
        enum server_error_action action = server_error_of(number).action;
        if (!number || action == SERVER_ERROR_STOP || tries >= w->all->o->retries || pool_halts(&w->all->pool)) {
            err_keep(err, &own);
            return err_prefix(err, "%s", f->path);
        }
        if (action != SERVER_ERROR_RETRY) {
            connection_close(w->c);
            w->c = NULL;
        }
        note_retry(w, f, &own);
        if (!pool_back_off(&w->all->pool, tries)) return err_set(err, ERR_STOPPED, "stopped");
    }
}

/* MariaDB places rows elsewhere: there the whole table is searched, by its key. */
static int put_statement(struct deletes_worker *w, const struct export_delete_file *f, struct bytes where, struct err *err) {
    struct delete_place place = delete_lines_place(w->all->o->m, f);
    if (!w->all->o->is_oceanbase) place.partition = NULL;
    buf_clear(&w->sql);
    return delete_sql_put_head(&w->sql, &place, "DELETE", err) || buf_put(&w->sql, where.p, where.n, err) ||
                   buf_put_byte(&w->sql, 0, err)
               ? -1
               : 0;
}

static int end_earlier(struct deletes_worker *w, const struct export_delete_file *f, struct err *err) {
    unsigned number;
    struct delete_place place = delete_lines_place(w->all->o->m, f);
    if (journal_state_of(w->all->o->journal, f->path, f->checksum) != JOURNAL_STARTED || !w->all->o->is_oceanbase) return 0;
    if (!w->c && !(w->c = connection_open(w->all->o->login, &number, err))) return -1;
    buf_clear(&w->sql);
    if (delete_sql_put_head(&w->sql, &place, "DELETE", err) || buf_put_byte(&w->sql, 0, err)) return -1;
    const char *text = (const char *)w->sql.p;
    return load_interrupted_end(w->c, w->all->o->stop, "DELETE", &text, 1, err);
}

static int run_file(struct deletes_worker *w, const struct export_delete_file *f, struct err *err) {
    const struct load_files_opts *o = w->all->o;
    uint64_t rows = 0, n;
    struct bytes where;
    struct journal_file noted = {f->path, f->checksum, 0};
    struct delete_lines *lines = delete_lines_open(o->dir, o->m, f, o->stop, err);
    int more = lines && !end_earlier(w, f, err) && !journal_put_start(o->journal, &noted, 1, err) ? 1 : -1;
    while (more == 1 && (more = delete_lines_next(lines, &where, err)) == 1) {
        if (put_statement(w, f, where, err) || run_statement(w, f, &n, err)) more = -1;
        if (more == 1) rows += n;
    }
    delete_lines_close(lines);
    noted.rows = rows;
    if (more || journal_put_done(o->journal, &noted, 1, false, err)) return -1;
    pthread_mutex_lock(&w->all->pool.lock);
    w->all->r->delete_files++;
    w->all->r->deleted += rows;
    pthread_mutex_unlock(&w->all->pool.lock);
    return 0;
}

static const struct export_delete_file *next_file(struct deletes *all) {
    const struct export_deletes *d = &all->o->m->deletes;
    const struct export_delete_file *found = NULL;
    pthread_mutex_lock(&all->pool.lock);
    while (!found && !all->pool.halt && all->next < d->n) {
        const struct export_delete_file *f = &d->files[all->next++];
        if (journal_state_of(all->o->journal, f->path, f->checksum) != JOURNAL_DONE) found = f;
    }
    pthread_mutex_unlock(&all->pool.lock);
    return found;
}

static void work(void *arg, struct pool_worker *me, struct err *err) {
    struct deletes_worker w = {.all = arg, .member = me};
    const struct export_delete_file *f;
    while ((f = next_file(w.all)) && !run_file(&w, f, err)) {
    }
    connection_close(w.c);
    buf_free(&w.sql);
}

int load_deletes_run(const struct load_files_opts *o, struct load_files_result *r, struct err *err) {
    struct deletes all = {.o = o, .r = r};
    if (!o->m->deletes.n) return 0;
    pool_init(&all.pool);
    struct pool_opts p = {.login = o->login, .stop = o->stop, .jobs = o->jobs, .work = work, .arg = &all};
    int rc = pool_run(&all.pool, &p, err);
    pool_free(&all.pool);
    return rc;
}
