/* Judges how good each choice is, and which one to take: figures first (evenness, size, where the newest writes go, what scans
 * ask), then penalties with a reason in words for each, and a ranked list. Pure functions of a plan's result. */
#include "cmd/split/plan/advice.h"

#include "cmd/common/spread/spread.h"

#include <math.h>
#include <stdio.h>
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

/* Returns the bytes of a partition when the table has grown. More rows spread more evenly by the hash of their keys: what a
 * partition has above the mean grows with the root of their number, unless a single row makes it. */
static double grown_bytes(const struct plan_choice *c, double bytes, double mean, double heaviest_row, double growth) {
    bool hashed = c->kind == PLAN_KEY && !c->prefix && growth > 1 && heaviest_row * 4 < mean;
    return hashed ? mean * growth + (bytes - mean) * sqrt(growth) : bytes * growth;
}

static void note_sizes(const struct plan_choice *c, const struct plan_result *r, const struct figures_opts *o,
                       struct plan_figures *f) {
    const double mean = (double)r->facts.bytes / c->n, row = r->top.n ? (double)r->top.rows[0].bytes : 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct plan_part *p = &c->parts[i];
        double bytes = grown_bytes(c, (double)p->bytes, mean, row, o->growth);
        f->over += bytes > (double)o->partition_limit;
        if (bytes <= f->largest) continue;
        const struct estimate e = estimate_of(&f->precision, p);
        f->largest = bytes;
        f->error = e.bytes_error / e.bytes;
        f->rows_error = e.rows > 0 ? e.rows_error / e.rows : 0;
    }
}

/* ---- rows one by one ---- */

static uint32_t place_row(const struct plan_choice *c, const struct sampled_row *r) {
    if (c->kind != PLAN_KEY || (c->prefix && c->prefix < r->n)) return plan_choice_place(c, sampled_row_key(r));
    return r->place_hash == INT64_MIN ? 0 : (uint32_t)(llabs(r->place_hash) % c->n);
}

/* The sample is ordered newest first. */
static int note_newest(const struct plan_choice *c, const struct row_sample *s, struct plan_figures *f, struct err *err) {
    uint64_t total = 0, taken = 0, most = 0, *of = calloc(c->n, sizeof *of);
    if (!of) return err_nomem(err, c->n * sizeof *of, "a plan's figures");
    for (uint32_t i = 0; i < s->n; i++) total += s->rows[i].cells;
    for (uint32_t i = 0; i < s->n && taken * NEWEST_PART < total; i++) {
        uint32_t at = place_row(c, &s->rows[i]);
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
    note_sizes(c, r, o, out);
    note_groups(c, &r->sample, o->group_bytes, out);
    return note_newest(c, &r->sample, out, err);
}

/* ---- groups of rows, number of partitions ---- */

enum { GROUP_ROWS = 2, GROUPS_LEAST = 100 };

/* Returns whether most rows hold one of these bytes at a position. */
static bool most_rows_have(const struct key_facts *f, unsigned position, const char *bytes, size_t n) {
    uint64_t rows = 0;
    for (size_t i = 0; i < n; i++) rows += f->values[position][(uint8_t)bytes[i]];
    return rows * 10 >= f->rows * 9;
}

/* A separator ends a field of the key. Between digits '-', ':' and '.' are inside of a date or a number. */
static bool ends_field(const struct key_facts *f, uint32_t n) {
    static const char always[] = "_|#/~@,; \t", inside[] = "-:.", digits[] = "0123456789";
    if (n >= KEY_POSITIONS) return false;
    if (most_rows_have(f, n - 1, always, sizeof always)) return true; /* with its NUL */
    if (n < 2 || !most_rows_have(f, n - 1, inside, sizeof inside - 1)) return false;
    return !most_rows_have(f, n - 2, digits, sizeof digits - 1) || !most_rows_have(f, n, digits, sizeof digits - 1);
}

uint32_t advice_type_bytes(const struct plan_result *r) {
    for (uint32_t n = 1; n <= PLAN_PREFIX_MAX; n++) {
        const uint64_t types = r->runs.distinct[n];
        if (types * GROUPS_LEAST > r->facts.rows || types >= GROUPS_LEAST) return 0;
        if (types > 1 && ends_field(&r->facts, n)) return n;
    }
    return 0;
}

uint32_t advice_group_bytes(const struct plan_result *r) {
    for (uint32_t n = KEY_POSITIONS - 1; n; n--) {
        uint64_t groups = r->runs.distinct[n];
        if (groups >= GROUPS_LEAST && groups * GROUP_ROWS <= r->facts.rows && ends_field(&r->facts, n)) return n;
    }
    return 0;
}

uint32_t advice_partitions(const uint32_t *counts, uint32_t n, double bytes, uint64_t limit, uint32_t nodes) {
    uint32_t best = 0, largest = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] > largest) largest = counts[i];
        bool fits = bytes / counts[i] <= (double)limit && counts[i] >= PLAN_PER_NODE * nodes;
        if (fits && (!best || counts[i] < best)) best = counts[i];
    }
    return best ? best : largest;
}

