/* Describes how the bytes of a store file spread over its rows: rows in ascending order, each standing for so many bytes. The
 * first and the last are the file's own first and last row; those between are a sample. */
#ifndef SIMULATE_KEY_PROFILE_H
#define SIMULATE_KEY_PROFILE_H

#include "base/buf.h"

enum { KEY_PROFILE_MARKS = 64 };

struct key_mark {
    uint32_t at, n; /* row, within the text */
    uint64_t bytes;
};

struct key_profile { /* zero-initialise */
    struct buf text;
    struct key_mark *marks;
    uint32_t n;
    size_t cap;
};

int key_profile_add(struct key_profile *p, struct bytes row, uint64_t bytes, struct err *err); /* ascending */
struct bytes key_profile_row(const struct key_profile *p, uint32_t i);
/* All of them together, thinned to about KEY_PROFILE_MARKS. */
int key_profile_merge(const struct key_profile *const *parts, uint32_t n, struct key_profile *out, struct err *err);
/* Copies the marks in [first, last) to *out; an empty last is the end. *share: of the bytes. */
int key_profile_clip(const struct key_profile *p, struct bytes first, struct bytes last, struct key_profile *out, double *share,
                     struct err *err);
/* The row in the middle of the bytes, as StoreUtils.getFileSplitPoint takes it from the mid key: false when that is the file's
 * first or last row. */
bool key_profile_middle(const struct key_profile *p, struct bytes *row);
size_t key_profile_memory(const struct key_profile *p);
void key_profile_free(struct key_profile *p);

/* A sample of the rows that go into a memstore: one of each stretch of equally many bytes, drawn by the seed; stretches double
 * when there are too many. First and last row are exact. */

enum { KEY_SAMPLER_MARKS = 256 };

struct key_sampler {
    struct key_profile marks; /* in the order of arrival */
    struct buf first, last;
    uint64_t rows_seen, bytes, step, stretch, pick; /* stretch: where the present one begins; pick: its byte that is drawn */
    uint64_t random;
};

void key_sampler_begin(struct key_sampler *s, uint64_t seed);
int key_sampler_put(struct key_sampler *s, struct bytes row, uint64_t bytes, struct err *err);
/* Moves what was collected into *out, and must be begun again. */
int key_sampler_take(struct key_sampler *s, struct key_profile *out, struct err *err);
size_t key_sampler_memory(const struct key_sampler *s);
void key_sampler_free(struct key_sampler *s);

#endif
