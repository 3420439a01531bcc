/* Sorts references to records by row key: MSD radix in place over 8 bytes at a time, after the prefix that all rows of the bucket
 * share. The values that occur at each of these bytes are numbered, so that a pass splits by two digits, not by one. Small ranges
 * are sorted by insertion; large ones are tasks of their own. Input that ascends in a few stretches is merged instead, so sorted
 * files cost one pass. Records of one row end in the order of their first cells. */
#include "sort/rowsort.h"
#include "sort/sorted.h"

#include "base/heap.h"
#include "base/prefetch.h"
#include "sort/record.h"

enum { WINDOW_BYTES = 8, WINDOW_BITS = 64, PASS_BITS = 8, PASS_VALUES = 1 << PASS_BITS };
enum {
    SMALL_RANGE = 24,
    NARROWED_RANGE = 1 << 10,
    TASK_RANGE = 1 << 12,
    AHEAD_ENTRIES = 8,
    MAX_RUNS = 1024,
    MIN_RUN_ENTRIES = 32
};

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
    for (size_t len = depth; len <= depth + WINDOW_BYTES; len++) {
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

/* A byte of a key has few values: ten, if it is a digit. Each byte of the windows becomes the number of its value among those
 * that occur at its place, in as few bits as these need, from the top down. Order and equality of the windows stay. Returns how
 * many bits they have now. */
static unsigned narrow_windows(struct sort_entry *e, size_t n) {
    uint8_t number[WINDOW_BYTES][256] = {{0}};
    unsigned width[WINDOW_BYTES], bits = 0;
    if (n < NARROWED_RANGE) return WINDOW_BITS;
    for (size_t i = 0; i < n; i++)
        for (unsigned b = 0; b < WINDOW_BYTES; b++) number[b][e[i].window >> 8 * b & 255] = 1;
    for (unsigned b = 0; b < WINDOW_BYTES; b++) {
        unsigned values = 0;
        for (unsigned v = 0; v < 256; v++)
            if (number[b][v]) number[b][v] = (uint8_t)values++;
        width[b] = values > 1 ? 32 - (unsigned)__builtin_clz(values - 1) : 0;
        bits += width[b];
    }
    if (bits > WINDOW_BITS - PASS_BITS) return WINDOW_BITS;
    for (size_t i = 0; i < n; i++) {
        uint64_t narrow = 0;
        for (unsigned b = WINDOW_BYTES; b-- > 0;) narrow = narrow << width[b] | number[b][e[i].window >> 8 * b & 255];
        e[i].window = narrow << (WINDOW_BITS - 1 - bits) << 1; /* in two steps: bits may be 0 */
    }
    return bits;
}

/* Splits e by PASS_BITS of the windows, those with value b into [start[b], start[b + 1]): count, then permute in place
 * (American flag). Each place is filled in order, so what comes after it is asked for; hardware does not follow so many.
 * Returns the value that most have. */
static unsigned split_by_bits(struct sort_entry *e, size_t n, unsigned shift, size_t start[PASS_VALUES + 1]) {
    size_t next[PASS_VALUES], count[PASS_VALUES] = {0};
    unsigned most = 0;
    for (size_t i = 0; i < n; i++) count[e[i].window >> shift & (PASS_VALUES - 1)]++;
    start[0] = 0;
    for (unsigned b = 0; b < PASS_VALUES; b++) {
        next[b] = start[b];
        start[b + 1] = start[b] + count[b];
        if (count[b] > count[most]) most = b;
    }
    if (count[most] == n) return most;
    for (unsigned b = 0; b < PASS_VALUES; b++)
        while (next[b] < start[b + 1]) {
            struct sort_entry x = e[next[b]];
            for (unsigned d; (d = x.window >> shift & (PASS_VALUES - 1)) != b;) {
                struct sort_entry y = e[next[d]];
                e[next[d]++] = x;
                prefetch_to_write(&e[next[d]] + AHEAD_ENTRIES, 1);
                x = y;
            }
            e[next[b]++] = x;
        }
    return most;
}

/* Windows were taken at depth, have `bits` bits and agree in the first `used` of them. The largest share is sorted on
 * in the same call, only the others, each at most half of n, in one of their own: rows may have tens of thousands of
 * bytes in common, and the stack must not grow with them. */
static void sort_range(const struct rowsort *s, struct sort_entry *e, size_t n, unsigned used, unsigned bits, size_t depth) {
    bool tasks = false;
    for (; n > SMALL_RANGE; used += PASS_BITS) {
        if (used >= bits) {
            size_t done = sort_ended(s, e, n, depth);
            e += done;
            n -= done;
            depth += WINDOW_BYTES;
            take_windows(e, n, depth);
            if (n <= SMALL_RANGE) break;
            used = 0;
            bits = narrow_windows(e, n);
        }
        size_t start[PASS_VALUES + 1];
        unsigned most = split_by_bits(e, n, WINDOW_BITS - PASS_BITS - used, start);
        for (unsigned b = 0; b < PASS_VALUES; b++) {
            struct sort_entry *sub = e + start[b];
            size_t m = start[b + 1] - start[b];
            if (m < 2 || b == most) continue;
            if (m >= TASK_RANGE) {
                tasks = true;
#pragma omp task firstprivate(sub, m, used, bits, depth)
                sort_range(s, sub, m, used + PASS_BITS, bits, depth);
            } else {
                sort_range(s, sub, m, used + PASS_BITS, bits, depth);
            }
        }
        e += start[most];
        n = start[most + 1] - start[most];
    }
    insertion(s, e, n, depth);
    if (tasks) {
#pragma omp taskwait
    }
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
        sort_range(s, e, n, 0, narrow_windows(e, n), s->lcp);
}
