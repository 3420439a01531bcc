/* Stop requests (SIGINT, SIGTERM, SIGHUP, SIGQUIT) without a global: the signals are blocked and read from a signalfd. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct stop {
    int fd; /* signalfd, or -1: never stops */
};

/* Blocks these signals, except those that the program was started to ignore, in this thread and those it starts later; SIGPIPE
 * and SIGXFSZ are ignored. Call first in main. */
int stop_init(struct stop *s, struct err *err);
/* 0 = continue, -1 = stop requested (ERR_STOPPED, err->sys = signal number). The request stays visible to others. */
int stop_check(const struct stop *s, struct err *err);
/* Does as stop_check does, for loops whose rounds are short: it looks only when STOP_LOOK_MS have passed since *looked_ms,
 * where it notes the time. *looked_ms 0 at first: the loop has just begun, and its caller has looked. Takes no system call in
 * between. */
enum { STOP_LOOK_MS = 20 };
int stop_check_seldom(const struct stop *s, int64_t *looked_ms, struct err *err);
/* Waits until fd is readable or a stop is requested. 0 readable, -1 stopped or error. */
int stop_wait_readable(const struct stop *s, int fd, struct err *err);

#endif
