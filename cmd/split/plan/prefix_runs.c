#include "cmd/split/plan/prefix_runs.h"

#include "table/placement.h"

#include <stdlib.h>

int prefix_runs_init(struct prefix_runs *r, const uint32_t *counts, uint32_t n_counts, uint64_t blocks, struct err *err) {
    *r = (struct prefix_runs){.counts = counts, .n_counts = n_counts};
    r->choices = calloc((size_t)(PLAN_PREFIX_MAX + 1) * n_counts, sizeof *r->choices);
    if (!r->choices) return err_nomem(err, 0, "a plan's choices");
    for (uint32_t length = 0; length <= PLAN_PREFIX_MAX; length++)
        for (uint32_t i = 0; i < n_counts; i++)
            if (plan_choice_init(&r->choices[length * n_counts + i], PLAN_KEY, length, counts[i], err)) return -1;
    for (uint32_t length = 0; blocks && length <= PLAN_PREFIX_MAX; length++)
        if (block_spread_init(&r->blocks[length], blocks, err)) return -1;
    return 0;
}

static uint64_t hash_of(struct bytes key) {
    int64_t hash = placement_key_hash(key);
    return hash == INT64_MIN ? 0 : (uint64_t)llabs(hash);
}

/* The rows gathered under the last row's first `length` bytes go where those bytes go. `hash` is theirs without sign. */
static void put_run(struct prefix_runs *r, uint32_t length, uint64_t hash) {
    const struct plan_part *from = &r->before[length];
    const struct plan_part run = {r->total.rows - from->rows,           r->total.cells - from->cells,
                                  r->total.bytes - from->bytes,         r->total.rows_low - from->rows_low,
                                  r->total.rows_high - from->rows_high, r->total.rows_most - from->rows_most,
                                  r->total.rows_var - from->rows_var,   r->total.bytes_var - from->bytes_var};
    const struct block_sums blocks = block_spread_take(&r->blocks[length]);
    for (uint32_t i = 0; i < r->n_counts; i++) {
        struct plan_choice *c = &r->choices[length * r->n_counts + i];
        plan_part_add(&c->parts[hash % c->n], &run);
        plan_choice_add_blocks(c, (uint32_t)(hash % c->n), &blocks);
    }
    r->distinct[length]++;
    if (run.bytes > r->heaviest[length]) r->heaviest[length] = run.bytes;
    r->before[length] = r->total;
}

/* Runs that do not go on with a row that shares `common` bytes with the last one; the whole key's never does. */
static void put_runs(struct prefix_runs *r, struct bytes last, size_t common) {
    uint64_t whole = hash_of(last);
    put_run(r, 0, whole);
    for (uint32_t length = (uint32_t)common + 1; length < r->longest; length++)
        put_run(r, length, length >= last.n ? whole : hash_of(bytes_of(last.p, length)));
}

static void copy_parts(struct plan_choice *to, const struct plan_choice *from) {
    memcpy(to->parts, from->parts, from->n * sizeof *from->parts);
    to->rows_sq = from->rows_sq;
    to->bytes_sq = from->bytes_sq;
}

/* What is known of the whole key becomes what is known of `length` bytes. */
static void copy_whole(struct prefix_runs *r, uint32_t length) {
    for (uint32_t i = 0; i < r->n_counts; i++) copy_parts(&r->choices[length * r->n_counts + i], &r->choices[i]);
    r->distinct[length] = r->distinct[0];
    r->heaviest[length] = r->heaviest[0];
    r->before[length] = r->before[0];
    block_spread_copy(&r->blocks[length], &r->blocks[0]);
}

static void reach(struct prefix_runs *r, size_t key_bytes) {
    while (r->longest <= PLAN_PREFIX_MAX && r->longest < key_bytes) {
        if (r->longest) copy_whole(r, r->longest);
        r->longest++;
    }
}

void prefix_runs_add(struct prefix_runs *r, struct bytes last, const struct weighed_row *row) {
    const struct plan_part one = plan_part_of(row);
    reach(r, row->row.n); /* while the last row's run is open: it may go on at these lengths */
    if (last.p) put_runs(r, last, bytes_lcp(last, row->row));
    plan_part_add(&r->total, &one);
    block_spread_add(&r->blocks[0], row);
    for (uint32_t length = 1; row->n_pieces && length < r->longest; length++) block_spread_add(&r->blocks[length], row);
}

void prefix_runs_end(struct prefix_runs *r, struct bytes last) {
    if (last.p) put_runs(r, last, 0);
    reach(r, PLAN_PREFIX_MAX + 1);
    for (uint32_t i = 0; i <= PLAN_PREFIX_MAX; i++) block_spread_free(&r->blocks[i]);
}

void prefix_runs_free(struct prefix_runs *r) {
    for (uint32_t i = 0; r->choices && i < (PLAN_PREFIX_MAX + 1) * r->n_counts; i++) plan_choice_free(&r->choices[i]);
    for (uint32_t i = 0; i <= PLAN_PREFIX_MAX; i++) block_spread_free(&r->blocks[i]);
    free(r->choices);
}