/* ---- reasons ---- */

static int add_penalty(struct candidate *c, double penalty, struct err *err, const char *text) {
    c->penalty += penalty;
    return buf_printf(&c->why, err, "%s%s", c->why.n ? "; " : "", text);
}

static int judge_evenness(struct candidate *c, struct err *err) {
    char text[120];
    const struct plan_figures *f = &c->figures;
    double skew = f->bytes.max_mean;
    if (skew > PLAN_EVEN) {
        snprintf(text, sizeof text, "the largest partition holds %.1f times the mean", skew);
        if (add_penalty(c, skew < 10 ? skew - 1 : 9, err, text)) return -1;
    } else if (add_penalty(c, skew > 1 ? skew - 1 : 0, err, skew > 1.2 ? "fairly even" : "even")) {
        return -1;
    }
    if (f->bytes.empty) {
        snprintf(text, sizeof text, "%u of %u partitions stay empty", f->bytes.empty, f->bytes.n);
        if (add_penalty(c, 4.0 * f->bytes.empty / f->bytes.n, err, text)) return -1;
    }
    if (!f->over) return 0;
    snprintf(text, sizeof text, "%u partition%s the limit", f->over, f->over == 1 ? " outgrows" : "s outgrow");
    return add_penalty(c, 2, err, text);
}

/* Equal timestamps are ordered by key, the last ones first: where keys count up, these are the newest. */
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
    return add_penalty(c, 3 * f->hot_share, err, text);
}

static int judge_scans(struct candidate *c, const struct advice_opts *o, struct err *err) {
    char text[120];
    double parts = c->figures.group_parts;
    if (o->access == ACCESS_RANGE) {
        if (c->choice->kind != PLAN_KEY) return 0;
        snprintf(text, sizeof text, "a scan of a range reads all %u partitions", c->choice->n);
        return add_penalty(c, 5, err, text);
    }
    if (o->access != ACCESS_PREFIX) return 0;
    if (parts > 2) {
        snprintf(text, sizeof text, "a scan of one %u-byte prefix reads %.0f partitions", o->group_bytes, parts);
        return add_penalty(c, 1, err, text);
    }
    snprintf(text, sizeof text, "rows with the same first %u bytes stay together", o->group_bytes);
    return add_penalty(c, 0, err, text);
}

/* Penalises a prefix that is as long as most keys, a common mistake: K_PREFIX counts bytes, and as many bytes as a key has are
 * the key. */
