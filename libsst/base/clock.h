/* The clocks: of the day, two that only go forwards, and that of processors. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

int64_t clock_now_ms(void); /* milliseconds since 1970; may be set while we run */
/* Seconds from some fixed moment, finer than a microsecond: for durations. */
double clock_steady(void);
double clock_seconds_since(double steady);
/* Seconds that processors have worked for this process, or for this thread alone. */
double clock_processor(bool of_thread);

/* Milliseconds since some fixed moment, never 0, in steps of up to 10: a clock that costs next to nothing to read. */
int64_t clock_coarse_ms(void);

#endif
