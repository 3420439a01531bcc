/* The rows that a plan is about, read (or generated) by many threads and gathered in a sorter by the key that is planned for.
 * Only weights travel through it, not values: a plan needs little memory whatever rows hold. */
#include "cmd/split/plan/plan.h"

#include "base/stop.h"
#include "cmd/split/plan/plan_read.h"
#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"
#include "cmd/split/plan/row_weight.h"
#include "engine/sorter_gather.h"

#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

/* State of one thread. */
struct counting {
    struct design_run run;
    struct plan_lengths lengths[FAMILIES_MOST];
    struct cell_sampler sampler; /* open where cells are kept */
    struct buf value;            /* of a cell that is being put */
    uint64_t block, blocks;      /* the one that is being read, and one more than the highest so far */
    bool fresh;                  /* nothing of it has been put yet */
    uint64_t bytes, unfit;
    uint64_t first_unfit; /* rank */
    char unfit_why[240];
};

struct plan_gathering {
    const struct plan_opts *o;
    struct plan_gathered *g;
    struct counting *readers;
    unsigned threads;
    struct sampling sampling;
    bool joins; /* keys are made of the cells of whole rows */
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

static void note_unfit(struct counting *r, uint64_t cells, uint64_t rank) {
    r->unfit += cells;
    if (rank >= r->first_unfit) return;
    r->first_unfit = rank;
    snprintf(r->unfit_why, sizeof r->unfit_why, "%s", r->run.fault.text);
}

static int put_row(struct plan_gathering *g, unsigned thread, struct row_weight w, struct bytes key, struct err *err) {
    struct cell cell;
    uint8_t value[WEIGHED_VALUE_BYTES];
    row_weight_pack(&w, &cell, value);
    const struct row_part part = {.row = key, .family = bytes_str("f"), .cells = &cell, .n_cells = 1, .first = true};
    g->readers[thread].bytes += w.bytes;
    return sorter_put(g->g->sorter, thread, 0, &part, err);
}

static void begin_block(void *arg, unsigned thread, uint64_t chunk) {
    struct counting *r = &((struct plan_gathering *)arg)->readers[thread];
    r->block = chunk;
    r->fresh = true;
    if (chunk >= r->blocks) r->blocks = chunk + 1;
}

/* The weight of adjacent cells; blocks do not matter where none are chosen. */
static struct row_weight weigh_part(struct plan_gathering *g, unsigned thread, const struct row_part *part) {
    struct counting *r = &g->readers[thread];
    struct row_weight w = row_weight_of(part, g->sampling.by == SAMPLE_BLOCKS ? r->block : 0);
    w.edge = r->fresh;
    r->fresh = false;
    return w;
}

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct plan_gathering *g = arg;
    struct counting *r = &g->readers[thread];
    struct bytes key = part->row;
    (void)partition;
    if (g->sampling.by == SAMPLE_ROWS && XXH3_64bits(key.p, key.n) > g->sampling.hash_limit) return 0;
    if (family < FAMILIES_MOST) note_lengths(&r->lengths[family], part);
    if (r->sampler.sample && cell_sampler_put(&r->sampler, part, err)) return -1;
    struct row_weight w = weigh_part(g, thread, part);
    if (g->joins) return row_join_put(g->g->rows, thread, g->o->design, part, &w, &r->value, err);
    if (g->o->design) {
        int made = key_design_of_part(g->o->design, &r->run, part, &key, err);
        if (made < 0) return -1;
        if (!made) {
            note_unfit(r, w.cells, w.rank);
            return 0;
        }
        w.bytes += w.cells * key.n - w.cells * part->row.n;
    }
    return put_row(g, thread, w, key, err);
}

/* ---- what is read ---- */

