/* Stop requests through a signalfd: the signals are blocked and stay pending, so that every thread that asks sees them, and
 * waiting for a pipe is interrupted by poll. */
#include "base/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

int stop_init(struct stop *s, struct err *err) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &set, NULL)) return err_sys(err, ERR_INTERNAL, errno, "cannot block signals");
    s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->fd < 0) return err_sys(err, ERR_INTERNAL, errno, "cannot watch signals");
    return 0;
}

static int stopped(struct err *err) {
    sigset_t pending;
    sigpending(&pending);
    int sig = sigismember(&pending, SIGTERM) == 1 ? SIGTERM : SIGINT;
    err_set(err, ERR_STOPPED, "interrupted by %s", sig == SIGTERM ? "SIGTERM" : "SIGINT");
    if (err->code == ERR_STOPPED) err->sys = sig;
    return -1;
}

/* The signal is left pending, so that every thread sees it. */
int stop_check(const struct stop *s, struct err *err) {
    if (!s || s->fd < 0) return 0;
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0 ? stopped(err) : 0;
}

int stop_wait_readable(const struct stop *s, int fd, struct err *err) {
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = s ? s->fd : -1, .events = POLLIN}};
    for (;;) {
        int n = poll(p, 2, -1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return err_sys(err, ERR_INPUT, errno, "cannot wait for input");
        if (p[1].revents) return stopped(err);
        if (p[0].revents) return 0;
    }
}
