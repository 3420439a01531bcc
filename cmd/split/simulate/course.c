#include "cmd/split/simulate/state.h"

/* What stands for the end of a bucket that is over. */
static void close_bucket(struct sim_cluster *c) {
    struct sim_bucket *b = course_now(c);
    b->regions = c->n_live;
    b->files = c->totals.files;
    b->file_bytes = c->totals.file_bytes;
}

static void add(struct sim_bucket *sum, const struct sim_bucket *b) {
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
        struct sim_bucket b = c->buckets[i]; /* the first is its own sum */
        if (i % 2 == 0) c->buckets[i / 2] = (struct sim_bucket){0};
        add(&c->buckets[i / 2], &b);
    }
    for (uint32_t i = 0; i < c->n_regions; i++) {
        uint64_t *course = c->regions[i]->out.course;
        for (uint32_t k = 0; k < SIM_BUCKETS / 2; k++) course[k] = course[2 * k] + course[2 * k + 1];
        for (uint32_t k = SIM_BUCKETS / 2; k < SIM_BUCKETS; k++) course[k] = 0;
    }
    for (uint32_t k = SIM_BUCKETS / 2; k < SIM_BUCKETS; k++) c->buckets[k] = (struct sim_bucket){0};
    c->bucket /= 2;
    c->bucket_ms *= 2;
}

void course_advance(struct sim_cluster *c) {
    close_bucket(c);
    while ((c->now - c->opts.start_ms) / c->bucket_ms >= SIM_BUCKETS) widen(c);
    uint32_t to = (uint32_t)((c->now - c->opts.start_ms) / c->bucket_ms);
    while (c->bucket < to) {
        c->bucket++;
        close_bucket(c);
    }
}

int course_event(struct sim_cluster *c, const struct sim_event *e, struct err *err) {
    c->totals.events[e->kind]++;
    course_now(c)->events[e->kind]++;
    return c->opts.event ? c->opts.event(c->opts.event_arg, e, err) : 0;
}
