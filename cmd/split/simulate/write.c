#include "cmd/split/simulate/write.h"

#include "base/wire.h"
#include "cell/keyvalue.h"

enum { CELL_PACKED_MAX = 3 * PB_VARINT_MAX + 1 };

static int put_number(struct buf *out, uint64_t v, struct err *err) {
    if (buf_reserve(out, PB_VARINT_MAX, err)) return -1;
    out->n += pb_varint_put(out->p + out->n, v);
    return 0;
}

static uint64_t take_number(struct bytes *in) {
    uint64_t v = 0;
    pb_varint_take(in, &v);
    return v;
}

int write_cell_put(struct buf *out, const struct write_cell *c, struct err *err) {
    if (buf_reserve(out, CELL_PACKED_MAX, err)) return -1;
    uint8_t *p = out->p + out->n;
    *p++ = c->type;
    p += pb_varint_put(p, c->qualifier_bytes);
    p += pb_varint_put(p, c->value_bytes);
    p += pb_varint_put(p, c->tags_bytes);
    out->n = (size_t)(p - out->p);
    return 0;
}

bool write_cell_next(struct bytes *cells, struct write_cell *out) {
    if (!cells->n) return false;
    out->type = cells->p[0];
    *cells = bytes_of(cells->p + 1, cells->n - 1);
    out->qualifier_bytes = take_number(cells);
    out->value_bytes = take_number(cells);
    out->tags_bytes = take_number(cells);
    return true;
}

int write_pack(const struct row_part *part, uint32_t from, uint32_t n, struct bytes row, uint32_t family, uint32_t partition,
               struct buf *out, struct err *err) {
    uint64_t bytes = 0;
    for (uint32_t i = from; i < from + n; i++)
        bytes += kv_size(part, &part->cells[i], part->cells[i].tags.n > 0) + row.n - part->row.n;
    if (put_number(out, family, err) || put_number(out, partition, err) || put_number(out, bytes, err) || put_number(out, n, err))
        return -1;
    for (uint32_t i = from; i < from + n; i++) {
        const struct cell *c = &part->cells[i];
        if (write_cell_put(out, &(struct write_cell){c->qualifier.n, c->value.n, c->tags.n, c->type}, err)) return -1;
    }
    return 0;
}

void write_unpack(const struct cell *packed, struct write *out) {
    struct bytes in = packed->value;
    *out = (struct write){.row = packed->qualifier, .ts_ms = packed->ts_ms};
    out->family = (uint32_t)take_number(&in);
    out->partition = (uint32_t)take_number(&in);
    out->bytes = take_number(&in);
    out->n_cells = (uint32_t)take_number(&in);
    out->cells = in;
}
