/* Collects row parts in memory, a bucket for each partition of each family.
 *
 *     bucket 0   [slab][slab] ...                               a pile for each thread
 *     bucket 1   [slab][slab]   range 0 [slab] ...  range 1 ...   one that is large: and then a pile for each range of its rows
 *
 * All memory is one region, reserved once. A thread takes slabs from it for each pile and fills them alone, so putting takes no
 * lock; a slab's size follows the number of piles. gather_full asks the reader to pause: by then each thread may still hold a
 * few long records, which is why the region is reserved larger than the limit. */
#include "sort/gather_put.h"
#include "sort/gather_ranges.h"
#include "sort/gather_state.h"

#include "base/prefetch.h"
#include "sort/record.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LONG_RECORD_BYTES = 128 * 1024, COPIES_OF_LONG = 4 };
enum { THREAD_SPACE_BYTES = 72 << 20 }; /* an arena of the C library and a stack */
enum { SLAB_MIN_BYTES = 1024, SLAB_MAX_BYTES = 256 * 1024 };
/* Sorting goes through records in no order that memory knows, which large pages make cheaper. */
enum { LARGE_PAGES_FROM_BYTES = 64 << 20 };
/* Slabs that begin a power of two apart compete for the same lines of the caches while they are filled side by side. */
enum { STAGGER_FROM_BYTES = 64 * 1024, STAGGER_BYTES = 13 * 64 };

/* piles: of each thread */
static size_t pick_slab(const struct gather_opts *o, size_t piles) {
    size_t want = o->memory_bytes / 8 / (piles * o->threads), slab = SLAB_MAX_BYTES;
    while (slab > SLAB_MIN_BYTES && slab > want) slab /= 2;
    return slab;
}

static int check_room(const struct gather_opts *o, uint32_t buckets, struct err *err) {
    size_t least = pick_slab(o, buckets) * buckets * o->threads;
    if (least <= o->memory_bytes / 2) return 0;
    return err_set(err, ERR_LIMIT,
                   "%u partitions x families with %u threads need %zu MB of memory for gathering, %zu MB are left of "
                   "--memory; give more --memory, or fewer --threads",
                   buckets, o->threads, (least * 2 >> 20) + 1, o->memory_bytes >> 20);
}

/* Address space, not memory: threads that are in the middle of a chunk when the memory is full put the rest of it, too. Where the
 * address space is limited (ulimit -v), half of it does, down to twice the memory; what all others need must be left, since some
 * libraries abort when they get no memory. */
static int reserve_region(struct gather *g, struct err *err) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const size_t whole = (size_t)1 << 20; /* of pages: only such a part can be given back */
    size_t least = g->o.memory_bytes * 2, others = g->o.memory_bytes * 2 + g->o.threads * (size_t)THREAD_SPACE_BYTES;
    for (size_t bytes = g->o.memory_bytes * 4 + ((size_t)1 << 30); bytes >= least; bytes /= 2) {
        bytes = (bytes + whole - 1) & ~(whole - 1);
        void *p = mmap(NULL, bytes + others, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (p == MAP_FAILED) continue;
        if (munmap((uint8_t *)p + bytes, others)) return err_sys(err, ERR_LIMIT, errno, "cannot give back address space");
        g->region = p;
        g->region_bytes = bytes;
        if (g->o.memory_bytes >= LARGE_PAGES_FROM_BYTES) (void)madvise(p, bytes, MADV_HUGEPAGE); /* only speed depends on it */
        return 0;
    }
    return err_sys(err, ERR_LIMIT, errno,
                   "cannot reserve %zu MB of address space for gathering; raise ulimit -v, or "
                   "give less --memory",
                   ((least + others) >> 20) + 1);
}

struct gather *gather_new(const struct gather_opts *o, struct err *err) {
    struct gather *g = calloc(1, sizeof *g);
    if (!g) {
        err_nomem(err, sizeof *g, "gathering");
        return NULL;
    }
    g->o = *o;
    g->open = o->known ? o->known : o->buckets;
    g->slab_bytes = pick_slab(o, g->open);
    if (check_room(o, g->open, err)) goto fail;
    if (reserve_region(g, err)) goto fail;
    g->stride = piles_stride(o->buckets);
    g->piles = calloc(g->stride * o->threads, sizeof *g->piles);
    g->counts = calloc(o->threads, sizeof *g->counts);
    if (!g->piles || !g->counts) {
        err_nomem(err, g->stride * o->threads * sizeof *g->piles, "gathering");
        goto fail;
    }
    return g;
fail:
    gather_free(g);
    return NULL;
}

void gather_free(struct gather *g) {
    if (!g) return;
    if (g->region) (void)munmap(g->region, g->region_bytes); /* cannot fail for a whole mapping */
    divisions_free(g->divisions);
    free(g->piles);
    free(g->counts);
    free(g);
}

