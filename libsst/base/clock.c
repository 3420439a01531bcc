/* The system's clocks: the wall clock, which may be set while the program runs, in milliseconds since 1970; the monotonic clock,
 * for durations, in seconds; its coarse form, for loops; and the time of processors. */
#include "base/clock.h"

#include <time.h>

int64_t clock_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double clock_steady(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

double clock_processor(bool of_thread) {
    return seconds_of(of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID);
}

double clock_seconds_since(double steady) {
    return clock_steady() - steady;
}

/* Linux keeps it in memory that every process can read, whatever the clock of the machine is. The others may need a call. */
int64_t clock_coarse_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}
