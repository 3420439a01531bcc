/* Errors as values. The first error wins: setting another one changes nothing. An exhausted system resource becomes ERR_LIMIT
 * here, whatever code the caller passed, so that every program distinguishes "no room" from "damaged" in the same way. */
#include "base/err.h"

#include "base/login_mask.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void vset(struct err *e, enum err_code code, const char *fmt, va_list ap) {
    e->code = code;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    login_mask(e->text);
}

int err_set(struct err *e, enum err_code code, const char *fmt, ...) {
    if (e->code != ERR_NONE) return -1;
    va_list ap;
    va_start(ap, fmt);
    vset(e, code, fmt, ap);
    va_end(ap);
    return -1;
}

static enum err_code code_of(enum err_code code, int sys) {
    switch (sys) {
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case EFBIG: return ERR_LIMIT;
    default: return code;
    }
}

int err_sys(struct err *e, enum err_code code, int sys, const char *fmt, ...) {
    if (e->code != ERR_NONE) return -1;
    va_list ap;
    va_start(ap, fmt);
    vset(e, code_of(code, sys), fmt, ap);
    va_end(ap);
    e->sys = sys;
    size_t n = strlen(e->text);
    snprintf(e->text + n, sizeof e->text - n, ": %s", strerror(sys));
    return -1;
}

int err_nomem(struct err *e, unsigned long long bytes, const char *what) {
    if (e->code != ERR_NONE) return -1;
    err_set(e, ERR_LIMIT, "out of memory: %llu bytes for %s", bytes, what);
    e->sys = ENOMEM;
    return -1;
}

int err_prefix(struct err *e, const char *fmt, ...) {
    char head[400], tail[sizeof e->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(head, sizeof head, fmt, ap);
    va_end(ap);
    memcpy(tail, e->text, sizeof tail);
    size_t n = strlen(head), m = strlen(tail);
    if (m > sizeof e->text - n - 3) m = sizeof e->text - n - 3;
    memcpy(e->text, head, n);
    memcpy(e->text + n, ": ", 2);
    memcpy(e->text + n + 2, tail, m);
    e->text[n + 2 + m] = 0;
    return -1;
}

void err_append(struct err *e, const char *fmt, ...) {
    const size_t n = strlen(e->text);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->text + n, sizeof e->text - n, fmt, ap);
    va_end(ap);
}

void err_keep(struct err *dst, const struct err *src) {
    if (dst->code == ERR_NONE && src->code != ERR_NONE) *dst = *src;
}
