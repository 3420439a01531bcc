/* Cells of an entry of a write-ahead log, through a window over the stream. */
#ifndef FORMATS_WAL_WAL_CELL_H
#define FORMATS_WAL_WAL_CELL_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "formats/wal/wal.h"

/* Returns the offset of the next byte in the log. */
uint64_t wal_offset(const struct wal_stream *s);

static inline size_t wal_left(const struct wal_stream *s) {
    return s->window.n - s->at;
}
/* Fills the window until it has at least n more bytes. */
int wal_need(struct wal_stream *s, size_t n, struct err *err);
int wal_take_varint(struct wal_stream *s, uint64_t most, uint64_t *out, struct err *err);
int wal_take_bytes(struct wal_stream *s, size_t n, struct bytes *out, struct err *err);
/* A varint, and as many bytes as it says. */
int wal_take_message(struct wal_stream *s, size_t most, struct bytes *out, struct err *err);
/* A cell of a compressed log, appended as wal_cells does. */
int wal_cell_decode(struct wal_stream *s, struct buf *out, struct err *err);

#endif
