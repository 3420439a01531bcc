/* Threads that work on one target over connections of their own and end together: when nothing is left, with the first error, or
 * on request. What the server still does for them then is ended there. */
#ifndef CMD_OCEANBASE_CREW_H
#define CMD_OCEANBASE_CREW_H

#include "base/stop.h"
#include "cmd/oceanbase/connection.h"

#include <pthread.h>

enum { CREW_MAX = 64 };

struct crew_member {
    struct crew *crew;
    pthread_t thread;
    uint64_t session; /* whose statement a halt ends; 0 = none */
};

struct crew_opts {
    const struct login *login;
    const struct stop *stop;
    unsigned jobs; /* at most CREW_MAX are taken */
    /* What each thread does, until nothing is left or the crew halts. An error halts all; ERR_STOPPED only says that it did. */
    void (*work)(void *arg, struct crew_member *me, struct err *err);
    void (*tick)(void *arg); /* about twice a second and at the end, under the lock */
    void *arg;
};

struct crew {
    const struct crew_opts *o;
    pthread_mutex_t lock;   /* also for what the threads share */
    pthread_cond_t changed; /* broadcast when halt is set; by others for their own reasons */
    bool halt;              /* under the lock: nothing new may begin */
    struct crew_member members[CREW_MAX];
    unsigned n, running;
    int wake; /* eventfd: a member ended */
    struct err err;
};

void crew_init(struct crew *c);
/* Returns when all threads have ended. */
int crew_run(struct crew *c, const struct crew_opts *o, struct err *err);
void crew_free(struct crew *c);

bool crew_halts(struct crew *c);
/* Waits 1, 2, 4 … 30 s before a further attempt, the first is 0; false when the crew halts meanwhile. */
bool crew_back_off(struct crew *c, unsigned attempt);
/* Around statements. */
void crew_set_session(struct crew_member *m, uint64_t session);

#endif
