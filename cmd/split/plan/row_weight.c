/* Rows with what they weigh. Each time a row is met, its weight goes into a sorter as one cell; the sorter gives the cells of
 * a row back together, and they are added up. Where keys are made of cells of whole rows, rows are joined by their own key
 * first:
 *
 *   parts --row_join_put--> sorter by own key --add up, newest cell of each column--> new key --> sorter by new key --> rows
 *
 * The value of a joined cell is the weight, then for each field of the design that is a column: u8 0 = the part has no such
 * cell, or u8 1, i64 timestamp, u64 rank, u8 + bytes family, u32 + bytes value. */
#include "cmd/split/plan/row_weight.h"

#include "base/bytes.h"
#include "base/stop.h"
#include "cell/keyvalue.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"

#include <stdlib.h>

struct row_weight row_weight_of(const struct row_part *part, uint64_t block) {
    struct row_weight w = {.cells = part->n_cells, .rank = UINT64_MAX, .block = block};
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        w.bytes += kv_size(part, c, c->tags.n > 0);
        if (c->ts_ms > w.newest_ms) w.newest_ms = c->ts_ms;
        if (c->rank < w.rank) w.rank = c->rank;
    }
    return w;
}

/* Cells of a row are sorted newest first: so its blocks come in ascending order. */
void row_weight_pack(const struct row_weight *w, struct cell *cell, uint8_t *value) {
    put_be64(value, w->bytes);
    put_be64(value + 8, w->cells);
    put_be64(value + 16, (uint64_t)w->newest_ms);
    value[24] = w->edge;
    *cell = (struct cell){.qualifier = {(const uint8_t *)"", 0},
                          .value = {value, WEIGHED_VALUE_BYTES},
                          .ts_ms = INT64_MAX - 1 - (int64_t)w->block,
                          .rank = w->rank,
                          .type = CELL_PUT};
}

static struct row_weight unpack(const struct cell *c) {
    return (struct row_weight){.bytes = be64(c->value.p),
                               .cells = be64(c->value.p + 8),
                               .newest_ms = (int64_t)be64(c->value.p + 16),
                               .rank = c->rank,
                               .edge = c->value.p[24],
                               .block = (uint64_t)(INT64_MAX - 1 - c->ts_ms)};
}

static int add_piece(struct weighed_rows *w, const struct row_weight *x, struct err *err) {
    struct row_weight *last = w->pieces.n ? (struct row_weight *)(w->pieces.p + w->pieces.n) - 1 : NULL;
    if (!last || last->block != x->block) return buf_put(&w->pieces, x, sizeof *x, err);
    last->bytes += x->bytes;
    last->cells += x->cells;
    last->edge |= x->edge;
    return 0;
}

static int add_part(struct weighed_rows *w, const struct row_part *part, struct weighed_row *out, struct err *err) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct row_weight x = unpack(&part->cells[i]);
        out->bytes += x.bytes;
        out->cells += x.cells;
        if (x.newest_ms > out->newest_ms) out->newest_ms = x.newest_ms;
        if (x.rank < out->rank) out->rank = x.rank;
        if (w->by_blocks && add_piece(w, &x, err)) return -1;
        if (w->met && w->met(w->arg, &part->cells[i], err)) return -1;
    }
    return 0;
}

int weighed_rows_next(struct weighed_rows *w, struct weighed_row *out, struct err *err) {
    if (!w->has_ahead) {
        int rc = source_next(w->src, &w->ahead, err);
        if (rc != 1) return rc;
    }
    if (buf_copy(&w->row, w->ahead.row, err)) return -1;
    buf_clear(&w->pieces);
    *out = (struct weighed_row){.row = buf_bytes(&w->row), .rank = UINT64_MAX};
    int rc;
    do {
        if (add_part(w, &w->ahead, out, err)) return -1;
    } while ((rc = source_next(w->src, &w->ahead, err)) == 1 && bytes_eq(w->ahead.row, out->row));
    w->has_ahead = rc == 1;
    if (w->by_blocks) {
        out->pieces = (const struct row_weight *)w->pieces.p;
        out->n_pieces = (uint32_t)(w->pieces.n / sizeof *out->pieces);
    }
    return rc < 0 ? -1 : 1;
}

void weighed_rows_free(struct weighed_rows *w) {
    buf_free(&w->row);
    buf_free(&w->pieces);
}

/* The value of a cell in the first sorter: the weight (row_weight.h), then for each field of the design that is a column
 *
 *   u8 0 = the part has no such cell, 1 | i64 timestamp | u64 rank | u8 + bytes family | u32 + bytes value */

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

/* The newest cell; of equally new ones that of the first family, then the one that is newer by its position. */
static bool is_newer(const struct joined_field *f, int64_t ts_ms, uint64_t rank, struct bytes family) {
    if (!f->any) return true;
    if (ts_ms != f->ts_ms) return ts_ms > f->ts_ms;
    int order = bytes_cmp(family, buf_bytes(&f->family));
    return order < 0 || (order == 0 && rank > f->rank);
}

static int take_field(struct joined_field *f, const uint8_t **at, struct err *err) {
    const uint8_t *p = *at;
    if (!*p++) {
        *at = p;
        return 0;
    }
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

/* Makes the key of a row. 1 = *key, 0 = none, -1. The fields are emptied. */
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
    /* Blocks are counted one by one: their differences give the error of a sample. */
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
