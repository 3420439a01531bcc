#include "cmd/verify.h"

#include <errno.h>
#include <malloc.h>
#include <unistd.h>

int verify_write(const void *p, size_t n, bool *gone, struct err *err) {
    const uint8_t *at = p;
    while (n) {
        ssize_t w = write(STDOUT_FILENO, at, n);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0 && errno == EPIPE) {
            *gone = true;
            return 0;
        }
        if (w < 0) return err_sys(err, ERR_OUTPUT, errno, "cannot write to standard output");
        at += w;
        n -= (size_t)w;
    }
    return 0;
}

/* Every arena keeps what its threads gave back: too much where there is little. */
void verify_share_heap(const struct session *s) {
    enum { LITTLE = 256 << 20 };
    if (s->job.memory_bytes < LITTLE) mallopt(M_ARENA_MAX, 1);
}
