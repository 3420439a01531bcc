#include "base/clock.h"

#include <time.h>

static int64_t ms_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_now_ms(void) {
    return ms_of(CLOCK_REALTIME);
}

int64_t clock_steady_ms(void) {
    return ms_of(CLOCK_MONOTONIC);
}

double clock_seconds_since(int64_t steady_ms) {
    return (double)(clock_steady_ms() - steady_ms) / 1000;
}
