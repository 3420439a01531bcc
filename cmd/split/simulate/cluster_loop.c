/* The event loop of the emulated cluster: the clock advances to each cell that is written, and what is scheduled before then
 * happens first, in the order of time. Writes wait while a region or server takes none; that time delays the client. */
#include "cmd/split/simulate/cluster.h"

#include "base/buf.h"
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_loop.h"
#include "cmd/split/simulate/cluster_state.h"
#include "cmd/split/simulate/compaction.h"
#include "cmd/split/simulate/flush.h"
#include "cmd/split/simulate/region_split.h"

#include <stdlib.h>

static int check_options(const struct sim_options *o, struct err *err) {
    if (!o->servers || o->servers > SIM_SERVERS_MAX)
        return err_set(err, ERR_USAGE, "%u servers: 1 to %d are emulated", o->servers, SIM_SERVERS_MAX);
    for (uint32_t i = 0; i < o->n_splits; i++)
        if (!o->splits[i].n || (i && bytes_cmp(o->splits[i - 1], o->splits[i]) >= 0))
            return err_set(err, ERR_USAGE, "the first rows of regions are not in ascending order");
    return 0;
}

/* BaseLoadBalancer.roundRobinAssignment, from a server that the seed draws. */
static int add_regions(struct sim_cluster *c, const struct sim_options *o, struct err *err) {
    uint32_t server = (uint32_t)(o->seed % o->servers);
    for (uint32_t i = 0; i <= o->n_splits; i++, server = (server + 1) % o->servers) {
        struct bytes first = i ? o->splits[i - 1] : bytes_of("", 0);
        struct bytes last = i < o->n_splits ? o->splits[i] : bytes_of("", 0);
        if (!region_new(c, first, last, (int32_t)server, err)) return -1;
        live_insert(c, i, i);
        c->servers[server].regions++;
    }
    return 0;
}

/* Puts the chores of HBase, which it does at intervals, on the timeline. */
static int put_chores(struct sim_cluster *c, struct err *err) {
    const struct sim_server_rules *r = &c->settings->server;
    struct cluster_moment check = {.at_ms = c->now + r->check_ms, .kind = MOMENT_CHECK, .round = 1};
    struct cluster_moment age = {.at_ms = c->now + r->flush_check_ms, .kind = MOMENT_AGE_CHECK};
    struct cluster_moment balance = {.at_ms = c->now + r->balance_ms, .kind = MOMENT_BALANCE};
    if (timeline_put(&c->timeline, check, err)) return -1;
    if (c->settings->region.periodic_flush_ms && timeline_put(&c->timeline, age, err)) return -1;
    return c->opts.servers > 1 ? timeline_put(&c->timeline, balance, err) : 0;
}

static int set_up_cluster(struct sim_cluster *c, struct err *err) {
    c->servers = sim_memory_take(c, c->opts.servers * sizeof *c->servers, "servers", err);
    c->report_of.servers = sim_memory_take(c, c->opts.servers * sizeof *c->report_of.servers, "servers", err);
    if (!c->servers || !c->report_of.servers) return -1;
    return add_regions(c, &c->opts, err) || put_chores(c, err) ? -1 : 0;
}

struct sim_cluster *sim_cluster_new(const struct sim_options *o, struct err *err) {
    enum { MEMORY_DEFAULT = 256 << 20 };
    if (check_options(o, err)) return NULL;
    struct sim_cluster *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, "a cluster");
        return NULL;
    }
    c->opts = *o;
    c->settings = o->settings;
    c->now = o->start_ms;
    c->slots.ms = 1;
    c->random = o->seed;
    const struct sim_server_rules *r = &o->settings->server;
    c->limits.high = (uint64_t)((double)r->heap_bytes * r->memstore_share);
    c->limits.low = (uint64_t)((double)c->limits.high * r->memstore_low_share);
    if (__builtin_mul_overflow(o->settings->region.flush_bytes, o->settings->region.block_multiplier, &c->limits.blocking))
        c->limits.blocking = INT64_MAX;
    c->memory.most = o->memory_bytes ? o->memory_bytes : MEMORY_DEFAULT;
    if (!set_up_cluster(c, err)) return c;
    sim_cluster_free(c);
    return NULL;
}

