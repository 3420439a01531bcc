/* Blocks that go from one file into another as they are: which ones no other row touches, copying them, and what is known of
 * their cells without reading them. Exports: block_marks, block_spans, copied_cells */
#ifndef HFILE_BLOCK_SPAN_H
#define HFILE_BLOCK_SPAN_H

#include "base/buf.h"

/* Adjacent data blocks. */
struct block_span {
    uint64_t first, last;           /* offsets of the first and the last one */
    uint64_t end;                   /* of the data block after them, or of what follows all data */
    struct buf first_key, last_key; /* of their cells. Cells of these rows may be in the blocks next to them, too */
};

struct block_spans {
    struct block_span *list; /* ascending */
    size_t n;
    uint64_t bytes; /* of all, with what is between their blocks */
};

#endif
