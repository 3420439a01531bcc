/* Computes what partitionings would make of the rows of some inputs: rows are gathered and sorted (plan_read.c), then one pass
 * over them fills every choice, the facts about keys and the samples at once. The same for any number of threads. */
#include "cmd/split/plan/plan.h"

#include "cmd/split/plan/choice.h"
#include "cmd/split/plan/plan_read.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"

#include <stdlib.h>

enum { ROWS_BETWEEN_LOOKS = 4096 };

struct plan_pass {
    const struct plan_opts *o;
    struct plan_gathered *g;
    struct plan_result *out;
    struct buf last; /* the row before */
    bool any;
    uint32_t at[PRESPLIT_KINDS * PLAN_COUNTS_MAX]; /* partitions of it */
};

static int init_choices(const struct plan_opts *o, uint64_t bytes, struct plan_result *out, struct err *err) {
    const uint64_t blocks = out->sampling.n_blocks;
    if (prefix_runs_init(&out->runs, o->counts, o->n_counts, blocks, err)) return -1;
    out->ranges = calloc(o->n_counts, sizeof *out->ranges);
    out->presplits = calloc((size_t)PRESPLIT_KINDS * o->n_counts, sizeof *out->presplits);
    out->presplit_blocks = calloc((size_t)PRESPLIT_KINDS * o->n_counts, sizeof *out->presplit_blocks);
    if (!out->ranges || !out->presplits || !out->presplit_blocks) return err_nomem(err, 0, "a plan");
    for (uint32_t i = 0; i < o->n_counts; i++) {
        if (range_cuts_init(&out->ranges[i], o->counts[i], bytes, blocks, err)) return -1;
        for (unsigned k = PLAN_HEX; k < PLAN_KINDS; k++)
            if (presplit_make(&out->presplits[out->n_presplits++], k, o->counts[i], err) ||
                (blocks && block_spread_init(&out->presplit_blocks[out->n_presplits - 1], blocks, err)))
                return -1;
    }
    return 0;
}

static void end_partition(struct plan_pass *p, uint32_t i) {
    const struct sampled_sums sums = block_spread_take(&p->out->presplit_blocks[i]);
    plan_choice_add_blocks(&p->out->presplits[i], p->at[i], &sums);
}

static void add_to_presplit(struct plan_pass *p, uint32_t i, const struct weighed_row *row, const struct plan_part *one) {
    struct plan_choice *c = &p->out->presplits[i];
    uint32_t at = plan_choice_place_from(c, p->at[i], row->row);
    if (at != p->at[i]) end_partition(p, i);
    p->at[i] = at;
    plan_part_add(&c->parts[at], one);
    block_spread_add(&p->out->presplit_blocks[i], row);
}

static int add_row(struct plan_pass *p, const struct weighed_row *row, struct err *err) {
    struct plan_result *out = p->out;
    const struct plan_part one = plan_part_of(row);
    const struct key_weight weight = {row->bytes, row->cells, 1};
    const struct top_row top = {.bytes = row->bytes, .cells = row->cells};
    struct bytes last = p->any ? buf_bytes(&p->last) : (struct bytes){0};
    for (uint32_t i = 0; i < p->o->n_counts; i++)
        if (range_cuts_add(&out->ranges[i], last, row, err)) return -1;
    for (uint32_t i = 0; i < out->n_presplits; i++) add_to_presplit(p, i, row, &one);
    key_facts_add(&out->facts, last, row);
    prefix_runs_add(&out->runs, last, row);
    p->any = true;
    return row_sample_add(&out->sample, row, err) || top_rows_add(&out->top, &top, row->row, err) ||
                   key_cuts_add(&out->cuts, row->row, &weight, err) || buf_copy(&p->last, row->row, err)
               ? -1
               : 0;
}

static void end_rows(struct plan_pass *p) {
    struct plan_result *out = p->out;
    prefix_runs_end(&out->runs, p->any ? buf_bytes(&p->last) : (struct bytes){0});
    for (uint32_t i = 0; i < p->o->n_counts; i++) range_cuts_end(&out->ranges[i]);
    for (uint32_t i = 0; i < out->n_presplits; i++) {
        end_partition(p, i);
        block_spread_free(&out->presplit_blocks[i]);
    }
    row_sample_end(&out->sample);
    key_cuts_finish(&out->cuts);
}

static int weigh_bucket(void *arg, uint32_t bucket, struct err *err) {
    struct plan_pass *p = arg;
    struct weighed_rows rows = {.src = sorter_open(p->g->sorter, bucket, bytes_str("f"), err),
                                .by_blocks = p->out->sampling.by == SAMPLE_BLOCKS};
    struct weighed_row row;
    uint64_t seen = 0;
    int rc = rows.src ? 0 : -1;
    while (!rc && (rc = weighed_rows_next(&rows, &row, err)) == 1) {
        sampling_weigh(&p->out->sampling, &row);
        rc = add_row(p, &row, err);
        if (!rc && ++seen % ROWS_BETWEEN_LOOKS == 0) rc = stop_check(p->o->job->stop, err);
    }
    weighed_rows_free(&rows);
    source_close(rows.src);
    return rc;
}

int plan_run(const struct plan_opts *o, struct plan_result *out, struct err *err) {
    struct plan_gathered g;
    struct plan_pass p = {.o = o, .g = &g, .out = out};
    *out = (struct plan_result){.top.most = PLAN_HEAVIEST};
    key_cuts_limit(&out->cuts, PLAN_CUTS);
    int rc = plan_gather(o, &g, out, err);
    if (!rc) rc = init_choices(o, g.bytes, out, err);
    if (!rc) rc = sorter_each(g.sorter, weigh_bucket, &p, err);
    plan_gathered_free(&g);
    if (!rc) end_rows(&p);
    buf_free(&p.last);
    return rc;
}

void plan_result_free(struct plan_result *r, uint32_t n_counts) {
    for (uint32_t i = 0; r->ranges && i < n_counts; i++) range_cuts_free(&r->ranges[i]);
    for (uint32_t i = 0; i < r->n_presplits; i++) plan_choice_free(&r->presplits[i]);
    for (uint32_t i = 0; r->presplit_blocks && i < r->n_presplits; i++) block_spread_free(&r->presplit_blocks[i]);
    free(r->presplit_blocks);
    free(r->ranges);
    free(r->presplits);
    prefix_runs_free(&r->runs);
    row_sample_free(&r->sample);
    top_rows_free(&r->top);
    key_cuts_free(&r->cuts);
    cell_sample_free(&r->cells);
}
