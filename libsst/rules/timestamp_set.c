/* A set of timestamps that mostly arrive in falling order. Those that do are kept as a run of differences, two to three bytes
 * each; the others go into a hash table with open addressing. Both count against one limit, as HBase would hold them all. */

#include "base/hash.h"
#include "base/wire.h"
#include "rules/timestamp_set.h"

#include <stdlib.h>

enum { BLOCK = 32 };

struct timestamp_block {
    int64_t first_ms;
    uint64_t at; /* in steps */
};

/* Returns whether the timestamp can be added: it is not above the last one. */
static bool falling_takes(const struct timestamp_run *r, int64_t ts_ms) {
    return !r->n || ts_ms <= r->last_ms;
}

/* Adding the last one again changes nothing. */
static int falling_add(struct timestamp_run *r, int64_t ts_ms, struct err *err) {
    uint8_t step[PB_VARINT_MAX];
    if (r->n && ts_ms == r->last_ms) return 0;
    const struct timestamp_block block = {ts_ms, r->steps.n};
    int rc = r->n % BLOCK ? buf_put(&r->steps, step, pb_varint_put(step, (uint64_t)r->last_ms - (uint64_t)ts_ms), err)
                          : buf_put(&r->firsts, &block, sizeof block, err);
    if (rc) return -1;
    r->last_ms = ts_ms;
    r->n++;
    return 0;
}

/* Number of blocks that begin at ts_ms or above: it can only be in the last of them. */
static size_t blocks_from(const struct timestamp_block *blocks, size_t n, int64_t ts_ms) {
    size_t lo = 0;
    while (lo < n) {
        size_t mid = lo + (n - lo) / 2;
        if (blocks[mid].first_ms >= ts_ms)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

static bool falling_has(const struct timestamp_run *r, int64_t ts_ms) {
    const struct timestamp_block *blocks = (const struct timestamp_block *)r->firsts.p;
    size_t n = r->firsts.n / sizeof *blocks, found = blocks_from(blocks, n, ts_ms);
    if (!found) return false;
    const struct timestamp_block *b = &blocks[found - 1];
    struct bytes steps = {r->steps.p + b->at, (found < n ? blocks[found].at : r->steps.n) - b->at};
    uint64_t at_ms = (uint64_t)b->first_ms, step;
    while ((int64_t)at_ms > ts_ms && pb_varint_take(&steps, &step)) at_ms -= step;
    return (int64_t)at_ms == ts_ms;
}

static size_t falling_bytes(const struct timestamp_run *r) {
    return r->firsts.cap + r->steps.cap;
}

/* Capacity after one more is added, as base/buf.h grows: by half, at least by 64 bytes. */
static size_t grown_capacity(const struct buf *b, size_t more) {
    size_t cap = b->cap + b->cap / 2;
    if (b->cap - b->n >= more) return b->cap;
    return cap < b->n + more + 64 ? b->n + more + 64 : cap;
}

static size_t falling_grown(const struct timestamp_run *r) {
    return grown_capacity(&r->firsts, sizeof(struct timestamp_block)) + grown_capacity(&r->steps, PB_VARINT_MAX);
}

static void falling_clear(struct timestamp_run *r) {
    buf_clear(&r->firsts);
    buf_clear(&r->steps);
    r->n = 0;
}

static void falling_free(struct timestamp_run *r) {
    buf_free(&r->firsts);
    buf_free(&r->steps);
    *r = (struct timestamp_run){0};
}

/* ---- any order ---- */

enum { CAP_FIRST = 64, BYTES_KEPT = 32 << 10 };

/* The slot of ts_ms, or the free one where it belongs. Timestamps of one row are often neighbours: mixing keeps them from filling
 * neighbouring slots. */
static uint64_t find_slot(const struct timestamp_set *s, int64_t ts_ms) {
    uint64_t i = splitmix_mix((uint64_t)ts_ms) & (s->cap - 1);
    while (s->slots[i] != INT64_MIN && s->slots[i] != ts_ms) i = (i + 1) & (s->cap - 1);
    return i;
}

static void empty(struct timestamp_set *s) {
    for (uint64_t i = 0; i < s->cap; i++) s->slots[i] = INT64_MIN;
    s->n = 0;
}

static int too_many(const struct timestamp_set *s, struct err *err) {
    return err_set(err, ERR_LIMIT,
                   "its DeleteFamilyVersion markers, more than %llu, take more than the %zu KB that a row may have: %s",
                   (unsigned long long)(s->n + s->falling.n), s->max_bytes >> 10, "give more --memory, or fewer --threads");
}

static int double_slots(struct timestamp_set *s, struct err *err) {
    struct timestamp_set bigger = {.falling = s->falling, .cap = s->cap ? s->cap * 2 : CAP_FIRST, .max_bytes = s->max_bytes};
    if ((bigger.cap + s->cap) * sizeof *s->slots + falling_bytes(&s->falling) > s->max_bytes) return too_many(s, err);
    bigger.slots = malloc(bigger.cap * sizeof *bigger.slots);
    if (!bigger.slots) return err_nomem(err, bigger.cap * sizeof *bigger.slots, "the DeleteFamilyVersion markers of one row");
    empty(&bigger);
    for (uint64_t i = 0; i < s->cap; i++)
        if (s->slots[i] != INT64_MIN) bigger.slots[find_slot(&bigger, s->slots[i])] = s->slots[i];
    bigger.n = s->n;
    free(s->slots);
    *s = bigger;
    return 0;
}

int timestamp_set_add(struct timestamp_set *s, int64_t ts_ms, struct err *err) {
    if (falling_takes(&s->falling, ts_ms)) {
        if (falling_grown(&s->falling) + s->cap * sizeof *s->slots > s->max_bytes) return too_many(s, err);
        return falling_add(&s->falling, ts_ms, err);
    }
    if (s->n >= s->cap / 4 * 3 && double_slots(s, err)) return -1;
    int64_t *slot = &s->slots[find_slot(s, ts_ms)];
    if (*slot != ts_ms) s->n++;
    *slot = ts_ms;
    return 0;
}

bool timestamp_set_look_up(const struct timestamp_set *s, int64_t ts_ms) {
    return falling_has(&s->falling, ts_ms) || (s->n && s->slots[find_slot(s, ts_ms)] == ts_ms);
}

void timestamp_set_reset(struct timestamp_set *s) {
    if (s->cap * sizeof *s->slots + falling_bytes(&s->falling) > BYTES_KEPT) {
        timestamp_set_free(s);
        return;
    }
    falling_clear(&s->falling);
    if (s->n) empty(s);
}

void timestamp_set_free(struct timestamp_set *s) {
    falling_free(&s->falling);
    free(s->slots);
    *s = (struct timestamp_set){.max_bytes = s->max_bytes};
}
