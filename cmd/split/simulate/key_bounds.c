/* Finds bounds of regions from the first keys of a stream. The sample keeps all keys as long as memory allows, then those whose
 * hash ends in one zero bit, in two, …: each halving keeps about every second key, whatever their order.
 *
 *   hash …xxx0 kept | …xx00 kept | …x000 kept      memory is full -> one more bit must be zero, the list is halved in place */
#include "cmd/split/simulate/key_bounds.h"

#include "base/buf.h"
#include "cell/cell.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

int key_bounds_add(struct key_bounds *b, struct bytes row, struct err *err) {
    if (b->n == REGIONS_MAX - 1) return err_set(err, ERR_USAGE, "more than %d regions", REGIONS_MAX);
    if (grow_array(&b->list, b->n, sizeof *b->list, "bounds of regions", err)) return -1;
    b->list[b->n] = (struct buf){0};
    return buf_copy(&b->list[b->n++], row, err);
}

static int by_bytes(const void *a, const void *b) {
    return bytes_cmp(buf_bytes(a), buf_bytes(b));
}

int key_bounds_end(struct key_bounds *b, struct err *err) {
    if (!b->n) return 0;
    qsort(b->list, b->n, sizeof *b->list, by_bytes);
    b->heads = malloc(b->n * sizeof *b->heads);
    if (!b->heads) return err_nomem(err, b->n * sizeof *b->heads, "bounds of regions");
    for (uint32_t i = 0; i < b->n; i++) {
        if (!b->list[i].n) return err_set(err, ERR_USAGE, "an empty bound: the first region begins there anyway");
        if (i && !by_bytes(&b->list[i - 1], &b->list[i])) return err_set(err, ERR_USAGE, "a bound is given twice");
        b->heads[i] = bytes_prefix8(buf_bytes(&b->list[i]));
    }
    return 0;
}

void key_bounds_free(struct key_bounds *b) {
    for (uint32_t i = 0; i < b->n; i++) buf_free(&b->list[i]);
    free(b->list);
    free(b->heads);
    *b = (struct key_bounds){0};
}

uint32_t key_bounds_find(const struct key_bounds *b, struct bytes row) {
    uint64_t head = bytes_prefix8(row);
    uint32_t low = 0, high = b->n; /* bounds that are not above the row */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        bool above = b->heads[mid] != head ? b->heads[mid] > head : bytes_cmp(buf_bytes(&b->list[mid]), row) > 0;
        if (above)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

enum { LENGTH_BYTES = 2 };

static struct bytes key_at(const struct buf *b, uint64_t at) {
    return bytes_of(b->p + at + LENGTH_BYTES, (size_t)b->p[at] << 8 | b->p[at + 1]);
}

static bool is_kept(struct bytes key, unsigned halvings) {
    return !halvings || !(XXH3_64bits(key.p, key.n) & ((UINT64_C(1) << halvings) - 1));
}

/* Returns whether one more key would take more than the limit, with the memory of the sorted list. */
static bool is_full(const struct key_sample *s) {
    return s->bytes.n + (s->kept + 1) * sizeof *s->sorted > s->limit_bytes && s->halvings < 63;
}

static void halve_sample(struct key_sample *s) {
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
    while (is_full(s)) halve_sample(s);
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
