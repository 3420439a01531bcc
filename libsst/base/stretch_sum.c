/* A stretch is hashed as its bytes come, and joins the sum with its last byte. Sums of hashes do not depend on the order in which
 * stretches were read; equal stretches differ by the number in their seed. */
#include "base/stretch_sum.h"

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

struct stretch_sum {
    XXH3_state_t state; /* of the stretch that `at` is in */
    uint64_t total;     /* of those before it */
    uint64_t begin, at, end;
    bool divided; /* else all is one stretch */
};

struct stretch_sum *stretch_sum_new(struct err *err) {
    void *p = NULL;
    if (posix_memalign(&p, 64, sizeof(struct stretch_sum))) {
        err_nomem(err, sizeof(struct stretch_sum), "a file checksum");
        return NULL;
    }
    memset(p, 0, sizeof(struct stretch_sum));
    stretch_sum_part(p, 0, UINT64_MAX);
    ((struct stretch_sum *)p)->divided = false;
    return p;
}

void stretch_sum_divide(struct stretch_sum *s) {
    s->divided = true;
}

void stretch_sum_part(struct stretch_sum *s, uint64_t begin, uint64_t end) {
    s->total = 0;
    s->begin = s->at = begin;
    s->end = end;
    s->divided = true;
    XXH3_64bits_reset_withSeed(&s->state, begin / STRETCH_BYTES);
}

void stretch_sum_add(struct stretch_sum *s, const void *p, size_t n) {
    const uint8_t *from = p;
    if (n > s->end - s->at) n = (size_t)(s->end - s->at);
    while (n) {
        size_t room = STRETCH_BYTES - (size_t)(s->at % STRETCH_BYTES), take = !s->divided || n < room ? n : room;
        XXH3_64bits_update(&s->state, from, take);
        s->at += take;
        from += take;
        n -= take;
        if (!s->divided || s->at % STRETCH_BYTES) continue;
        s->total += XXH3_64bits_digest(&s->state);
        XXH3_64bits_reset_withSeed(&s->state, s->at / STRETCH_BYTES);
    }
}

/* A file without a byte has the hash of nothing, as any other tool computes it. */
void stretch_sum_hex(const struct stretch_sum *s, char hex[17]) {
    uint64_t total = s->total;
    if (!s->divided || s->at % STRETCH_BYTES || (!s->at && !s->begin)) total += XXH3_64bits_digest(&s->state);
    snprintf(hex, 17, "%016llx", (unsigned long long)total);
}

void stretch_sum_free(struct stretch_sum *s) {
    free(s);
}

static int add_piece(void *sum, const void *p, size_t n, struct err *err) {
    (void)err;
    stretch_sum_add(sum, p, n);
    return 0;
}

int stretch_sum_of(const char *path, char hex[17], struct err *err) {
    struct stretch_sum *sum = stretch_sum_new(err);
    if (sum) stretch_sum_divide(sum);
    int rc = sum ? fs_read_pieces(path, add_piece, sum, err) : -1;
    if (!rc) stretch_sum_hex(sum, hex);
    stretch_sum_free(sum);
    return rc;
}
