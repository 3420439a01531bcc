#include "base/buf.h"
#include "cmd/split/simulate/heap_size.h"
#include "cmd/split/simulate/seeded.h"
#include "cmd/split/simulate/state.h"

#include <stdlib.h>

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
    struct server *server = &c->servers[r->out.server];
    s->active.heap += heap;
    s->active.bytes += bytes;
    r->heap += heap;
    server->heap += heap;
    c->totals.memstore_bytes += heap;
    if (server->heap > server->out.memstore_peak_bytes) server->out.memstore_peak_bytes = server->heap;
    return 0;
}

int store_add_file(struct sim_cluster *c, struct store *s, uint32_t at, const struct store_file *f, struct err *err) {
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
    struct store_file *f = &s->files[at];
    c->totals.files--;
    c->totals.file_bytes -= f->own_bytes;
    c->memory -= key_profile_memory(&f->keys) + sizeof *f;
    key_profile_free(&f->keys);
    memmove(f, f + 1, (--s->n_files - at) * sizeof *f);
}

void store_free(struct sim_cluster *c, struct store *s) {
    while (s->n_files) store_drop_file(c, s, s->n_files - 1);
    key_sampler_free(&s->keys);
    key_profile_free(&s->snapshot_keys);
    c->memory -= s->counted;
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
