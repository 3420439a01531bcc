/* One simulation: a stream of writes counted in regions that stay as they are (mode simple), or put into an emulated cluster
 * (mode emulate); in both modes counted in partitions of OceanBase as well. Generated writes are counted by many threads, each
 * with its own counters; a stream that was read, and a cluster, take one write after the other. */
#include "cmd/split/simulate/cluster_figures.h"
#include "cmd/split/simulate/cluster_loop.h"
#include "cmd/split/simulate/simulation.h"

#include "cmd/split/simulate/write.h"
#include "cmd/split/simulate/write_stream.h"
#include "engine/memory_plan.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_WRITES = 8192, SAMPLE_USUAL = 1000000 };

/* ---- bounds ---- */

static uint64_t rows_to_sample(const struct simulation_opts *o, const struct write_stream_facts *f) {
    if (o->sample_rows) return o->sample_rows;
    return f->writes / 2 < SAMPLE_USUAL ? f->writes / 2 : SAMPLE_USUAL;
}

static int take_sample(struct write_stream *s, uint64_t rows, struct key_sample *k, uint64_t *last_tick, struct err *err) {
    struct write w;
    int rc = 1;
    while (k->seen < rows && (rc = write_stream_next(s, &w, err)) == 1) {
        if (key_sample_add(k, w.row, err)) return -1;
        *last_tick = w.tick;
    }
    return rc < 0 ? -1 : key_sample_end(k, err);
}

/* Takes keys for the bounds off the stream, if they are to be sampled. *next_tick: when the writes after them begin. */
static int sample_keys(struct write_stream *s, const struct simulation_opts *o, struct simulation_counts *out,
                       uint64_t *next_tick, struct err *err) {
    struct key_sample k = {.limit_bytes = memory_share(o->job, MEMORY_KEY_SAMPLE)};
    uint64_t last_tick = 0, rows = o->sampled ? rows_to_sample(o, write_stream_facts(s)) : 0;
    int rc = rows ? take_sample(s, rows, &k, &last_tick, err) : 0;
    if (!rc && rows) rc = key_sample_cut(&k, o->sampled, &out->bounds, err);
    if (!rc && !(out->sample_counts = calloc(out->bounds.n + 1, sizeof *out->sample_counts)))
        rc = err_nomem(err, out->bounds.n * sizeof *out->sample_counts, "regions");
    if (!rc && rows) key_sample_count(&k, &out->bounds, out->sample_counts);
    out->sample_seen = k.seen;
    out->sample_kept = k.kept;
    *next_tick = k.seen ? last_tick + 1 : 0;
    key_sample_free(&k);
    return rc;
}

/* ---- counting ---- */

struct counter {
    struct simulation_counts *r; /* bounds */
    struct write_history regions, partitions;
    uint64_t nowhere, cells, bytes, unfit, first_unfit;
    char unfit_why[240];
};

static int count_write(void *arg, const struct write *w, struct err *err) {
    struct counter *c = arg;
    (void)err;
    write_history_add(&c->regions, key_bounds_find(&c->r->bounds, w->row), w->tick, w->n_cells, w->bytes);
    if (w->partition == WRITE_NOWHERE)
        c->nowhere++;
    else
        write_history_add(&c->partitions, w->partition, w->tick, w->n_cells, w->bytes);
    return 0;
}

static int init_histories(const struct simulation_opts *o, const struct simulation_counts *r, uint64_t first_tick,
                          struct write_history *regions, struct write_history *partitions, struct err *err) {
    uint32_t slices = write_history_slices(r->facts.writes - r->sample_seen);
    return write_history_init(regions, r->bounds.n + 1, slices, first_tick, r->facts.span_ticks, err) ||
                   write_history_init(partitions, o->partitions, slices, first_tick, r->facts.span_ticks, err)
               ? -1
               : 0;
}

static void free_counter(struct counter *c) {
    write_history_free(&c->regions);
    write_history_free(&c->partitions);
}

