#include "plan/weighed_row.h"

#include "base/be.h"
#include "cell/keyvalue.h"

void weighed_row_pack(const struct row_part *part, struct bytes key, struct cell *cell, uint8_t value[WEIGHED_VALUE_BYTES],
                      struct row_part *out) {
    uint64_t bytes = 0, rank = UINT64_MAX;
    int64_t newest = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        bytes += kv_size(part, c, c->tags.n > 0) + key.n - part->row.n;
        if (c->ts_ms > newest) newest = c->ts_ms;
        if (c->rank < rank) rank = c->rank;
    }
    put_be64(value, bytes);
    put_be64(value + 8, part->n_cells);
    *cell = (struct cell){.qualifier = {(const uint8_t *)"", 0},
                          .value = {value, WEIGHED_VALUE_BYTES},
                          .ts_ms = newest,
                          .rank = rank,
                          .type = CELL_PUT};
    *out = (struct row_part){.row = key, .family = part->family, .cells = cell, .n_cells = 1, .first = true};
}

uint64_t weighed_bytes(const struct row_part *packed) {
    return be64(packed->cells[0].value.p);
}

static void add_part(const struct row_part *part, struct weighed_row *out) {
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        out->bytes += be64(c->value.p);
        out->cells += be64(c->value.p + 8);
        if (c->ts_ms > out->newest_ms) out->newest_ms = c->ts_ms;
        if (c->rank < out->rank) out->rank = c->rank;
    }
}

int weighed_rows_next(struct weighed_rows *w, struct weighed_row *out, struct err *err) {
    if (!w->has_ahead) {
        int rc = source_next(w->src, &w->ahead, err);
        if (rc != 1) return rc;
    }
    if (buf_copy(&w->row, w->ahead.row, err)) return -1;
    *out = (struct weighed_row){.row = buf_bytes(&w->row), .rank = UINT64_MAX};
    int rc;
    do add_part(&w->ahead, out);
    while ((rc = source_next(w->src, &w->ahead, err)) == 1 && bytes_eq(w->ahead.row, out->row));
    w->has_ahead = rc == 1;
    return rc < 0 ? -1 : 1;
}

void weighed_rows_free(struct weighed_rows *w) {
    buf_free(&w->row);
}
