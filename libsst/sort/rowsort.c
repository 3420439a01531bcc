/* Sorts references to records by row key: MSD radix in place over 8 bytes at a time, after the prefix that all rows of the bucket
 * share. Small ranges are sorted by insertion; large ones are tasks of their own. Input that ascends in a few stretches is merged
 * instead, so sorted files cost one pass. Records of one row end in the order of their first cells. */
#include "sort/sorted.h"

#include "base/heap.h"
#include "sort/record.h"

enum { SMALL_RANGE = 24, TASK_RANGE = 1 << 16, MAX_RUNS = 1024, MIN_RUN_ENTRIES = 32 };

uint64_t rowsort_window(struct bytes row, size_t depth) {
    if (row.n <= depth) return 0;
    return bytes_prefix8(bytes_of(row.p + depth, row.n - depth));
}

/* Order of two records of the same row. */
static int same_row_cmp(const struct rowsort *s, const uint8_t *a, const uint8_t *b) {
    uint32_t sa = record_shape(a), sb = record_shape(b);
    if (sa != sb) return sa < sb ? -1 : 1;
    if (sa) {
        int64_t ta = record_ts(a), tb = record_ts(b);
        if (ta != tb) return ta > tb ? -1 : 1;
        uint64_t ra = record_rank(a), rb = record_rank(b);
        return (ra < rb) - (ra > rb);
    }
    struct record_cells ia, ib;
    record_cells_begin(&ia, a, s->shapes);
    record_cells_begin(&ib, b, s->shapes);
    record_cells_next(&ia);
    record_cells_next(&ib);
    return cell_cmp(&ia.cell, &ib.cell, s->tie);
}

/* Rows are known to agree before `depth`. */
static int cmp_from(const struct rowsort *s, const struct sort_entry *a, const struct sort_entry *b, size_t depth) {
    struct bytes ra = record_row(a->record), rb = record_row(b->record);
    size_t n = ra.n < rb.n ? ra.n : rb.n;
    if (n > depth) {
        int c = memcmp(ra.p + depth, rb.p + depth, n - depth);
        if (c) return c;
    }
    if (ra.n != rb.n) return ra.n < rb.n ? -1 : 1;
    return same_row_cmp(s, a->record, b->record);
}

/* Entries whose windows were taken at the same depth. */
static inline int cmp_windowed(const struct rowsort *s, const struct sort_entry *a, const struct sort_entry *b, size_t depth) {
    if (a->window != b->window) return a->window < b->window ? -1 : 1;
    return cmp_from(s, a, b, depth);
}

int rowsort_cmp(const struct rowsort *s, const struct sort_entry *a, const struct sort_entry *b) {
    return cmp_windowed(s, a, b, s->lcp);
}

static void insertion(const struct rowsort *s, struct sort_entry *e, size_t n, size_t depth) {
    for (size_t i = 1; i < n; i++) {
        struct sort_entry x = e[i];
        size_t j = i;
        for (; j && cmp_windowed(s, &x, &e[j - 1], depth) < 0; j--) e[j] = e[j - 1];
        e[j] = x;
    }
}

static void swap_entries(struct sort_entry *a, struct sort_entry *b) {
    struct sort_entry t = *a;
    *a = *b;
    *b = t;
}

static bool is_later(const void *a, const void *b, const void *arg) {
    return same_row_cmp(arg, ((const struct sort_entry *)a)->record, ((const struct sort_entry *)b)->record) > 0;
}

/* Many records of one row: a heap sort needs no memory and has no bad case. In order already: one pass. */
static void sort_same_row(const struct rowsort *s, struct sort_entry *e, size_t n) {
    size_t i = 1;
    while (i < n && same_row_cmp(s, e[i - 1].record, e[i].record) <= 0) i++;
    if (i >= n) return;
    heap_make(e, n, sizeof *e, is_later, s);
    for (i = n; i > 1; i--) {
        struct sort_entry last;
        heap_pop(e, i, sizeof last, &last, is_later, s);
        e[i - 1] = last;
    }
}

/* All of e have the same window at depth. Rows that end inside it come first, by length; zero padding made them equal.
 * Returns how many those are. */
static size_t sort_ended(const struct rowsort *s, struct sort_entry *e, size_t n, size_t depth) {
    size_t done = 0;
    for (size_t len = depth; len <= depth + 8; len++) {
        size_t from = done;
        for (size_t i = done; i < n; i++)
            if (record_row(e[i].record).n == len) swap_entries(&e[i], &e[done++]);
        sort_same_row(s, e + from, done - from);
    }
    return done;
}

static void take_windows(struct sort_entry *e, size_t n, size_t depth) {
    for (size_t i = 0; i < n; i++) e[i].window = rowsort_window(record_row(e[i].record), depth);
}

/* Splits e by one byte of the windows, those with byte b into [start[b], start[b + 1]): count, then permute in place
 * (American flag). Returns the byte that most have. */
