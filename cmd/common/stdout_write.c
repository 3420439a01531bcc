#include "cmd/common/stdout_write.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

int stdout_write(const void *p, size_t n, bool *gone, struct err *err) {
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
