/* Errors are values: a code, the errno behind it, and a text that names the place.
 * The caller owns the struct and passes it last. The first error wins: setting again changes nothing,
 * so that clean-up cannot hide the cause. The lowest level says what and where, each boundary adds one prefix. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_code {
    ERR_NONE = 0,
    ERR_USAGE,       /* options, configuration, table definition */
    ERR_INPUT,       /* input cannot be read, or is damaged */
    ERR_UNSUPPORTED, /* input is fine but of a kind that is refused by name */
    ERR_LIMIT,       /* memory, disk quota, full disk, descriptors */
    ERR_OUTPUT,      /* output or temp cannot be written, for another reason than space */
    ERR_REJECTS,     /* more bad records than --max-rejects allows */
    ERR_BUSY,        /* another run holds the lock */
    ERR_STOPPED,     /* SIGINT or SIGTERM; sys holds the signal number */
    ERR_INTERNAL     /* our own mistake; ledgers that do not balance */
};

struct err {
    enum err_code code;
    int sys;
    char text[1000];
};

/* Both return -1 so that `return err_set(...)` reads as a failure. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Adds ": strerror(sys)". ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE and EFBIG become ERR_LIMIT whatever the code given. */
int err_sys(struct err *e, enum err_code code, int sys, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Out of memory: names what was asked for. */
int err_nomem(struct err *e, unsigned long long bytes, const char *what);

/* Puts "prefix: " before the text of an error that is set. Returns -1. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Copies src into dst unless dst holds an error already (keep the first). */
void err_keep(struct err *dst, const struct err *src);

#endif
