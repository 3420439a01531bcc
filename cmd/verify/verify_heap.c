#include "cmd/verify/verify.h"

#include <malloc.h>

/* Every arena keeps what its threads gave back: too much where there is little. */
void verify_share_heap(const struct session *s) {
    enum { LITTLE = 256 << 20 };
    if (s->job.memory_bytes < LITTLE) mallopt(M_ARENA_MAX, 1);
}
