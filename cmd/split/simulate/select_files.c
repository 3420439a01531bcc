#include "cmd/split/simulate/select_files.h"

#include "cmd/split/simulate/ratio_select.h"
#include "cmd/split/simulate/seeded.h"

#include <math.h>
#include <stdlib.h>

bool select_is_needed(const struct select_file *files, size_t n, const struct sim_compaction *c) {
    size_t free_files = 0;
    for (size_t i = 0; i < n; i++) free_files += !files[i].compacting;
    return free_files >= c->min_files;
}

/* SortedCompactionPolicy.getNextMajorCompactTime: the period with the jitter that the first file's name gives. */
static int64_t major_period(int32_t name_hash, const struct sim_compaction *c) {
    if (c->major_period_ms <= 0 || c->major_jitter <= 0) return c->major_period_ms;
    double jitter = floor((double)c->major_period_ms * c->major_jitter + 0.5); /* Math.round */
    double drawn = floor(2 * jitter * seeded_java_double(name_hash) + 0.5);
    return c->major_period_ms + (int64_t)jitter - (int64_t)drawn;
}

/* A single file is worth it only for what outlived the TTL. */
static bool single_is_due(const struct select_file *f, const struct select_state *state) {
    return state->ttl_ms && state->now_ms - f->oldest_ms > state->ttl_ms;
}

bool select_is_major_due(const struct select_file *files, size_t n, const struct select_state *state,
                         const struct sim_compaction *c) {
    if (!n) return false;
    int64_t period = major_period(files[0].name_hash, c), oldest = files[0].made_ms;
    for (size_t i = 1; i < n; i++)
        if (files[i].made_ms < oldest) oldest = files[i].made_ms;
    if (!period || oldest <= 0 || oldest >= state->now_ms - period) return false;
    return n > 1 || single_is_due(files, state);
}

bool select_is_offpeak(int64_t now_ms, const struct sim_compaction *c) {
    enum { HOUR_MS = 3600000 };
    int from = c->offpeak_from_h, to = c->offpeak_to_h;
    if (from < 0 || to < 0 || from == to) return false;
    int hour = (int)((now_ms / HOUR_MS % 24 + 24) % 24);
    return from <= to ? from <= hour && hour < to : hour < to || from <= hour;
}

/* The policy's own choice among files that none of the other rules takes or leaves. */
static struct explore_selection by_policy(const struct select_file *files, size_t n, bool offpeak, bool stuck,
                                          const struct sim_compaction *c) {
    struct explore_opts o = {.ratio = offpeak ? c->ratio_offpeak : c->ratio,
                             .min_files = c->min_files,
                             .max_files = c->max_files,
                             .min_bytes = c->min_bytes,
                             .max_bytes = offpeak ? c->max_bytes_offpeak : c->max_bytes};
    uint64_t *bytes = malloc((n + 1) * sizeof *bytes);
    if (!bytes) return (struct explore_selection){0, 0};
    for (size_t i = 0; i < n; i++) bytes[i] = files[i].bytes;
    struct explore_selection s =
        c->selection == SIM_EXPLORING ? explore_windows(bytes, n, &o, stuck) : ratio_select(bytes, n, &o, stuck);
    free(bytes);
    if (s.n < c->min_files) s.n = 0;
    return s;
}

struct select_result select_files(const struct select_file *files, size_t n, const struct select_state *state,
                                  const struct sim_compaction *c) {
    size_t first = 0, compacting = 0;
    bool references = false;
    for (size_t i = 0; i < n; i++) {
        if (!files[i].compacting) continue;
        first = i + 1; /* only files newer than any that is being compacted */
        compacting++;
    }
    bool stuck = n - compacting + (compacting ? 1 : 0) >= c->blocking_files;
    bool force = state->force_major && !compacting;
    uint64_t largest = state->offpeak ? c->max_bytes_offpeak : c->max_bytes;
    if (!(force && first == 0))
        while (first < n && !files[first].reference && files[first].bytes > largest) first++;
    size_t left = n - first;
    for (size_t i = first; i < n; i++) references |= files[i].reference;
    bool trying = ((force && !first) || select_is_major_due(files + first, left, state, c)) && left < c->max_files;
    struct explore_selection s = {0, left};
    if (!trying && !references) s = by_policy(files + first, left, state->offpeak, stuck, c);
    if (s.n > c->max_files) s.n = c->max_files;
    bool all = s.n == n;
    return (struct select_result){first + s.first, s.n, all, trying && all, s.n && !all && state->offpeak};
}
