#include "plan/plan_read.h"

#include "base/stop.h"
#include "pipeline/sorter_load.h"

#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

/* What one thread keeps. */
struct counting {
    struct design_run run;
    struct plan_lengths lengths[LOAD_FAMILIES_MAX];
    uint64_t bytes, unfit;
    uint64_t first_unfit; /* rank */
    char unfit_why[240];
};

struct gather {
    const struct plan_opts *o;
    struct plan_gathered *g;
    struct memory_plan plan;
    struct counting *readers;
    unsigned threads;
    uint64_t hash_limit; /* rows with a greater hash are not in the sample */
};

enum { QUALIFIER_USUAL_BYTES = 256, VALUE_USUAL_BYTES = 1 << 20, GENERATED_BETWEEN_LOOKS = 1024 };

static void note_lengths(struct plan_lengths *l, const struct row_part *part) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        size_t q = part->cells[i].qualifier.n, v = part->cells[i].value.n;
        if (q > l->qualifier) l->qualifier = q;
        if (v > l->value) l->value = v;
        l->qualifiers_over += q > QUALIFIER_USUAL_BYTES;
        l->values_over += v > VALUE_USUAL_BYTES;
    }
}

static void note_unfit(struct counting *r, const struct row_part *part) {
    r->unfit += part->n_cells;
    if (part->cells[0].rank >= r->first_unfit) return;
    r->first_unfit = part->cells[0].rank;
    snprintf(r->unfit_why, sizeof r->unfit_why, "%s", r->run.fault.text);
}

static int put_row(struct gather *g, unsigned thread, const struct row_part *part, struct bytes key, struct err *err) {
    struct cell cell;
    uint8_t value[WEIGHED_VALUE_BYTES];
    struct row_part weighed;
    weighed_row_pack(part, key, &cell, value, &weighed);
    g->readers[thread].bytes += weighed_bytes(&weighed);
    return sorter_put(g->g->sorter, thread, 0, &weighed, err);
}

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct gather *g = arg;
    struct counting *r = &g->readers[thread];
    struct bytes key = part->row;
    (void)partition;
    if (XXH3_64bits(key.p, key.n) > g->hash_limit) return 0;
    if (family < LOAD_FAMILIES_MAX) note_lengths(&r->lengths[family], part);
    if (g->o->design) {
        int made = key_design_of_part(g->o->design, &r->run, part, &key, err);
        if (made < 0) return -1;
        if (!made) return note_unfit(r, part), 0;
    }
    return put_row(g, thread, part, key, err);
}

static bool is_full(void *arg) {
    const struct gather *g = arg;
    return sorter_full(g->g->sorter);
}

/* ---- what is read ---- */

/* Whole rows of about as many bytes as asked for. */
static void set_share(struct gather *g, struct plan_result *out) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < g->o->n_inputs; i++) total += g->o->inputs[i].file_bytes;
    out->share = 1;
    g->hash_limit = UINT64_MAX;
    if (total <= g->o->sample_bytes) return;
    out->share = (double)g->o->sample_bytes / (double)total;
    g->hash_limit = (uint64_t)(out->share * 0x1p64);
    out->share = (double)g->hash_limit / 0x1p64;
}

static int read_inputs(struct gather *g, struct plan_result *out, struct err *err) {
    struct load_opts l = {.job = g->o->job,
                          .threads = g->threads,
                          .inputs = g->o->inputs,
                          .n_inputs = g->o->n_inputs,
                          .read = g->o->read,
                          .placement = g->o->placement,
                          .consumer = {put_part, is_full, g},
                          .max_value_bytes = g->o->job->max_cell_bytes,
                          .rejects = g->o->rejects,
                          .skip_client_check = true};
    l.read.shapes = &g->g->shapes;
    sorter_load_limits(&g->plan, &l.read);
    struct loader *loader = loader_new(&l, err);
    if (!loader) return -1;
    set_share(g, out);
    int rc = sorter_load(g->g->sorter, loader, err);
    out->ledger = *loader_ledger(loader);
    loader_free(loader);
    return rc;
}

