/* Blocks of bzip2 streams as pieces (base/unpack_pieces.h), each of which is a stream of one block. */
#ifndef BASE_BZIP2_BLOCKS_H
#define BASE_BZIP2_BLOCKS_H

#include "base/unpack_pieces.h"

enum { BZIP2_PAIRS_BYTES = 65536 / 8 };

/* The position to which a stream has been cut, and its sum. */
struct bzip2_blocks {
    bool begun;          /* a stream has been whole: bytes that begin none follow it */
    unsigned level;      /* of the stream that is being cut; 0 = between two */
    unsigned bit;        /* of u->in[u->at] where the next block begins */
    uint64_t scanned;    /* bits of u->in from u->at on, in which no further magic begins */
    unsigned false_ends; /* in this block */
    uint32_t all_crc;    /* of the pieces that bzip2_blocks_follow has had since the last end */
    uint8_t pairs[BZIP2_PAIRS_BYTES];
};

void bzip2_blocks_init(struct bzip2_blocks *b);
/* The next piece off u->in: 1; 0 = more is needed; -1. */
int bzip2_blocks_cut(struct bzip2_blocks *b, struct unpack *u, struct unpack_piece *p, struct err *err);
/* Implement unpack, join and follow of struct unpack_piece_ops. */
enum piece_result bzip2_blocks_unpack(struct unpack_piece *p);
int bzip2_blocks_join(struct unpack_piece *p, const struct unpack_piece *next, struct err *err);
int bzip2_blocks_follow(struct bzip2_blocks *b, const struct unpack *u, const struct unpack_piece *p, struct err *err);
/* The first bit, not before `from`, where a block or the end of a stream seems to begin. */
bool bzip2_blocks_find(const struct bzip2_blocks *b, struct bytes data, uint64_t from, uint64_t *bit);

#endif
