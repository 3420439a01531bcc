/* Where the bytes of a store file lie among its rows: rows in ascending order, each standing for so many bytes. The first and
 * the last are the file's own first and last row; those between are a sample. */
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
/* What lies in [first, last); an empty last is the end. *share: of the bytes. */
int key_profile_clip(const struct key_profile *p, struct bytes first, struct bytes last, struct key_profile *out, double *share,
                     struct err *err);
/* The row in the middle of the bytes, as StoreUtils.getFileSplitPoint takes it from the mid key: false when that is the file's
 * first or last row. */
bool key_profile_middle(const struct key_profile *p, struct bytes *row);
size_t key_profile_memory(const struct key_profile *p);
void key_profile_free(struct key_profile *p);

#endif
