/* zstd by its own library, one frame after the other, or frames side by side. The first bytes of a frame say how much memory it
 * takes, and are kept for that: more than is allowed is refused with both sizes, before anything is allocated.
 *
 * Frames are independent. pzstd and the seekable format write many, and `cat` puts those of several files together.
 *
 * The library decodes a frame as a stream, or in one pass if it gets all of it and room for all of its content, and does not
 * check the same in both: blocks larger than the window allows, compressed blocks without bytes. The program zstd takes one pass
 * for frames that declare up to 128 KiB; here the same frames do, whatever the sizes of reads and number of threads. */
#include "base/unpack_kind.h"
#include "base/size_text.h"

#include "base/bytes.h"
#include "base/unpack.h"
#include "base/unpack_pieces.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Magic, descriptor, then window descriptor or dictionary id and content size (RFC 8878, 3.1.1.1). */
enum { FRAME_HEADER_BYTES = 18, DEFAULT_WINDOW_LOG = 27 };

enum { BLOCK_HEADER_BYTES = 3, BLOCK_MOST = 128 * 1024 };

struct zstd {
    ZSTD_DStream *stream;
    int window_log; /* largest that is allowed */
    uint8_t head[FRAME_HEADER_BYTES];
    size_t n_head;
    struct buf passed; /* content of a frame that was decoded in one pass … */
    size_t given;      /* … and what of it has been handed out */
};

static int window_log_within(size_t bytes) {
    ZSTD_bounds b = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    int log = bytes ? 63 - __builtin_clzll(bytes) : DEFAULT_WINDOW_LOG;
    return log < b.lowerBound ? b.lowerBound : log > b.upperBound ? b.upperBound : log;
}

static int zstd_open(struct unpack *u, struct err *err) {
    struct zstd *z = calloc(1, sizeof *z);
    if (!z) return err_nomem(err, sizeof *z, "zstd");
    if (!(z->stream = ZSTD_createDStream())) {
        free(z);
        return err_nomem(err, 0, "zstd");
    }
    u->state = z;
    z->window_log = window_log_within(u->from.memory_bytes);
    size_t rc = ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, z->window_log);
    return ZSTD_isError(rc) ? err_set(err, ERR_INTERNAL, "zstd: window of 2^%d bytes: %s", z->window_log, ZSTD_getErrorName(rc))
                            : 0;
}

/* The descriptor of a frame (RFC 8878, 3.1.1.1.1) says which fields follow. */
enum { ONE_SEGMENT = 0x20, HAS_CHECKSUM = 4, CHECKSUM_BYTES = 4 };
static const uint8_t id_bytes[] = {0, 1, 2, 4}, size_bytes[] = {1, 2, 4, 8};

static size_t header_bytes(const uint8_t *head) {
    bool one_segment = head[4] & ONE_SEGMENT, has_size = one_segment || head[4] >> 6;
    return 5 + !one_segment + id_bytes[head[4] & 3] + (has_size ? size_bytes[head[4] >> 6] : 0);
}

/* A frame in one segment has no window descriptor: its window is the content. 0 = not known. */
static uint64_t window_of(const uint8_t *head, size_t n) {
    if (n < 6) return 0;
    bool one_segment = head[4] & ONE_SEGMENT;
    if (!one_segment) return (uint64_t)(8 + (head[5] & 7)) << (10 + (head[5] >> 3)) >> 3;
    uint8_t size[8] = {0};
    size_t at = 5 + id_bytes[head[4] & 3], size_n = size_bytes[head[4] >> 6];
    if (n < at + size_n) return 0;
    memcpy(size, head + at, size_n);
    return le64(size) + (size_n == 2 ? 256 : 0);
}

static int zstd_refuse(const struct unpack *u, const struct zstd *z, size_t rc, struct err *err) {
    if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation) return err_nomem(err, 0, "zstd");
    if (ZSTD_getErrorCode(rc) != ZSTD_error_frameParameter_windowTooLarge) return unpack_damaged(u, ZSTD_getErrorName(rc), err);
    return err_set(err, ERR_LIMIT, "%s: this zstd data needs a window of %s to be unpacked, %s are allowed; raise --memory",
                   u->from.path, size_text(window_of(z->head, z->n_head), (char[SIZE_TEXT]){0}),
                   size_text(1ull << z->window_log, (char[SIZE_TEXT]){0}));
}

static bool is_skippable(const uint8_t *head) {
    return (le32(head) & 0xfffffff0) == 0x184d2a50;
}

