#include "cmd/split/simulate/key_sample.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

enum { LENGTH_BYTES = 2 };

static struct bytes key_at(const struct buf *b, uint64_t at) {
    return bytes_of(b->p + at + LENGTH_BYTES, (size_t)b->p[at] << 8 | b->p[at + 1]);
}

static bool is_kept(struct bytes key, unsigned halvings) {
    return !halvings || !(XXH3_64bits(key.p, key.n) & ((UINT64_C(1) << halvings) - 1));
}

/* What the sorted list takes comes on top. */
static bool is_full(const struct key_sample *s) {
    return s->bytes.n + (s->kept + 1) * sizeof *s->sorted > s->limit_bytes && s->halvings < 63;
}

static void halve(struct key_sample *s) {
    size_t to = 0;
    s->halvings++;
    s->kept = 0;
    for (size_t at = 0, next; at < s->bytes.n; at = next) {
        struct bytes key = key_at(&s->bytes, at);
        size_t n = LENGTH_BYTES + key.n;
        next = at + n;
        if (!is_kept(key, s->halvings)) continue;
        memmove(s->bytes.p + to, s->bytes.p + at, n);
        to += n;
        s->kept++;
    }
    s->bytes.n = to;
}

int key_sample_add(struct key_sample *s, struct bytes key, struct err *err) {
    s->seen++;
    if (!is_kept(key, s->halvings)) return 0;
    if (buf_put_byte(&s->bytes, (uint8_t)(key.n >> 8), err) || buf_put_byte(&s->bytes, (uint8_t)key.n, err) ||
        buf_put(&s->bytes, key.p, key.n, err))
        return -1;
    s->kept++;
    while (is_full(s)) halve(s);
    return 0;
}

static int by_key(const void *a, const void *b, void *arg) {
    const uint64_t *x = a, *y = b;
    return bytes_cmp(key_at(arg, *x), key_at(arg, *y));
}

int key_sample_end(struct key_sample *s, struct err *err) {
    size_t i = 0;
    s->sorted = malloc((s->kept + 1) * sizeof *s->sorted);
    if (!s->sorted) return err_nomem(err, s->kept * sizeof *s->sorted, "a sample of keys");
    for (size_t at = 0; at < s->bytes.n; at += LENGTH_BYTES + key_at(&s->bytes, at).n) s->sorted[i++] = at;
    qsort_r(s->sorted, s->kept, sizeof *s->sorted, by_key, &s->bytes);
    return 0;
}

int key_sample_cut(const struct key_sample *s, uint32_t n, struct key_bounds *out, struct err *err) {
    struct bytes last = s->kept ? key_at(&s->bytes, s->sorted[0]) : (struct bytes){0}; /* no bound below the second key */
    for (uint32_t i = 1; i < n && s->kept; i++) {
        struct bytes key = key_at(&s->bytes, s->sorted[s->kept * i / n]);
        if (bytes_eq(key, last)) continue;
        if (key_bounds_add(out, key, err)) return -1;
        last = key;
    }
    return key_bounds_end(out, err);
}

void key_sample_count(const struct key_sample *s, const struct key_bounds *b, uint64_t *counts) {
    for (uint64_t i = 0; i < s->kept; i++) counts[key_bounds_find(b, key_at(&s->bytes, s->sorted[i]))]++;
}

void key_sample_free(struct key_sample *s) {
    buf_free(&s->bytes);
    free(s->sorted);
    *s = (struct key_sample){0};
}
