/* Signs of mistakes in what an input holds: timestamps of another unit, text in another character set. Counted while cells are
 * read; what they amount to is judged when the input has ended. */
#ifndef ENGINE_INPUT_SIGNS_H
#define ENGINE_INPUT_SIGNS_H

#include "base/bytes.h"
#include "cell/cell.h"

struct input_signs {
    uint64_t cells;
    uint64_t seconds;       /* before 1980 as milliseconds, a plausible date as seconds */
    uint64_t late;          /* more than a year after now; of these are plausible dates: */
    uint64_t micros, nanos; /* as microseconds, as nanoseconds */
    uint64_t not_utf8;      /* values and keys of text */
};

/* latest: a year after now. */
void input_signs_time(struct input_signs *s, const struct cell *cells, uint32_t n, int64_t latest_ms);
/* Of a part from text that is not UTF-8 throughout. */
void input_signs_text(struct input_signs *s, const struct row_part *part);
void input_signs_add(struct input_signs *sum, const struct input_signs *s);

#endif
