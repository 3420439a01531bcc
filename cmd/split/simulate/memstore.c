/* Memstores become store files: snapshots of the stores of a region, written as the newest file of each. Which stores are
 * flushed, and when, is decided in flush.c; a region that is closed flushes all it has at once. */
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_state.h"
#include "cmd/split/simulate/memstore.h"

#include <math.h>

static uint32_t n_families(const struct sim_cluster *c) {
    return c->settings->n_families;
}

static struct cluster_server *server_of(struct sim_cluster *c, const struct region *r) {
    return &c->servers[r->out.server];
}

int memstore_take_snapshot(struct sim_cluster *c, struct store *s, struct err *err) {
    s->snapshot = s->active;
    s->active = (struct memstore){0};
    if (key_sampler_take(&s->keys, &s->snapshot_keys, err)) return -1;
    return sim_memory_count(c, &s->counted, key_profile_memory(&s->snapshot_keys), "samples of keys", err);
}

/* The snapshot of a store becomes its newest file. */
static int write_file(struct sim_cluster *c, struct region *r, uint32_t family, uint64_t *written, struct err *err) {
    struct store *s = &r->stores[family];
    uint64_t bytes = (uint64_t)ceil((double)s->snapshot.bytes * c->settings->families[family].file_ratio);
    struct region_file f = {
        .facts = {.bytes = bytes, .made_ms = c->now, .oldest_ms = s->snapshot.oldest_ms, .name_hash = store_file_name_hash(c)},
        .own_bytes = bytes,
        .keys = s->snapshot_keys};
    s->snapshot_keys = (struct key_profile){0};
    if (sim_memory_count(c, &s->counted, key_sampler_memory(&s->keys), "samples of keys", err) ||
        store_add_file(c, s, s->n_files, &f, err)) {
        key_profile_free(&f.keys);
        return -1;
    }
    r->heap -= s->snapshot.heap;
    server_of(c, r)->heap -= s->snapshot.heap;
    c->totals.memstore_bytes -= s->snapshot.heap;
    s->snapshot = (struct memstore){0};
    s->flushes++;
    *written = bytes;
    return 0;
}

/* All snapshots of a region. */
int memstore_write_files(struct sim_cluster *c, uint32_t region, int64_t since_ms, const char *why, struct err *err) {
    struct region *r = c->regions[region];
    for (uint32_t f = 0; f < n_families(c); f++) {
        uint64_t heap = r->stores[f].snapshot.heap, bytes = 0;
        if (!heap) continue;
        if (write_file(c, r, f, &bytes, err)) return -1;
        c->totals.flushed_bytes += bytes;
        current_bucket(c)->flushed_bytes += bytes;
        struct sim_event e = {.kind = SIM_EVENT_FLUSH,
                              .why = why,
                              .at_ms = since_ms,
                              .took_ms = c->now - since_ms,
                              .region = (int32_t)region,
                              .family = (int32_t)f,
                              .server = r->out.server,
                              .files = 1,
                              .bytes_in = heap,
                              .bytes_out = bytes,
                              .to = {SIM_NONE, SIM_NONE}};
        if (event_record(c, &e, err)) return -1;
    }
    r->flushed_ms = c->now;
    return 0;
}

void flush_unqueue(struct sim_cluster *c, uint32_t region) {
    struct region *r = c->regions[region];
    struct cluster_server *s = server_of(c, r);
    if (!r->queued) return;
    uint32_t i = 0;
    while (s->flushes[i] != region) i++;
    memmove(s->flushes + i, s->flushes + i + 1, (--s->n_flushes - i) * sizeof *s->flushes);
    r->queued = false;
}

int memstore_close(struct sim_cluster *c, uint32_t region, const char *why, struct err *err) {
    struct region *r = c->regions[region];
    flush_unqueue(c, region);
    r->flush_wanted = r->flushing = false;
    if (memstore_write_files(c, region, c->now, why, err)) return -1;
    for (uint32_t f = 0; f < n_families(c); f++)
        if (r->stores[f].active.heap && memstore_take_snapshot(c, &r->stores[f], err)) return -1;
    return memstore_write_files(c, region, c->now, why, err);
}
