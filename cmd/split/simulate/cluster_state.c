/* Keeps the state of the emulated cluster: regions in the order of their keys, the stores and files of each, the memory that all
 * of it takes, and the schedule of what is going to happen. Nothing here decides anything: flush.c, compaction.c and
 * region_split.c do. */
#include "cmd/split/simulate/cluster_state.h"

#include "base/buf.h"
#include "base/heap.h"
#include "cmd/split/simulate/hbase_rules.h"

#include <stdlib.h>

void *sim_memory_take(struct sim_cluster *c, size_t bytes, const char *what, struct err *err) {
    if (c->memory.taken > c->memory.most || bytes > c->memory.most - c->memory.taken) {
        err_set(err, ERR_LIMIT, "the simulation takes more than the %llu bytes it may for %s (%u regions so far)",
                (unsigned long long)c->memory.most, what, c->n_live);
        return NULL;
    }
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) {
        err_nomem(err, bytes, what);
        return NULL;
    }
    c->memory.taken += bytes;
    return p;
}

void sim_memory_give(struct sim_cluster *c, void *p, size_t bytes) {
    if (!p) return;
    free(p);
    c->memory.taken -= bytes;
}

int sim_memory_count(struct sim_cluster *c, size_t *counted, size_t bytes, const char *what, struct err *err) {
    c->memory.taken += bytes - *counted; /* wraps back */
    *counted = bytes;
    if (c->memory.taken <= c->memory.most) return 0;
    return err_set(err, ERR_LIMIT, "the simulation takes more than the %llu bytes it may for %s (%u regions so far)",
                   (unsigned long long)c->memory.most, what, c->n_live);
}

static int copy_row(struct sim_cluster *c, struct bytes src, struct bytes *out, struct err *err) {
    uint8_t *p = sim_memory_take(c, src.n, "rows of regions", err);
    if (!p) return -1;
    if (src.n) memcpy(p, src.p, src.n);
    *out = bytes_of(p, src.n);
    return 0;
}

static int make_room(struct sim_cluster *c, struct err *err) {
    if (grow_array(&c->regions, c->n_regions, sizeof(struct region *), "regions", err)) return -1;
    return grow_array(&c->live, c->n_regions, sizeof *c->live, "regions", err);
}

struct region *region_new(struct sim_cluster *c, struct bytes first, struct bytes last, int32_t server, struct err *err) {
    struct region *r = make_room(c, err) ? NULL : sim_memory_take(c, sizeof *r, "regions", err);
    if (!r) return NULL;
    c->regions[c->n_regions++] = r;
    r->out = (struct sim_region){.parent = SIM_NONE, .server = server, .born_ms = c->now, .gone_ms = SIM_NONE};
    r->out.bucket_bytes = sim_memory_take(c, SIM_BUCKETS * sizeof *r->out.bucket_bytes, "regions", err);
    if (!r->out.bucket_bytes || copy_row(c, first, &r->out.first, err) || copy_row(c, last, &r->out.last, err)) return NULL;
    size_t stores = c->settings->n_families * sizeof *r->out.stores;
    r->out.stores = sim_memory_take(c, stores, "stores", err);
    r->stores = sim_memory_take(c, c->settings->n_families * sizeof *r->stores, "stores", err);
    r->split_bytes = split_rule_size(&c->settings->region, seeded_share(&c->random));
    r->flushed_ms = c->now;
    return r->out.stores && r->stores ? r : NULL;
}

void region_free(struct sim_cluster *c, struct region *r) {
    sim_memory_give(c, (uint8_t *)r->out.first.p, r->out.first.n);
    sim_memory_give(c, (uint8_t *)r->out.last.p, r->out.last.n);
    sim_memory_give(c, r->out.bucket_bytes, SIM_BUCKETS * sizeof *r->out.bucket_bytes);
    sim_memory_give(c, r->out.stores, c->settings->n_families * sizeof *r->out.stores);
    for (uint32_t f = 0; r->stores && f < c->settings->n_families; f++) store_free(c, &r->stores[f]);
    sim_memory_give(c, r->stores, c->settings->n_families * sizeof *r->stores);
    sim_memory_give(c, r, sizeof *r);
}

void live_insert(struct sim_cluster *c, uint32_t at, uint32_t region) {
    memmove(c->live + at + 1, c->live + at, (c->n_live - at) * sizeof *c->live);
    c->live[at] = region;
    c->n_live++;
}

static bool region_holds(const struct region *r, struct bytes row) {
    return bytes_cmp(row, r->out.first) >= 0 && (!r->out.last.n || bytes_cmp(row, r->out.last) < 0);
}

