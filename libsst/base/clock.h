/* The clocks: of the day, and two that only go forwards. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_now_ms(void); /* milliseconds since 1970; may be set while we run */
/* Seconds from some fixed moment, finer than a microsecond: for durations. */
double clock_steady(void);
double clock_seconds_since(double steady);

/* Milliseconds since some fixed moment, never 0, in steps of up to 10: a clock that costs next to nothing to read. */
int64_t clock_coarse_ms(void);

#endif
