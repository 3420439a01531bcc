/* Finds what changed between two states of a table, column by column, as a delta for a server of HBase that has the first one.
 *
 *     first   second      written
 *     v@30    w@30        Put w@30: what is loaded later wins, and a marker of this time would hide it
 *             v@40        Put v@40
 *     v@30                Delete @30, or, if no older cell of the column stays, one DeleteColumn @30 for all
 *
 * Where readers see N versions, cells of the first state below N of the second are hidden, and get no marker. Where they would
 * come back they do, so the first state may hold all that the server has. If it lacks older ones that are hidden there, a column
 * that has lost a version and has room for others ends in a DeleteColumn below its oldest cell. */
#include "rules/changes.h"

#include "base/buf.h"
#include "base/plain.h"

#include <stdlib.h>
#include <string.h>

/* A column may be as long as it likes: what waits is one cell, and the timestamps of so many cells that are gone. */
enum { GONE_MAX = 1024, OUT_MAX = 2 * PART_MAX_CELLS + GONE_MAX + 2 };

struct changes {
    struct source base;
    struct source *inner;
    struct ledger *ledger;
    uint32_t versions; /* of a column that a reader sees */
    struct buf scratch;
    struct row_part in; /* being read, from `at` on */
    uint32_t at;
    bool has_in, in_row, row_started, ended;
    struct buf row, family; /* of what is written */
    /* the column; its qualifier is of the part, or copied when the part ends */
    struct bytes qualifier;
    struct buf column;
    uint64_t shown;          /* cells of the second state so far */
    bool in_column, removed; /* removed: a Delete was written */
    int64_t gone[GONE_MAX];  /* timestamps that only the first state has, older than all that the second has so far */
    uint32_t n_gone;
    struct tally gone_sum;
    /* cells of one key */
    bool in_group, has_first, has_second, same;
    int64_t ts;
    struct cell second; /* its bytes are of the part, or held */
    struct buf held;
    struct cell out[OUT_MAX];
    uint32_t n_out, given;
};

static struct row_part row_of(const struct changes *c) {
    return (struct row_part){.row = buf_bytes(&c->row), .family = buf_bytes(&c->family)};
}

static int digest(struct changes *c, const struct cell *cell, struct digest *d, struct err *err) {
    const struct row_part row = row_of(c);
    return digest_cell(&c->scratch, &row, cell, d, err);
}

static int drop(struct changes *c, const struct cell *cell, struct err *err) {
    struct digest d;
    if (digest(c, cell, &d, err)) return -1;
    ledger_drop(c->ledger, CAUSE_DUPLICATE, d);
    return 0;
}

static int put_marker(struct changes *c, uint8_t type, int64_t ts, struct err *err) {
    struct digest d;
    struct cell *m = &c->out[c->n_out++];
    *m = (struct cell){.qualifier = c->qualifier, .ts_ms = ts, .rank = rank_of(1, 0), .type = type};
    if (digest(c, m, &d, err)) return -1;
    tally_one(&c->ledger->made, d);
    return 0;
}

static void count_gone(struct changes *c, enum cause why) {
    tally_add(&c->ledger->dropped[cause_verdict(why)], c->gone_sum);
    tally_add(&c->ledger->by[why], c->gone_sum);
    c->gone_sum = (struct tally){0};
    c->n_gone = 0;
}

/* Older cells stay: each that is gone gets a marker of its own. */
static int delete_each(struct changes *c, struct err *err) {
    for (uint32_t i = 0; i < c->n_gone; i++)
        if (put_marker(c, CELL_DELETE, c->gone[i], err)) return -1;
    c->removed |= c->n_gone > 0;
    count_gone(c, CAUSE_BY_DELETE);
    return 0;
}

/* All cells of a key have been seen. */
static int end_group(struct changes *c, struct err *err) {
    if (!c->in_group) return 0;
    c->in_group = false;
    if (!c->has_second) {
        if (c->shown >= c->versions) {
            count_gone(c, CAUSE_VERSIONS);
            return 0;
        }
        c->gone[c->n_gone++] = c->ts;
        return c->n_gone == GONE_MAX ? delete_each(c, err) : 0;
    }
    if (delete_each(c, err)) return -1;
    c->shown++;
    if (c->same) return drop(c, &c->second, err);
    c->out[c->n_out++] = c->second;
    return 0;
}

static int end_column(struct changes *c, struct err *err) {
    if (!c->in_column) return 0;
    if (end_group(c, err)) return -1;
    c->in_column = false;
    if (c->n_gone) {
        if (put_marker(c, CELL_DELETE_COLUMN, c->gone[0], err)) return -1;
        count_gone(c, CAUSE_BY_DELETE_COLUMN);
    } else if (c->removed && c->ts > 0 && c->shown < c->versions) {
        return put_marker(c, CELL_DELETE_COLUMN, c->ts - 1, err);
    }
    return 0;
}

/* Tags but the TTL have no place in OceanBase, and say nothing of what a client sees. */
static bool same_cell(const struct cell *a, const struct cell *b) {
    int64_t x = 0, y = 0;
    const bool has_x = cell_ttl_ms(a->tags, &x), has_y = cell_ttl_ms(b->tags, &y);
    return bytes_eq(a->value, b->value) && has_x == has_y && x == y;
}

