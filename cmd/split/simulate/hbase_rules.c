/* The decisions of HBase 2.6 as pure functions, so that they can be tested against HBase itself on random cases: when and where a
 * region is split, when regions move, which files a compaction takes. Arithmetic is Java's, wrapping and floats included. */
#include "cmd/split/simulate/hbase_rules.h"

#include <math.h>
#include <stdlib.h>

int64_t split_rule_size(const struct sim_region_rules *r, double share) {
    double rate = ((double)(float)share - 0.5) * r->max_file_jitter;
    int64_t most = (int64_t)r->max_file_bytes, jitter = (int64_t)((double)most * rate);
    return rate > 0 && jitter > INT64_MAX - most ? INT64_MAX : most + jitter;
}

/* Java's product wraps. */
static int64_t cubed(uint64_t initial, uint32_t regions) {
    return (int64_t)(initial * regions * regions * regions);
}

static int64_t split_limit(const struct sim_region_rules *r, int64_t size, uint32_t regions) {
    switch (r->split_policy) {
    case SIM_SPLIT_STEPPING: return regions == 1 ? (int64_t)r->initial_split_bytes : size;
    case SIM_SPLIT_INCREASING:
    case SIM_SPLIT_KEY_PREFIX:
    case SIM_SPLIT_DELIMITED_PREFIX: break;
    case SIM_SPLIT_CONSTANT_SIZE:
    case SIM_SPLIT_DISABLED: return size;
    }
    int64_t growing = regions && regions <= 100 ? cubed(r->initial_split_bytes, regions) : size;
    return growing < size ? growing : size;
}

bool split_rule_applies(const struct sim_region_rules *r, int64_t size, uint32_t regions, const uint64_t *bytes, uint32_t n) {
    if (r->split_policy == SIM_SPLIT_DISABLED) return false;
    int64_t most = split_limit(r, size, regions);
    uint64_t sum = 0;
    bool one = false;
    for (uint32_t i = 0; i < n; i++) {
        sum += bytes[i];
        one |= (int64_t)bytes[i] > most;
    }
    return r->split_overall ? (int64_t)sum > most : one;
}

size_t split_rule_store(const uint64_t *bytes, const bool *has_point, size_t n) {
    size_t best = SIZE_MAX;
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!has_point[i] || bytes[i] <= most) continue;
        most = bytes[i];
        best = i;
    }
    return best;
}

struct bytes split_rule_row(const struct sim_region_rules *r, struct bytes middle) {
    if (r->split_policy == SIM_SPLIT_KEY_PREFIX && r->prefix_bytes && r->prefix_bytes < middle.n)
        return bytes_of(middle.p, r->prefix_bytes);
    if (r->split_policy != SIM_SPLIT_DELIMITED_PREFIX || !r->delimiter || !middle.n) return middle;
    const uint8_t *at = memmem(middle.p, middle.n, r->delimiter, strlen(r->delimiter));
    return at ? bytes_of(middle.p, (size_t)(at - middle.p)) : middle;
}

bool balance_rule_applies(const uint32_t *regions, uint32_t n, double slop) {
    uint32_t from, to;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += regions[i];
    balance_rule_next(regions, n, &from, &to);
    if (n < 2) return false;
    if (!regions[to] && regions[from] > 1) return true;
    float mean = (float)sum / (float)n, off = (float)slop; /* Java reckons with floats */
    return (float)regions[from] > ceilf(mean * (1 + off)) || (float)regions[to] < floorf(mean * (1 - off));
}

bool balance_rule_next(const uint32_t *regions, uint32_t n, uint32_t *from, uint32_t *to) {
    *from = *to = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (regions[i] > regions[*from]) *from = i;
        if (regions[i] < regions[*to]) *to = i;
    }
    return regions[*from] > regions[*to] + 1;
}

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

/* Returns the bytes of the next max_files - 1 files. Sums wrap as Java's do; nothing real is that large. */
static uint64_t sum_after(const uint64_t *bytes, size_t n, size_t file, size_t max_files) {
    uint64_t sum = 0;
    for (size_t i = file + 1; i < n && i - file < max_files; i++) sum += bytes[i];
    return sum;
}

struct explore_selection ratio_select(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck) {
    size_t first = 0;
    while (first < n && n - first >= o->min_files) {
        double allowed = (double)sum_after(bytes, n, first, o->max_files) * o->ratio;
        uint64_t most = allowed >= 0x1p63 ? INT64_MAX : (uint64_t)allowed;
        if (bytes[first] <= (most > o->min_bytes ? most : o->min_bytes)) break;
        first++;
    }
    if (first == n && stuck && n >= o->min_files) first = n - o->min_files;
    return (struct explore_selection){first, n - first};
}
