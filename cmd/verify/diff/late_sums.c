/* Sums of digests on their way to their buckets. Row hashes choose buckets, which lie anywhere in memory: a thread that
 * added a sum at once would wait for its bucket longer than it took to hash the row. So a bucket is asked for when its sum is
 * known, and gets it when LATE_SUMS more sums are known. Sums add in any order. */
#include "cmd/verify/diff/diff.h"

#include "engine/memory_plan.h"

#include <sys/mman.h>

/* With few cells to a bucket, hardly a row is read again beside those that differ; more buckets only leave the cache. */
enum { BUCKET_BITS_MIN = 14, BUCKET_BITS_MAX = 24, CELLS_PER_BUCKET = 64, CELL_BYTES_LEAST = 8 };

/* Of the larger side. What no manifest counts is no more than its bytes can hold. */
static int count_at_most(const struct diff_opts *o, uint64_t *cells, struct err *err) {
    *cells = 0;
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < o->sides[k].n_inputs; i++) {
            struct input *in = &o->sides[k].inputs[i];
            if (input_stat(in, err)) return -1;
            sum += in->is_said ? in->said.cells : in->file_bytes / CELL_BYTES_LEAST;
        }
        if (sum > *cells) *cells = sum;
    }
    return 0;
}

int late_sums_number(const struct diff_opts *o, size_t bucket_bytes, uint64_t *n, struct err *err) {
    unsigned bits = BUCKET_BITS_MIN;
    size_t most = memory_share(o->job, MEMORY_DIFF_BUCKETS) / bucket_bytes;
    uint64_t cells;
    if (count_at_most(o, &cells, err)) return -1;
    while (bits < BUCKET_BITS_MAX && (size_t)2 << bits <= most && cells >> bits >= CELLS_PER_BUCKET) bits++;
    *n = UINT64_C(1) << bits;
    return 0;
}

/* Large pages, where the system has them: looking up the page of a bucket takes longer than the rest. */
struct tally *late_sums_buckets(uint64_t n, struct err *err) {
    void *p = mmap(NULL, n * sizeof(struct tally), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        err_nomem(err, n * sizeof(struct tally), "comparing");
        return NULL;
    }
    (void)madvise(p, n * sizeof(struct tally), MADV_HUGEPAGE); /* only speed depends on it */
    return p;
}

void late_sums_free_buckets(struct tally *buckets, uint64_t n) {
    if (buckets) (void)munmap(buckets, n * sizeof *buckets); /* cannot fail for a whole mapping */
}

static void add_atomically(struct tally *t, const struct tally *more) {
    uint64_t lo = __atomic_fetch_add(&t->digest.lo, more->digest.lo, __ATOMIC_RELAXED);
    bool carry = lo + more->digest.lo < lo;
    __atomic_fetch_add(&t->digest.hi, more->digest.hi + carry, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->cells, more->cells, __ATOMIC_RELAXED);
}

static void add_oldest(struct late_sums *l, unsigned i) {
    if (l->buckets[i]) add_atomically(l->buckets[i], &l->sums[i]);
    l->buckets[i] = NULL;
}

void late_sums_add(struct late_sums *l, struct tally *bucket, const struct tally *sum) {
    unsigned i = l->next++ % LATE_SUMS;
    add_oldest(l, i);
    __builtin_prefetch(bucket, 1);
    l->buckets[i] = bucket;
    l->sums[i] = *sum;
}

void late_sums_end(struct late_sums *l, unsigned threads) {
    for (unsigned t = 0; t < threads; t++)
        for (unsigned i = 0; i < LATE_SUMS; i++) add_oldest(&l[t], i);
}
