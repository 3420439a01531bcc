/* The figures of a plan, worked out once for all its forms: every choice of every design becomes a candidate, candidates are
 * judged and ranked (advice.c), and the first one is dealt out to nodes. */
#include "cmd/split/plan/plan_view.h"

#include <stdlib.h>

enum { PREFIXES_TOLD = 10 };

static uint32_t count_candidates(const struct plan_view *v) {
    return (PLAN_PREFIX_MAX + 1 + PLAN_KINDS - 1) * v->counts.n;
}

static int add_candidate(struct plan_design *d, const struct plan_choice *c, const struct figures_opts *o, struct err *err) {
    struct candidate *to = &d->list[d->n++];
    *to = (struct candidate){.choice = c};
    return plan_figures_make(c, &d->r, o, &to->figures, err);
}

/* A prefix beyond the longest key is the key. */
static int add_candidates(const struct plan_view *v, struct plan_design *d, const struct figures_opts *o, struct err *err) {
    for (uint32_t i = 0; i < v->counts.n; i++) {
        for (uint32_t length = 0; length <= PLAN_PREFIX_MAX && length <= d->r.facts.longest; length++)
            if (add_candidate(d, prefix_runs_choice(&d->r.runs, length, i), o, err)) return -1;
        if (add_candidate(d, &d->r.ranges[i].choice, o, err)) return -1;
    }
    for (uint32_t i = 0; i < d->r.n_presplits; i++)
        if (add_candidate(d, &d->r.presplits[i], o, err)) return -1;
    return 0;
}

static int make_nodes(const struct plan_view *v, struct plan_design *d, struct err *err) {
    const struct plan_choice *c = d->list[0].choice;
    const double scale = d->r.facts.bytes ? v->expected_bytes / (double)d->r.facts.bytes : 1;
    uint64_t *amounts = malloc(c->n * sizeof *amounts);
    if (!amounts) return err_nomem(err, c->n * sizeof *amounts, "the balance of nodes");
    for (uint32_t i = 0; i < c->n; i++) amounts[i] = (uint64_t)((double)c->parts[i].bytes * scale + 0.5);
    int rc = node_balance_make(amounts, c->n, (uint32_t)v->o->spread.nodes, &d->nodes, err);
    free(amounts);
    return rc;
}

int plan_view_judge(struct plan_view *v, struct plan_design *d, struct err *err) {
    const struct key_prefixes_opts top = {PREFIXES_TOLD, 0.005};
    double seen = (double)d->r.facts.bytes / (d->r.sampling.share > 0 ? d->r.sampling.share : 1);
    if (v->expected_bytes <= 0) v->expected_bytes = seen;
    d->group_bytes = v->access == ACCESS_PREFIX ? v->access_bytes : advice_group_bytes(&d->r);
    struct figures_opts f = {.growth = d->r.facts.bytes ? v->expected_bytes / (double)d->r.facts.bytes : 1,
                             .partition_limit = v->o->spread.max_partition,
                             .nodes = (uint32_t)v->o->spread.nodes,
                             .group_bytes = d->group_bytes};
    v->wanted = advice_partitions(v->counts.list, v->counts.asked, v->expected_bytes, f.partition_limit, f.nodes);
    d->list = calloc(count_candidates(v), sizeof *d->list);
    if (!d->list) return err_nomem(err, count_candidates(v) * sizeof *d->list, "a plan");
    const struct advice_opts a = {v->access, d->group_bytes, v->wanted};
    if (add_candidates(v, d, &f, err) || advice_rank(d->list, d->n, &d->r, &a, err)) return -1;
    while (d->listed < d->n && d->list[d->listed].listed) d->listed++;
    heat_map_make(&d->r.cells, &d->r.cuts, &d->heat);
    return make_nodes(v, d, err) || key_prefixes_make(&d->r.cuts, &top, &d->prefixes, err) ? -1 : 0;
}

void plan_view_free(struct plan_view *v) {
    for (uint32_t i = 0; i < v->n_designs; i++) {
        struct plan_design *d = &v->designs[i];
        for (uint32_t k = 0; k < d->n; k++) buf_free(&d->list[k].why);
        free(d->list);
        key_prefixes_free(&d->prefixes);
        node_balance_free(&d->nodes);
        plan_result_free(&d->r, v->counts.n);
    }
    free(v->designs);
    buf_free(&v->review);
    buf_free(&v->notes);
    buf_free(&v->access_doubt);
    buf_free(&v->refused);
    json_decref(v->shown.next);
    json_decref(v->shown.present);
}

const struct candidate *plan_view_find(const struct plan_design *d, enum plan_kind kind, uint32_t prefix, uint32_t n) {
    for (uint32_t i = 0; i < d->n; i++) {
        const struct plan_choice *c = d->list[i].choice;
        if (c->kind == kind && c->prefix == prefix && c->room == n) return &d->list[i];
    }
    return NULL;
}

int plan_choice_describe(const struct plan_choice *c, struct buf *out, struct err *err) {
    static const char *const names[PLAN_KINDS] = {"KEY(K)",       "RANGE",           "HexStringSplit", "DecimalStringSplit",
                                                  "UniformSplit", "numbers in front"};
    if (c->kind == PLAN_KEY && c->prefix) return buf_printf(out, err, "KEY(substring(K,1,%u)) PARTITIONS %u", c->prefix, c->n);
    if (c->kind == PLAN_KEY) return buf_printf(out, err, "KEY(K) PARTITIONS %u", c->n);
    return buf_printf(out, err, "%s, %u partition%s", names[c->kind], c->n, c->n == 1 ? "" : "s");
}

struct bytes plan_take_line(struct bytes *rest) {
    const uint8_t *end = memchr(rest->p, '\n', rest->n);
    const struct bytes line = bytes_of(rest->p, end ? (size_t)(end - rest->p) : rest->n);
    const size_t taken = line.n + (end != NULL);
    *rest = bytes_of(rest->p + taken, rest->n - taken);
    return line;
}
