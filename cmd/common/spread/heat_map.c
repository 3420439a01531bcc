/* Maps when the cells of each part of the key space were written: a sample of cells, counted by time and position of the row key.
 * The sample is bottom-k: the cells with the k lowest hashes, which depend on the cells alone, not on order or threads.
 *
 *   hash 0 |x x  x xx|..........................| 2^64      threads collect below the k-th hash, and hand over under a lock */
#include "cmd/common/spread/heat_map.h"

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
static int merge_waiting(struct cell_sample *to, struct cell_sampler *s, struct err *err) {
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
    pthread_mutex_lock(&s->sample->lock);
    int rc = merge_waiting(s->sample, s, err);
    pthread_mutex_unlock(&s->sample->lock);
    return rc;
}

static void keep_cell(struct cell_sampler *s, uint64_t hash, int64_t ts_ms, struct bytes row) {
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
        keep_cell(s, hash, c->ts_ms, part->row);
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

enum { OUTLIERS = 1000 /* one in so many, at each end */ };

static int by_time(const void *a, const void *b) {
    const struct sampled_cell *x = a, *y = b;
    return (x->ts_ms > y->ts_ms) - (x->ts_ms < y->ts_ms);
}

static struct bytes cut_key(const struct key_cut *c) {
    return bytes_of(c->key, c->n < CELL_SAMPLE_KEY_BYTES ? c->n : CELL_SAMPLE_KEY_BYTES);
}

static struct bytes band_key(const struct heat_band *b) {
    return bytes_of(b->last, b->n);
}

static void add_band(struct heat_map *h, struct bytes last) {
    if (h->bands && bytes_cmp(last, band_key(&h->band[h->bands - 1])) <= 0) return;
    struct heat_band *b = &h->band[h->bands < HEAT_BANDS ? h->bands++ : HEAT_BANDS - 1];
    b->n = (uint8_t)last.n;
    memcpy(b->last, last.p, last.n);
}

/* Cuts of the quick form know no rows: then bytes are as good. */
static uint64_t weight(const struct key_cut *c, bool by_rows) {
    return by_rows ? c->weight.rows : c->weight.bytes;
}

static void make_bands(const struct key_cuts *k, struct heat_map *h) {
    double total = 0, seen = 0;
    bool by_rows = false;
    for (uint32_t i = 0; i < k->n; i++) by_rows = by_rows || k->cuts[i].weight.rows;
    for (uint32_t i = 0; i < k->n; i++) total += (double)weight(&k->cuts[i], by_rows);
    for (uint32_t i = 0, band = 1; i < k->n; i++) {
        seen += (double)weight(&k->cuts[i], by_rows);
        if (i + 1 < k->n && seen < total * band / HEAT_BANDS) continue;
        add_band(h, cut_key(&k->cuts[i]));
        band = (uint32_t)(seen * HEAT_BANDS / total) + 1;
    }
}

static uint32_t band_of(const struct heat_map *h, struct bytes row) {
    uint32_t lo = 0, hi = h->bands - 1;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (bytes_cmp(row, band_key(&h->band[mid])) <= 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static uint32_t column_of(struct heat_map *h, int64_t ts) {
    if (ts < h->from_ms) {
        h->earlier++;
        return 0;
    }
    if (ts > h->to_ms) {
        h->later++;
        return h->columns - 1;
    }
    double span = (double)h->to_ms - (double)h->from_ms + 1;
    uint32_t c = (uint32_t)(((double)ts - (double)h->from_ms) / span * h->columns);
    return c < h->columns ? c : h->columns - 1;
}

int64_t heat_map_time(const struct heat_map *h, uint32_t column) {
    double span = (double)h->to_ms - (double)h->from_ms + 1;
    return column >= h->columns ? h->to_ms : h->from_ms + (int64_t)(span * column / h->columns);
}

void heat_map_make(struct cell_sample *s, const struct key_cuts *k, struct heat_map *out) {
    *out = (struct heat_map){.sampled = s->n, .of = s->seen};
    if (!s->n || !k->n) return;
    qsort(s->cells, s->n, sizeof *s->cells, by_time);
    out->from_ms = s->cells[s->n / OUTLIERS].ts_ms;
    out->to_ms = s->cells[s->n - 1 - s->n / OUTLIERS].ts_ms;
    uint64_t span = (uint64_t)out->to_ms - (uint64_t)out->from_ms;
    out->columns = span < HEAT_COLUMNS ? (uint32_t)span + 1 : HEAT_COLUMNS;
    make_bands(k, out);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct sampled_cell *c = &s->cells[i];
        out->cells[band_of(out, bytes_of(c->key, c->n))][column_of(out, c->ts_ms)]++;
    }
}