/* ---- what is made ---- */

static int make_row(struct gather *g, uint64_t i, struct err *err) {
    const struct plan_generator *p = g->o->generator;
    struct counting *r = &g->readers[0];
    int64_t now_ms = g->o->job->now_ms + (int64_t)i * p->interval_us / 1000;
    const struct bytes nothing = {(const uint8_t *)"", 0}, value = {NULL, p->cell_bytes}; /* only its length is looked at */
    const struct cell cell = {.qualifier = nothing, .value = value, .ts_ms = now_ms, .rank = rank_of(0, i), .type = CELL_PUT};
    struct row_part part = {.family = bytes_str("f"), .cells = &cell, .n_cells = 1};
    int made = key_design_generate(g->o->design, &r->run, i, now_ms, p->seed, &part.row, err);
    if (made < 0) return -1;
    if (!made) return note_unfit(r, &part), 0;
    return put_row(g, 0, &part, part.row, err);
}

static int make_rows(struct gather *g, struct plan_result *out, struct err *err) {
    out->share = 1;
    for (uint64_t i = 0; i < g->o->generator->rows; i++) {
        if (i % GENERATED_BETWEEN_LOOKS == 0 && stop_check(g->o->job->stop, err)) return -1;
        if (make_row(g, i, err)) return -1;
        if (sorter_full(g->g->sorter) && sorter_spill(g->g->sorter, err)) return -1;
    }
    return 0;
}

/* ---- both ---- */

static int set_up(struct gather *g, struct err *err) {
    struct hfile_write_opts none_written = hfile_write_defaults();
    struct job job = *g->o->job;
    job.resident_bytes += plan_memory(g->o);
    if (memory_plan_make(&job, &none_written, &g->plan, err)) return -1;
    struct sorter_opts so = {.job = g->o->job, .plan = g->plan, .buckets = 1, .shapes = &g->g->shapes, .tie = TIE_BY_SEQUENCE};
    g->g->sorter = sorter_new(&so, err);
    if (!g->g->sorter) return -1;
    g->threads = sorter_threads(g->g->sorter);
    g->readers = calloc(g->threads, sizeof *g->readers);
    if (!g->readers) return err_nomem(err, g->threads * sizeof *g->readers, "planning");
    for (unsigned i = 0; i < g->threads; i++) g->readers[i].first_unfit = UINT64_MAX;
    return 0;
}

static void merge_lengths(struct plan_lengths *to, const struct plan_lengths *from) {
    if (from->qualifier > to->qualifier) to->qualifier = from->qualifier;
    if (from->value > to->value) to->value = from->value;
    to->qualifiers_over += from->qualifiers_over;
    to->values_over += from->values_over;
}

static void merge_readers(struct gather *g, struct plan_result *out) {
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; g->readers && i < g->threads; i++) {
        struct counting *r = &g->readers[i];
        g->g->bytes += r->bytes;
        out->unfit += r->unfit;
        if (r->unfit && r->first_unfit < first) {
            first = r->first_unfit;
            memcpy(out->unfit_why, r->unfit_why, sizeof out->unfit_why);
        }
        for (unsigned f = 0; f < LOAD_FAMILIES_MAX; f++) merge_lengths(&out->lengths[f], &r->lengths[f]);
        design_run_free(&r->run);
    }
    free(g->readers);
}

int plan_gather(const struct plan_opts *o, struct plan_gathered *g, struct plan_result *out, struct err *err) {
    struct gather ga = {.o = o, .g = g};
    *g = (struct plan_gathered){0};
    int rc = set_up(&ga, err);
    if (!rc) rc = o->generator ? make_rows(&ga, out, err) : read_inputs(&ga, out, err);
    merge_readers(&ga, out);
    return rc ? -1 : sorter_finish(g->sorter, err);
}

void plan_gathered_free(struct plan_gathered *g) {
    sorter_free(g->sorter);
    shape_set_free(&g->shapes);
}
