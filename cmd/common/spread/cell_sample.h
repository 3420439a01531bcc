/* A sample of cells that depends on the cells only: those with the lowest hashes of row, family, column, timestamp and type.
 * Any number of threads collect with a buffer each; what comes out is the same. As long as there are no more cells than
 * CELL_SAMPLE_MOST, it is all of them. */
#ifndef SPREAD_CELL_SAMPLE_H
#define SPREAD_CELL_SAMPLE_H

#include "cell/cell.h"
#include "base/err.h"

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
};

/* What one thread has collected and not handed over yet. */
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

#endif