/* The checker checks stores in some of its rounds only: the next such round. */
static uint64_t next_round(const struct sim_cluster *c, uint64_t round) {
    uint64_t next = UINT64_MAX;
    for (uint32_t f = 0; f < c->settings->n_families; f++) {
        uint64_t multiplier = c->settings->families[f].compaction.check_multiplier;
        uint64_t own = (round / multiplier + 1) * multiplier;
        if (own < next) next = own;
    }
    return next;
}

static int schedule_again(struct sim_cluster *c, struct cluster_moment m, struct err *err) {
    const struct sim_server_rules *r = &c->settings->server;
    int64_t rounds = 1, period = r->balance_ms;
    if (m.kind == MOMENT_CHECK) {
        period = r->check_ms;
        rounds = (int64_t)(next_round(c, m.round) - m.round);
    }
    if (m.kind == MOMENT_AGE_CHECK) {
        period = r->flush_check_ms;
        rounds = (flush_next_age(c) - c->now + period - 1) / period;
        if (rounds < 1) rounds = 1;
    }
    m.at_ms += rounds * period;
    m.round += (uint64_t)rounds;
    return timeline_put(&c->timeline, m, err);
}

static int end_compaction(struct sim_cluster *c, const struct cluster_moment *m, struct err *err) {
    int written = compaction_end(c, m, err);
    if (written < 0 || (written && split_after_compaction(c, m->region, m->family, err))) return -1;
    return compaction_start(c, m->server, err);
}

static int apply_moment(struct sim_cluster *c, const struct cluster_moment *m, struct err *err) {
    switch (m->kind) {
    case MOMENT_FLUSHED: return flush_done(c, m, err);
    case MOMENT_FLUSH_DUE: return flush_pump(c, m->server, err);
    case MOMENT_COMPACTED: return end_compaction(c, m, err);
    case MOMENT_CHECK: return compaction_check(c, m->round, err) || schedule_again(c, *m, err) ? -1 : 0;
    case MOMENT_AGE_CHECK: return flush_check_age(c, err) || schedule_again(c, *m, err) ? -1 : 0;
    case MOMENT_BALANCE: return balance_run(c, err) || schedule_again(c, *m, err) ? -1 : 0;
    }
    return 0;
}

static void set_clock(struct sim_cluster *c, int64_t at_ms) {
    if (at_ms == c->now) return;
    c->now = at_ms;
    bucket_advance(c);
}

static int run_next_moment(struct sim_cluster *c, struct err *err) {
    struct cluster_moment m = timeline_take(&c->timeline);
    set_clock(c, m.at_ms);
    return apply_moment(c, &m, err);
}

static int advance_to(struct sim_cluster *c, int64_t at_ms, struct err *err) {
    const struct cluster_moment *m;
    while ((m = timeline_next(&c->timeline)) && m->at_ms <= at_ms)
        if (run_next_moment(c, err)) return -1;
    if (at_ms > c->now) set_clock(c, at_ms);
    return 0;
}

int sim_cluster_advance(struct sim_cluster *c, int64_t at_ms, struct err *err) {
    const int64_t most_ms = INT64_C(100) * 366 * 86400000;
    int64_t since_start;
    if (at_ms <= c->opts.start_ms) return 0;
    if (__builtin_sub_overflow(at_ms, c->opts.start_ms, &since_start) || since_start > most_ms - c->delay_ms)
        return err_set(err, ERR_LIMIT, "the clock would advance by more than 100 years");
    return at_ms + c->delay_ms > c->now ? advance_to(c, at_ms + c->delay_ms, err) : 0;
}

/* keyLength, valueLength, key, value, tags: as a block of an HFile has it. */
static uint64_t keyvalue_bytes(const struct sim_cluster *c, const struct sim_cell *cell) {
    uint64_t n = 4 + 4 + 2 + cell->row.n + 1 + strlen(c->settings->families[cell->family].name) + 8 + 1;
    return n + cell->qualifier_bytes + cell->value_bytes + (cell->tags_bytes ? 2 + cell->tags_bytes : 0);
}

