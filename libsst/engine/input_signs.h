/* Signs in the cells of an input that it is not what its owner means: timestamps in another unit, and their like. */
#ifndef ENGINE_INPUT_SIGNS_H
#define ENGINE_INPUT_SIGNS_H

#include "cell/cell.h"
#include "engine/input.h"

/* Notes signs in timestamps and TTLs. latest: a year after now. */
void input_signs_time(struct input_signs *s, const struct cell *cells, uint32_t n, int64_t latest_ms);
/* Notes signs in a part of text that is not UTF-8 throughout. */
void input_signs_text(struct input_signs *s, const struct row_part *part);
void input_signs_add(struct input_signs *sum, const struct input_signs *s);

#endif