static unsigned split_by_byte(struct sort_entry *e, size_t n, unsigned shift, size_t start[257]) {
    size_t next[256], count[256] = {0};
    unsigned most = 0;
    for (size_t i = 0; i < n; i++) count[e[i].window >> shift & 255]++;
    start[0] = 0;
    for (unsigned b = 0; b < 256; b++) {
        next[b] = start[b];
        start[b + 1] = start[b] + count[b];
        if (count[b] > count[most]) most = b;
    }
    if (count[most] == n) return most;
    for (unsigned b = 0; b < 256; b++)
        while (next[b] < start[b + 1]) {
            struct sort_entry x = e[next[b]];
            for (unsigned d; (d = x.window >> shift & 255) != b;) {
                struct sort_entry y = e[next[d]];
                e[next[d]++] = x;
                x = y;
            }
            e[next[b]++] = x;
        }
    return most;
}

/* Windows were taken at depth and agree in the bytes before `byte` (0 = most significant). The largest share is sorted on
 * in the same call, only the others, each at most half of n, in one of their own: rows may have tens of thousands of
 * bytes in common, and the stack must not grow with them. */
static void sort_range(const struct rowsort *s, struct sort_entry *e, size_t n, unsigned byte, size_t depth) {
    struct sort_entry *deeper = NULL;
    size_t n_deeper = 0;
    bool tasks = false;
    for (; n > SMALL_RANGE; byte++) {
        if (byte == 8) {
            size_t done = sort_ended(s, e, n, depth);
            e += done;
            n -= done;
            if (!deeper) {
                deeper = e;
                n_deeper = n;
            }
            byte = 0;
            depth += 8;
            take_windows(e, n, depth);
            if (n <= SMALL_RANGE) break;
        }
        size_t start[257];
        unsigned most = split_by_byte(e, n, 56 - 8 * byte, start);
        for (unsigned b = 0; b < 256; b++) {
            struct sort_entry *sub = e + start[b];
            size_t m = start[b + 1] - start[b];
            if (m < 2 || b == most) continue;
            if (m >= TASK_RANGE) {
                tasks = true;
#pragma omp task firstprivate(sub, m, byte, depth)
                sort_range(s, sub, m, byte + 1, depth);
            } else {
                sort_range(s, sub, m, byte + 1, depth);
            }
        }
        e += start[most];
        n = start[most + 1] - start[most];
    }
    insertion(s, e, n, depth);
    if (tasks) {
#pragma omp taskwait
    }
    take_windows(deeper, n_deeper, s->lcp);
}

/* Ends of the ascending runs of e; 0 = so many or so short that sorting is the faster way. */
static size_t find_runs(const struct rowsort *s, const struct sort_entry *e, size_t n, size_t ends[MAX_RUNS]) {
    size_t runs = 0;
    for (size_t i = 1; i < n; i++) {
        if (rowsort_cmp(s, &e[i - 1], &e[i]) <= 0) continue;
        if (runs == MAX_RUNS - 1 || i < runs * MIN_RUN_ENTRIES) return 0;
        ends[runs++] = i;
    }
    ends[runs++] = n;
    return runs;
}

static void merge_two(const struct rowsort *s, const struct sort_entry *a, size_t na, const struct sort_entry *b, size_t nb,
                      struct sort_entry *out) {
    while (na && nb) {
        if (rowsort_cmp(s, a, b) <= 0) {
            *out++ = *a++;
            na--;
        } else {
            *out++ = *b++;
            nb--;
        }
    }
    if (na) memcpy(out, a, na * sizeof *a);
    if (nb) memcpy(out, b, nb * sizeof *b);
}

/* Neighbouring runs are merged pairwise, from e into scratch and back, until one is left. */
static void merge_runs(const struct rowsort *s, struct sort_entry *e, struct sort_entry *scratch, size_t *ends, size_t runs) {
    size_t n = ends[runs - 1];
    struct sort_entry *from = e, *to = scratch;
    while (runs > 1) {
        size_t made = 0, begin = 0;
        for (size_t i = 0; i < runs; i += 2) {
            size_t mid = ends[i], end = i + 1 < runs ? ends[i + 1] : mid;
            merge_two(s, from + begin, mid - begin, from + mid, end - mid, to + begin);
            ends[made++] = begin = end;
        }
        runs = made;
        struct sort_entry *t = from;
        from = to;
        to = t;
    }
    if (from != e) memcpy(e, from, n * sizeof *e);
}

void rowsort(const struct rowsort *s, struct sort_entry *e, size_t n, struct sort_entry *scratch) {
    if (n < 2) return;
    size_t ends[MAX_RUNS], runs = find_runs(s, e, n, ends);
    if (runs)
        merge_runs(s, e, scratch, ends, runs);
    else
        sort_range(s, e, n, 0, s->lcp);
}
