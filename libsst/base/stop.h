/* Stop requests (SIGINT, SIGTERM, SIGHUP, SIGQUIT) without a global: the signals are blocked and read from a signalfd. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include "base/err.h"

#include <stdbool.h>

struct stop {
    int fd; /* signalfd, or -1: never stops */
};

/* Blocks these signals, except those that the program was started to ignore, in this thread and those it starts later; SIGPIPE
 * and SIGXFSZ are ignored. Call first in main. */
int stop_init(struct stop *s, struct err *err);
/* 0 = continue, -1 = stop requested (ERR_STOPPED, err->sys = signal number). The request stays visible to others. */
int stop_check(const struct stop *s, struct err *err);
/* Waits until fd is readable or a stop is requested. 0 readable, -1 stopped or error. */
int stop_wait_readable(const struct stop *s, int fd, struct err *err);

#endif
