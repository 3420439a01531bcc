/* A fixed number of rows, chosen by the hash of their keys: the same ones whatever the order and the number of threads. For
 * questions that need rows one by one. */
#ifndef PLAN_ROW_SAMPLE_H
#define PLAN_ROW_SAMPLE_H

#include "cmd/split/plan/weighed_row.h"

enum { ROW_SAMPLE_ROWS = 50000, ROW_SAMPLE_KEY_BYTES = 64 };

struct sampled_row {
    uint64_t hash, cells, bytes, rank;
    int64_t newest_ms, place_hash; /* placement_key_hash of the whole key */
    uint32_t n;
    uint8_t key[ROW_SAMPLE_KEY_BYTES]; /* leading bytes */
};

struct row_sample {           /* zero-initialise */
    struct sampled_row *rows; /* a heap, greatest hash first, until row_sample_end; then by time, newest first */
    uint32_t n;
};

int row_sample_add(struct row_sample *s, const struct weighed_row *row, struct err *err);
void row_sample_end(struct row_sample *s);
void row_sample_free(struct row_sample *s);
static inline struct bytes sampled_row_key(const struct sampled_row *r) {
    return bytes_of(r->key, r->n);
}

#endif
