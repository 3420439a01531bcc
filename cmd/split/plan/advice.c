#include "cmd/split/plan/advice.h"

#include <stdio.h>
#include <stdlib.h>

enum { GROUP_ROWS = 2, GROUPS_LEAST = 100, PER_NODE = 4 };

uint32_t advice_group_bytes(const struct plan_result *r) {
    uint64_t rows = r->facts.rows;
    for (uint32_t n = PLAN_PREFIX_MAX; n; n--) { /* the longest one with groups, where the next byte begins to tell rows apart */
        uint64_t groups = r->runs.distinct[n];
        if (groups >= GROUPS_LEAST && groups * GROUP_ROWS <= rows && n < r->facts.longest) {
            while (n > 1 && r->runs.distinct[n - 1] == groups) n--;
            return n;
        }
    }
    return 0;
}

uint32_t advice_partitions(const uint32_t *counts, uint32_t n, double expected_bytes, uint64_t limit, uint32_t nodes) {
    uint32_t best = 0, largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] > largest) largest = counts[i];
        bool fits = expected_bytes / counts[i] <= (double)limit / 2 && counts[i] >= PER_NODE * nodes;
        if (fits && (!best || counts[i] < best)) best = counts[i];
    }
    return best ? best : largest;
}

/* ---- reasons ---- */

static int add(struct candidate *c, double penalty, struct err *err, const char *text) {
    c->penalty += penalty;
    return buf_printf(&c->why, err, "%s%s", c->why.n ? "; " : "", text);
}

static int judge_evenness(struct candidate *c, struct err *err) {
    char text[120];
    const struct plan_figures *f = &c->figures;
    double skew = f->bytes.max_mean;
    if (skew > 1.5) {
        snprintf(text, sizeof text, "the largest partition holds %.1f times the mean", skew);
        if (add(c, skew < 10 ? skew - 1 : 9, err, text)) return -1;
    } else if (add(c, skew > 1 ? skew - 1 : 0, err, skew > 1.2 ? "fairly even" : "even")) {
        return -1;
    }
    if (f->bytes.empty) {
        snprintf(text, sizeof text, "%u of %u partitions stay empty", f->bytes.empty, f->bytes.n);
        if (add(c, 4.0 * f->bytes.empty / f->bytes.n, err, text)) return -1;
    }
    if (!f->over) return 0;
    snprintf(text, sizeof text, "%u partition%s outgrow the limit", f->over, f->over == 1 ? "" : "s");
    return add(c, 2, err, text);
}

/* Of equal timestamps the sample stands by key, the last ones first: where keys count up, these are the newest. */
static int judge_writes(struct candidate *c, const struct plan_result *r, struct err *err) {
    char text[120];
    const struct plan_figures *f = &c->figures;
    double even = 1.0 / c->choice->n;
    if (!f->newest_known && r->facts.successors * 2 <= r->facts.rows) return 0;
    if (f->hot_share < 0.2 || f->hot_share < 4 * even) return 0;
    snprintf(text, sizeof text,
             f->newest_known ? "%.0f %% of the newest writes go to one partition"
                             : "keys count up: %.0f %% of the last ones go to one partition",
             100 * f->hot_share);
    return add(c, 3 * f->hot_share, err, text);
}

static int judge_scans(struct candidate *c, const struct advice_opts *o, struct err *err) {
    char text[120];
    if (!o->group_bytes) return 0;
    double parts = c->figures.group_parts;
    if (parts > 2) {
        snprintf(text, sizeof text, "a scan of one %u-byte prefix asks %.0f partitions", o->group_bytes, parts);
        return add(c, 0.5, err, text);
    }
    snprintf(text, sizeof text, "rows with the same first %u bytes stay together", o->group_bytes);
    return add(c, 0, err, text);
}

/* What people write by mistake: K_PREFIX counts bytes, and as many bytes as a key has are the key. */
static int judge_prefix(struct candidate *c, const struct plan_result *r, struct err *err) {
    const struct plan_choice *p = c->choice;
    if (p->kind != PLAN_KEY || !p->prefix) return 0;
    uint64_t whole = 0;
    for (uint32_t i = 0; i <= KEY_POSITIONS && i <= p->prefix; i++) whole += r->facts.of_length[i];
    if (whole * 2 <= r->facts.rows) return 0;
    return add(c, 1, err, "most keys are no longer than that: the prefix is the whole key");
}

static int judge_form(struct candidate *c, const struct advice_opts *o, struct err *err) {
    static const double form[PLAN_KINDS] = {0.02, 0.1, 0.3, 0.3, 0.3, 0.3}; /* RANGE has to be looked after when data grows */
    if (c->choice->kind == PLAN_UNIFORM && add(c, 1, err, "OceanBase refuses its bounds: not valid UTF-8")) return -1;
    if (o->wanted && c->choice->n != o->wanted) c->penalty += 0.15;
    if (c->choice->kind == PLAN_KEY && c->choice->prefix) c->penalty += 0.01 + 0.001 * c->choice->prefix;
    c->penalty += form[c->choice->kind];
    return 0;
}

static int by_penalty(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->penalty != y->penalty) return x->penalty < y->penalty ? -1 : 1;
    if (x->choice->kind != y->choice->kind) return x->choice->kind < y->choice->kind ? -1 : 1;
    if (x->choice->n != y->choice->n) return x->choice->n < y->choice->n ? -1 : 1;
    return x->choice->prefix < y->choice->prefix ? -1 : x->choice->prefix > y->choice->prefix;
}

int advice_rank(struct candidate *list, uint32_t n, const struct plan_result *r, const struct advice_opts *o, struct err *err) {
    for (uint32_t i = 0; i < n; i++) {
        struct candidate *c = &list[i];
        if (judge_evenness(c, err) || judge_writes(c, r, err) || judge_scans(c, o, err) || judge_prefix(c, r, err) ||
            judge_form(c, o, err) || buf_put_byte(&c->why, 0, err))
            return -1;
    }
    if (n) qsort(list, n, sizeof *list, by_penalty);
    return 0;
}
