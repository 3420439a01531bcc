#include "cmd/split/plan/figures.h"

#include "cmd/common/spread/node_balance.h"

#include <stdlib.h>

enum { NEWEST_PART = 100, ROWS_TO_TELL = 1000 };

/* ---- evenness ---- */

static int make_spreads(const struct plan_choice *c, const struct figures_opts *o, struct plan_figures *f, struct err *err) {
    uint64_t *amounts = malloc((c->n + 1) * sizeof *amounts);
    struct node_balance nodes = {0};
    if (!amounts) return err_nomem(err, c->n * sizeof *amounts, "a plan's figures");
    for (uint32_t i = 0; i < c->n; i++) amounts[i] = (uint64_t)(estimate_of(&f->precision, &c->parts[i]).rows + 0.5);
    int rc = spread_make(amounts, c->n, &f->rows, err);
    for (uint32_t i = 0; i < c->n; i++) amounts[i] = c->parts[i].bytes;
    if (!rc) rc = spread_make(amounts, c->n, &f->bytes, err);
    if (!rc) rc = node_balance_make(amounts, c->n, o->nodes, &nodes, err);
    f->nodes_max = nodes.round_robin_max_mean;
    node_balance_free(&nodes);
    free(amounts);
    return rc;
}

static void note_sizes(const struct plan_choice *c, const struct figures_opts *o, struct plan_figures *f) {
    for (uint32_t i = 0; i < c->n; i++) {
        const struct plan_part *p = &c->parts[i];
        double bytes = (double)p->bytes * o->growth;
        f->over += bytes > (double)o->partition_limit;
        if (bytes <= f->largest) continue;
        const struct estimate e = estimate_of(&f->precision, p);
        f->largest = bytes;
        f->error = e.bytes_error / e.bytes;
        f->rows_error = e.rows > 0 ? e.rows_error / e.rows : 0;
    }
}

/* ---- rows one by one ---- */

static uint32_t place(const struct plan_choice *c, const struct sampled_row *r) {
    if (c->kind != PLAN_KEY || (c->prefix && c->prefix < r->n)) return plan_choice_place(c, sampled_row_key(r));
    return r->place_hash == INT64_MIN ? 0 : (uint32_t)(llabs(r->place_hash) % c->n);
}

/* The sample stands newest first. */
static int note_newest(const struct plan_choice *c, const struct row_sample *s, struct plan_figures *f, struct err *err) {
    uint64_t total = 0, taken = 0, most = 0, *of = calloc(c->n, sizeof *of);
    if (!of) return err_nomem(err, c->n * sizeof *of, "a plan's figures");
    for (uint32_t i = 0; i < s->n; i++) total += s->rows[i].cells;
    for (uint32_t i = 0; i < s->n && taken * NEWEST_PART < total; i++) {
        uint32_t at = place(c, &s->rows[i]);
        f->time_parts += !of[at];
        of[at] += s->rows[i].cells;
        taken += s->rows[i].cells;
        if (of[at] > most) most = of[at];
    }
    f->newest_known = s->n >= ROWS_TO_TELL && s->rows[0].newest_ms != s->rows[s->n - 1].newest_ms;
    f->hot_share = taken ? (double)most / (double)taken : 0;
    free(of);
    return 0;
}

/* Partitions from the one of the first possible row of a group to the one of the last. */
static double range_parts(const struct plan_choice *c, struct bytes group) {
    uint8_t end[ROW_SAMPLE_KEY_BYTES + 1];
    memcpy(end, group.p, group.n);
    size_t n = group.n;
    uint32_t from = plan_choice_place(c, group);
    while (n && end[n - 1] == 0xff) n--;
    if (!n) return c->n - from;
    end[n - 1]++;
    uint32_t to = plan_choice_place(c, bytes_of(end, n));
    bool begins_there = to && bytes_eq(buf_bytes(&c->bounds[to - 1]), bytes_of(end, n));
    return to - from + 1 - begins_there;
}

static void note_groups(const struct plan_choice *c, const struct row_sample *s, uint32_t group, struct plan_figures *f) {
    if (c->kind == PLAN_KEY) {
        f->group_parts = c->prefix && c->prefix <= group ? 1 : c->n;
        return;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        struct bytes key = sampled_row_key(&s->rows[i]);
        f->group_parts += range_parts(c, bytes_of(key.p, key.n < group ? key.n : group));
    }
    if (s->n) f->group_parts /= s->n;
}

int plan_figures_make(const struct plan_choice *c, const struct plan_result *r, const struct figures_opts *o,
                      struct plan_figures *out, struct err *err) {
    *out = (struct plan_figures){.precision = precision_of(c, r->sampling.share, r->sampling.n_blocks)};
    if (make_spreads(c, o, out, err)) return -1;
    note_sizes(c, o, out);
    note_groups(c, &r->sample, o->group_bytes, out);
    return note_newest(c, &r->sample, out, err);
}
