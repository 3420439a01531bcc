/* Compressed streams in pieces that can be unpacked by themselves: members of bgzip, frames of zstd, blocks of bzip2. The thread
 * that reads cuts them off and hands out their content in order; it and its helpers unpack them side by side.
 * Exports: unpack_pieces */
#ifndef BASE_UNPACK_PIECES_H
#define BASE_UNPACK_PIECES_H

#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

struct unpack;

struct unpack_piece {
    struct buf in;  /* compressed: a whole stream of its kind */
    struct buf out; /* content */
    size_t content; /* what `out` may take: all that is in it, or more, or else it is PIECE_TOO_LARGE */
    uint64_t end;   /* bytes of the compressed data up to its end: for messages */
    /* Members of bzip2, whose blocks begin anywhere in a byte: */
    uint64_t bits;    /* of `in` that are the block */
    uint32_t crc;     /* which the block says it has */
    bool ends;        /* the last one of its stream … */
    uint32_t all_crc; /* … which says that this is the CRC of all its blocks */
    unsigned joined;  /* how many more it was made of */
};

enum piece_cut { PIECE_CUT, PIECE_NEEDS_MORE, PIECE_NONE, PIECE_CUT_FAILED };
enum piece_result { PIECE_UNPACKED, PIECE_TOO_LARGE, PIECE_FAILED, PIECE_NO_MEMORY };

/* The size of a frame or member: its bytes, and those of its content or more. */
struct piece_size {
    size_t bytes, content;
};

struct unpack_piece_ops {
    size_t thread_bytes; /* that unpack takes beside the piece */
    /* Unpacks p->in into p->out, in any thread. FAILED: damage. Verifies all sums. */
    enum piece_result (*unpack)(struct unpack_piece *p);
    /* Measures the frame or member that `data` begins with. For kinds whose pieces are what stood in the data, so that
     * unpack_ops.step can take over before any of them; several may go into one piece. NEEDS_MORE: data does not hold all of it.
     * NONE: it is none, or takes more than `most`: it and all that follows goes through unpack_ops.step. NULL: the next three
     * members are there instead. */
    enum piece_cut (*measure)(const struct unpack *u, struct bytes data, size_t most, struct piece_size *out);
    /* Takes the next piece off u->in: moves u->at, fills in p->in, which is empty, p->content and what else the kind needs.
     * Allows no more content than a piece of `most` bytes, in and out, can have. NEEDS_MORE: u->in does not hold all of it.
     * FAILED: no memory, or damage that no piece would show. An error says how much content came out: so it is asked for again,
     * to the same end, when all pieces before have been handed out. */
    enum piece_cut (*cut)(struct unpack *u, struct unpack_piece *p, size_t most, struct err *err);
    /* p has failed, but perhaps only because it was cut where no piece ended: makes p of both. 1; 0 = that cannot be, and p is
     * damaged; -1. */
    int (*join)(struct unpack_piece *p, const struct unpack_piece *next, struct err *err);
    /* p has been handed out, in the order of the data; -1: it does not fit those before. */
    int (*follow)(struct unpack *u, const struct unpack_piece *p, struct err *err);
};

extern const struct unpack_piece_ops unpack_bgzip; /* of gzip */

struct unpack_pieces;
/* Returns how many threads may unpack u side by side, by its kind, u->from.threads and u->from.memory_bytes. Pieces are of use to
 * two or more. */
unsigned unpack_pieces_threads(const struct unpack *u);
/* Makes the ring and its threads, by u->from.threads and u->from.memory_bytes. */
struct unpack_pieces *unpack_pieces_new(const struct unpack *u, struct err *err);
/* > 0 bytes of content; 0 = no more pieces: the end, or (unpack_pieces_leave) the rest of u is for unpack_by_steps; -1. */
ssize_t unpack_pieces_read(struct unpack_pieces *s, struct unpack *u, uint8_t *p, size_t n, struct err *err);
bool unpack_pieces_leave(const struct unpack_pieces *s);
void unpack_pieces_free(struct unpack_pieces *s); /* waits for the helpers; NULL is fine */

#endif
