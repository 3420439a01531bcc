/* Stop requests through a signalfd: the signals are blocked and stay pending, so that every thread that asks sees them, and
 * waiting for a pipe is interrupted by poll. */
#include "base/stop.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

/* The first that is pending names the reason. */
static const struct {
    int number;
    const char *name;
    bool may_be_ignored; /* nohup and shells start programs so: that stays so */
} watched[] = {{SIGTERM, "SIGTERM", false}, {SIGINT, "SIGINT", false}, {SIGHUP, "SIGHUP", true}, {SIGQUIT, "SIGQUIT", true}};

static bool is_ignored(int sig) {
    struct sigaction now;
    return !sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN;
}

int stop_init(struct stop *s, struct err *err) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < countof(watched); i++)
        if (!watched[i].may_be_ignored || !is_ignored(watched[i].number)) sigaddset(&set, watched[i].number);
    (void)signal(SIGPIPE, SIG_IGN); /* these two can be ignored, so this cannot fail */
    (void)signal(SIGXFSZ, SIG_IGN); /* a write says EFBIG instead */
    if (sigprocmask(SIG_BLOCK, &set, NULL)) return err_sys(err, ERR_INTERNAL, errno, "cannot block signals");
    s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->fd < 0) return err_sys(err, ERR_INTERNAL, errno, "cannot watch signals");
    return 0;
}

static int stopped(struct err *err) {
    sigset_t pending;
    sigpending(&pending);
    size_t i = 0;
    while (i + 1 < countof(watched) && sigismember(&pending, watched[i].number) != 1) i++;
    err_set(err, ERR_STOPPED, "interrupted by %s", watched[i].name);
    if (err->code == ERR_STOPPED) err->sys = watched[i].number;
    return -1;
}

/* The signal is left pending, so that every thread sees it. */
int stop_check(const struct stop *s, struct err *err) {
    if (!s || s->fd < 0) return 0;
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0 ? stopped(err) : 0;
}

int stop_check_seldom(const struct stop *s, int64_t *looked_ms, struct err *err) {
    int64_t now = clock_coarse_ms(), last = *looked_ms;
    if (last && now - last < STOP_LOOK_MS) return 0;
    *looked_ms = now;
    return last ? stop_check(s, err) : 0;
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