static int read_inputs(struct plan_gathering *g, struct plan_result *out, struct err *err) {
    struct inputs_read in = {0};
    struct input_reader_opts r = {.inputs = g->o->inputs,
                                  .n_inputs = g->o->n_inputs,
                                  .read = g->o->read,
                                  .placement = g->o->placement,
                                  .consumer = {put_part, NULL, g, NULL},
                                  .begin = begin_block,
                                  .max_value_bytes = g->o->job->max_cell_bytes,
                                  .rejects = g->o->rejects,
                                  .skip_client_check = true};
    r.read.shapes = &g->g->read.shapes;
    sorted_inputs_limits(&g->g->read.plan, &r.read);
    if (sampling_choose(g->o->sample_by, g->o->sample_bytes, &r, &g->sampling, err)) return -1;
    r.read.blocks = g->sampling.blocks;
    int rc = sorted_inputs_read(&g->g->read, &r, NULL, &in, err);
    out->ledger = in.ledger;
    return rc;
}

static void note_unfit_row(void *arg, const struct weighed_row *row) {
    struct plan_gathering *g = arg;
    note_unfit(&g->readers[0], row->cells, row->rank);
}

static int join_rows(struct plan_gathering *g, struct err *err) {
    struct row_join j = {.design = g->o->design,
                         .run = &g->readers[0].run,
                         .rows = g->g->rows,
                         .to = g->g->sorter,
                         .stop = g->o->job->stop,
                         .unfit = note_unfit_row,
                         .arg = g};
    if (sorter_finish(g->g->rows, err)) return -1;
    if (!sorter_bytes(g->g->rows, 0)) return 0;
    int rc = row_join_run(&j, err);
    g->readers[0].bytes += j.bytes;
    return rc;
}

/* ---- what is made ---- */

static int make_row(struct plan_gathering *g, uint64_t i, struct err *err) {
    const struct plan_generator *p = g->o->generator;
    struct counting *r = &g->readers[0];
    int64_t now_ms = g->o->job->now_ms + (int64_t)i * p->interval_us / 1000;
    const struct bytes nothing = {(const uint8_t *)"", 0}, value = {NULL, p->cell_bytes}; /* only its length is read */
    const struct cell cell = {.qualifier = nothing, .value = value, .ts_ms = now_ms, .rank = rank_of(0, i), .type = CELL_PUT};
    struct row_part part = {.family = bytes_str("f"), .cells = &cell, .n_cells = 1};
    int made = key_design_generate(g->o->design, &r->run, i, now_ms, p->seed, &part.row, err);
    if (made < 0) return -1;
    if (!made) {
        note_unfit(r, 1, cell.rank);
        return 0;
    }
    if (r->sampler.sample && cell_sampler_put(&r->sampler, &part, err)) return -1;
    return put_row(g, 0, row_weight_of(&part, 0), part.row, err);
}

static int make_rows(struct plan_gathering *g, struct err *err) {
    for (uint64_t i = 0; i < g->o->generator->rows; i++) {
        if (i % GENERATED_BETWEEN_LOOKS == 0 && stop_check(g->o->job->stop, err)) return -1;
        if (make_row(g, i, err)) return -1;
        if (sorter_full(g->g->sorter) && sorter_spill(g->g->sorter, err)) return -1;
    }
    return 0;
}

/* ---- both ---- */

/* Two sorters share the memory. */
static int make_sorters(struct plan_gathering *g, struct err *err) {
    const struct memory_request request = {
        .job = g->o->job, .own_bytes = plan_memory(g->o) + plan_blocks_memory(g->o), .sorters = g->joins ? 2 : 1};
    struct sorted_inputs_opts sorting = {.job = g->o->job, .buckets = 1, .tie = TIE_BY_SEQUENCE};
    if (g->joins && g->o->job->memory_bytes < 2 * (uint64_t)MEMORY_FLOOR_BYTES)
        return err_set(err, ERR_LIMIT, "keys made of cells are sorted twice; give --memory of at least %dM",
                       2 * MEMORY_FLOOR_BYTES >> 20);
    if (memory_plan_make(&request, &sorting.plan, err) || sorted_inputs_open(&g->g->read, &sorting, err)) return -1;
    g->g->sorter = g->g->read.sorter;
    if (!g->joins) return 0;
    const struct sorter_opts keyed = {
        .job = g->o->job, .plan = sorting.plan, .buckets = 1, .shapes = &g->g->read.shapes, .tie = TIE_BY_SEQUENCE};
    g->g->rows = g->g->read.sorter;
    g->g->sorter = sorter_new(&keyed, err);
    return g->g->sorter ? 0 : -1;
}