static int take_first(struct changes *c, const struct cell *cell, struct err *err) {
    struct digest d;
    const bool again = c->has_first;
    c->has_first = true;
    if (!again && c->has_second) c->same = same_cell(cell, &c->second);
    if (again || c->has_second) return drop(c, cell, err);
    if (digest(c, cell, &d, err)) return -1;
    tally_one(&c->gone_sum, d);
    return 0;
}

static int take_cell(struct changes *c, const struct cell *cell, struct err *err) {
    char shown[120];
    if (cell->type != CELL_PUT)
        return err_set(err, ERR_UNSUPPORTED,
                       "row '%s' has a delete marker (%s), and two whole states of a table have none; compact the dataset first",
                       plain_text(buf_bytes(&c->row), shown, sizeof shown), cell_type_name(cell->type));
    if (!c->in_column || !bytes_eq(c->qualifier, cell->qualifier)) {
        if (end_column(c, err)) return -1;
        c->in_column = true;
        c->removed = false;
        c->shown = 0;
        c->qualifier = cell->qualifier;
    }
    if (c->in_group && c->ts != cell->ts_ms && end_group(c, err)) return -1;
    if (!c->in_group) {
        c->in_group = true;
        c->has_first = c->has_second = c->same = false;
        c->ts = cell->ts_ms;
    }
    if (!rank_input(cell->rank)) return take_first(c, cell, err);
    if (c->has_second) return drop(c, cell, err);
    c->has_second = true;
    c->second = *cell;
    return 0;
}

/* ---- parts ---- */

/* Copies what is still needed of a part before it goes. */
static int carry(struct changes *c, struct err *err) {
    c->has_in = false;
    if (!c->in_column) return 0;
    if (c->qualifier.p != c->column.p || !c->column.n) {
        if (buf_copy(&c->column, c->qualifier, err)) return -1;
        c->qualifier = buf_bytes(&c->column);
    }
    struct cell *s = &c->second;
    if (!c->in_group || !c->has_second || (c->held.n && s->value.p == c->held.p)) return 0;
    buf_clear(&c->held);
    const size_t value = s->value.n, tags = s->tags.n;
    if (buf_put(&c->held, s->value.p, value, err) || buf_put(&c->held, s->tags.p, tags, err)) return -1;
    s->value = bytes_of(c->held.p, value);
    s->tags = bytes_of(c->held.p + value, tags);
    s->qualifier = c->qualifier;
    return 0;
}

static int begin_row(struct changes *c, struct err *err) {
    c->in_row = true;
    c->row_started = false;
    return buf_copy(&c->row, c->in.row, err) || buf_copy(&c->family, c->in.family, err) ? -1 : 0;
}

/* Works on until there is something to hand out: 1; 0 = there is nothing more. */
static int fill(struct changes *c, struct err *err) {
    c->n_out = c->given = 0;
    while (!c->n_out) {
        if (c->has_in && c->at == c->in.n_cells && carry(c, err)) return -1;
        if (!c->has_in && !c->ended) {
            const int more = source_next(c->inner, &c->in, err);
            if (more < 0) return -1;
            c->has_in = more;
            c->ended = !more;
            c->at = 0;
        }
        const bool other = c->ended || (!c->at && c->in.first);
        if (other && c->in_row) {
            c->in_row = false;
            if (end_column(c, err)) return -1;
            if (c->n_out) return 1; /* of the row before */
        }
        if (c->ended) return 0;
        if (other && begin_row(c, err)) return -1;
        for (; c->at < c->in.n_cells; c->at++)
            if (take_cell(c, &c->in.cells[c->at], err)) return -1;
    }
    return 1;
}

static int changes_next(struct source *base, struct row_part *part, struct err *err) {
    struct changes *c = (struct changes *)base;
    if (c->given == c->n_out) {
        const int more = fill(c, err);
        if (more != 1) return more;
    }
    const uint32_t left = c->n_out - c->given, n = left < PART_MAX_CELLS ? left : PART_MAX_CELLS;
    *part = row_of(c);
    part->cells = c->out + c->given;
    part->n_cells = n;
    part->first = !c->row_started;
    c->row_started = true;
    c->given += n;
    return 1;
}

static void changes_close(struct source *base) {
    struct changes *c = (struct changes *)base;
    source_close(c->inner);
    buf_free(&c->scratch);
    buf_free(&c->row);
    buf_free(&c->family);
    buf_free(&c->column);
    buf_free(&c->held);
    free(c);
}

static const struct source_ops changes_ops = {changes_next, changes_close};

struct source *changes_open(struct source *inner, uint32_t versions, struct ledger *ledger, struct err *err) {
    struct changes *c = malloc(sizeof *c);
    if (!c) {
        source_close(inner);
        err_nomem(err, sizeof *c, "changes");
        return NULL;
    }
    memset(c, 0, offsetof(struct changes, out));
    c->n_out = c->given = 0;
    c->base.ops = &changes_ops;
    c->inner = inner;
    c->ledger = ledger;
    c->versions = versions;
    return &c->base;
}
