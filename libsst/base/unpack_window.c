/* zstd and xz by their own libraries: the kinds whose frames say how much memory they need. What is more than allowed is refused
 * with both sizes, before anything is allocated. xz says it in its header; of zstd the first bytes of each frame are kept for
 * that. */
#include "base/unpack_kind.h"

#include "base/bytes.h"

#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* ---- zstd ---- */

/* Magic, descriptor, then window descriptor or dictionary id and content size (RFC 8878, 3.1.1.1). */
enum { FRAME_HEADER_BYTES = 18, DEFAULT_WINDOW_LOG = 27 };

struct zstd {
    ZSTD_DStream *stream;
    int window_log; /* largest that is allowed */
    uint8_t head[FRAME_HEADER_BYTES];
    size_t n_head;
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

/* A frame in one segment has no window descriptor: its window is the content. 0 = not known. */
static uint64_t window_of(const uint8_t *head, size_t n) {
    static const uint8_t id_bytes[] = {0, 1, 2, 4}, size_bytes[] = {1, 2, 4, 8};
    if (n < 6) return 0;
    bool one_segment = head[4] & 0x20;
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
    return err_set(err, ERR_LIMIT,
                   "%s: this zstd data needs a window of %llu bytes to be unpacked, %llu are allowed; raise --memory",
                   u->from.path, (unsigned long long)window_of(z->head, z->n_head), 1ull << z->window_log);
}

/* The library would also take frames of the formats before 1.0, which keep to no window limit. */
static bool is_foreign(const uint8_t *head, size_t n) {
    return n >= 4 && le32(head) != 0xfd2fb528 && (le32(head) & 0xfffffff0) != 0x184d2a50;
}

static int zstd_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    struct zstd *z = u->state;
    ZSTD_inBuffer in = {u->in, u->n, u->at};
    ZSTD_outBuffer out = {p, *n, 0};
    *n = 0;
    if (!u->inside) z->n_head = 0;
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
    free(z);
}

const struct unpack_ops unpack_zstd = {.kind = "zstd", .open = zstd_open, .step = zstd_step, .close = zstd_close};

/* ---- xz, one stream after the other ---- */

/* What liblzma counts beside the dictionary (64 KiB for LZMA2), with room for a chain of further filters. */
enum { XZ_STATE_BYTES = 1 << 20, PADDING_UNIT = 4 };

struct xz {
    lzma_stream z;
    bool in_stream;
    unsigned padding; /* zero bytes after the last stream, modulo PADDING_UNIT */
};

static uint64_t memory_limit(const struct unpack *u) {
    return u->from.memory_bytes ? (uint64_t)u->from.memory_bytes + XZ_STATE_BYTES : UINT64_MAX;
}

static int xz_open(struct unpack *u, struct err *err) {
    struct xz *x = calloc(1, sizeof *x);
    if (!x) return err_nomem(err, sizeof *x, "xz");
    x->z = (lzma_stream)LZMA_STREAM_INIT;
    u->state = x;
    return 0;
}

static int too_large(const struct unpack *u, const struct xz *x, struct err *err) {
    return err_set(err, ERR_LIMIT, "%s: this xz data needs %llu bytes to be unpacked, %llu are allowed; raise --memory",
                   u->from.path, (unsigned long long)lzma_memusage(&x->z), (unsigned long long)memory_limit(u));
}

static int xz_refuse(const struct unpack *u, const struct xz *x, lzma_ret rc, struct err *err) {
    switch (rc) {
    case LZMA_MEMLIMIT_ERROR: return too_large(u, x, err);
    case LZMA_MEM_ERROR: return err_nomem(err, lzma_memusage(&x->z), "xz");
    case LZMA_OPTIONS_ERROR:
        return err_set(err, ERR_UNSUPPORTED, "%s: xz data with a filter or option that is not supported", u->from.path);
    case LZMA_UNSUPPORTED_CHECK:
        return err_set(err, ERR_UNSUPPORTED, "%s: xz data with a kind of checksum that is not supported", u->from.path);
    case LZMA_FORMAT_ERROR: return unpack_damaged(u, "not an xz stream", err);
    default: return unpack_damaged(u, "checksum or content is wrong", err);
    }
}

/* Between streams: zero bytes, four at a time, are padding; everything else has to be a stream. */
static int xz_begin(struct unpack *u, struct xz *x, struct err *err) {
    for (; u->at < u->n && !u->in[u->at]; u->at++) x->padding = (x->padding + 1) % PADDING_UNIT;
    u->inside = x->padding != 0;
    if (u->at == u->n && !(u->at_end && u->inside)) return 0;
    if (x->padding) return unpack_damaged(u, "the padding is no multiple of four bytes", err);
    lzma_ret rc = lzma_stream_decoder(&x->z, memory_limit(u), LZMA_TELL_UNSUPPORTED_CHECK);
    if (rc != LZMA_OK) return xz_refuse(u, x, rc, err);
    x->in_stream = u->inside = true;
    return 0;
}

static int xz_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    struct xz *x = u->state;
    size_t room = *n;
    *n = 0;
    if (!x->in_stream && xz_begin(u, x, err)) return -1;
    if (!x->in_stream) return 0;
    x->z.next_in = u->in + u->at;
    x->z.avail_in = u->n - u->at;
    x->z.next_out = p;
    x->z.avail_out = room;
    lzma_ret rc = lzma_code(&x->z, LZMA_RUN);
    u->at = u->n - x->z.avail_in;
    *n = room - x->z.avail_out;
    if (rc == LZMA_STREAM_END) x->in_stream = u->inside = false;
    /* No progress is no error here: unpack_read knows whether the input has ended. */
    return rc == LZMA_OK || rc == LZMA_STREAM_END || rc == LZMA_BUF_ERROR ? 0 : xz_refuse(u, x, rc, err);
}

static void xz_close(struct unpack *u) {
    struct xz *x = u->state;
    lzma_end(&x->z);
    free(x);
}

const struct unpack_ops unpack_xz = {.kind = "xz", .open = xz_open, .step = xz_step, .close = xz_close};
