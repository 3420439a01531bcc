#include "base/buf.h"
#include "cmd/split/simulate/seeded.h"
#include "cmd/split/simulate/split_rule.h"
#include "cmd/split/simulate/state.h"

#include <stdlib.h>

void *sim_memory_take(struct sim_cluster *c, size_t bytes, const char *what, struct err *err) {
    if (c->memory > c->memory_most || bytes > c->memory_most - c->memory)
        return err_set(err, ERR_LIMIT, "the simulation takes more than the %llu bytes it may for %s (%u regions so far)",
                       (unsigned long long)c->memory_most, what, c->n_live),
               NULL;
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) return err_nomem(err, bytes, what), NULL;
    c->memory += bytes;
    return p;
}

void sim_memory_give(struct sim_cluster *c, void *p, size_t bytes) {
    if (!p) return;
    free(p);
    c->memory -= bytes;
}

int sim_memory_count(struct sim_cluster *c, size_t *counted, size_t bytes, const char *what, struct err *err) {
    c->memory += bytes - *counted; /* wraps back */
    *counted = bytes;
    if (c->memory <= c->memory_most) return 0;
    return err_set(err, ERR_LIMIT, "the simulation takes more than the %llu bytes it may for %s (%u regions so far)",
                   (unsigned long long)c->memory_most, what, c->n_live);
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
    r->out.course = sim_memory_take(c, SIM_BUCKETS * sizeof *r->out.course, "regions", err);
    if (!r->out.course || copy_row(c, first, &r->out.first, err) || copy_row(c, last, &r->out.last, err)) return NULL;
    size_t stores = c->settings->n_families * sizeof *r->out.stores;
    r->out.stores = sim_memory_take(c, stores, "stores", err);
    r->stores = sim_memory_take(c, c->settings->n_families * sizeof *r->stores, "stores", err);
    r->split_bytes = split_rule_size(&c->settings->region, seeded_share(&c->random));
    r->flushed_ms = c->now;
    return r->out.stores && r->stores ? r : NULL;
}

int region_opened(struct sim_cluster *c, uint32_t region, struct err *err) {
    struct region *r = c->regions[region];
    for (uint32_t f = 0; f < c->settings->n_families; f++)
        if (store_has_references(&r->stores[f], c->now) ||
            store_needs_compaction(&r->stores[f], &c->settings->families[f].compaction))
            if (compaction_request(c, region, f, err)) return -1;
    return 0;
}

void region_free(struct sim_cluster *c, struct region *r) {
    sim_memory_give(c, (uint8_t *)r->out.first.p, r->out.first.n);
    sim_memory_give(c, (uint8_t *)r->out.last.p, r->out.last.n);
    sim_memory_give(c, r->out.course, SIM_BUCKETS * sizeof *r->out.course);
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

static bool holds(const struct region *r, struct bytes row) {
    return bytes_cmp(row, r->out.first) >= 0 && (!r->out.last.n || bytes_cmp(row, r->out.last) < 0);
}

uint32_t live_find(const struct sim_cluster *c, struct bytes row) {
    if (holds(c->regions[c->live[c->last]], row)) return c->last;
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
