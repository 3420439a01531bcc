/* The leading bytes of row keys under which most of the bytes lie, out of key_cuts: of each the least and the most that can
 * lie under it (equal where the cuts tell it exactly). */
#ifndef SPREAD_KEY_PREFIXES_H
#define SPREAD_KEY_PREFIXES_H

#include "cmd/common/spread/key_cuts.h"

struct key_prefix_weight {
    uint8_t key[CUT_KEY_BYTES];
    uint8_t n;
    struct key_weight low, high;
};

struct key_prefixes {
    struct key_prefix_weight *list; /* by key: a prefix before those that it begins */
    uint32_t n;
    uint64_t total_bytes;
};

struct key_prefixes_opts {
    uint32_t most;      /* how many */
    double least_share; /* of all bytes: lighter ones are left out */
};

/* A prefix with nearly all of its bytes (98 %) under a longer one is left out for that, and
 * one that may hold more than three times what it does for sure. k is sorted. */
int key_prefixes_make(const struct key_cuts *k, const struct key_prefixes_opts *o, struct key_prefixes *out, struct err *err);
void key_prefixes_free(struct key_prefixes *p);

#endif
