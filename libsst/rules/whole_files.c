/* Decisions on whole files, as HBase takes them: expiry and age of files, the same facts per region where an input is a store,
 * and the exploring selection of a minor compaction. HBase's comparisons are kept to the letter, its float ratio included. */
#include "rules/whole_files.h"

#include "cell/cell.h"
#include "rules/rules.h"

int file_facts_age_cmp(const struct file_facts *a, const struct file_facts *b) {
    if (a->max_seq != b->max_seq) return a->max_seq < b->max_seq ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    if (a->bulk_ms != b->bulk_ms) return a->bulk_ms < b->bulk_ms ? -1 : 1;
    return bytes_cmp(a->name, b->name);
}

size_t file_facts_expire(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                         bool *dropped) {
    int64_t oldest_ms = family->min_versions ? INT64_MIN : rules_oldest_ms(family, now_ms);
    size_t n_dropped = 0;
    for (size_t i = 0; i < n; i++) {
        dropped[i] = i + 1 < n && files[i].has_cells && files[i].ts_max_ms < oldest_ms;
        n_dropped += dropped[i];
    }
    return n_dropped;
}

void file_facts_leave_out(const struct file_facts *files, size_t n, const struct family_rules *family, int64_t now_ms,
                          bool *dropped) {
    int64_t oldest_ms = family->min_versions ? INT64_MIN : rules_oldest_ms(family, now_ms);
    for (size_t i = 0; i < n; i++) dropped[i] = dropped[i] || (files[i].has_cells && files[i].ts_max_ms < oldest_ms);
}

uint64_t file_facts_old_seq(const struct file_facts *f, int64_t now_ms, int64_t keep_ms) {
    int64_t oldest_ms, made_ms = f->made_ms;
    if (!keep_ms || __builtin_sub_overflow(now_ms, keep_ms, &oldest_ms)) return 0;
    if (f->created_ms > made_ms && f->created_ms <= now_ms) made_ms = f->created_ms; /* the time of change is a packer's */
    return made_ms < oldest_ms && f->max_mvcc <= INT64_MAX ? f->max_mvcc : 0;
}

int64_t file_facts_earliest_put(const struct file_facts *files, size_t n, const bool *dropped) {
    int64_t earliest_ms = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!files[i].has_cells || (dropped && dropped[i])) continue;
        if (files[i].earliest_put_ms < earliest_ms) earliest_ms = files[i].earliest_put_ms;
    }
    return earliest_ms;
}

/* ---- facts by region ---- */

bool region_facts_expired(const struct region_facts *f, size_t n, uint64_t rank) {
    for (size_t i = 0; i < n; i++)
        if (f[i].input == rank_input(rank)) return rank_file(rank) < f[i].n_files && f[i].expired[rank_file(rank)];
    return false;
}

size_t region_facts_to(const struct bytes *starts, size_t n, struct bytes row) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (bytes_cmp(starts[mid], row) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int64_t region_facts_earliest_put(const struct region_facts *f, size_t n, struct bytes row, int64_t earliest_ms) {
    for (size_t i = 0; i < n; i++) {
        size_t lo = region_facts_to(f[i].starts, f[i].n_regions, row);
        if (lo && f[i].earliest_put_ms[lo - 1] < earliest_ms) earliest_ms = f[i].earliest_put_ms[lo - 1];
    }
    return earliest_ms;
}

uint64_t region_facts_old_seq(const struct region_facts *f, size_t n, struct bytes row, uint64_t old_seq) {
    for (size_t i = 0; i < n; i++) {
        size_t lo = region_facts_to(f[i].starts, f[i].n_regions, row);
        if (lo && f[i].old_seq[lo - 1] > old_seq) old_seq = f[i].old_seq[lo - 1];
    }
    return old_seq;
}

/* ---- exploring selection ---- */

struct explore_opts explore_defaults(void) {
    return (struct explore_opts){.ratio = 1.2f, /* Java reads it as a float */
                                 .min_files = 3,
                                 .max_files = 10,
                                 .min_bytes = UINT64_C(128) << 20,
                                 .max_bytes = UINT64_MAX,
                                 .blocking_files = 16};
}

static uint64_t add_capped(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static bool in_ratio(const uint64_t *bytes, size_t n, uint64_t sum, double ratio) {
    for (size_t i = 0; n > 1 && i < n; i++)
        if ((double)bytes[i] > (double)(sum - bytes[i]) * ratio) return false;
    return true;
}

struct explored_window {
    struct explore_selection s;
    uint64_t bytes;
};

/* More files, or as many for less; when stuck, those that take away most files per byte, by a margin. */
static bool better(const struct explored_window *best, const struct explored_window *w, bool stuck) {
    const double margin = 1.05;
    if (stuck && best->bytes && w->bytes)
        return (double)best->s.n / (double)best->bytes * margin < (double)w->s.n / (double)w->bytes;
    return w->s.n > best->s.n || (w->s.n == best->s.n && w->bytes < best->bytes);
}

struct explore_selection explore_windows(const uint64_t *bytes, size_t n, const struct explore_opts *o, bool stuck) {
    struct explored_window best = {{0, 0}, 0}, smallest = {{0, 0}, UINT64_MAX};
    for (size_t first = 0; first < n; first++) {
        struct explored_window w = {{first, 0}, 0};
        while (first + w.s.n < n && w.s.n < o->max_files) {
            w.bytes = add_capped(w.bytes, bytes[first + w.s.n++]);
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
