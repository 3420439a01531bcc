#include "cmd/common/spread/cell_sample.h"

#include <stdlib.h>
#include <xxhash.h>

enum { WAITING = 4096, ROOM = CELL_SAMPLE_MOST + WAITING };

static int by_hash(const void *a, const void *b) {
    const struct sampled_cell *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    if (x->ts_ms != y->ts_ms) return x->ts_ms < y->ts_ms ? -1 : 1;
    return bytes_cmp(bytes_of(x->key, x->n), bytes_of(y->key, y->n));
}

int cell_sampler_open(struct cell_sampler *s, struct cell_sample *sample, struct err *err) {
    *s = (struct cell_sampler){.sample = sample, .below = UINT64_MAX};
    s->waiting = malloc(WAITING * sizeof *s->waiting);
    return s->waiting ? 0 : err_nomem(err, WAITING * sizeof *s->waiting, "a sample of cells");
}

/* The sample with what waits, cut to the lowest. Under the lock. */
static int take(struct cell_sample *to, struct cell_sampler *s, struct err *err) {
    if (!to->cells && !(to->cells = malloc(ROOM * sizeof *to->cells)))
        return err_nomem(err, ROOM * sizeof *to->cells, "a sample of cells");
    memcpy(to->cells + to->n, s->waiting, s->n * sizeof *s->waiting);
    to->n += s->n;
    to->seen += s->seen;
    s->n = 0;
    s->seen = 0;
    if (to->n > CELL_SAMPLE_MOST) {
        qsort(to->cells, to->n, sizeof *to->cells, by_hash);
        to->n = CELL_SAMPLE_MOST;
        s->below = to->cells[to->n - 1].hash;
    }
    return 0;
}

int cell_sampler_flush(struct cell_sampler *s, struct err *err) {
    int rc;
#pragma omp critical(cell_sample)
    rc = take(s->sample, s, err);
    return rc;
}

static void keep(struct cell_sampler *s, uint64_t hash, int64_t ts_ms, struct bytes row) {
    struct sampled_cell *c = &s->waiting[s->n++];
    *c = (struct sampled_cell){.hash = hash, .ts_ms = ts_ms};
    c->n = (uint8_t)(row.n < CELL_SAMPLE_KEY_BYTES ? row.n : CELL_SAMPLE_KEY_BYTES);
    memcpy(c->key, row.p, c->n);
}

int cell_sampler_put(struct cell_sampler *s, const struct row_part *part, struct err *err) {
    uint64_t row = XXH3_64bits_withSeed(part->row.p, part->row.n, XXH3_64bits(part->family.p, part->family.n));
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        uint64_t column = XXH3_64bits_withSeed(c->qualifier.p, c->qualifier.n, row ^ c->type);
        uint64_t hash = XXH3_64bits_withSeed(&c->ts_ms, sizeof c->ts_ms, column);
        if (hash > s->below) continue; /* equal ones are equal cells, perhaps */
        if (s->n == WAITING && cell_sampler_flush(s, err)) return -1;
        keep(s, hash, c->ts_ms, part->row);
    }
    s->seen += part->n_cells;
    return 0;
}

void cell_sampler_close(struct cell_sampler *s) {
    free(s->waiting);
    s->waiting = NULL;
}

void cell_sample_finish(struct cell_sample *s) {
    if (s->n) qsort(s->cells, s->n, sizeof *s->cells, by_hash);
}

void cell_sample_free(struct cell_sample *s) {
    free(s->cells);
    *s = (struct cell_sample){0};
}

size_t cell_sample_memory(unsigned threads) {
    return (ROOM + (size_t)threads * WAITING) * sizeof(struct sampled_cell);
}
