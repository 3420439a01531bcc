#include "cmd/split/plan/weighed_row.h"

#include "base/bytes.h"
#include "cell/keyvalue.h"

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
