/* The data blocks of a stretch of an HFile, one after the other; blocks between them are verified and passed; and where
 * reading resumes after damage. Exports: block_walk */
#ifndef HFILE_BLOCK_WALK_H
#define HFILE_BLOCK_WALK_H

#include "hfile/cell_walk.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_state.h"

struct salvage;

struct block_walk {
    const struct hfile *h;
    const struct hfile_lost_sink *lost; /* learns of damaged blocks, which are passed over; NULL: damage is an error */
    struct block_reader reader;
    struct buf decoded; /* payload without its encoding */
    struct block block; /* the last one */
    uint64_t next, end;
    struct salvage *salvage;        /* once a damaged block has been passed over */
    struct hfile_passed passed;     /* but for its cells */
    uint64_t first_data, last_data; /* offsets of data blocks; TRAILER_NO_OFFSET: none yet */
};

/* w: zeros, and its `lost`. Blocks of h from `from` to `end`; at least read_ahead bytes are read at once. */
void block_walk_init(struct block_walk *w, const struct hfile *h, uint64_t from, uint64_t end, size_t read_ahead);
/* Continues at `next`, which need not be where the last block ended. */
void block_walk_jump(struct block_walk *w, uint64_t next);
/* 1: w->block is the next data block, with its payload decoded, and cells walks in it; 0 end, -1 error. */
int block_walk_next(struct block_walk *w, struct cell_walk *cells, struct err *err);
void block_walk_release(struct block_walk *w);

#endif
