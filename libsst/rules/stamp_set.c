#include "rules/stamp_set.h"

#include "base/hash.h"

#include <stdlib.h>

enum { CAP_FIRST = 64, BYTES_KEPT = 32 << 10 };

/* The slot of ts_ms, or the free one where it belongs. Timestamps of one row are often neighbours: mixing keeps them from filling
 * neighbouring slots. */
static uint64_t find(const struct stamp_set *s, int64_t ts_ms) {
    uint64_t i = splitmix_mix((uint64_t)ts_ms) & (s->cap - 1);
    while (s->slots[i] != INT64_MIN && s->slots[i] != ts_ms) i = (i + 1) & (s->cap - 1);
    return i;
}

static void empty(struct stamp_set *s) {
    for (uint64_t i = 0; i < s->cap; i++) s->slots[i] = INT64_MIN;
    s->n = 0;
}

static int too_many(const struct stamp_set *s, struct err *err) {
    return err_set(err, ERR_LIMIT,
                   "its DeleteFamilyVersion markers, more than %llu, take more than the %zu KB that a row may have: %s",
                   (unsigned long long)(s->n + s->run.n), s->max_bytes >> 10, "give more --memory, or fewer --threads");
}

static int grow(struct stamp_set *s, struct err *err) {
    struct stamp_set bigger = {.run = s->run, .cap = s->cap ? s->cap * 2 : CAP_FIRST, .max_bytes = s->max_bytes};
    if ((bigger.cap + s->cap) * sizeof *s->slots + stamp_run_bytes(&s->run) > s->max_bytes) return too_many(s, err);
    bigger.slots = malloc(bigger.cap * sizeof *bigger.slots);
    if (!bigger.slots) return err_nomem(err, bigger.cap * sizeof *bigger.slots, "the DeleteFamilyVersion markers of one row");
    empty(&bigger);
    for (uint64_t i = 0; i < s->cap; i++)
        if (s->slots[i] != INT64_MIN) bigger.slots[find(&bigger, s->slots[i])] = s->slots[i];
    bigger.n = s->n;
    free(s->slots);
    *s = bigger;
    return 0;
}

int stamp_set_add(struct stamp_set *s, int64_t ts_ms, struct err *err) {
    if (stamp_run_takes(&s->run, ts_ms)) {
        if (stamp_run_grown(&s->run) + s->cap * sizeof *s->slots > s->max_bytes) return too_many(s, err);
        return stamp_run_add(&s->run, ts_ms, err);
    }
    if (s->n >= s->cap / 4 * 3 && grow(s, err)) return -1;
    int64_t *slot = &s->slots[find(s, ts_ms)];
    if (*slot != ts_ms) s->n++;
    *slot = ts_ms;
    return 0;
}

bool stamp_set_look_up(const struct stamp_set *s, int64_t ts_ms) {
    return stamp_run_has(&s->run, ts_ms) || (s->n && s->slots[find(s, ts_ms)] == ts_ms);
}

void stamp_set_reset(struct stamp_set *s) {
    if (s->cap * sizeof *s->slots + stamp_run_bytes(&s->run) > BYTES_KEPT) {
        stamp_set_free(s);
        return;
    }
    stamp_run_clear(&s->run);
    if (s->n) empty(s);
}

void stamp_set_free(struct stamp_set *s) {
    stamp_run_free(&s->run);
    free(s->slots);
    *s = (struct stamp_set){.max_bytes = s->max_bytes};
}