static int judge_prefix(struct candidate *c, const struct plan_result *r, struct err *err) {
    const struct plan_choice *p = c->choice;
    if (p->kind != PLAN_KEY || !p->prefix) return 0;
    uint64_t whole = 0;
    for (uint32_t i = 0; i <= KEY_POSITIONS && i <= p->prefix; i++) whole += r->facts.of_length[i];
    if (whole * 2 <= r->facts.rows) return 0;
    return add_penalty(c, 1, err, "most keys are no longer than that: the prefix is the whole key");
}

/* The guides: KEY(K) for Gets, KEY on a prefix for scans of that prefix, RANGE for other scans and last. OceanBase writes a
 * table with a generated column by ordinary inserts, even when direct load is asked for. */
static int judge_form(struct candidate *c, const struct advice_opts *o, struct err *err) {
    static const double presplit[PLAN_KINDS] = {0, 0, 0.1, 0.1, 0.1, 0.1};
    char text[120];
    const struct plan_choice *p = c->choice;
    if (o->wanted && p->room != o->wanted) c->penalty += 1;
    if (p->kind == PLAN_KEY && !p->prefix) return 0;
    if (p->kind == PLAN_KEY) {
        double off = o->access == ACCESS_PREFIX ? 0.02 * fabs((double)p->prefix - o->group_bytes) : 1 + 0.001 * p->prefix;
        return add_penalty(c, 0.01 + off, err, "no direct load, because of the generated column: " DIRECT_LOAD_LOST);
    }
    if (p->n < p->room) {
        snprintf(text, sizeof text, "only %u of %u: the keys have no further bounds that OceanBase takes", p->n, p->room);
        if (add_penalty(c, 0.1, err, text)) return -1;
    }
    if (p->has_nul && add_penalty(c, 0.1, err, "bounds have NUL bytes: keep table.sql, as SHOW CREATE TABLE prints others"))
        return -1;
    if (p->kind == PLAN_UNIFORM && add_penalty(c, 1, err, "OceanBase refuses its bounds: not valid UTF-8")) return -1;
    return add_penalty(c, (o->access == ACCESS_RANGE ? 0.1 : 3) + presplit[p->kind], err,
                       "bounds need maintenance as the data grows: partitions do not split by themselves");
}

/* ---- the list ---- */

static int by_penalty(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->listed != y->listed) return x->listed ? -1 : 1;
    if (x->penalty != y->penalty) return x->penalty < y->penalty ? -1 : 1;
    if (x->choice->kind != y->choice->kind) return x->choice->kind < y->choice->kind ? -1 : 1;
    if (x->choice->n != y->choice->n) return x->choice->n < y->choice->n ? -1 : 1;
    return x->choice->prefix < y->choice->prefix ? -1 : x->choice->prefix > y->choice->prefix;
}

/* Each kind with the wanted count, since other counts differ in little; of prefixes the one that names a group of rows. */
static bool is_listed(const struct plan_choice *p, const struct advice_opts *o) {
    bool scans = o->access == ACCESS_UNKNOWN || o->access == ACCESS_PREFIX;
    if (o->wanted && p->room != o->wanted) return false;
    return p->kind != PLAN_KEY || !p->prefix || (scans && p->prefix == o->group_bytes);
}

/* Bounds made for other keys: half of the partitions, or more, would never hold a row. */
static bool is_foreign(const struct candidate *c) {
    return c->choice->kind >= PLAN_HEX && 2 * c->figures.bytes.empty >= c->figures.bytes.n;
}

int advice_rank(struct candidate *list, uint32_t n, const struct plan_result *r, const struct advice_opts *o, struct err *err) {
    for (uint32_t i = 0; i < n; i++) {
        struct candidate *c = &list[i];
        c->listed = is_listed(c->choice, o) && !is_foreign(c);
        if (judge_evenness(c, err) || judge_writes(c, r, err) || judge_scans(c, o, err) || judge_prefix(c, r, err) ||
            judge_form(c, o, err) || buf_put_byte(&c->why, 0, err))
            return -1;
    }
    if (n) qsort(list, n, sizeof *list, by_penalty);
    return 0;
}
