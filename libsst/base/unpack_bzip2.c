/* bzip2 by its own library, one stream after the other. It checks the CRC of each block and of the whole stream, and says when a
 * stream ends. What follows the last one has to be another one. Blocks as pieces: bzip2_blocks.c. */
#include "base/bzip2_blocks.h"
#include "base/unpack_kind.h"

#include <bzlib.h>
#include <limits.h>
#include <stdlib.h>

enum { DECODER_BYTES = 3700 << 10 }; /* the library's manual: 100 KB and four bytes for each of a block's 900,000 */

struct bzip2_state {
    bz_stream z;
    bool open;      /* z is to be released */
    bool begun;     /* a stream has been whole */
    uint64_t begin; /* of the stream in the compressed data */
    struct bzip2_blocks blocks;
};

static int bzip2_open(struct unpack *u, struct err *err) {
    struct bzip2_state *s = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "bzip2");
    bzip2_blocks_init(&s->blocks);
    u->state = s;
    return 0;
}

static int bzip2_begin(struct unpack *u, struct bzip2_state *s, struct err *err) {
    s->z = (bz_stream){0};
    if (BZ2_bzDecompressInit(&s->z, 0, 0) != BZ_OK) return err_nomem(err, DECODER_BYTES, "bzip2");
    s->open = u->inside = true;
    s->begin = u->taken - (u->n - u->at);
    return 0;
}

static void bzip2_end(struct bzip2_state *s) {
    if (s->open) BZ2_bzDecompressEnd(&s->z);
    s->open = false;
}

static int bzip2_refuse(const struct unpack *u, const struct bzip2_state *s, int rc, struct err *err) {
    if (rc == BZ_MEM_ERROR) return err_nomem(err, DECODER_BYTES, "bzip2");
    if (rc == BZ_DATA_ERROR_MAGIC && s->begun) return unpack_other_behind(u, s->begin, err);
    return unpack_damaged(u, rc == BZ_DATA_ERROR_MAGIC ? "not bzip2" : "checksum or content is wrong", err);
}

static int bzip2_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    struct bzip2_state *s = u->state;
    size_t room = *n < UINT_MAX ? *n : UINT_MAX;
    *n = 0;
    if (!s->open && u->at == u->n) return 0;
    if (!s->open && bzip2_begin(u, s, err)) return -1;
    s->z.next_in = (char *)u->in + u->at;
    s->z.avail_in = (unsigned)(u->n - u->at);
    s->z.next_out = (char *)p;
    s->z.avail_out = (unsigned)room;
    int rc = BZ2_bzDecompress(&s->z);
    u->at = u->n - s->z.avail_in;
    *n = room - s->z.avail_out;
    if (rc == BZ_OK) return 0;
    if (rc != BZ_STREAM_END) return bzip2_refuse(u, s, rc, err);
    bzip2_end(s);
    s->begun = true;
    u->inside = false;
    return 0;
}

static void bzip2_close(struct unpack *u) {
    bzip2_end(u->state);
    free(u->state);
}

/* ---- in blocks ---- */

static struct bzip2_blocks *blocks_of(struct unpack *u) {
    return &((struct bzip2_state *)u->state)->blocks;
}

static enum piece_cut cut(struct unpack *u, struct unpack_piece *p, size_t most, struct err *err) {
    int rc = bzip2_blocks_cut(blocks_of(u), u, p, err);
    if (rc == 0 && u->at_end) rc = unpack_damaged(u, "the data ends in the middle", err);
    if (rc == 1 && p->content > most / 2) p->content = most / 2;
    return rc == 1 ? PIECE_CUT : rc == 0 ? PIECE_NEEDS_MORE : PIECE_CUT_FAILED;
}

static int follow(struct unpack *u, const struct unpack_piece *p, struct err *err) {
    return bzip2_blocks_follow(blocks_of(u), u, p, err);
}

static const struct unpack_piece_ops blocks = {
    .thread_bytes = DECODER_BYTES, .cut = cut, .unpack = bzip2_blocks_unpack, .join = bzip2_blocks_join, .follow = follow};

const struct unpack_ops unpack_bzip2 = {
    .kind = "bzip2", .open = bzip2_open, .step = bzip2_step, .close = bzip2_close, .pieces = &blocks};
