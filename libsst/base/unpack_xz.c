/* xz by liblzma, one stream after the other. The header of a stream says how much memory unpacking it takes: more than is allowed
 * is refused with both sizes, before anything is allocated. */
#include "base/unpack_kind.h"
#include "base/size_text.h"

#include <lzma.h>
#include <stdlib.h>

/* Bytes that liblzma counts beside the dictionary (64 KiB for LZMA2), with room for a chain of further filters. */
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
    return err_set(err, ERR_LIMIT, "%s: this xz data needs %s to be unpacked, %s are allowed; raise --memory", u->from.path,
                   size_text_above(lzma_memusage(&x->z), (char[SIZE_TEXT]){0}), size_text(memory_limit(u), (char[SIZE_TEXT]){0}));
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

/* Begins a stream. Between streams, zero bytes, four at a time, are padding; everything else has to be a stream. */
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
