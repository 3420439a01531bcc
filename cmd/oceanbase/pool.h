/* Worker threads on one target, each over its own connection. They end together: when nothing is left, with the first error, or
 * on request; the statement that the server still runs for a worker is then killed there. */
#ifndef CMD_OCEANBASE_POOL_H
#define CMD_OCEANBASE_POOL_H

#include "base/stop.h"
#include "cmd/oceanbase/connection.h"

#include <pthread.h>

enum { POOL_MAX = 64 };

struct pool_worker {
    struct pool *pool;
    pthread_t thread;
    uint64_t session; /* whose statement a halt ends; 0 = none */
};

struct pool_opts {
    const struct login *login;
    const struct stop *stop;
    unsigned jobs; /* at most POOL_MAX are taken */
    /* Works in each thread, until nothing is left or the pool halts. An error halts all; ERR_STOPPED only says that it did. */
    void (*work)(void *arg, struct pool_worker *me, struct err *err);
    void (*tick)(void *arg); /* about twice a second and at the end, under the lock */
    void *arg;
};

struct pool {
    const struct pool_opts *o;
    pthread_mutex_t lock;   /* also for what the threads share */
    pthread_cond_t changed; /* broadcast when halt is set; by others for their own reasons */
    bool halt;              /* under the lock: nothing new may begin */
    struct pool_worker members[POOL_MAX];
    unsigned n, running;
    int wake; /* eventfd: a member ended */
    struct err err;
};

void pool_init(struct pool *c);
/* Returns when all threads have ended. */
int pool_run(struct pool *c, const struct pool_opts *o, struct err *err);
void pool_free(struct pool *c);

bool pool_halts(struct pool *c);
/* Returns how long to wait before a further attempt: 1, 2, 4 … 30 s; the first is 0. */
unsigned pool_wait_s(unsigned attempt);
/* Waits so long; false when the pool halts meanwhile. */
bool pool_back_off(struct pool *c, unsigned attempt);
/* Returns, after the wait, whether a statement that failed with this number of the server is to be tried again. */
bool pool_try_again(struct pool *c, unsigned number, unsigned attempt, unsigned retries);
/* Around statements. */
void pool_set_session(struct pool_worker *m, uint64_t session);

#endif