static int set_up(struct plan_gathering *g, struct plan_result *out, struct err *err) {
    if (make_sorters(g, err)) return -1;
    g->threads = g->g->read.plan.threads;
    g->readers = calloc(g->threads, sizeof *g->readers);
    if (!g->readers) return err_nomem(err, g->threads * sizeof *g->readers, "planning");
    for (unsigned i = 0; i < g->threads; i++) {
        g->readers[i].first_unfit = UINT64_MAX;
        if (g->o->keeps_cells && cell_sampler_open(&g->readers[i].sampler, &out->cells, err)) return -1;
    }
    return 0;
}

static int flush_cells(struct plan_gathering *g, struct plan_result *out, struct err *err) {
    for (unsigned i = 0; i < g->threads; i++)
        if (g->readers[i].sampler.sample && cell_sampler_flush(&g->readers[i].sampler, err)) return -1;
    cell_sample_finish(&out->cells);
    return 0;
}

static void merge_lengths(struct plan_lengths *to, const struct plan_lengths *from) {
    if (from->qualifier > to->qualifier) to->qualifier = from->qualifier;
    if (from->value > to->value) to->value = from->value;
    to->qualifiers_over += from->qualifiers_over;
    to->values_over += from->values_over;
}

static void merge_readers(struct plan_gathering *g, struct plan_result *out) {
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; g->readers && i < g->threads; i++) {
        struct counting *r = &g->readers[i];
        g->g->bytes += r->bytes;
        if (r->blocks > g->g->blocks) g->g->blocks = r->blocks;
        out->unfit += r->unfit;
        if (r->unfit && r->first_unfit < first) {
            first = r->first_unfit;
            memcpy(out->unfit_why, r->unfit_why, sizeof out->unfit_why);
        }
        for (unsigned f = 0; f < FAMILIES_MOST; f++) merge_lengths(&out->lengths[f], &r->lengths[f]);
        design_run_free(&r->run);
        cell_sampler_close(&r->sampler);
        buf_free(&r->value);
    }
    free(g->readers);
}

int plan_gather(const struct plan_opts *o, struct plan_gathered *g, struct plan_result *out, struct err *err) {
    struct plan_gathering ga = {.o = o, .g = g, .sampling = {.by = SAMPLE_ALL, .share = 1}};
    *g = (struct plan_gathered){0};
    ga.joins = !o->generator && o->design && key_design_reads_cells(o->design);
    int rc = set_up(&ga, out, err);
    if (!rc) rc = o->generator ? make_rows(&ga, err) : read_inputs(&ga, out, err);
    if (!rc && ga.joins) rc = join_rows(&ga, err);
    if (!rc) rc = flush_cells(&ga, out, err);
    merge_readers(&ga, out);
    out->sampling = ga.sampling;
    if (out->sampling.by == SAMPLE_BLOCKS) out->sampling.n_blocks = g->blocks;
    return rc ? -1 : sorter_finish(g->sorter, err);
}

void plan_gathered_free(struct plan_gathered *g) {
    if (g->rows) sorter_free(g->sorter);
    sorted_inputs_close(&g->read);
}

/* ---- memory ---- */

size_t plan_memory(const struct plan_opts *o) {
    size_t parts = 0;
    for (uint32_t i = 0; i < o->n_counts; i++) parts += o->counts[i];
    return parts * sizeof(struct plan_part) * (PLAN_PREFIX_MAX + 1 + PLAN_KINDS) + ROW_SAMPLE_ROWS * sizeof(struct sampled_row) +
           2 * PLAN_CUTS * sizeof(struct key_cut) + sizeof(struct key_facts) +
           (o->keeps_cells ? cell_sample_memory(o->job->threads) : 0);
}

size_t plan_blocks_memory(const struct plan_opts *o) {
    uint64_t blocks = o->generator ? 0 : sampling_blocks_most(o->sample_by, o->sample_bytes);
    return blocks ? (PLAN_PREFIX_MAX + 1 + o->n_counts * (1 + PRESPLIT_KINDS)) * block_spread_memory(blocks) : 0;
}
