/* The filter of a compaction: every cell of the inner source is judged by the version rules (rules.h), those it drops are added
 * to the ledger by cause and digest. Rows that no rule can touch pass as they are, without a copy.
 *
 * Several compactions one after the other are one pass: each has its own state, and sees the cells that come in its turn and
 * those that the turns before it have kept, in their one order.
 *
 *     cells of input 0 --> turn 0 --kept--> turn 1 --kept--> turn 2 --kept--> out
 *     cells of input 1 -------------------> turn 1 --kept--> turn 2 --kept--> out
 *     cells of input 2 ------------------------------------> turn 2 --kept--> out */
#include "rules/compact.h"

#include "base/buf.h"

#include <stdlib.h>

struct turn {
    struct rules *rules;
    struct rules *hbase; /* what the result is compared with; NULL = nothing */
    bool idle;           /* no cell of this row comes in it: it would keep what the turns before it have kept */
};

struct compact {
    struct source base;
    struct source *inner;
    struct compact_opts o;
    struct turn *turns;
    uint32_t n_turns;
    struct buf scratch;
    bool row_started; /* a cell of this row has been handed out */
    bool forgets;     /* old sequence ids */
    uint64_t old_seq; /* in this row */
    struct cell kept[PART_MAX_CELLS];
};

static bool of_expired_file(const struct compact *c, const struct cell *cell) {
    uint32_t input = rank_input(cell->rank);
    if (c->o.expired_inputs && input < c->o.n_inputs && c->o.expired_inputs[input]) return true;
    return c->o.n_stores && region_facts_expired(c->o.stores, c->o.n_stores, cell->rank);
}

static uint32_t turn_of(const struct compact *c, const struct cell *cell) {
    uint32_t input = rank_input(cell->rank);
    return c->n_turns > 1 && input < c->o.turns->n_inputs ? c->o.turns->of_input[input] : 0;
}

/* The last turn judges every cell: its clock is the latest. */
static int judge_in_turn(struct compact *c, bool by_hbase, const struct row_part *part, const struct cell *cell, enum cause *why,
                         struct err *err) {
    *why = CAUSE_KEPT;
    for (uint32_t i = turn_of(c, cell); i < c->n_turns && *why == CAUSE_KEPT; i++) {
        struct turn *t = &c->turns[i];
        if (!t->idle && rules_judge_of(by_hbase ? t->hbase : t->rules, part, cell, why, err)) return -1;
    }
    return 0;
}

/* Compares what HBase makes of a cell with what OceanBase does, and notes where one keeps it and the other does not. */
static int compare_with_hbase(struct compact *c, const struct row_part *part, const struct cell *cell, enum cause ours,
                              struct digest d, struct err *err) {
    enum cause theirs = CAUSE_TABLE_TTL;
    if (!of_expired_file(c, cell) && judge_in_turn(c, true, part, cell, &theirs, err)) return -1;
    if ((ours == CAUSE_KEPT) == (theirs == CAUSE_KEPT)) return 0;
    if (ours == CAUSE_KEPT && digest_cell(&c->scratch, part, cell, &d, err)) return -1;
    rule_diff_note(c->o.diff, ours == CAUSE_KEPT ? RULE_OCEANBASE : RULE_HBASE, ours == CAUSE_KEPT ? theirs : ours, d, c->o.place,
                   part, cell);
    return 0;
}

/* A cell that is dropped enters the ledger. Whole expired files are HBase's: in OceanBase each cell expires for itself, at the
 * same moment. */
static int judge_cell(struct compact *c, const struct row_part *part, const struct cell *cell, enum cause *why, struct err *err) {
    struct digest d = {0};
    bool by_file = !compaction_is_oceanbase(c->o.env.kind) && of_expired_file(c, cell);
    *why = CAUSE_TABLE_TTL;
    if (!by_file && judge_in_turn(c, false, part, cell, why, err)) return -1;
    if (*why != CAUSE_KEPT) {
        if (digest_cell(&c->scratch, part, cell, &d, err)) return -1;
        ledger_drop(c->o.ledger, *why, d);
    }
    return c->o.diff ? compare_with_hbase(c, part, cell, *why, d, err) : 0;
}

static void forget_seq(struct compact *c, struct cell *cell) {
    cell->seq = 0;
    ++*c->o.zeroed;
}

