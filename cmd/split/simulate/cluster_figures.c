/* The figures of an emulated cluster: what happened in each stretch of time, and the report of the present state. There is a
 * fixed number of stretches (buckets); when time outgrows them, two neighbours become one and all get twice as long. */
#include "cmd/split/simulate/cluster.h"
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_state.h"

/* Fills in the figures at the end of a bucket that is over. */
static void close_bucket(struct sim_cluster *c) {
    struct sim_bucket *b = current_bucket(c);
    b->regions = c->n_live;
    b->files = c->totals.files;
    b->file_bytes = c->totals.file_bytes;
}

static void add_bucket(struct sim_bucket *sum, const struct sim_bucket *b) {
    sum->bytes += b->bytes;
    sum->cells += b->cells;
    sum->flushed_bytes += b->flushed_bytes;
    sum->compacted_bytes += b->compacted_bytes;
    sum->blocked_ms += b->blocked_ms;
    for (int k = 0; k < SIM_EVENT_KINDS; k++) sum->events[k] += b->events[k];
    sum->regions = b->regions;
    sum->files = b->files;
    sum->file_bytes = b->file_bytes;
}

/* Two and two become one. */
static void widen(struct sim_cluster *c) {
    for (uint32_t i = 0; i < SIM_BUCKETS; i++) {
        struct sim_bucket b = c->slots.list[i]; /* the first is its own sum */
        if (i % 2 == 0) c->slots.list[i / 2] = (struct sim_bucket){0};
        add_bucket(&c->slots.list[i / 2], &b);
    }
    for (uint32_t i = 0; i < c->n_regions; i++) {
        uint64_t *bytes = c->regions[i]->out.bucket_bytes;
        for (uint32_t k = 0; k < SIM_BUCKETS / 2; k++) bytes[k] = bytes[2 * k] + bytes[2 * k + 1];
        for (uint32_t k = SIM_BUCKETS / 2; k < SIM_BUCKETS; k++) bytes[k] = 0;
    }
    for (uint32_t k = SIM_BUCKETS / 2; k < SIM_BUCKETS; k++) c->slots.list[k] = (struct sim_bucket){0};
    c->slots.at /= 2;
    c->slots.ms *= 2;
}

void bucket_advance(struct sim_cluster *c) {
    close_bucket(c);
    while ((c->now - c->opts.start_ms) / c->slots.ms >= SIM_BUCKETS) widen(c);
    uint32_t to = (uint32_t)((c->now - c->opts.start_ms) / c->slots.ms);
    while (c->slots.at < to) {
        c->slots.at++;
        close_bucket(c);
    }
}

int event_record(struct sim_cluster *c, const struct sim_event *e, struct err *err) {
    c->totals.events[e->kind]++;
    current_bucket(c)->events[e->kind]++;
    return c->opts.event ? c->opts.event(c->opts.event_arg, e, err) : 0;
}

const char *sim_event_name(enum sim_event_kind kind) {
    static const char *const names[] = {"flush", "minor", "major", "split", "move", "block"};
    return names[kind];
}

static void find_hot(struct sim_cluster *c, uint32_t bucket) {
    struct sim_bucket *b = &c->slots.list[bucket];
    int64_t end = c->opts.start_ms + (bucket + 1) * c->slots.ms;
    uint64_t most = 0;
    uint32_t there = 0;
    b->hot_regions = 0;
    b->hottest = SIM_NONE;
    for (uint32_t i = 0; i < c->n_regions; i++) {
        const struct sim_region *r = &c->regions[i]->out;
        there += r->born_ms < end && (r->gone_ms == SIM_NONE || r->gone_ms >= end);
        if (r->bucket_bytes[bucket] <= most) continue;
        most = r->bucket_bytes[bucket];
        b->hottest = (int32_t)i;
    }
    b->hottest_share = b->bytes ? (double)most / (double)b->bytes : 0;
    for (uint32_t i = 0; b->bytes && i < c->n_regions; i++)
        b->hot_regions += (double)c->regions[i]->out.bucket_bytes[bucket] * there >= 2 * (double)b->bytes;
    if (b->hot_regions > c->totals.hot_regions_most) c->totals.hot_regions_most = b->hot_regions;
}

static void sum_stores(const struct sim_cluster *c, const struct region *r, struct sim_region *out) {
    *out = r->out;
    for (uint32_t f = 0; f < c->settings->n_families; f++) {
        const struct store *s = &r->stores[f];
        struct sim_store *o = &out->stores[f];
        *o = (struct sim_store){.memstore_bytes = s->active.heap + s->snapshot.heap,
                                .files = s->n_files,
                                .flushes = s->flushes,
                                .minors = s->minors,
                                .majors = s->majors};
        for (uint32_t i = 0; i < s->n_files; i++) {
            o->references += s->files[i].facts.reference;
            o->file_bytes += s->files[i].own_bytes;
        }
        out->files += o->files;
        out->file_bytes += o->file_bytes;
    }
}

static void sum_servers(struct sim_cluster *c) {
    for (uint32_t i = 0; i < c->opts.servers; i++) {
        c->report_of.servers[i] = c->servers[i].out;
        c->report_of.servers[i].regions = c->servers[i].regions;
    }
    for (uint32_t i = 0; i < c->n_live; i++) {
        const struct sim_region *r = &c->report_of.regions[c->live[i]];
        c->report_of.servers[r->server].file_bytes += r->file_bytes;
    }
}

static void sum_totals(struct sim_cluster *c) {
    struct sim_totals *t = &c->totals;
    t->regions = c->n_live;
    t->delay_ms = c->delay_ms;
    t->write_amplification = t->flushed_bytes ? (double)(t->flushed_bytes + t->compacted_bytes) / (double)t->flushed_bytes : 0;
    t->hot_regions_most = 0;
    for (uint32_t i = 0; i <= c->slots.at; i++) find_hot(c, i);
}

const struct sim_report *sim_cluster_report(struct sim_cluster *c, struct err *err) {
    if (grow_to(&c->report_of.regions, c->n_regions, sizeof *c->report_of.regions, "a report", err)) return NULL;
    bucket_advance(c);
    for (uint32_t i = 0; i < c->n_regions; i++) sum_stores(c, c->regions[i], &c->report_of.regions[i]);
    sum_servers(c);
    sum_totals(c);
    c->report = (struct sim_report){.start_ms = c->opts.start_ms,
                                    .end_ms = c->now,
                                    .bucket_ms = c->slots.ms,
                                    .n_buckets = c->slots.at + 1,
                                    .n_families = c->settings->n_families,
                                    .regions = c->report_of.regions,
                                    .n_regions = c->n_regions,
                                    .live = c->live,
                                    .servers = c->report_of.servers,
                                    .n_servers = c->opts.servers,
                                    .totals = c->totals};
    memcpy(c->report.buckets, c->slots.list, sizeof c->slots.list);
    return &c->report;
}
