#include "rules/stamp_run.h"

#include "base/wire.h"

enum { BLOCK = 32 };

struct stamp_block {
    int64_t first_ms;
    uint64_t at; /* in steps */
};

bool stamp_run_takes(const struct stamp_run *r, int64_t ts_ms) {
    return !r->n || ts_ms <= r->last_ms;
}

int stamp_run_add(struct stamp_run *r, int64_t ts_ms, struct err *err) {
    uint8_t step[PB_VARINT_MAX];
    if (r->n && ts_ms == r->last_ms) return 0;
    const struct stamp_block block = {ts_ms, r->steps.n};
    int rc = r->n % BLOCK ? buf_put(&r->steps, step, pb_varint_put(step, (uint64_t)r->last_ms - (uint64_t)ts_ms), err)
                          : buf_put(&r->firsts, &block, sizeof block, err);
    if (rc) return -1;
    r->last_ms = ts_ms;
    r->n++;
    return 0;
}

/* Number of blocks that begin at ts_ms or above: it can only lie in the last of them. */
static size_t blocks_from(const struct stamp_block *blocks, size_t n, int64_t ts_ms) {
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

bool stamp_run_has(const struct stamp_run *r, int64_t ts_ms) {
    const struct stamp_block *blocks = (const struct stamp_block *)r->firsts.p;
    size_t n = r->firsts.n / sizeof *blocks, found = blocks_from(blocks, n, ts_ms);
    if (!found) return false;
    const struct stamp_block *b = &blocks[found - 1];
    struct bytes steps = {r->steps.p + b->at, (found < n ? blocks[found].at : r->steps.n) - b->at};
    uint64_t at_ms = (uint64_t)b->first_ms, step;
    while ((int64_t)at_ms > ts_ms && pb_varint_take(&steps, &step)) at_ms -= step;
    return (int64_t)at_ms == ts_ms;
}

size_t stamp_run_bytes(const struct stamp_run *r) {
    return r->firsts.cap + r->steps.cap;
}

/* As base/buf.h grows: by half, 64 bytes at least. */
static size_t grown(const struct buf *b, size_t more) {
    size_t cap = b->cap + b->cap / 2;
    if (b->cap - b->n >= more) return b->cap;
    return cap < b->n + more + 64 ? b->n + more + 64 : cap;
}

size_t stamp_run_grown(const struct stamp_run *r) {
    return grown(&r->firsts, sizeof(struct stamp_block)) + grown(&r->steps, PB_VARINT_MAX);
}

void stamp_run_clear(struct stamp_run *r) {
    buf_clear(&r->firsts);
    buf_clear(&r->steps);
    r->n = 0;
}

void stamp_run_free(struct stamp_run *r) {
    buf_free(&r->firsts);
    buf_free(&r->steps);
    *r = (struct stamp_run){0};
}
