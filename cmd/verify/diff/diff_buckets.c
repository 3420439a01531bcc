/* The sums that pass 1 of a diff leaves: a bucket for each row hash, modulo a power of two. A bucket has the digests of its cells
 * on either side, a sum that shows the order of cells of one key, and whether its rows are to be read again. */

#include "cmd/verify/diff/diff_buckets.h"
#include "engine/input_reader.h"
#include "engine/memory_plan.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Sizes of buckets. With few cells to a bucket, hardly a row is read again beside those that differ; more buckets only leave the
 * cache. */
enum { BUCKET_BITS_MIN = 14, BUCKET_BITS_MAX = 24, CELLS_PER_BUCKET = 64, CELL_BYTES_LEAST = 8 };
enum { BUCKET_BYTES = DIFF_SIDES * (sizeof(struct tally) + sizeof(uint64_t)) + 1 };

/* Returns in *cells the most cells that the larger side may have. An input that no manifest counts has no more than its bytes can
 * hold. */
static int count_at_most(const struct diff_opts *o, uint64_t *cells, struct err *err) {
    *cells = 0;
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < o->sides[k].n_inputs; i++) {
            struct input *in = &o->sides[k].inputs[i];
            if (input_stat(in, err)) return -1;
            sum += in->in_manifest ? in->manifest_tally.cells : in->file_bytes / CELL_BYTES_LEAST;
        }
        if (sum > *cells) *cells = sum;
    }
    return 0;
}

int diff_buckets_number(const struct diff_opts *o, uint64_t *n, struct err *err) {
    unsigned bits = BUCKET_BITS_MIN;
    size_t most = memory_share(o->job, MEMORY_DIFF_BUCKETS) / BUCKET_BYTES;
    uint64_t cells;
    if (count_at_most(o, &cells, err)) return -1;
    while (bits < BUCKET_BITS_MAX && (size_t)2 << bits <= most && cells >> bits >= CELLS_PER_BUCKET) bits++;
    *n = UINT64_C(1) << bits;
    return 0;
}

size_t diff_buckets_bytes(uint64_t n) {
    return n * BUCKET_BYTES;
}

/* Large pages, where the system has them: looking up the page of a bucket takes longer than the rest. */
static void *map_zeros(size_t bytes, bool large_pages) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (large_pages) (void)madvise(p, bytes, MADV_HUGEPAGE); /* only speed depends on it */
    return p;
}

int diff_buckets_init(struct diff_buckets *b, uint64_t n, struct err *err) {
    bool ok = true;
    b->n = n;
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        b->sums[k] = map_zeros(n * sizeof *b->sums[k], true);
        b->order[k] = map_zeros(n * sizeof *b->order[k], false); /* few keys repeat: most of it is never touched */
        ok = ok && b->sums[k] && b->order[k];
    }
    b->look = calloc(n / 64, sizeof *b->look);
    return ok && b->look ? 0 : err_nomem(err, diff_buckets_bytes(n), "comparing");
}

static void unmap(void *p, size_t bytes) {
    if (p) (void)munmap(p, bytes); /* cannot fail for a whole mapping */
}

void diff_buckets_release(struct diff_buckets *b) {
    for (unsigned k = 0; k < DIFF_SIDES; k++) {
        unmap(b->sums[k], b->n * sizeof *b->sums[k]);
        unmap(b->order[k], b->n * sizeof *b->order[k]);
    }
    free(b->look);
}

void diff_buckets_look(struct diff_buckets *b, uint64_t hash) {
    uint64_t i = hash & (b->n - 1);
    __atomic_fetch_or(&b->look[i / 64], UINT64_C(1) << i % 64, __ATOMIC_RELAXED);
}

void diff_buckets_order(struct diff_buckets *b, unsigned side, uint64_t hash, uint64_t order) {
    __atomic_fetch_add(&b->order[side][hash & (b->n - 1)], order, __ATOMIC_RELAXED);
}

uint64_t diff_buckets_cells(const struct diff_buckets *b, unsigned side) {
    uint64_t cells = 0;
    for (uint64_t i = 0; i < b->n; i++)
        if (diff_buckets_looked(b, i)) cells += b->sums[side][i].cells;
    return cells;
}

uint64_t diff_buckets_all(const struct diff_buckets *b) {
    uint64_t cells = 0;
    for (uint64_t i = 0; i < b->n; i++) cells += b->sums[DIFF_A][i].cells + b->sums[DIFF_B][i].cells;
    return cells;
}

uint64_t diff_buckets_choose(struct diff_buckets *b) {
    uint64_t looked = 0;
    for (uint64_t i = 0; i < b->n; i++) {
        const struct tally *x = &b->sums[DIFF_A][i], *y = &b->sums[DIFF_B][i];
        bool same = x->cells == y->cells && digest_eq(x->digest, y->digest) && b->order[DIFF_A][i] == b->order[DIFF_B][i];
        if (!same) diff_buckets_look(b, i);
        looked += diff_buckets_looked(b, i);
    }
    return looked;
}
