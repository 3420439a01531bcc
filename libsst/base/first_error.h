/* The first error of many threads. Each works with an err of its own and keeps it here when it fails; the others see that and end
 * early. Which error wins depends on the order of threads, that there is one does not. */
#ifndef BASE_FIRST_ERROR_H
#define BASE_FIRST_ERROR_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>

struct first_error {
    pthread_mutex_t lock;
    struct err err;
};

static inline void first_error_init(struct first_error *f) {
    *f = (struct first_error){.err = {0}};
    pthread_mutex_init(&f->lock, NULL);
}

/* To be asked before work begins: a look without the lock. */
static inline bool first_error_failed(const struct first_error *f) {
    return __atomic_load_n(&f->err.code, __ATOMIC_RELAXED) != ERR_NONE;
}

static inline void first_error_keep(struct first_error *f, const struct err *mine) {
    if (!mine->code) return;
    pthread_mutex_lock(&f->lock);
    err_keep(&f->err, mine);
    pthread_mutex_unlock(&f->lock);
}

/* When all threads have ended: 0, or -1 with *err. */
static inline int first_error_end(struct first_error *f, struct err *err) {
    pthread_mutex_destroy(&f->lock);
    err_keep(err, &f->err);
    return f->err.code ? -1 : 0;
}

#endif