static bool region_is_full(const struct sim_cluster *c, const struct region *r) {
    return r->heap > c->limits.blocking;
}

static bool server_is_full(const struct sim_cluster *c, const struct region *r) {
    return c->servers[r->out.server].heap >= c->limits.high;
}

static int want_flush(struct sim_cluster *c, uint32_t region, struct err *err) {
    struct region *r = c->regions[region];
    if (r->flush_wanted) return 0;
    r->flush_wanted = true;
    if (flush_request(c, region, 0, "memstore is full", err)) return -1;
    return flush_pump(c, (uint32_t)r->out.server, err);
}

static int note_block(struct sim_cluster *c, uint32_t region, int64_t since_ms, bool by_server, struct err *err) {
    int64_t took = c->now - since_ms;
    c->delay_ms += took;
    *(by_server ? &c->totals.blocked_server_ms : &c->totals.blocked_region_ms) += took;
    current_bucket(c)->blocked_ms += took;
    struct sim_event e = {.kind = SIM_EVENT_BLOCK,
                          .why = by_server ? "memstores of the server are full" : "memstore is over the blocking size",
                          .at_ms = since_ms,
                          .took_ms = took,
                          .region = (int32_t)region,
                          .family = SIM_NONE,
                          .server = c->regions[region]->out.server,
                          .to = {SIM_NONE, SIM_NONE}};
    return event_record(c, &e, err);
}

/* Waits until the region of the row takes writes: HRegion.checkResources, MemStoreFlusher.reclaimMemStoreMemory. A split
 * meanwhile may change which region that is. */
static int wait_for_room(struct sim_cluster *c, struct bytes row, struct err *err) {
    int64_t since = c->now;
    bool by_server = false;
    uint32_t region = c->live[c->last = live_find(c, row)];
    for (uint32_t now_in = region;; now_in = c->live[c->last = live_find(c, row)]) {
        const struct region *r = c->regions[now_in];
        bool server = server_is_full(c, r);
        if (!server && !region_is_full(c, r)) break;
        if (c->now == since) by_server = server;
        if (want_flush(c, now_in, err) || run_next_moment(c, err)) return -1;
    }
    return c->now > since ? note_block(c, region, since, by_server, err) : 0;
}

static int write_cell(struct sim_cluster *c, uint32_t region, const struct sim_cell *cell, struct err *err) {
    struct region *r = c->regions[region];
    struct cluster_server *s = &c->servers[r->out.server];
    uint64_t bytes = keyvalue_bytes(c, cell);
    if (store_put(c, r, cell, bytes, err)) return -1;
    r->out.cells++;
    r->out.bytes += bytes;
    r->out.bucket_bytes[c->slots.at] += bytes;
    s->out.cells++;
    s->out.bytes += bytes;
    c->totals.cells++;
    c->totals.bytes += bytes;
    current_bucket(c)->cells++;
    current_bucket(c)->bytes += bytes;
    return r->heap > c->settings->region.flush_bytes ? want_flush(c, region, err)
           : s->heap >= c->limits.low                ? flush_pump(c, (uint32_t)r->out.server, err)
                                                     : 0;
}

int sim_cluster_put(struct sim_cluster *c, int64_t at_ms, const struct sim_cell *cell, struct err *err) {
    if (sim_cluster_advance(c, at_ms, err) || wait_for_room(c, cell->row, err)) return -1;
    return write_cell(c, c->live[c->last], cell, err);
}

void sim_cluster_free(struct sim_cluster *c) {
    if (!c) return;
    for (uint32_t i = 0; i < c->n_regions; i++) region_free(c, c->regions[i]);
    for (uint32_t i = 0; c->servers && i < c->opts.servers; i++) {
        free(c->servers[i].flushes);
        for (uint32_t p = 0; p < POOLS; p++) free(c->servers[i].pools[p].requests);
    }
    free(c->regions);
    free(c->live);
    free(c->servers);
    free(c->report_of.servers);
    free(c->report_of.regions);
    timeline_free(&c->timeline);
    free(c);
}
