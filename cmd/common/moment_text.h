/* Moments for people. */
#ifndef MOMENT_TEXT_H
#define MOMENT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* "2026-11-21 18:30:05 UTC", or the date alone; a number of ms where it is no date of the years 0 to 9999. */
void moment_text(int64_t ms, bool with_time, char out[48]);
/* The same with the time, which alone is enough ("18:30:05") where all that is shown spans less than a day. */
void moment_text_within(int64_t ms, int64_t span_ms, char out[48]);

#endif
