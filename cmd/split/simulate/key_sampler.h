/* A sample of the rows that go into a memstore: one of each stretch of equally many bytes, drawn by the seed; stretches double
 * when there are too many. First and last row are exact. */
#ifndef SIMULATE_KEY_SAMPLER_H
#define SIMULATE_KEY_SAMPLER_H

#include "cmd/split/simulate/key_profile.h"

enum { KEY_SAMPLER_MARKS = 256 };

struct key_sampler {
    struct key_profile marks; /* in the order of arrival */
    struct buf first, last;
    uint64_t rows_seen, bytes, step, stretch, pick; /* stretch: where the present one begins; pick: its byte that is drawn */
    uint64_t random;
};

void key_sampler_begin(struct key_sampler *s, uint64_t seed);
int key_sampler_put(struct key_sampler *s, struct bytes row, uint64_t bytes, struct err *err);
/* Moves what was collected into *out, and is to be begun again. */
int key_sampler_take(struct key_sampler *s, struct key_profile *out, struct err *err);
size_t key_sampler_memory(const struct key_sampler *s);
void key_sampler_free(struct key_sampler *s);

#endif
