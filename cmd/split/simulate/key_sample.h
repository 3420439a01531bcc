/* The first keys of a stream, of which bounds of regions are made: all of them as long as memory allows, then every second,
 * fourth … by the hash of the key, so that nothing regular in the order of the keys shows. */
#ifndef SIMULATE_KEY_SAMPLE_H
#define SIMULATE_KEY_SAMPLE_H

#include "cmd/split/simulate/key_bounds.h"

struct key_sample { /* zero-initialise but for the limit */
    size_t limit_bytes;
    struct buf bytes; /* u16 length and key, one after the other */
    uint64_t seen, kept;
    unsigned halvings; /* keys whose hash ends in so many zero bits are kept */
    uint64_t *sorted;  /* [kept] after key_sample_end: where they stand */
};

/* Keys of up to ROW_MAX_BYTES. */
int key_sample_add(struct key_sample *s, struct bytes key, struct err *err);
/* Sorts. */
int key_sample_end(struct key_sample *s, struct err *err);
/* Bounds of n regions with equal shares of the sample: fewer where keys are the same. A bound is the key of a row. */
int key_sample_cut(const struct key_sample *s, uint32_t n, struct key_bounds *out, struct err *err);
/* counts[region] of the sample, regions as in b. */
void key_sample_count(const struct key_sample *s, const struct key_bounds *b, uint64_t *counts);
void key_sample_free(struct key_sample *s);

#endif
