#include "rules/explore.h"

struct explore_opts explore_defaults(void) {
    return (struct explore_opts){.ratio = 1.2f, /* Java reads it as a float */
                                 .min_files = 3,
                                 .max_files = 10,
                                 .min_bytes = UINT64_C(128) << 20,
                                 .max_bytes = UINT64_MAX,
                                 .blocking_files = 16};
}

static uint64_t add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static bool in_ratio(const uint64_t *bytes, size_t n, uint64_t sum, double ratio) {
    for (size_t i = 0; n > 1 && i < n; i++)
        if ((double)bytes[i] > (double)(sum - bytes[i]) * ratio) return false;
    return true;
}

struct window {
    struct explore_selection s;
    uint64_t bytes;
};

/* More files, or as many for less; when stuck, those that take away most files per byte, by a margin. */
static bool better(const struct window *best, const struct window *w, bool stuck) {
    const double margin = 1.05;
    if (stuck && best->bytes && w->bytes)
        return (double)best->s.n / (double)best->bytes * margin < (double)w->s.n / (double)w->bytes;
    return w->s.n > best->s.n || (w->s.n == best->s.n && w->bytes < best->bytes);
}

struct explore_selection explore_windows(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck) {
    struct window best = {{0, 0}, 0}, smallest = {{0, 0}, UINT64_MAX};
    for (size_t first = 0; first < n; first++) {
        struct window w = {{first, 0}, 0};
        while (first + w.s.n < n && w.s.n < o->max_files) {
            w.bytes = add(w.bytes, bytes[first + w.s.n++]);
            if (w.s.n < o->min_files) continue;
            if (stuck && w.bytes < smallest.bytes) smallest = w;
            if (w.bytes > o->max_bytes) continue;
            if (w.bytes >= o->min_bytes && !in_ratio(bytes + first, w.s.n, w.bytes, o->ratio)) continue;
            if (better(&best, &w, stuck)) best = w;
        }
    }
    return best.s.n ? best.s : smallest.s;
}

struct explore_selection explore_select(const uint64_t *bytes, size_t n, const struct explore_opts *o) {
    size_t skip = 0; /* the oldest that are too large for any compaction */
    while (skip < n && bytes[skip] > o->max_bytes) skip++;
    struct explore_selection s = explore_windows(bytes + skip, n - skip, o, n >= o->blocking_files);
    return (struct explore_selection){s.n ? skip + s.first : 0, s.n};
}
