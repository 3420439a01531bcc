/* The value of a cell in the first sorter: the weight (weighed_row.h), then for each field of the design that is a column
 *
 *   u8 0 = the part has no such cell, 1 | i64 timestamp | u64 rank | u8 + bytes family | u32 + bytes value */
#include "cmd/split/plan/row_join.h"

#include "base/bytes.h"
#include "base/stop.h"

#include <stdlib.h>

enum { ROWS_BETWEEN_LOOKS = 4096 };

/* ---- there ---- */

static int put_u64(struct buf *out, uint64_t v, struct err *err) {
    uint8_t p[8];
    put_be64(p, v);
    return buf_put(out, p, sizeof p, err);
}

static int put_field(struct buf *out, const struct row_part *part, const struct cell *c, struct err *err) {
    uint8_t n[4];
    if (buf_put_byte(out, c != NULL, err)) return -1;
    if (!c) return 0;
    put_be32(n, (uint32_t)c->value.n);
    return put_u64(out, (uint64_t)c->ts_ms, err) || put_u64(out, c->rank, err) ||
                   buf_put_byte(out, (uint8_t)part->family.n, err) || buf_put(out, part->family.p, part->family.n, err) ||
                   buf_put(out, n, sizeof n, err) || buf_put(out, c->value.p, c->value.n, err)
               ? -1
               : 0;
}

int row_join_put(struct sorter *rows, unsigned thread, const struct key_design *d, const struct row_part *part,
                 const struct row_weight *w, struct buf *value, struct err *err) {
    struct cell cell;
    buf_clear(value);
    if (buf_reserve(value, WEIGHED_VALUE_BYTES, err)) return -1;
    value->n = WEIGHED_VALUE_BYTES;
    for (uint32_t i = 0; i < d->n_fields; i++)
        if (d->fields[i].kind == DESIGN_COLUMN && put_field(value, part, key_design_cell(&d->fields[i], part), err)) return -1;
    row_weight_pack(w, &cell, value->p);
    cell.value = buf_bytes(value);
    const struct row_part out = {.row = part->row, .family = bytes_str("f"), .cells = &cell, .n_cells = 1, .first = true};
    return sorter_put(rows, thread, 0, &out, err);
}

/* ---- back ---- */

struct joined_field {
    bool any;
    int64_t ts_ms;
    uint64_t rank;
    struct buf family, value;
};

struct joining {
    struct row_join *j;
    struct joined_field fields[DESIGN_FIELDS_MAX];
};

/* The newest cell; of equally new ones that of the first family, then the one that is newer by where it stands. */
static bool is_newer(const struct joined_field *f, int64_t ts_ms, uint64_t rank, struct bytes family) {
    if (!f->any) return true;
    if (ts_ms != f->ts_ms) return ts_ms > f->ts_ms;
    int order = bytes_cmp(family, buf_bytes(&f->family));
    return order < 0 || (order == 0 && rank > f->rank);
}

static int take_field(struct joined_field *f, const uint8_t **at, struct err *err) {
    const uint8_t *p = *at;
    if (!*p++) return *at = p, 0;
    int64_t ts_ms = (int64_t)be64(p);
    uint64_t rank = be64(p + 8);
    struct bytes family = bytes_of(p + 17, p[16]);
    p += 17 + family.n;
    struct bytes value = bytes_of(p + 4, be32(p));
    *at = value.p + value.n;
    if (!is_newer(f, ts_ms, rank, family)) return 0;
    f->any = true;
    f->ts_ms = ts_ms;
    f->rank = rank;
    return buf_copy(&f->family, family, err) || buf_copy(&f->value, value, err) ? -1 : 0;
}

static int met(void *arg, const struct cell *cell, struct err *err) {
    struct joining *x = arg;
    const struct key_design *d = x->j->design;
    const uint8_t *at = cell->value.p + WEIGHED_VALUE_BYTES;
    for (uint32_t i = 0; i < d->n_fields; i++)
        if (d->fields[i].kind == DESIGN_COLUMN && take_field(&x->fields[i], &at, err)) return -1;
    return 0;
}

/* 1 = *key, 0 = there is none, -1. The fields are emptied. */
static int make_key(struct joining *x, const struct weighed_row *row, struct bytes *key, struct err *err) {
    struct bytes values[DESIGN_FIELDS_MAX] = {{0}};
    const struct bytes empty = {(const uint8_t *)"", 0};
    for (uint32_t i = 0; i < x->j->design->n_fields; i++) {
        struct joined_field *f = &x->fields[i];
        if (f->any) values[i] = f->value.n ? buf_bytes(&f->value) : empty;
        f->any = false;
    }
    const struct design_row r = {row->row, row->newest_ms, values};
    return key_design_of_row(x->j->design, x->j->run, &r, key, err);
}

static int put_pieces(struct row_join *j, const struct weighed_row *row, struct bytes key, struct err *err) {
    for (uint32_t i = 0; i < row->n_pieces; i++) {
        struct row_weight w = row->pieces[i];
        struct cell cell;
        uint8_t value[WEIGHED_VALUE_BYTES];
        w.bytes += w.cells * key.n - w.cells * row->row.n;
        w.rank = row->rank;
        w.newest_ms = row->newest_ms;
        row_weight_pack(&w, &cell, value);
        const struct row_part out = {.row = key, .family = bytes_str("f"), .cells = &cell, .n_cells = 1, .first = true};
        j->bytes += w.bytes;
        if (sorter_put(j->to, 0, 0, &out, err)) return -1;
    }
    return sorter_full(j->to) ? sorter_spill(j->to, err) : 0;
}

static int join_rows(struct joining *x, struct weighed_rows *rows, struct err *err) {
    struct weighed_row row;
    struct bytes key;
    uint64_t seen = 0;
    int rc;
    while ((rc = weighed_rows_next(rows, &row, err)) == 1) {
        int made = make_key(x, &row, &key, err);
        if (made < 0 || (made && put_pieces(x->j, &row, key, err))) return -1;
        if (!made) x->j->unfit(x->j->arg, &row);
        if (++seen % ROWS_BETWEEN_LOOKS == 0 && stop_check(x->j->stop, err)) return -1;
    }
    return rc;
}

int row_join_run(struct row_join *j, struct err *err) {
    struct joining *x = calloc(1, sizeof *x);
    if (!x) return err_nomem(err, sizeof *x, "keys made of cells");
    x->j = j;
    /* Blocks are kept apart: they tell what a sample may be off by. */
    struct weighed_rows rows = {.src = sorter_open(j->rows, 0, bytes_str("f"), err), .by_blocks = true, .met = met, .arg = x};
    int rc = rows.src ? join_rows(x, &rows, err) : -1;
    weighed_rows_free(&rows);
    source_close(rows.src);
    for (uint32_t i = 0; i < DESIGN_FIELDS_MAX; i++) {
        buf_free(&x->fields[i].family);
        buf_free(&x->fields[i].value);
    }
    free(x);
    return rc;
}
