/* The one file that is not C. Snappy's C interface lets std::bad_alloc through, which C cannot catch: it would end the program.
 * Only compression allocates. */
#include "codec/snappy_guard.h"

#include <snappy-c.h>
#include <snappy-stubs-public.h>

int snappy_guard_compress(const char *from, size_t n, char *to, size_t *made) {
    try {
        return snappy_compress(from, n, to, made) == SNAPPY_OK ? 0 : -1;
    } catch (...) {
        return 1;
    }
}

unsigned snappy_guard_version(void) {
    return SNAPPY_VERSION;
}
