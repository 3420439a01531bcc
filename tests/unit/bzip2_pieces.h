/* bzip2 data unpacked piece by piece, as the reader and its helpers do it, but by one thread; and by libbz2 alone. */
#ifndef TESTS_UNIT_BZIP2_PIECES_H
#define TESTS_UNIT_BZIP2_PIECES_H

#include "given_bytes.h"

#include "base/buf.h"
#include "base/unpack.h"
#include "base/unpack_pieces.h"

#include <bzlib.h>
#include <stdlib.h>

struct piecewise {
    struct given_bytes source;
    size_t most; /* content of a piece */
    struct buf out;
    unsigned pieces, joins, large;
};

/* All of it in one go, by unpack_ops.step. */
static inline int plainly_unpacked(struct bytes file, size_t step, struct buf *out, struct err *err) {
    struct given_bytes source = {.most = step};
    struct unpack_from from = {.read = given_bytes_read, .arg = &source, .path = "the file"};
    size_t n = file.n < UNPACK_MAGIC_BYTES ? file.n : UNPACK_MAGIC_BYTES;
    source.left = bytes_of(file.p + n, file.n - n);
    struct unpack *u = unpack_open(unpack_bzip2.kind, bytes_of(file.p, n), &from, err);
    ssize_t r = u ? 1 : -1;
    while (r > 0) {
        if (buf_reserve(out, 65536, err)) abort();
        if ((r = unpack_read(u, out->p + out->n, 65536, err)) > 0) out->n += (size_t)r;
    }
    unpack_close(u);
    return (int)r;
}

/* Bytes behind those that are there; the memory ends with them, so that a sanitizer sees a read past them. */
static inline void piecewise_more(struct piecewise *w, struct unpack *u, struct err *err) {
    size_t kept = u->n - u->at, more = w->source.most < w->source.left.n ? w->source.most : w->source.left.n;
    if (u->at) memmove(u->in, u->in + u->at, kept);
    u->in = realloc(u->in, kept + more + !(kept + more));
    if (!u->in || given_bytes_read(&w->source, u->in + kept, more, err) < 0) abort();
    u->at = 0;
    u->n = kept + more;
    u->taken += more;
    u->at_end = !more;
}

/* 1, 0 = the data has ended, -1. */
static inline int piecewise_next(struct piecewise *w, struct unpack *u, struct unpack_piece *p, struct err *err) {
    for (;;) {
        buf_clear(&p->in);
        if (u->at_end && u->at == u->n) return 0;
        enum piece_cut cut = unpack_bzip2.pieces->cut(u, p, SIZE_MAX, err);
        p->content = w->most;
        w->pieces += cut == PIECE_CUT;
        if (cut == PIECE_NONE || (cut == PIECE_CUT_FAILED) != (err->code != ERR_NONE)) abort();
        if (cut != PIECE_NEEDS_MORE) return cut == PIECE_CUT ? 1 : -1;
        piecewise_more(w, u, err);
    }
}

static inline int piecewise_join(struct piecewise *w, struct unpack *u, struct unpack_piece *p, struct err *err) {
    struct unpack_piece next = {0};
    int rc = piecewise_next(w, u, &next, err);
    if (rc == 1) rc = unpack_bzip2.pieces->join(p, &next, err);
    w->joins += rc == 1;
    buf_free(&next.in);
    return rc == 1 ? 0 : rc == -1 ? -1 : unpack_damaged_at(u, p->end, "checksum or content is wrong", err);
}

static inline int piecewise_content(struct piecewise *w, struct unpack *u, struct unpack_piece *p, struct err *err) {
    enum piece_result result;
    while ((result = unpack_bzip2.pieces->unpack(p)) == PIECE_FAILED)
        if (piecewise_join(w, u, p, err)) return -1;
    if (result == PIECE_NO_MEMORY || (result == PIECE_UNPACKED && p->out.n > w->most)) abort();
    w->large += result == PIECE_TOO_LARGE;
    int rc = result == PIECE_TOO_LARGE ? plainly_unpacked(buf_bytes(&p->in), 50000, &w->out, err)
                                       : buf_put(&w->out, p->out.p, p->out.n, err);
    u->given = w->out.n;
    return rc ? -1 : unpack_bzip2.pieces->follow(u, p, err);
}

static inline int piecewise_run(struct piecewise *w, struct err *err) {
    struct unpack u = {.ops = &unpack_bzip2, .from = {.path = "the file"}};
    struct unpack_piece p = {0};
    int rc = unpack_bzip2.open(&u, err);
    piecewise_more(w, &u, err);
    while (!rc && (rc = piecewise_next(w, &u, &p, err)) == 1) rc = piecewise_content(w, &u, &p, err);
    unpack_bzip2.close(&u);
    free(u.in);
    buf_free(&p.in);
    buf_free(&p.out);
    return rc;
}

/* One stream by libbz2, with nothing of ours. The rest of the data, or NULL. */
static inline const uint8_t *stream_by_library(struct bytes file, struct buf *out) {
    struct err err = {0};
    bz_stream z = {.next_in = (char *)file.p, .avail_in = (unsigned)file.n};
    int rc = BZ2_bzDecompressInit(&z, 0, 0);
    while (rc == BZ_OK && !z.avail_out) {
        if (buf_reserve(out, 65536, &err)) abort();
        z.next_out = (char *)out->p + out->n;
        z.avail_out = 65536;
        rc = BZ2_bzDecompress(&z);
        out->n += 65536 - z.avail_out;
    }
    BZ2_bzDecompressEnd(&z);
    return rc == BZ_STREAM_END ? (uint8_t *)z.next_in : NULL;
}

static inline int unpacked_by_library(struct bytes file, struct buf *out) {
    const uint8_t *p = file.p, *end = file.p + file.n;
    while (p && p < end) p = stream_by_library(bytes_of(p, (size_t)(end - p)), out);
    return p ? 0 : -1;
}

#endif
