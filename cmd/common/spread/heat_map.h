/* When the cells of which part of the key space were written: a sample of cells by timestamp and position of the row key.
 * Bands (from the lowest keys up) hold about equally many rows, by key_cuts; columns are equally long stretches of time. */
#ifndef SPREAD_HEAT_MAP_H
#define SPREAD_HEAT_MAP_H

#include "cmd/common/spread/cell_sample.h"
#include "cmd/common/spread/key_cuts.h"

enum { HEAT_BANDS = 32, HEAT_COLUMNS = 48 };

struct heat_band {
    uint8_t last[CELL_SAMPLE_KEY_BYTES]; /* the highest key (as far as a sample keeps keys) */
    uint8_t n;
};

struct heat_map {
    uint32_t columns, bands; /* 0: nothing to show */
    int64_t from_ms, to_ms;  /* first and last moment shown, each in a column */
    struct heat_band band[HEAT_BANDS];
    uint32_t cells[HEAT_BANDS][HEAT_COLUMNS];
    uint32_t most;           /* of one field */
    uint64_t sampled, of;    /* cells in the sample, and in all */
    uint64_t earlier, later; /* of the sample: outside the time shown, counted in the first and last column */
};

/* Of the sample a thousandth at each end does not stretch the time shown. The sample is put into the order of its keys. */
void heat_map_make(struct cell_sample *s, const struct key_cuts *k, struct heat_map *out);
/* The first moment of a column; of `columns` the one behind the last. */
int64_t heat_map_time(const struct heat_map *h, uint32_t column);

#endif
