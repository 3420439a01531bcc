/* The system's two clocks: the one that tells the date, which may be set while we run, and the one that only moves forward, for
 * durations. */
#include "base/clock.h"

#include <time.h>

int64_t clock_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

double clock_steady(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double clock_seconds_since(double steady) {
    return clock_steady() - steady;
}
