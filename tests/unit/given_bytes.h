/* Bytes in memory as the source of a stream (base/unpack_kind.h), which gives as many at a time as it is told to, as a pipe or a
 * server may. */
#ifndef TESTS_UNIT_GIVEN_BYTES_H
#define TESTS_UNIT_GIVEN_BYTES_H

#include "base/bytes.h"
#include "base/unpack_kind.h"

struct given_bytes {
    struct bytes left;
    size_t most; /* at a time; 0 = as many as are wanted */
};

/* Reads from a struct given_bytes, arg, as unpack_from.read. */
static inline ssize_t given_bytes_read(void *arg, uint8_t *p, size_t n, struct err *err) {
    struct given_bytes *g = arg;
    (void)err;
    if (g->most && n > g->most) n = g->most;
    if (n > g->left.n) n = g->left.n;
    if (n) memcpy(p, g->left.p, n);
    g->left = bytes_of(g->left.p + n, g->left.n - n);
    return (ssize_t)n;
}

#endif
