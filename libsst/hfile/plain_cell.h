/* One cell of a block without encoding (cell/keyvalue.h, then sequence id), as encoders see it: its parts, undecoded. */
#ifndef HFILE_PLAIN_CELL_H
#define HFILE_PLAIN_CELL_H

#include "base/bytes.h"
#include "hfile/encoding.h"

struct plain_cell {
    struct bytes key, value, tags;
    struct bytes mvcc; /* the vlong */
    struct bytes row;
    size_t family_at, qualifier_at; /* in key; family_at: of its length byte */
};

/* Takes the cell at the head of *in, which advances to the next one. false: not a whole cell of this layout. */
bool plain_cell_take(struct bytes *in, const struct cell_layout *layout, struct plain_cell *c);

#endif
