#include "cmd/split/simulate/emulate.h"

#include <stdlib.h>

enum { MEMORY_PART = 8 }; /* for the cluster, and half of that for the sample of keys */

struct feeding {
    struct sim_cluster *cluster;
    struct simple_result *counts;
};

static uint32_t length_of(uint64_t n) {
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static int feed(void *arg, const struct write *w, struct err *err) {
    struct feeding *f = arg;
    struct bytes cells = w->cells;
    struct write_cell c;
    while (write_cell_next(&cells, &c)) {
        const struct sim_cell cell = {.row = w->row,
                                      .family = w->family,
                                      .qualifier_bytes = length_of(c.qualifier_bytes),
                                      .value_bytes = length_of(c.value_bytes),
                                      .tags_bytes = length_of(c.tags_bytes),
                                      .ts_ms = w->ts_ms,
                                      .type = c.type};
        if (sim_cluster_put(f->cluster, w->at_ms, &cell, err)) return -1;
    }
    simple_count_partition(f->counts, w);
    return 0;
}

static struct sim_cluster *make_cluster(const struct emulate_opts *o, const struct simple_result *counts,
                                        const struct sim_settings *settings, int64_t start_ms, struct err *err) {
    const struct key_bounds *b = &counts->bounds;
    struct bytes *splits = calloc(b->n + 1, sizeof *splits);
    if (!splits) return err_nomem(err, b->n * sizeof *splits, "regions"), NULL;
    for (uint32_t i = 0; i < b->n; i++) splits[i] = buf_bytes(&b->list[i]);
    const struct sim_options so = {.settings = settings,
                                   .splits = splits,
                                   .n_splits = b->n,
                                   .servers = o->servers,
                                   .seed = o->seed,
                                   .start_ms = start_ms,
                                   .memory_bytes = o->counted.job->memory_bytes / MEMORY_PART,
                                   .event = o->event,
                                   .event_arg = o->arg};
    struct sim_cluster *c = sim_cluster_new(&so, err);
    free(splits);
    return c;
}

static int run(const struct emulate_opts *o, struct write_stream *s, struct simple_result *counts, struct emulation *e,
               struct err *err) {
    uint64_t next_tick = 0;
    if (o->settings(o->arg, &e->settings, err) || simple_sample(s, &o->counted, counts, &next_tick, err)) return -1;
    counts->facts = *write_stream_facts(s);
    if (simple_begin_partitions(&o->counted, counts, next_tick, err)) return -1;
    int64_t start_ms = counts->facts.start_ms + (int64_t)(counts->facts.tick_us == 1000 ? next_tick : next_tick / 1000);
    e->cluster = make_cluster(o, counts, &e->settings, start_ms, err);
    if (!e->cluster) return -1;
    struct feeding f = {e->cluster, counts};
    if (write_stream_each(s, feed, &f, err)) return -1;
    counts->facts.unfit = write_stream_facts(s)->unfit;
    memcpy(counts->facts.unfit_why, write_stream_facts(s)->unfit_why, sizeof counts->facts.unfit_why);
    e->report = sim_cluster_report(e->cluster, err);
    return e->report ? 0 : -1;
}

int emulate_run(const struct emulate_opts *o, struct simple_result *counts, struct emulation *e, struct err *err) {
    struct write_stream_opts w = *o->counted.writes;
    w.resident_bytes = o->counted.job->memory_bytes / MEMORY_PART * 3 / 2;
    struct write_stream *s = write_stream_open(&w, err);
    if (!s) return -1;
    int rc = run(o, s, counts, e, err);
    write_stream_close(s);
    return rc;
}

void emulation_free(struct emulation *e) {
    sim_cluster_free(e->cluster);
    sim_settings_free(&e->settings);
    *e = (struct emulation){0};
}
