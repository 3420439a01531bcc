#include "rules/store_facts.h"

#include "cell/cell.h"

bool store_facts_expired(const struct store_facts *f, size_t n, uint64_t rank) {
    for (size_t i = 0; i < n; i++)
        if (f[i].input == rank_input(rank)) return rank_file(rank) < f[i].n_files && f[i].expired[rank_file(rank)];
    return false;
}

/* The number of regions that start at or before row: it lies in the last of them. */
static size_t regions_to(const struct store_facts *f, struct bytes row) {
    size_t lo = 0, hi = f->n_regions;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (bytes_cmp(f->starts[mid], row) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int64_t store_facts_earliest_put(const struct store_facts *f, size_t n, struct bytes row, int64_t earliest_ms) {
    for (size_t i = 0; i < n; i++) {
        size_t lo = regions_to(&f[i], row);
        if (lo && f[i].earliest_put_ms[lo - 1] < earliest_ms) earliest_ms = f[i].earliest_put_ms[lo - 1];
    }
    return earliest_ms;
}

uint64_t store_facts_old_seq(const struct store_facts *f, size_t n, struct bytes row, uint64_t old_seq) {
    for (size_t i = 0; i < n; i++) {
        size_t lo = regions_to(&f[i], row);
        if (lo && f[i].old_seq[lo - 1] > old_seq) old_seq = f[i].old_seq[lo - 1];
    }
    return old_seq;
}