uint32_t live_find(const struct sim_cluster *c, struct bytes row) {
    if (region_holds(c->regions[c->live[c->last]], row)) return c->last;
    uint32_t low = 0, high = c->n_live; /* first row of low <= row < first row of high */
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (bytes_cmp(c->regions[c->live[mid]]->out.first, row) <= 0)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static int recount(struct sim_cluster *c, struct store *s, struct err *err) {
    size_t bytes = key_sampler_memory(&s->keys) + key_profile_memory(&s->snapshot_keys);
    return sim_memory_count(c, &s->counted, bytes, "samples of keys", err);
}

int store_put(struct sim_cluster *c, struct region *r, const struct sim_cell *cell, uint64_t bytes, struct err *err) {
    struct store *s = &r->stores[cell->family];
    uint64_t heap = heap_size_of_cell(bytes);
    if (!s->active.heap) {
        s->active = (struct memstore){.since_ms = c->now, .oldest_ms = cell->ts_ms};
        key_sampler_begin(&s->keys, splitmix_next(&c->random));
    }
    uint32_t marks = s->keys.marks.n;
    if (key_sampler_put(&s->keys, cell->row, bytes, err)) return -1;
    if (marks != s->keys.marks.n && recount(c, s, err)) return -1;
    if (cell->ts_ms < s->active.oldest_ms) s->active.oldest_ms = cell->ts_ms;
    struct cluster_server *server = &c->servers[r->out.server];
    s->active.heap += heap;
    s->active.bytes += bytes;
    r->heap += heap;
    server->heap += heap;
    c->totals.memstore_bytes += heap;
    if (server->heap > server->out.memstore_peak_bytes) server->out.memstore_peak_bytes = server->heap;
    return 0;
}

int store_add_file(struct sim_cluster *c, struct store *s, uint32_t at, const struct region_file *f, struct err *err) {
    if (grow_array(&s->files, s->n_files, sizeof *s->files, "store files", err)) return -1;
    size_t counted = 0;
    if (sim_memory_count(c, &counted, key_profile_memory(&f->keys) + sizeof *f, "samples of keys", err)) return -1;
    memmove(s->files + at + 1, s->files + at, (s->n_files - at) * sizeof *s->files);
    s->files[at] = *f;
    s->n_files++;
    c->totals.files++;
    c->totals.file_bytes += f->own_bytes;
    return 0;
}

void store_drop_file(struct sim_cluster *c, struct store *s, uint32_t at) {
    struct region_file *f = &s->files[at];
    c->totals.files--;
    c->totals.file_bytes -= f->own_bytes;
    c->memory.taken -= key_profile_memory(&f->keys) + sizeof *f;
    key_profile_free(&f->keys);
    memmove(f, f + 1, (--s->n_files - at) * sizeof *f);
}

void store_free(struct sim_cluster *c, struct store *s) {
    while (s->n_files) store_drop_file(c, s, s->n_files - 1);
    key_sampler_free(&s->keys);
    key_profile_free(&s->snapshot_keys);
    c->memory.taken -= s->counted;
    free(s->files);
    *s = (struct store){0};
}

uint64_t store_bytes(const struct store *s) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->n_files; i++) bytes += s->files[i].facts.bytes;
    return bytes;
}

bool store_has_references(const struct store *s, int64_t now_ms) {
    for (uint32_t i = 0; i < s->n_files; i++)
        if (s->files[i].facts.reference) return true;
    return now_ms < s->references_until_ms;
}

bool store_needs_compaction(const struct store *s, const struct sim_compaction *c) {
    uint32_t free_files = 0;
    for (uint32_t i = 0; i < s->n_files; i++) free_files += !s->files[i].compaction;
    return free_files >= c->min_files;
}

int store_priority(const struct store *s, const struct sim_compaction *c) {
    int64_t priority = (int64_t)c->blocking_files - s->n_files;
    return priority == 1 ? 2 : (int)priority; /* 1 is for users' requests */
}

int region_priority(const struct sim_cluster *c, const struct region *r) {
    int least = INT32_MAX;
    for (uint32_t f = 0; f < c->settings->n_families; f++) {
        int priority = store_priority(&r->stores[f], &c->settings->families[f].compaction);
        if (priority < least) least = priority;
    }
    return least;
}

int32_t store_file_name_hash(struct sim_cluster *c) {
    uint32_t hash = 0;
    for (int word = 0; word < 2; word++) {
        uint64_t bits = splitmix_next(&c->random);
        for (int i = 0; i < 16; i++, bits >>= 4)
            hash = 31 * hash + (uint32_t) "0123456789abcdef"[bits & 15]; /* String.hashCode */
    }
    return (int32_t)hash;
}

static bool happens_before(const void *x, const void *y, const void *arg) {
    const struct cluster_moment *a = x, *b = y;
    (void)arg;
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

int timeline_put(struct timeline *t, struct cluster_moment m, struct err *err) {
    if (grow_array(&t->p, t->n, sizeof m, "what is going to happen", err)) return -1;
    m.order = t->order++;
    heap_push(t->p, t->n++, sizeof m, &m, happens_before, NULL);
    return 0;
}

const struct cluster_moment *timeline_next(const struct timeline *t) {
    return t->n ? &t->p[0] : NULL;
}

struct cluster_moment timeline_take(struct timeline *t) {
    struct cluster_moment m;
    heap_pop(t->p, t->n--, sizeof m, &m, happens_before, NULL);
    return m;
}

void timeline_free(struct timeline *t) {
    free(t->p);
    *t = (struct timeline){0};
}
