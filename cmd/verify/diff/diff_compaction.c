/* Side A of a diff as a compaction would leave it: facts about whole files are noted while A is read, decided when all is
 * read, and the version rules run over its sorted rows. Relies on rules/. */

#include "cmd/verify/diff/diff_compaction.h"
#include "rules/compact.h"
#include "engine/input_facts.h"
#include "table/placement.h"

#include <stdlib.h>

/* Ranks of a diff number files, so that a cell leads to its file. What is decided by whole inputs is decided by groups, the
 * logical inputs of a compaction: of a dataset, all its files are one. */
struct diff_compacted {
    const struct diff_opts *o;
    const struct diff_side *side;
    uint32_t families, partitions, groups;
    uint32_t *group_of; /* by input */
    bool *is_store;     /* by group */
    struct input_facts *facts;
    struct store_decisions *stores;
};

static uint32_t partitions_of(const struct diff_opts *o) {
    return o->compaction && o->compaction->placement ? placement_count(o->compaction->placement) + 1 : 1;
}

static uint32_t groups_of(const struct diff_side *s) {
    return s->n_inputs ? s->inputs[s->n_inputs - 1].group + 1 : 0;
}

size_t diff_compacted_memory(const struct diff_opts *o, uint32_t families) {
    const struct diff_side *s = &o->sides[DIFF_A];
    return o->compaction ? input_facts_bytes(s->read.table, families * partitions_of(o), groups_of(s)) : 0;
}

static int fill_groups(struct diff_compacted *c, struct err *err) {
    c->group_of = calloc(c->side->n_inputs + 1, sizeof *c->group_of);
    c->is_store = calloc(c->groups + 1, sizeof *c->is_store);
    if (!c->group_of || !c->is_store) return err_nomem(err, c->side->n_inputs * sizeof *c->group_of, "file facts");
    for (uint32_t i = 0; i < c->side->n_inputs; i++) {
        c->group_of[i] = c->side->inputs[i].group;
        if (c->side->inputs[i].files) c->is_store[c->group_of[i]] = true;
    }
    return 0;
}

struct diff_compacted *diff_compacted_new(const struct diff_opts *o, uint32_t families, struct err *err) {
    if (!o->compaction) return NULL;
    struct diff_compacted *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, "file facts");
        return NULL;
    }
    c->o = o;
    c->side = &o->sides[DIFF_A];
    c->families = families;
    c->groups = groups_of(c->side);
    c->partitions = partitions_of(o);
    if (!fill_groups(c, err))
        c->facts = input_facts_new(c->side->read.table, families * c->partitions, c->groups, c->is_store, err);
    if (!err->code) return c;
    diff_compacted_free(c);
    return NULL;
}

void diff_compacted_free(struct diff_compacted *c) {
    if (!c) return;
    input_facts_free(c->facts);
    store_decisions_free(c->stores);
    free(c->group_of);
    free(c->is_store);
    free(c);
}

uint32_t diff_compacted_partitions(const struct diff_compacted *c) {
    return c && c->facts ? c->partitions : 1;
}

uint32_t diff_compacted_partition(const struct diff_compacted *c, struct bytes row) {
    uint32_t partition;
    if (diff_compacted_partitions(c) == 1) return 0;
    return placement_of(c->o->compaction->placement, row, &partition) == PLACE_OK ? partition : c->partitions - 1;
}

void diff_compacted_note(struct diff_compacted *c, uint32_t family, uint32_t partition, const struct row_part *part) {
    if (!c->facts) return;
    struct row_part one = *part;
    one.n_cells = 1;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct cell cell = part->cells[i];
        cell.rank = rank_of(c->group_of[rank_input(cell.rank)], cell.rank);
        one.cells = &cell;
        input_facts_note(c->facts, family * c->partitions + partition, &one);
    }
}

int diff_compacted_decide(struct diff_compacted *c, struct err *err) {
    struct store_decision_opts whole = {.stores = c->side->stores,
                                        .n = c->side->n_stores,
                                        .table = c->side->read.table,
                                        .newest = c->side->n_inputs - 1,
                                        .kind = c->o->compaction->kind,
                                        .now_ms = c->o->job->now_ms};
    if (!whole.n) return 0;
    c->stores = store_decisions_new(&whole, err);
    return c->stores ? 0 : -1;
}

/* expired: by input. */
static int64_t decide_inputs(const struct diff_compacted *c, uint32_t bucket, const struct rules_env *env, bool *expired,
                             struct err *err) {
    bool *by_group = calloc(c->groups + 1, sizeof *by_group);
    if (!by_group) {
        err_nomem(err, c->groups, "file facts");
        return INT64_MIN;
    }
    int64_t earliest = input_facts_decide(c->facts, bucket, env, by_group, err);
    for (uint32_t i = 0; i < c->side->n_inputs; i++) expired[i] = by_group[c->group_of[i]];
    free(by_group);
    return earliest;
}

/* A compacting source, with the flags it borrows. */
struct expiring {
    struct source base;
    struct source *inner;
    bool expired[];
};

static int expiring_next(struct source *base, struct row_part *part, struct err *err) {
    return source_next(((struct expiring *)base)->inner, part, err);
}

static void expiring_close(struct source *base) {
    source_close(((struct expiring *)base)->inner);
    free(base);
}

static const struct source_ops expiring_ops = {expiring_next, expiring_close};

struct source *diff_compacted_open(struct diff_compacted *c, uint32_t family, uint32_t partition, size_t row_bytes,
                                   struct source *src, struct ledger *ledger, struct err *err) {
    struct expiring *x = calloc(1, sizeof *x + c->side->n_inputs + 1);
    if (!x) {
        source_close(src);
        err_nomem(err, c->side->n_inputs, "file facts");
        return NULL;
    }
    struct compact_opts o = {.env = {.kind = c->o->compaction->kind,
                                     .family = c->side->read.table->families[family].rules,
                                     .now_ms = c->o->job->now_ms,
                                     .earliest_put_ms = INT64_MAX,
                                     .row_bytes = row_bytes,
                                     .stop = c->o->job->stop},
                             .stores = c->stores ? store_decisions_of(c->stores, family) : NULL,
                             .n_stores = c->stores ? c->side->n_stores : 0,
                             .ledger = ledger};
    if (c->facts) {
        struct rules_env hbase = o.env;
        hbase.family = *family_hbase_rules(&c->side->read.table->families[family]);
        o.env.earliest_put_ms = decide_inputs(c, family * c->partitions + partition, &hbase, x->expired, err);
        o.expired_inputs = x->expired;
        o.n_inputs = c->side->n_inputs;
    }
    x->base.ops = &expiring_ops;
    if (err->code)
        source_close(src);
    else
        x->inner = compact_open(src, &o, err);
    if (x->inner) return &x->base;
    free(x);
    return NULL;
}
