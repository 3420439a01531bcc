/* A sample of cells that depends on the cells only: those with the lowest hashes of row, family, column, timestamp and type.
 * Any number of threads collect with a buffer each; what comes out is the same. As long as there are no more cells than
 * CELL_SAMPLE_MOST, it is all of them. */
#ifndef SPREAD_HEAT_MAP_H
#define SPREAD_HEAT_MAP_H

#include "base/err.h"
#include "cell/cell.h"
#include "cmd/common/spread/key_prefixes.h"

#include <pthread.h>

enum { CELL_SAMPLE_MOST = 1 << 15, CELL_SAMPLE_KEY_BYTES = 31 };

struct sampled_cell {
    uint64_t hash;
    int64_t ts_ms;
    uint8_t key[CELL_SAMPLE_KEY_BYTES]; /* leading bytes of the row */
    uint8_t n;
};

/* cells: lowest hashes first, after cell_sample_finish. */
struct cell_sample { /* zero-initialise */
    struct sampled_cell *cells;
    uint32_t n;
    uint64_t seen;
    pthread_mutex_t lock; /* over all of it; all zero is PTHREAD_MUTEX_INITIALIZER */
};

/* Cells that one thread has collected and not handed over yet. */
struct cell_sampler {
    struct cell_sample *sample;
    struct sampled_cell *waiting;
    uint32_t n;
    uint64_t seen, below; /* hashes at or above `below` cannot be in the sample any more */
};

int cell_sampler_open(struct cell_sampler *s, struct cell_sample *sample, struct err *err);
int cell_sampler_put(struct cell_sampler *s, const struct row_part *part, struct err *err);
/* Hands over what waits; then it may be closed. */
int cell_sampler_flush(struct cell_sampler *s, struct err *err);
void cell_sampler_close(struct cell_sampler *s);

void cell_sample_finish(struct cell_sample *s);
void cell_sample_free(struct cell_sample *s);
/* Most that a sample and the samplers of so many threads take. */
size_t cell_sample_memory(unsigned threads);

/* A map of when the cells of each part of the key space were written: a sample of cells by timestamp and position of the row key.
 * Bands (from the lowest keys up) hold about equally many rows, by key_cuts; columns are equally long stretches of time. */

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
    uint64_t sampled, of;    /* cells in the sample, and in all */
    uint64_t earlier, later; /* of the sample: outside the time shown, counted in the first and last column */
};

/* Makes the map. A thousandth of the sample at each end does not stretch the time shown. The sample is put into the order of its
 * keys. */
void heat_map_make(struct cell_sample *s, const struct key_cuts *k, struct heat_map *out);
/* The first moment of a column; of `columns`: the end of the last one. */
int64_t heat_map_time(const struct heat_map *h, uint32_t column);

#endif