/* The library would also take frames of the formats before 1.0, which keep to no window limit. */
static bool is_foreign(const uint8_t *head, size_t n) {
    return n >= 4 && le32(head) != 0xfd2fb528 && !is_skippable(head);
}

/* Returns whether zstd decodes the frame that p begins with in one pass, if p has all of it. */
static bool takes_one_pass(struct bytes p) {
    return p.n >= 5 && le32(p.p) == 0xfd2fb528 && ZSTD_getFrameContentSize(p.p, p.n) <= BLOCK_MOST;
}

static struct bytes left_of(const struct unpack *u) {
    return bytes_of(u->in + u->at, u->n - u->at);
}

/* 1: z->passed has the content of the frame; 0: it goes by steps; -1. */
static int pass_once(struct unpack *u, struct zstd *z, struct err *err) {
    while (left_of(u).n < FRAME_HEADER_BYTES && !u->at_end)
        if (unpack_read_on(u, err)) return -1;
    if (!takes_one_pass(left_of(u))) return 0;
    size_t bytes = ZSTD_findFrameCompressedSize(u->in + u->at, u->n - u->at);
    for (; ZSTD_isError(bytes) && left_of(u).n < BLOCK_MOST && !u->at_end;
         bytes = ZSTD_findFrameCompressedSize(u->in + u->at, u->n - u->at))
        if (unpack_read_on(u, err)) return -1;
    if (ZSTD_isError(bytes)) return 0;
    buf_clear(&z->passed);
    z->given = 0;
    if (buf_reserve(&z->passed, BLOCK_MOST, err)) return -1;
    size_t rc = ZSTD_decompressDCtx(z->stream, z->passed.p, BLOCK_MOST, u->in + u->at, bytes);
    if (ZSTD_isError(rc)) return zstd_refuse(u, z, rc, err);
    z->passed.n = rc;
    u->at += bytes;
    return 1;
}

static size_t give_passed(struct unpack *u, struct zstd *z, uint8_t *p, size_t n) {
    size_t left = z->passed.n - z->given;
    if (n > left) n = left;
    if (n) memcpy(p, z->passed.p + z->given, n);
    z->given += n;
    u->inside = z->given < z->passed.n;
    return n;
}

static int zstd_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    struct zstd *z = u->state;
    size_t room = *n;
    *n = 0;
    int passed = z->given < z->passed.n ? 1 : u->inside || u->at == u->n ? 0 : pass_once(u, z, err);
    if (passed) *n = passed < 0 ? 0 : give_passed(u, z, p, room);
    if (passed) return passed < 0 ? -1 : 0;
    if (!u->inside) z->n_head = 0;
    /* while the header is incomplete, no more room than the program zstd has, lest all goes in one pass */
    ZSTD_outBuffer out = {p, z->n_head < FRAME_HEADER_BYTES && room > BLOCK_MOST ? BLOCK_MOST : room, 0};
    ZSTD_inBuffer in = {u->in, u->n, u->at};
    size_t more = FRAME_HEADER_BYTES - z->n_head < in.size - in.pos ? FRAME_HEADER_BYTES - z->n_head : in.size - in.pos;
    memcpy(z->head + z->n_head, u->in + u->at, more);
    if (is_foreign(z->head, z->n_head + more)) return unpack_damaged(u, "not a zstd frame", err);
    size_t rc = ZSTD_decompressStream(z->stream, &out, &in);
    size_t used = in.pos - u->at;
    z->n_head += ZSTD_isError(rc) || more < used ? more : used;
    u->at = in.pos;
    *n = out.pos;
    u->inside = rc != 0;
    return ZSTD_isError(rc) ? zstd_refuse(u, z, rc, err) : 0;
}

static void zstd_close(struct unpack *u) {
    struct zstd *z = u->state;
    ZSTD_freeDStream(z->stream);
    buf_free(&z->passed);
    free(z);
}

/* ---- frames side by side ---- */

enum { THREAD_BYTES = 256 * 1024 /* of a context of the library */, RING_BYTES = BLOCK_MOST + 4096 /* beside a window */ };

