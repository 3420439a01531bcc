/* Flushes of memstores: MemStoreFlusher and the flush policies, HBase 2.6. A region asks to be flushed; a thread of its server
 * takes the one that has waited longest. A region with too many files waits for its compactions, or is split; a server whose
 * memstores are full flushes the largest. */
#include "base/buf.h"
#include "cmd/split/simulate/compaction.h"
#include "cmd/split/simulate/flush.h"
#include "cmd/split/simulate/hbase_rules.h"
#include "cmd/split/simulate/cluster_state.h"
#include "cmd/split/simulate/memstore.h"
#include "cmd/split/simulate/region_split.h"

#include <math.h>
#include <stdlib.h>

static uint32_t n_families(const struct sim_cluster *c) {
    return c->settings->n_families;
}

static struct cluster_server *server_of(struct sim_cluster *c, const struct region *r) {
    return &c->servers[r->out.server];
}

/* Too many files. */
static bool is_held_up(const struct sim_cluster *c, const struct region *r) {
    if (!c->settings->region.compaction_enabled) return false;
    for (uint32_t f = 0; f < n_families(c); f++)
        if (r->stores[f].n_files > c->settings->families[f].compaction.blocking_files) return true;
    return false;
}

int flush_request(struct sim_cluster *c, uint32_t region, int64_t delay_ms, const char *why, struct err *err) {
    struct region *r = c->regions[region];
    struct cluster_server *s = server_of(c, r);
    if (r->queued && (delay_ms || r->due_ms <= r->queued_ms || r->due_ms <= c->now)) return 0;
    flush_unqueue(c, region); /* one that was put off gives way */
    if (grow_array(&s->flushes, s->n_flushes, sizeof *s->flushes, "a queue of flushes", err)) return -1;
    s->flushes[s->n_flushes++] = region;
    r->queued = true;
    r->requeues = 0;
    r->why = why;
    r->queued_ms = c->now;
    r->due_ms = c->now + delay_ms;
    if (!delay_ms) return 0;
    return timeline_put(&c->timeline,
                        (struct cluster_moment){.at_ms = r->due_ms, .kind = MOMENT_FLUSH_DUE, .server = (uint32_t)r->out.server},
                        err);
}

/* FlushLargeStoresPolicy.shouldFlush, HRegion.shouldFlushStore. */
static bool worth_flushing(const struct sim_cluster *c, const struct store *s) {
    const struct sim_region_rules *rules = &c->settings->region;
    if (s->active.heap > rules->family_flush_bytes) return true;
    return s->active.heap && rules->periodic_flush_ms && s->active.since_ms < c->now - rules->periodic_flush_ms;
}

/* Returns whether a store is flushed: those worth it are, and where none is, all. */
static bool chosen(const struct sim_cluster *c, const struct region *r, uint32_t family) {
    if (n_families(c) == 1 || c->settings->region.flush_policy == SIM_FLUSH_ALL) return true;
    for (uint32_t f = 0; f < n_families(c); f++)
        if (worth_flushing(c, &r->stores[f])) return worth_flushing(c, &r->stores[family]);
    return true;
}

static int begin_flush(struct sim_cluster *c, uint32_t region, const char *why, struct err *err) {
    struct region *r = c->regions[region];
    double bytes = 0;
    bool choice[SIM_FAMILIES_MAX];
    if (r->flushing) return 0;
    for (uint32_t f = 0; f < n_families(c); f++) choice[f] = chosen(c, r, f);
    for (uint32_t f = 0; f < n_families(c); f++) {
        if (!choice[f] || !r->stores[f].active.heap) continue;
        bytes += (double)r->stores[f].active.bytes * c->settings->families[f].file_ratio;
        if (memstore_take_snapshot(c, &r->stores[f], err)) return -1;
        r->flushing = true;
    }
    if (!r->flushing) {
        r->flush_wanted = false;
        return 0;
    }
    server_of(c, r)->flushing++;
    int64_t took = (int64_t)(bytes * 1000 / (double)c->settings->server.disk_bytes_s) + 1;
    return timeline_put(&c->timeline,
                        (struct cluster_moment){.at_ms = c->now + took,
                                                .since_ms = c->now,
                                                .kind = MOMENT_FLUSHED,
                                                .server = (uint32_t)r->out.server,
                                                .region = region,
                                                .epoch = r->epoch,
                                                .why = why},
                        err);
}

/* Too many files: a split or compactions are asked for, and the flush waits for them, but not for ever. 1: put off. */
static int put_off(struct sim_cluster *c, uint32_t region, struct err *err) {
    struct region *r = c->regions[region];
    const int64_t wait_ms = c->settings->server.blocking_wait_ms;
    if (!is_held_up(c, r) || c->now - r->queued_ms > wait_ms) return 0;
    if (!r->requeues++) {
        int rc = split_request(c, region, err);
        if (rc < 0 || (!rc && compaction_request_all(c, region, err))) return -1;
        if (rc == 1) return 1;
    }
    r->due_ms = c->now + wait_ms / 100;
    struct cluster_moment m = {.at_ms = r->due_ms, .kind = MOMENT_FLUSH_DUE, .server = (uint32_t)r->out.server};
    return timeline_put(&c->timeline, m, err) ? -1 : 1;
}

