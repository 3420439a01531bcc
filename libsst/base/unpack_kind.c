/* What all kinds of compressed streams share: refilling, and how damage is said. And lz4, by its own library, which checks its
 * checksums and says when a frame ends. */
#include "base/unpack_kind.h"

#include <lz4frame.h>
#include <string.h>

int unpack_refill(struct unpack *u, struct err *err) {
    if (u->at < u->n || u->at_end) return 0;
    ssize_t n = u->from.read(u->from.arg, u->in, UNPACK_INPUT_BYTES, err);
    if (n < 0) return -1;
    u->at = 0;
    u->n = (size_t)n;
    u->taken += (uint64_t)n;
    u->at_end = n == 0;
    return 0;
}

int unpack_damaged(const struct unpack *u, const char *why, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: damaged %s data before byte %llu (%llu bytes of content came out): %s", u->from.path,
                   u->ops->kind, (unsigned long long)(u->taken - (u->n - u->at)), (unsigned long long)u->given, why);
}

/* ---- lz4 ---- */

static int lz4_open(struct unpack *u, struct err *err) {
    LZ4F_dctx *d = NULL;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION))) return err_nomem(err, 0, "lz4");
    u->state = d;
    return 0;
}

static int lz4_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    size_t used = u->n - u->at;
    size_t rc = LZ4F_decompress(u->state, p, n, u->in + u->at, &used, NULL);
    if (LZ4F_isError(rc)) {
        *n = 0;
        if (!strcmp(LZ4F_getErrorName(rc), "ERROR_allocation_failed")) return err_nomem(err, 0, "lz4");
        return unpack_damaged(u, LZ4F_getErrorName(rc), err);
    }
    u->at += used;
    u->inside = rc != 0;
    return 0;
}

static void lz4_close(struct unpack *u) {
    LZ4F_freeDecompressionContext(u->state);
}

const struct unpack_ops unpack_lz4 = {.kind = "lz4", .open = lz4_open, .step = lz4_step, .close = lz4_close};