/* Walks its blocks (RFC 8878, 3.1.1.2) to its end, and counts what they may unpack to. */
static enum piece_cut walk_blocks(struct bytes b, size_t most, struct piece_size *f) {
    enum { RLE = 1 };
    for (bool last = false; !last; f->content += BLOCK_MOST) {
        if (f->content > most) return PIECE_NONE;
        if (b.n < f->bytes + BLOCK_HEADER_BYTES) return PIECE_NEEDS_MORE;
        const uint8_t *head = b.p + f->bytes;
        uint32_t kind = head[0] >> 1 & 3, n = ((uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16) >> 3;
        last = head[0] & 1;
        if (n > BLOCK_MOST) return PIECE_NONE;
        f->bytes += BLOCK_HEADER_BYTES + (kind == RLE ? 1 : n);
    }
    return PIECE_CUT;
}

static enum piece_cut measure_skippable(struct bytes b, size_t most, struct piece_size *f) {
    uint32_t n = le32(b.p + 4);
    if (n > most) return PIECE_NONE;
    f->bytes = SKIPPABLE_HEADER_BYTES + n;
    return b.n < f->bytes ? PIECE_NEEDS_MORE : PIECE_CUT;
}

/* The frame that b begins with. What steps would refuse is none. */
static enum piece_cut measure_frame(const struct unpack *u, struct bytes b, size_t most, struct piece_size *f) {
    const struct zstd *z = u->state;
    *f = (struct piece_size){0};
    if (b.n < FRAME_HEADER_BYTES) return PIECE_NEEDS_MORE;
    if (is_skippable(b.p)) return measure_skippable(b, most, f);
    const uint64_t window = window_of(b.p, b.n);
    if (is_foreign(b.p, b.n) || window > 1ull << z->window_log) return PIECE_NONE;
    unsigned long long said = ZSTD_getFrameContentSize(b.p, b.n);
    bool is_known = said < ZSTD_CONTENTSIZE_ERROR;
    if (said == ZSTD_CONTENTSIZE_ERROR || (is_known && said > most)) return PIECE_NONE;
    f->bytes = header_bytes(b.p);
    enum piece_cut cut = walk_blocks(b, most, f);
    if (is_known) f->content = (size_t)said;
    if (f->content > window) f->content += (size_t)window + RING_BYTES;
    if (b.p[4] & HAS_CHECKSUM) f->bytes += CHECKSUM_BYTES;
    return cut == PIECE_CUT && b.n < f->bytes ? PIECE_NEEDS_MORE : cut;
}

/* As steps decode it: with its header alone the library does not know yet that all of it follows. 0; else it is for steps. */
static int unpack_frame(ZSTD_DCtx *d, ZSTD_inBuffer *in, ZSTD_outBuffer *out) {
    const uint8_t *head = (const uint8_t *)in->src + in->pos;
    const size_t all = in->size, left = all - in->pos;
    if (left < SKIPPABLE_HEADER_BYTES) return -1;
    if (takes_one_pass(bytes_of(head, left))) {
        const size_t bytes = ZSTD_findFrameCompressedSize(head, left);
        size_t n = ZSTD_isError(bytes)
                       ? bytes
                       : ZSTD_decompressDCtx(d, (uint8_t *)out->dst + out->pos, out->size - out->pos, head, bytes);
        if (ZSTD_isError(n)) return -1;
        in->pos += bytes;
        out->pos += n;
        return 0;
    }
    in->size = in->pos + (is_skippable(head) ? SKIPPABLE_HEADER_BYTES : header_bytes(head));
    if (in->size > all) return -1;
    size_t rc = ZSTD_decompressStream(d, out, in);
    in->size = all;
    while (rc && !ZSTD_isError(rc) && (in->pos < all || out->pos < out->size)) {
        const size_t read = in->pos, written = out->pos;
        rc = ZSTD_decompressStream(d, out, in);
        if (rc && in->pos == read && out->pos == written) return -1;
    }
    return rc ? -1 : 0;
}

static enum piece_result unpack_frames(struct unpack_piece *p) {
    struct err none = {0};
    ZSTD_DCtx *d = buf_reserve(&p->out, p->content, &none) ? NULL : ZSTD_createDCtx();
    if (!d) return PIECE_FAILED;
    int log = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound; /* windows were measured */
    ZSTD_inBuffer in = {p->in.p, p->in.n, 0};
    ZSTD_outBuffer out = {p->out.p, p->content, 0};
    int rc = ZSTD_isError(ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, log));
    while (!rc && in.pos < in.size) rc = unpack_frame(d, &in, &out);
    ZSTD_freeDCtx(d);
    p->out.n = rc ? 0 : out.pos;
    return rc ? PIECE_FAILED : PIECE_UNPACKED;
}

static const struct unpack_piece_ops frames = {.thread_bytes = THREAD_BYTES, .measure = measure_frame, .unpack = unpack_frames};

const struct unpack_ops unpack_zstd = {
    .kind = "zstd", .open = zstd_open, .step = zstd_step, .close = zstd_close, .pieces = &frames};