/* Neighbours in order: one write, read from input 0 and from another one. */
static bool is_repeated(const struct cell *a, const struct cell *b) {
    const uint32_t x = rank_input(a->rank), y = rank_input(b->rank);
    return a->seq && a->seq == b->seq && x != y && (!x || !y) && !cell_key_cmp(a, b);
}

/* No rule can touch this row: its cells need not be judged. */
static bool leaves_row(const struct compact *c, const struct row_part *part) {
    const struct turn *last = &c->turns[c->n_turns - 1];
    return part->first && part->ends && !c->o.expired_inputs && !c->o.n_stores &&
           rules_leave_row(last->rules, part->cells, part->n_cells) &&
           (!last->hbase || rules_leave_row(last->hbase, part->cells, part->n_cells));
}

/* Cells stay in place as long as none of them changes; from the first changed one on they are copied. */
static int filter_part(struct compact *c, const struct row_part *part, const struct cell **cells, uint32_t *kept,
                       struct err *err) {
    uint32_t n = 0;
    bool all = leaves_row(c, part);
    *cells = part->cells;
    if (all && !c->old_seq && !c->o.next_drop_ms) {
        *kept = part->n_cells;
        return 0;
    }
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *cell = &part->cells[i];
        enum cause why = CAUSE_KEPT;
        if (c->o.repeats && i) *c->o.repeats += is_repeated(cell - 1, cell);
        if (!all && judge_cell(c, part, cell, &why, err)) return -1;
        bool forgotten = cell->seq && cell->seq <= c->old_seq;
        if (*cells != c->kept && (why != CAUSE_KEPT || forgotten)) *cells = memcpy(c->kept, part->cells, i * sizeof *cell);
        if (why != CAUSE_KEPT) continue;
        if (c->o.next_drop_ms && next_expiry_may(&c->o.env.family, cell))
            next_expiry_note(&c->o.env.family, c->o.env.now_ms, cell, c->o.next_drop_ms);
        if (*cells == c->kept) c->kept[n] = *cell;
        if (forgotten) forget_seq(c, &c->kept[n]);
        n++;
    }
    *kept = n;
    return 0;
}

static void look_up_region(struct compact *c, struct bytes row) {
    int64_t ms = region_facts_earliest_put(c->o.stores, c->o.n_stores, row, c->o.env.earliest_put_ms);
    for (uint32_t i = 0; i < c->n_turns; i++) rules_set_earliest_put(c->o.diff ? c->turns[i].hbase : c->turns[i].rules, ms);
    if (c->forgets) c->old_seq = region_facts_old_seq(c->o.stores, c->o.n_stores, row, c->o.old_seq);
}

/* Begins a row. Which turns have cells of it is known where it comes as a whole. */
static void begin_row(struct compact *c, const struct row_part *part) {
    for (uint32_t i = 0; i < c->n_turns; i++) {
        struct turn *t = &c->turns[i];
        rules_begin_row(t->rules);
        if (t->hbase) rules_begin_row(t->hbase);
        t->idle = part->ends && i + 1 < c->n_turns;
    }
    for (uint32_t i = 0; part->ends && c->n_turns > 1 && i < part->n_cells; i++)
        c->turns[turn_of(c, &part->cells[i])].idle = false;
    if (c->o.n_stores) look_up_region(c, part->row);
}

static int compact_next(struct source *base, struct row_part *part, struct err *err) {
    struct compact *c = (struct compact *)base;
    for (;;) {
        struct row_part in;
        int more = source_next(c->inner, &in, err);
        if (more != 1) return more;
        if (in.first) begin_row(c, &in);
        const struct cell *cells;
        uint32_t n;
        if (filter_part(c, &in, &cells, &n, err)) return -1;
        if (filtered_part(&in, cells, n, &c->row_started, part)) return 1;
    }
}

static void compact_close(struct source *base) {
    struct compact *c = (struct compact *)base;
    source_close(c->inner);
    for (uint32_t i = 0; c->turns && i < c->n_turns; i++) {
        rules_free(c->turns[i].rules);
        rules_free(c->turns[i].hbase);
    }
    free(c->turns);
    buf_free(&c->scratch);
    free(c);
}

