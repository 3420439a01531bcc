#include "simulate/state.h"

#include <stdlib.h>

const char *sim_event_name(enum sim_event_kind kind) {
    static const char *const names[] = {"flush", "minor", "major", "split", "move", "block"};
    return names[kind];
}

static void find_hot(struct sim_cluster *c, uint32_t bucket) {
    struct sim_bucket *b = &c->buckets[bucket];
    int64_t end = c->opts.start_ms + (bucket + 1) * c->bucket_ms;
    uint64_t most = 0;
    uint32_t there = 0;
    for (uint32_t i = 0; i < c->n_regions; i++) {
        const struct sim_region *r = &c->regions[i]->out;
        there += r->born_ms < end && (r->gone_ms == SIM_NONE || r->gone_ms >= end);
        if (r->course[bucket] <= most) continue;
        most = r->course[bucket];
        b->hottest = (int32_t)i;
    }
    b->hottest_share = b->bytes ? (double)most / (double)b->bytes : 0;
    for (uint32_t i = 0; b->bytes && i < c->n_regions; i++)
        b->hot_regions += (double)c->regions[i]->out.course[bucket] * there > 2 * (double)b->bytes;
    if (b->hot_regions > c->totals.hot_regions_most) c->totals.hot_regions_most = b->hot_regions;
}

const struct sim_report *sim_cluster_report(struct sim_cluster *c, struct err *err) {
    struct sim_region *p = realloc(c->report_regions, c->n_regions * sizeof *p);
    if (!p) return err_nomem(err, c->n_regions * sizeof *p, "a report"), NULL;
    c->report_regions = p;
    course_advance(c);
    c->totals.hot_regions_most = 0;
    for (uint32_t i = 0; i <= c->bucket; i++) {
        c->buckets[i].hot_regions = 0;
        c->buckets[i].hottest = SIM_NONE;
        find_hot(c, i);
    }
    for (uint32_t i = 0; i < c->opts.servers; i++) c->servers[i].regions = 0;
    for (uint32_t i = 0; i < c->n_live; i++) c->servers[c->regions[c->live[i]]->out.server].regions++;
    for (uint32_t i = 0; i < c->n_regions; i++) p[i] = c->regions[i]->out;
    c->totals.regions = c->n_live;
    c->totals.delay_ms = c->delay_ms;
    c->report = (struct sim_report){.start_ms = c->opts.start_ms,
                                    .end_ms = c->now,
                                    .bucket_ms = c->bucket_ms,
                                    .n_buckets = c->bucket + 1,
                                    .n_families = c->settings->n_families,
                                    .regions = p,
                                    .n_regions = c->n_regions,
                                    .live = c->live,
                                    .servers = c->servers,
                                    .n_servers = c->opts.servers,
                                    .totals = c->totals};
    memcpy(c->report.buckets, c->buckets, sizeof c->buckets);
    return &c->report;
}