/* The one that waits longest of those whose time has come; SIM_NONE: none. */
static int64_t next_in_queue(const struct sim_cluster *c, const struct cluster_server *s) {
    int64_t best = SIM_NONE, due = c->now;
    for (uint32_t i = 0; i < s->n_flushes; i++) {
        const struct region *r = c->regions[s->flushes[i]];
        if (r->due_ms > due || (best != SIM_NONE && r->due_ms == due)) continue;
        best = s->flushes[i];
        due = r->due_ms;
    }
    return best;
}

/* MemStoreFlusher.flushOneForGlobalPressure: the largest memstore without too many files, unless the largest of all is more
 * than twice as large. */
static int64_t largest_memstore(const struct sim_cluster *c, uint32_t server) {
    int64_t any = SIM_NONE, good = SIM_NONE;
    uint64_t any_heap = 0, good_heap = 0;
    for (uint32_t i = 0; i < c->n_live; i++) {
        const struct region *r = c->regions[c->live[i]];
        if (r->out.server != (int32_t)server || r->flushing || r->heap <= good_heap) continue;
        if (r->heap > any_heap) {
            any = c->live[i];
            any_heap = r->heap;
        }
        if (!is_held_up(c, r)) {
            good = c->live[i];
            good_heap = r->heap;
        }
    }
    return any_heap > 2 * good_heap ? any : good;
}

int flush_pump(struct sim_cluster *c, uint32_t server, struct err *err) {
    struct cluster_server *s = &c->servers[server];
    while (s->flushing < c->settings->server.flush_threads) {
        int64_t region = next_in_queue(c, s);
        if (region == SIM_NONE && s->heap >= c->limits.low) {
            region = largest_memstore(c, server);
            if (region == SIM_NONE) return 0;
            c->regions[region]->why = "memstores of the server are full";
        } else if (region == SIM_NONE) {
            return 0;
        } else {
            int rc = put_off(c, (uint32_t)region, err);
            if (rc < 0) return -1;
            if (rc) continue;
        }
        flush_unqueue(c, (uint32_t)region);
        if (begin_flush(c, (uint32_t)region, c->regions[region]->why, err)) return -1;
    }
    return 0;
}

/* MemStoreFlusher.flushRegion: after a flush a split is looked for, and else compactions. */
static int follow_up(struct sim_cluster *c, uint32_t region, struct err *err) {
    struct region *r = c->regions[region];
    struct bytes row;
    if (split_is_due(c, r, &row)) return split_request(c, region, err) < 0 ? -1 : 0;
    for (uint32_t f = 0; f < n_families(c); f++)
        if (store_needs_compaction(&r->stores[f], &c->settings->families[f].compaction))
            return compaction_request_all(c, region, err);
    return 0;
}

int flush_done(struct sim_cluster *c, const struct cluster_moment *m, struct err *err) {
    struct region *r = c->regions[m->region];
    c->servers[m->server].flushing--;
    if (r->epoch == m->epoch) {
        r->flushing = r->flush_wanted = false;
        if (memstore_write_files(c, m->region, m->since_ms, m->why, err) || follow_up(c, m->region, err)) return -1;
    }
    return flush_pump(c, m->server, err);
}

/* HRegion.shouldFlush: when the oldest cell is old enough and the last flush too. INT64_MAX: no cells. */
static int64_t too_old_at(const struct sim_cluster *c, const struct region *r) {
    int64_t since = INT64_MAX;
    for (uint32_t f = 0; f < n_families(c); f++)
        if (r->stores[f].active.heap && r->stores[f].active.since_ms < since) since = r->stores[f].active.since_ms;
    if (since == INT64_MAX) return since;
    return (since + 1 > r->flushed_ms ? since + 1 : r->flushed_ms) + c->settings->region.periodic_flush_ms;
}

int64_t flush_next_age(const struct sim_cluster *c) {
    int64_t next = c->now + c->settings->region.periodic_flush_ms; /* of what is written from now on */
    for (uint32_t i = 0; i < c->n_live; i++) {
        int64_t at = too_old_at(c, c->regions[c->live[i]]);
        if (at < next) next = at;
    }
    return next;
}

int flush_check_age(struct sim_cluster *c, struct err *err) {
    for (uint32_t i = 0; i < c->n_live; i++) {
        struct region *r = c->regions[c->live[i]];
        if (r->queued || too_old_at(c, r) > c->now) continue;
        int64_t delay = (int64_t)(seeded_share(&c->random) * (double)c->settings->server.periodic_delay_s * 1000);
        if (flush_request(c, c->live[i], delay, "memstore is old", err)) return -1;
    }
    for (uint32_t s = 0; s < c->opts.servers; s++)
        if (flush_pump(c, s, err)) return -1;
    return 0;
}