static void add_counter(struct simulation_counts *r, const struct counter *c, uint64_t *first_unfit) {
    write_history_merge(&r->regions, &c->regions);
    write_history_merge(&r->partitions, &c->partitions);
    r->nowhere += c->nowhere;
    r->facts.unfit += c->unfit;
    if (!c->unfit || c->first_unfit >= *first_unfit) return;
    *first_unfit = c->first_unfit;
    memcpy(r->facts.unfit_why, c->unfit_why, sizeof r->facts.unfit_why);
}

/* Begins where only partitions are counted, and takes one write. */
static int begin_partitions(const struct simulation_opts *o, struct simulation_counts *out, uint64_t first_tick,
                            struct err *err) {
    return write_history_init(&out->partitions, o->partitions, write_history_slices(out->facts.writes - out->sample_seen),
                              first_tick, out->facts.span_ticks, err);
}

static void count_partition(struct simulation_counts *r, const struct write *w) {
    if (w->partition == WRITE_NOWHERE)
        r->nowhere++;
    else
        write_history_add(&r->partitions, w->partition, w->tick, w->n_cells, w->bytes);
}

/* ---- a generator: many threads, block by block ---- */

struct making {
    const struct simulation_opts *o;
    struct simulation_counts *r;
    uint64_t from, first_tick;
    unsigned threads;
};

static int make_block(const struct making *m, struct generated *g, struct counter *c, uint64_t begin, struct err *err) {
    uint64_t all = m->r->facts.writes, end = all - begin < BLOCK_WRITES ? all : begin + BLOCK_WRITES;
    struct write w;
    if (stop_check(m->o->job->stop, err)) return -1;
    for (uint64_t i = begin; i < end; i++) {
        int made = generated_write(g, i, &w, err);
        if (made < 0) return -1;
        if (made) {
            if (count_write(c, &w, err)) return -1;
            continue;
        }
        if (!c->unfit++) {
            c->first_unfit = i;
            snprintf(c->unfit_why, sizeof c->unfit_why, "%s", generated_fault(g));
        }
    }
    return 0;
}

static int make_blocks(const struct making *m, unsigned thread, struct counter *c, struct err *err) {
    const struct write_stream_opts *w = m->o->writes;
    struct generated g = {0};
    uint64_t step = (uint64_t)m->threads * BLOCK_WRITES, begin = m->from + thread * (uint64_t)BLOCK_WRITES;
    c->r = m->r;
    int rc = init_histories(m->o, m->r, m->first_tick, &c->regions, &c->partitions, err);
    if (!rc) rc = generated_init(&g, w->generator, w->design, w->place, w->read.table, w->job->now_ms, err);
    for (; !rc && begin < m->r->facts.writes; begin += step) {
        rc = make_block(m, &g, c, begin, err);
        if (begin > UINT64_MAX - step) break;
    }
    generated_free(&g);
    return rc;
}

static int make_all(struct making *m, struct err *err) {
    struct counter *c = calloc(m->threads, sizeof *c);
    struct err *errs = calloc(m->threads, sizeof *errs);
    uint64_t first_unfit = UINT64_MAX;
    int rc = c && errs ? 0 : err_nomem(err, m->threads * sizeof *c, "a simulation");
#pragma omp parallel for num_threads(m->threads) schedule(static, 1) if (!rc)
    for (unsigned i = 0; i < m->threads; i++)
        if (c && errs && make_blocks(m, i, &c[i], &errs[i]) && !errs[i].code) errs[i].code = ERR_INTERNAL;
    for (unsigned i = 0; i < m->threads && c && errs; i++) {
        if (!rc && errs[i].code) {
            *err = errs[i];
            rc = -1;
        }
        if (!rc) add_counter(m->r, &c[i], &first_unfit);
        free_counter(&c[i]);
    }
    free(c);
    free(errs);
    return rc;
}

/* Threads that have room to count. */
static unsigned threads_for(const struct simulation_opts *o, const struct simulation_counts *r) {
    size_t each = write_history_memory(r->bounds.n + 1) + write_history_memory(o->partitions);
    uint64_t most = memory_share(o->job, MEMORY_WRITE_COUNTS) / each;
    return most < 1 ? 1 : most < o->job->threads ? (unsigned)most : o->job->threads;
}

