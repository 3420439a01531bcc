/* Data block encodings. A decoder turns an encoded payload back into the bytes it would have without encoding
 * (cell/keyvalue.h); the scan then reads all files alike, and hashes cells in place. Adding an encoding = one file
 * encoding_NAME.c with one `const struct encoding encoding_NAME` (docs/add-a-codec.md). */
#ifndef HFILE_ENCODING_H
#define HFILE_ENCODING_H

#include "base/buf.h"
#include "base/bytes.h"
#include "hfile/hfile.h"

struct cell_layout { /* what follows key and value of every cell in this file */
    bool tags, mvcc;
    bool tags_compressed;
};

struct encoding {
    enum hfile_encoding id;
    const char *name;   /* as in file info's DATA_BLOCK_ENCODING */
    uint32_t row_bytes; /* what each row in a block counts beside its cells when the block's size is compared with BLOCKSIZE */
    /* Replaces plain's content, at most max_bytes; encoded starts after the two id bytes. NULL: the payload is plain. */
    int (*decode)(struct bytes encoded, const struct cell_layout *layout, size_t max_bytes, struct buf *plain, struct err *err);
    /* Appends to `encoded` what follows the two id bytes. plain: whole cells in order, our own. */
    int (*encode)(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, struct err *err);
};

/* Returns the encoding of this name; NULL: we have none. */
const struct encoding *encoding_by_name(struct bytes name);
const struct encoding *encoding_by_id(unsigned id);
/* Names of all ids HBase has given out, also of encodings we lack; NULL: none. */
const char *encoding_name(unsigned id);

/* ---- cells of a block without encoding (cell/keyvalue.h, then sequence id), as encoders see them ---- */

struct plain_cell {
    struct bytes key, value, tags;
    struct bytes mvcc; /* the vlong */
    struct bytes row;
    size_t family_at, qualifier_at; /* in key; family_at: of its length byte */
};

/* Takes the cell at the head of *in, which advances to the next one. false: not a whole cell of this layout. */
bool plain_cell_take(struct bytes *in, const struct cell_layout *layout, struct plain_cell *c);

#endif
