/* ROW_INDEX_V1 (HBase's RowIndexCodecV1): the cells as they are, then where rows begin.
 *   cells | i32 rows | i32 offset of each row's first cell | i32 bytes of cells
 * Tags are never in a dictionary here. */
#include "base/bytes.h"
#include "hfile/encoding.h"

static int check_offsets(const uint8_t *offsets, uint32_t rows, size_t cells_n, struct err *err) {
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t at = be32(offsets + 4 * (size_t)i);
        if (at >= cells_n || (i && at <= be32(offsets + 4 * (size_t)i - 4)))
            return err_set(err, ERR_INPUT, "row index: row %u begins at %u, of %zu bytes", i, at, cells_n);
    }
    return 0;
}

static int decode(struct bytes encoded, const struct cell_layout *layout, size_t max_bytes, struct buf *plain, struct err *err) {
    enum { FIXED_BYTES = 8 };
    (void)layout;
    if (encoded.n < FIXED_BYTES) return err_set(err, ERR_INPUT, "row index: %zu bytes are too few", encoded.n);
    size_t n = be32(encoded.p + encoded.n - 4), room = encoded.n - FIXED_BYTES;
    if (n > room) return err_set(err, ERR_INPUT, "row index: %zu bytes of cells in %zu", n, room);
    uint32_t rows = be32(encoded.p + n);
    if (rows != (room - n) / 4 || (room - n) % 4)
        return err_set(err, ERR_INPUT, "row index: %u rows, with %zu bytes for their offsets", rows, room - n);
    if (n > max_bytes) return err_set(err, ERR_LIMIT, "without its encoding it takes %zu bytes, the limit is %zu", n, max_bytes);
    if (check_offsets(encoded.p + n + 4, rows, n, err)) return -1;
    return buf_copy(plain, bytes_of(encoded.p, n), err);
}

static int put_offsets(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, uint32_t *rows,
                       struct err *err) {
    struct bytes in = plain, before = {0};
    struct plain_cell c;
    while (in.n) {
        size_t at = (size_t)(in.p - plain.p);
        if (!plain_cell_take(&in, layout, &c)) return err_set(err, ERR_INTERNAL, "malformed cell at payload byte %zu", at);
        if (at && bytes_eq(c.row, before)) continue;
        if (buf_put_be32(encoded, (uint32_t)at, err)) return -1;
        before = c.row;
        (*rows)++;
    }
    return 0;
}

static int encode(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, struct err *err) {
    uint32_t rows = 0;
    if (plain.n > INT32_MAX) return err_set(err, ERR_LIMIT, "cells of %zu bytes in one block", plain.n);
    if (buf_put(encoded, plain.p, plain.n, err)) return -1;
    size_t count_at = encoded->n;
    if (buf_put_be32(encoded, 0, err) || put_offsets(plain, layout, encoded, &rows, err)) return -1;
    put_be32(encoded->p + count_at, rows);
    return buf_put_be32(encoded, (uint32_t)plain.n, err);
}

const struct encoding encoding_row_index = {
    .id = HFILE_ENC_ROW_INDEX_V1, .name = "ROW_INDEX_V1", .row_bytes = 4, .decode = decode, .encode = encode};