/* ---- both ---- */

static int count_stream(struct write_stream *s, struct simulation_counts *out, struct err *err) {
    struct counter c = {.r = out, .regions = out->regions, .partitions = out->partitions};
    int rc = write_stream_each(s, count_write, &c, err);
    out->nowhere = c.nowhere;
    return rc;
}

int simulation_count(const struct simulation_opts *o, struct simulation_counts *out, struct err *err) {
    uint64_t next_tick = 0;
    struct write_stream_opts w = *o->writes;
    w.resident_bytes = memory_share(o->job, MEMORY_WRITE_COUNTS); /* before them, the keys of a sample */
    struct write_stream *s = write_stream_open(&w, err);
    if (!s) return -1;
    int rc = sample_keys(s, o, out, &next_tick, err);
    out->facts = *write_stream_facts(s);
    if (!rc) rc = init_histories(o, out, next_tick, &out->regions, &out->partitions, err);
    if (!rc && o->writes->generator) {
        struct making m = {o, out, 0, next_tick, threads_for(o, out)};
        m.from = write_stream_position(s);
        rc = make_all(&m, err);
    } else if (!rc) {
        rc = count_stream(s, out, err);
    }
    write_stream_close(s);
    return rc;
}

void simulation_counts_free(struct simulation_counts *r) {
    key_bounds_free(&r->bounds);
    free(r->sample_counts);
    write_history_free(&r->regions);
    write_history_free(&r->partitions);
    *r = (struct simulation_counts){0};
}

struct feeding {
    struct sim_cluster *cluster;
    struct simulation_counts *counts;
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
    count_partition(f->counts, w);
    return 0;
}

static struct sim_cluster *make_cluster(const struct emulation_opts *o, const struct simulation_counts *counts,
                                        const struct sim_settings *settings, int64_t start_ms, struct err *err) {
    const struct key_bounds *b = &counts->bounds;
    struct bytes *splits = calloc(b->n + 1, sizeof *splits);
    if (!splits) {
        err_nomem(err, b->n * sizeof *splits, "regions");
        return NULL;
    }
    for (uint32_t i = 0; i < b->n; i++) splits[i] = buf_bytes(&b->list[i]);
    const struct sim_options so = {.settings = settings,
                                   .splits = splits,
                                   .n_splits = b->n,
                                   .servers = o->servers,
                                   .seed = o->seed,
                                   .start_ms = start_ms,
                                   .memory_bytes = memory_share(o->counted.job, MEMORY_CLUSTER),
                                   .event = o->event,
                                   .event_arg = o->arg};
    struct sim_cluster *c = sim_cluster_new(&so, err);
    free(splits);
    return c;
}

static int run_emulation(const struct emulation_opts *o, struct write_stream *s, struct simulation_counts *counts,
                         struct emulation *e, struct err *err) {
    uint64_t next_tick = 0;
    if (o->settings(o->arg, &e->settings, err) || sample_keys(s, &o->counted, counts, &next_tick, err)) return -1;
    counts->facts = *write_stream_facts(s);
    if (begin_partitions(&o->counted, counts, next_tick, err)) return -1;
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

int emulation_run(const struct emulation_opts *o, struct simulation_counts *counts, struct emulation *e, struct err *err) {
    struct write_stream_opts w = *o->counted.writes;
    w.resident_bytes = memory_share(o->counted.job, MEMORY_CLUSTER) + memory_share(o->counted.job, MEMORY_KEY_SAMPLE);
    struct write_stream *s = write_stream_open(&w, err);
    if (!s) return -1;
    int rc = run_emulation(o, s, counts, e, err);
    write_stream_close(s);
    return rc;
}

void emulation_free(struct emulation *e) {
    sim_cluster_free(e->cluster);
    sim_settings_free(&e->settings);
    *e = (struct emulation){0};
}
