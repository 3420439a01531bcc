/* Errors are values: a code, the errno that caused it, and a text that names the place. The caller owns the struct and passes it
 * last. The first error wins: setting another one changes nothing, so that clean-up cannot hide the cause. The lowest level says
 * what and where; each boundary adds one prefix. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <pthread.h>
#include <stdbool.h>

enum err_code {
    ERR_NONE = 0,
    ERR_USAGE,       /* options, configuration, table definition */
    ERR_INPUT,       /* input cannot be read, or is damaged */
    ERR_UNSUPPORTED, /* input is fine but of a kind that is refused by name */
    ERR_LIMIT,       /* memory, disk quota, full disk, descriptors */
    ERR_OUTPUT,      /* output or temp cannot be written, for another reason than space */
    ERR_REJECTS,     /* more bad records than --max-rejects allows */
    ERR_BUSY,        /* another run holds the lock */
    ERR_STOPPED,     /* SIGINT, SIGTERM, SIGHUP or SIGQUIT; sys holds the signal number */
    ERR_INTERNAL     /* our own mistake; ledgers that do not balance */
};

struct err {
    enum err_code code;
    int sys;
    char text[1000];
};

/* Sets an error. Returns -1, as all functions here that set one, so that `return err_set(...)` reads as a failure. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Adds ": strerror(sys)". ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE and EFBIG become ERR_LIMIT whatever the code given. */
int err_sys(struct err *e, enum err_code code, int sys, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Sets the error that memory is short (sys: ENOMEM): names what was asked for. */
int err_nomem(struct err *e, unsigned long long bytes, const char *what);

/* Adds to the text of an error that is set. */
void err_append(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the text of an error that is set. Returns -1. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Copies src into dst unless dst holds an error already (keep the first). */
void err_keep(struct err *dst, const struct err *src);

/* The first error of many threads. Each works with an err of its own and keeps it here when it fails; the others see that and end
 * early. Which error wins depends on the order of threads, that there is one does not. */

struct first_error {
    pthread_mutex_t lock;
    struct err err;
};

static inline void first_error_init(struct first_error *f) {
    *f = (struct first_error){.err = {0}};
    pthread_mutex_init(&f->lock, NULL);
}

/* Returns whether there is an error, before work begins: a look without the lock. */
static inline bool first_error_failed(const struct first_error *f) {
    return __atomic_load_n(&f->err.code, __ATOMIC_RELAXED) != ERR_NONE;
}

static inline void first_error_keep(struct first_error *f, const struct err *mine) {
    if (!mine->code) return;
    pthread_mutex_lock(&f->lock);
    err_keep(&f->err, mine);
    pthread_mutex_unlock(&f->lock);
}

/* Returns, when all threads have ended, 0, or -1 with *err. */
static inline int first_error_end(struct first_error *f, struct err *err) {
    pthread_mutex_destroy(&f->lock);
    err_keep(err, &f->err);
    return f->err.code ? -1 : 0;
}

#endif