/* A row's delete markers are held once for each turn. */
static int open_turns(struct compact *c, struct err *err) {
    const struct compact_opts *o = &c->o;
    struct rules_env env = o->env;
    c->n_turns = o->turns ? o->turns->n : 1;
    c->turns = calloc(c->n_turns, sizeof *c->turns);
    if (!c->turns) return err_nomem(err, c->n_turns * sizeof *c->turns, "compaction");
    env.row_bytes /= c->n_turns;
    struct rules_env theirs = env;
    theirs.kind = COMPACTION_MAJOR;
    if (o->diff) theirs.family = *o->hbase_rules;
    for (uint32_t i = 0; i < c->n_turns; i++) {
        struct turn *t = &c->turns[i];
        if (o->turns) env.now_ms = theirs.now_ms = o->turns->now_ms[i];
        if (!(t->rules = rules_new(&env, err)) || (o->diff && !(t->hbase = rules_new(&theirs, err)))) return -1;
    }
    return 0;
}

static const struct source_ops compact_ops = {compact_next, compact_close};

struct source *compact_open(struct source *inner, const struct compact_opts *o, struct err *err) {
    struct compact *c = malloc(sizeof *c);
    if (!c) {
        source_close(inner);
        err_nomem(err, sizeof *c, "compaction");
        return NULL;
    }
    memset(c, 0, offsetof(struct compact, kept));
    c->base.ops = &compact_ops;
    c->inner = inner;
    c->o = *o;
    c->forgets = o->zeroed && o->env.kind == COMPACTION_MAJOR && !o->env.family.new_version_behavior;
    c->old_seq = c->forgets ? o->old_seq : 0;
    if (!open_turns(c, err)) return &c->base;
    compact_close(&c->base);
    return NULL;
}

/* ---- what a filter hands out ---- */

bool filtered_part(const struct row_part *in, const struct cell *kept, uint32_t n, bool *row_started, struct row_part *out) {
    if (in->first) *row_started = false;
    if (!n) return false;
    *out = *in;
    out->cells = kept;
    out->n_cells = n;
    out->first = !*row_started;
    if (n != in->n_cells) out->shape = 0;
    *row_started = true;
    return true;
}

/* ---- the next expiry ---- */

/* A kept cell goes once now - from > after. */
static void note_moment(int64_t now_ms, int64_t from, int64_t after, int64_t *next) {
    int64_t at;
    if (__builtin_add_overflow(from, after, &at) || at == INT64_MAX || ++at <= now_ms) return;
    if (at < *next) *next = at;
}

void next_expiry_note(const struct family_rules *f, int64_t now_ms, const struct cell *c, int64_t *at) {
    int64_t tag_ms;
    if (f->ttl_s > 0 && f->ttl_s != INT32_MAX && f->ttl_s < INT64_MAX / 1000) note_moment(now_ms, c->ts_ms, f->ttl_s * 1000, at);
    if (c->tags.n && cell_ttl_ms(c->tags, &tag_ms)) note_moment(now_ms, c->ts_ms, tag_ms, at);
    if (cell_is_delete(c->type) && f->purge_deletes_after_ms > 0) note_moment(now_ms, c->ts_ms, f->purge_deletes_after_ms, at);
}

struct next_expiry {
    struct source base;
    struct source *inner;
    struct family_rules family;
    int64_t now_ms, *at;
};

static int drop_next(struct source *base, struct row_part *part, struct err *err) {
    struct next_expiry *n = (struct next_expiry *)base;
    int more = source_next(n->inner, part, err);
    for (uint32_t i = 0; more == 1 && i < part->n_cells; i++) next_expiry_note(&n->family, n->now_ms, &part->cells[i], n->at);
    return more;
}

static void drop_close(struct source *base) {
    struct next_expiry *n = (struct next_expiry *)base;
    source_close(n->inner);
    free(n);
}

static const struct source_ops drop_ops = {drop_next, drop_close};

struct source *next_expiry_open(struct source *inner, const struct family_rules *family, int64_t now_ms, int64_t *at,
                                struct err *err) {
    struct next_expiry *n = malloc(sizeof *n);
    if (!n) {
        source_close(inner);
        err_nomem(err, sizeof *n, "moments of expiry");
        return NULL;
    }
    *n = (struct next_expiry){{&drop_ops}, inner, *family, now_ms, at};
    return &n->base;
}
