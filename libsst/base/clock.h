/* The two clocks, in milliseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_now_ms(void);    /* since 1970; may be set while we run */
int64_t clock_steady_ms(void); /* for durations */
/* From a steady moment on. */
double clock_seconds_since(int64_t steady_ms);

#endif
