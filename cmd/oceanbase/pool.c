/* Worker threads on one target. A halt wakes all who wait; one more connection then kills the statements that still run in the
 * server, so that the program does not end while the server still works for it. */
#include "cmd/oceanbase/pool.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 500, BACK_OFF_MAX_S = 30 };
static const double KILL_EVERY_S = 2;

void pool_init(struct pool *c) {
    *c = (struct pool){.wake = -1};
    pthread_mutex_init(&c->lock, NULL);
    /* Waits end by the steady clock: one that is set back must not prolong them. */
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&c->changed, &steady);
    pthread_condattr_destroy(&steady);
}

void pool_free(struct pool *c) {
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
}

bool pool_halts(struct pool *c) {
    pthread_mutex_lock(&c->lock);
    bool halt = c->halt;
    pthread_mutex_unlock(&c->lock);
    return halt;
}

void pool_set_session(struct pool_worker *m, uint64_t session) {
    pthread_mutex_lock(&m->pool->lock);
    m->session = session;
    pthread_mutex_unlock(&m->pool->lock);
}

static void halt(struct pool *c) {
    c->halt = true;
    pthread_cond_broadcast(&c->changed);
}

unsigned pool_wait_s(unsigned attempt) {
    return attempt < 5 ? 1U << attempt : BACK_OFF_MAX_S;
}

bool pool_back_off(struct pool *c, unsigned attempt) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += pool_wait_s(attempt);
    pthread_mutex_lock(&c->lock);
    int rc = 0;
    while (!c->halt && rc != ETIMEDOUT) rc = pthread_cond_timedwait(&c->changed, &c->lock, &until);
    bool go_on = !c->halt;
    pthread_mutex_unlock(&c->lock);
    return go_on;
}

bool pool_try_again(struct pool *c, unsigned number, unsigned attempt, unsigned retries) {
    return number && server_error_of(number).action != SERVER_ERROR_STOP && attempt < retries && pool_back_off(c, attempt);
}

static void *run_member(void *arg) {
    struct pool_worker *m = arg;
    struct pool *c = m->pool;
    struct err err = {0};
    uint64_t one = 1;
    c->o->work(c->o->arg, m, &err);
    connection_thread_end();
    pthread_mutex_lock(&c->lock);
    m->session = 0;
    if (err.code && err.code != ERR_STOPPED) err_keep(&c->err, &err);
    if (err.code) halt(c);
    c->running--;
    pthread_mutex_unlock(&c->lock);
    while (write(c->wake, &one, sizeof one) < 0 && errno == EINTR) {
    }
    return NULL;
}

static void start_workers(struct pool *c) {
    pthread_mutex_lock(&c->lock);
    while (c->n < c->o->jobs && c->n < POOL_MAX) {
        struct pool_worker *m = &c->members[c->n];
        m->pool = c;
        int rc = pthread_create(&m->thread, NULL, run_member, m);
        if (rc && !c->n) err_sys(&c->err, ERR_LIMIT, rc, "cannot start a thread");
        if (rc) break;
        c->n++;
        c->running++;
    }
    pthread_mutex_unlock(&c->lock);
}

/* The lock is not held while the server is asked. */
static void end_statements(struct pool *c) {
    struct err ignored = {0};
    unsigned number, n = 0;
    uint64_t sessions[POOL_MAX];
    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < c->n; i++)
        if (c->members[i].session) sessions[n++] = c->members[i].session;
    pthread_mutex_unlock(&c->lock);
    struct connection *k = n ? connection_open(c->o->login, &number, &ignored) : NULL;
    for (unsigned i = 0; k && i < n; i++) (void)connection_kill(k, sessions[i], &ignored);
    connection_close(k);
}

/* Takes note of a request to stop, once. */
static void look_for_stop(struct pool *c, bool *stopped) {
    struct err err = {0};
    if (*stopped || !stop_check(c->o->stop, &err)) return;
    *stopped = true;
    pthread_mutex_lock(&c->lock);
    err_keep(&c->err, &err);
    halt(c);
    pthread_mutex_unlock(&c->lock);
}

static void wait_for_members(struct pool *c) {
    double killed = clock_steady() - KILL_EVERY_S;
    struct pollfd p[2] = {{.fd = c->wake, .events = POLLIN}, {.fd = c->o->stop->fd, .events = POLLIN}};
    for (bool run = true, stopped = false; run;) {
        uint64_t ended;
        if (poll(p, stopped ? 1 : 2, TICK_MS) < 0) p[0].revents = 0; /* what it says is of the time before */
        look_for_stop(c, &stopped);
        if (p[0].revents) (void)!read(c->wake, &ended, sizeof ended); /* who has ended is counted */
        pthread_mutex_lock(&c->lock);
        bool halts = c->halt;
        run = c->running > 0;
        if (c->o->tick) c->o->tick(c->o->arg);
        pthread_mutex_unlock(&c->lock);
        if (!run || !halts || clock_seconds_since(killed) < KILL_EVERY_S) continue;
        end_statements(c);
        killed = clock_steady();
    }
}

int pool_run(struct pool *c, const struct pool_opts *o, struct err *err) {
    c->o = o;
    c->wake = eventfd(0, EFD_CLOEXEC);
    if (c->wake < 0) return err_sys(err, ERR_LIMIT, errno, "eventfd");
    start_workers(c);
    if (c->n) wait_for_members(c);
    for (unsigned i = 0; i < c->n; i++) pthread_join(c->members[i].thread, NULL);
    fd_close(c->wake);
    err_keep(err, &c->err);
    return c->err.code ? -1 : 0;
}
