/* A write: what one row gets in one family at one moment. And how it travels through a sorter: as one cell whose qualifier is
 * the row and whose value is the rest, under the key by which writes are to be ordered. */
#ifndef SIMULATE_WRITE_H
#define SIMULATE_WRITE_H

#include "base/buf.h"
#include "cell/cell.h"

enum { WRITE_NOWHERE = UINT32_MAX };

struct write {
    struct bytes row;
    int64_t ts_ms;      /* of its cells */
    int64_t at_ms;      /* when it arrives, on the clock of the simulation */
    uint64_t tick;      /* the same in ticks since the first write (write_stream.h) */
    uint32_t family;    /* number in the table */
    uint32_t partition; /* of OceanBase, where its first cell goes; WRITE_NOWHERE: it is refused there */
    uint32_t n_cells;
    uint64_t bytes;     /* of KeyValues */
    struct bytes cells; /* see write_cell_next */
};

/* What matters of a cell beside the write it is in. */
struct write_cell {
    uint64_t qualifier_bytes, value_bytes, tags_bytes;
    uint8_t type;
};

/* Cells from..from+n of the part, all of one timestamp, as a write of the row `row`: appended to out. */
int write_pack(const struct row_part *part, uint32_t from, uint32_t n, struct bytes row, uint32_t family, uint32_t partition,
               struct buf *out, struct err *err);
/* Out of a cell of the sorter: all but at_ms and tick. Borrowed from it. */
void write_unpack(const struct cell *packed, struct write *out);
/* Takes the next cell off cells (a copy of write.cells). false: no more. */
bool write_cell_next(struct bytes *cells, struct write_cell *out);
/* Appends a cell as write_cell_next takes it. */
int write_cell_put(struct buf *out, const struct write_cell *c, struct err *err);

#endif
