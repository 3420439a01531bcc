/* zstd by its own library. The first bytes of each frame are kept: they say what a window that is refused would take. */
#include "base/unpack_kind.h"

#include "base/be.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

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

static int refuse(const struct unpack *u, const struct zstd *z, size_t rc, struct err *err) {
    if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation) return err_nomem(err, 0, "zstd");
    if (ZSTD_getErrorCode(rc) != ZSTD_error_frameParameter_windowTooLarge) return unpack_damaged(u, ZSTD_getErrorName(rc), err);
    return err_set(err, ERR_LIMIT,
                   "%s: this zstd data needs a window of %llu bytes to be unpacked, %llu are allowed: raise --memory",
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
    return ZSTD_isError(rc) ? refuse(u, z, rc, err) : 0;
}

static void zstd_close(struct unpack *u) {
    struct zstd *z = u->state;
    ZSTD_freeDStream(z->stream);
    free(z);
}

const struct unpack_ops unpack_zstd = {.kind = "zstd", .open = zstd_open, .step = zstd_step, .close = zstd_close};