static int add_slab(struct gather *g, struct pile *p, size_t record_bytes, struct err *err) {
    size_t size = __atomic_load_n(&g->slab_bytes, __ATOMIC_RELAXED);
    if (size >= STAGGER_FROM_BYTES) size -= STAGGER_BYTES;
    if (record_bytes > size - sizeof(struct slab)) size = (record_bytes + sizeof(struct slab) + 63) & ~(size_t)63;
    size_t at = __atomic_fetch_add(&g->bumped, size, __ATOMIC_RELAXED);
    if (at + size + VALUE_SPARE_BYTES > g->region_bytes) {
        __atomic_sub_fetch(&g->bumped, size, __ATOMIC_RELAXED);
        return err_set(err, ERR_LIMIT, "one chunk of input needs more memory than is reserved (%zu bytes)", g->region_bytes);
    }
    struct slab *s = (struct slab *)(void *)(g->region + at);
    s->next = NULL;
    s->used = 0;
    s->cap = size - sizeof *s;
    if (p->last)
        p->last->next = s;
    else
        p->first = s;
    p->last = s;
    return 0;
}

/* A bucket beyond those that are open: memory is shared out among more from now on. */
static int open_bucket(struct gather *g, uint32_t bucket, struct err *err) {
    uint32_t open = __atomic_load_n(&g->open, __ATOMIC_RELAXED), want = bucket + 1;
    while (open < want && !__atomic_compare_exchange_n(&g->open, &open, want, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (open >= want) return 0;
    __atomic_store_n(&g->slab_bytes, pick_slab(&g->o, gather_piles(g, want)), __ATOMIC_RELAXED);
    return check_room(&g->o, want, err);
}

/* Divides large buckets into ranges, by the first thread that has enough rows. Slabs are smaller from now on. */
static int divide(struct gather *g, unsigned thread, struct err *err) {
    if (gather_divide(g, thread, err)) return -1;
    size_t piles = gather_piles(g, __atomic_load_n(&g->open, __ATOMIC_RELAXED));
    __atomic_store_n(&g->slab_bytes, pick_slab(&g->o, piles), __ATOMIC_RELAXED);
    return 0;
}

/* The place of a row. */
struct pile_place {
    struct pile *of_bucket, *pile; /* pile: of its range, or the same */
};

static int find_place(struct gather *g, unsigned thread, uint32_t bucket, struct bytes row, struct pile_place *out,
                      struct err *err) {
    if (bucket >= __atomic_load_n(&g->open, __ATOMIC_RELAXED) && open_bucket(g, bucket, err)) return -1;
    if (gather_may_divide(g, thread) && divide(g, thread, err)) return -1;
    const struct divided *d = divided_at(__atomic_load_n(&g->divisions, __ATOMIC_ACQUIRE), bucket);
    out->of_bucket = out->pile = pile_at(g, thread, bucket);
    if (d) out->pile = divided_pile(d, thread, row_ranges_of(d->ranges, row));
    return 0;
}

/* Returns where the next record of this pile goes: room for `bound` bytes. */
static uint8_t *find_room(struct gather *g, struct pile *p, size_t bound, struct err *err) {
    if ((!p->last || p->last->cap - p->last->used < bound) && add_slab(g, p, bound, err)) return NULL;
    return p->last->data + p->last->used;
}

/* The next record of this pile comes after those of many other piles. By then its lines are in the cache, unless it is long. */
static void prefetch_room(const struct slab *s, size_t n) {
    enum { LINES_MOST = 4 };
    size_t lines = n / CACHE_LINE_BYTES + 1;
    prefetch_to_write(s->data + s->used + CACHE_LINE_BYTES, lines < LINES_MOST ? (unsigned)lines : LINES_MOST);
}

/* A record of n bytes is where find_room said. */
static void count_record(struct gather *g, unsigned thread, const struct pile_place *at, struct bytes row, size_t n) {
    struct pile *p = at->pile;
    p->last->used += n;
    p->bytes += n;
    prefetch_room(p->last, n);
    struct bytes first = record_row(p->first->data);
    if (!p->records)
        p->lcp = first.n;
    else {
        size_t m = p->lcp < row.n ? p->lcp : row.n;
        if (m != p->lcp || memcmp(first.p, row.p, m)) p->lcp = bytes_lcp(bytes_of(first.p, m), row);
    }
    struct count *c = &g->counts[thread]; /* written by this thread only, read by others in gather_full */
    __atomic_store_n(&c->records, c->records + 1, __ATOMIC_RELAXED);
    c->bytes += n;
    if (n > c->record_bytes) __atomic_store_n(&c->record_bytes, n, __ATOMIC_RELAXED);
    p->records++;
    uint64_t of_bucket = ++at->of_bucket->bucket_records;
    if (of_bucket > c->largest) __atomic_store_n(&c->largest, of_bucket, __ATOMIC_RELAXED);
}

int gather_put(struct gather *g, unsigned thread, uint32_t bucket, const struct row_part *given, struct err *err) {
    struct row_part plain = *given;
    const struct row_part *part = &plain;
    if (plain.shape && shape_get(g->o.shapes, plain.shape)->repeats) plain.shape = 0;
    size_t bound = record_bound(part, g->o.shapes);
    if (bound > UINT32_MAX) return err_set(err, ERR_LIMIT, "cells of one row need %zu bytes together", bound);
    struct pile_place to;
    if (find_place(g, thread, bucket, part->row, &to, err)) return -1;
    uint8_t *at = find_room(g, to.pile, bound, err);
    if (!at) return -1;
    count_record(g, thread, &to, part->row, record_put(at, part, g->o.shapes));
    return 0;
}

int gather_copy(struct gather *g, unsigned thread, uint32_t bucket, const uint8_t *record, struct err *err) {
    struct bytes row = record_row(record);
    size_t n = record_size(record);
    struct pile_place to;
    if (find_place(g, thread, bucket, row, &to, err)) return -1;
    uint8_t *at = find_room(g, to.pile, n, err);
    if (!at) return -1;
    memcpy(at, record, n);
    count_record(g, thread, &to, row, n);
    return 0;
}

void gather_limit(struct gather *g, size_t memory_bytes) {
    g->o.memory_bytes = memory_bytes;
    g->slab_bytes = pick_slab(&g->o, gather_piles(g, g->open));
}

/* Sort entries are made for as many buckets at a time as there are threads. A long record is in every thread's hands as
 * chunk, record, block and compressed block at once. */
uint64_t gather_taken(const struct gather *g) {
    uint64_t records = 0, largest = 0, longest = 0;
    for (unsigned t = 0; t < g->o.threads; t++) {
        records += __atomic_load_n(&g->counts[t].records, __ATOMIC_RELAXED);
        largest += __atomic_load_n(&g->counts[t].largest, __ATOMIC_RELAXED);
        uint64_t bytes = __atomic_load_n(&g->counts[t].record_bytes, __ATOMIC_RELAXED);
        if (bytes > longest) longest = bytes;
    }
    uint64_t sorted = largest * g->o.threads < records ? largest * g->o.threads : records;
    uint64_t held = longest > LONG_RECORD_BYTES ? longest * COPIES_OF_LONG * g->o.threads : 0;
    return __atomic_load_n(&g->bumped, __ATOMIC_RELAXED) + sorted * 2 * sizeof(struct sort_entry) + held;
}

bool gather_full(const struct gather *g) {
    return gather_taken(g) >= g->o.memory_bytes;
}

size_t gather_left(const struct gather *g) {
    uint64_t n = gather_taken(g);
    return n < g->o.memory_bytes ? g->o.memory_bytes - n : 0;
}

bool gather_empty(const struct gather *g) {
    for (unsigned t = 0; t < g->o.threads; t++)
        if (g->counts[t].records) return false;
    return true;
}

uint32_t gather_buckets(const struct gather *g) {
    return g->open;
}

uint64_t gather_longest(const struct gather *g) {
    uint64_t longest = 0;
    for (unsigned t = 0; t < g->o.threads; t++)
        if (g->counts[t].record_bytes > longest) longest = g->counts[t].record_bytes;
    return longest;
}

uint64_t gather_records(const struct gather *g, uint32_t bucket) {
    uint64_t n = 0;
    for (unsigned t = 0; t < g->o.threads; t++) n += pile_at(g, t, bucket)->bucket_records;
    return n;
}

uint64_t gather_bytes(const struct gather *g, uint32_t bucket) {
    uint64_t n = 0;
    const struct divided *d = divided_at(g->divisions, bucket);
    for (unsigned t = 0; t < g->o.threads; t++) {
        n += pile_at(g, t, bucket)->bytes;
        for (uint32_t i = 0; d && i < d->ranges->n; i++) n += divided_pile(d, t, i)->bytes;
    }
    return n;
}

void gather_reset(struct gather *g) {
    for (unsigned t = 0; t < g->o.threads; t++) memset(pile_at(g, t, 0), 0, (size_t)g->open * sizeof *g->piles);
    memset(g->counts, 0, g->o.threads * sizeof *g->counts);
    divisions_free(g->divisions);
    g->divisions = NULL;
    g->dividing = false;
    g->slab_bytes = pick_slab(&g->o, g->open);
    g->bumped = 0;
}
