#include "cmd/split/simulate/ratio_select.h"

/* Of the next max_files - 1 files. Sums wrap as Java's do; nothing real is that large. */
static uint64_t sum_behind(const uint64_t *bytes, size_t n, size_t file, size_t max_files) {
    uint64_t sum = 0;
    for (size_t i = file + 1; i < n && i - file < max_files; i++) sum += bytes[i];
    return sum;
}

struct explore_selection ratio_select(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck) {
    size_t first = 0;
    while (first < n && n - first >= o->min_files) {
        double allowed = (double)sum_behind(bytes, n, first, o->max_files) * o->ratio;
        uint64_t most = allowed >= 0x1p63 ? INT64_MAX : (uint64_t)allowed;
        if (bytes[first] <= (most > o->min_bytes ? most : o->min_bytes)) break;
        first++;
    }
    if (first == n && stuck && n >= o->min_files) first = n - o->min_files;
    return (struct explore_selection){first, n - first};
}
