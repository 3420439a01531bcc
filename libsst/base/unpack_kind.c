/* Shared by all kinds of compressed streams: refilling, and how damage is reported. Also unpacks lz4, by its own library, which
 * checks its checksums and says when a frame ends. */
#include "base/unpack_kind.h"

#include <lz4frame.h>
#include <string.h>

int unpack_refill(struct unpack *u, struct err *err) {
    if (u->at < u->n || u->at_end) return 0;
    if (u->capacity > UNPACK_INPUT_BYTES) { /* for pieces, of which there are none any more */
        if (grow_to(&u->in, UNPACK_INPUT_BYTES, 1, "decompression", err)) return -1;
        u->capacity = UNPACK_INPUT_BYTES;
    }
    u->at = u->n = 0;
    return unpack_read_on(u, err);
}

int unpack_read_on(struct unpack *u, struct err *err) {
    if (u->at) memmove(u->in, u->in + u->at, u->n - u->at);
    u->n -= u->at;
    u->at = 0;
    if (u->n > u->capacity / 2) {
        if (grow_to(&u->in, 2 * u->capacity, 1, "decompression", err)) return -1;
        u->capacity *= 2;
    }
    size_t room = u->capacity - u->n; /* no more of it is touched than a piece needs */
    ssize_t n = u->from.read(u->from.arg, u->in + u->n, room < UNPACK_INPUT_BYTES ? room : UNPACK_INPUT_BYTES, err);
    if (n < 0) return -1;
    u->n += (size_t)n;
    u->taken += (uint64_t)n;
    u->at_end = n == 0;
    return 0;
}

ssize_t unpack_by_steps(struct unpack *u, void *p, size_t n, struct err *err) {
    for (;;) {
        if (unpack_refill(u, err)) return -1;
        bool starved = u->at == u->n;
        if (starved && !u->inside) return 0;
        size_t out = n;
        const uint64_t before = u->taken - (u->n - u->at);
        if (u->ops->step(u, p, &out, err)) return -1;
        u->given += out;
        if (out) return (ssize_t)out;
        if (starved && u->inside) return unpack_damaged(u, "the data ends in the middle", err);
        if (!starved && u->taken - (u->n - u->at) == before && u->inside)
            return unpack_damaged(u, "no progress is possible", err);
    }
}

int unpack_damaged(const struct unpack *u, const char *why, struct err *err) {
    return unpack_damaged_at(u, u->taken - (u->n - u->at), why, err);
}

int unpack_damaged_at(const struct unpack *u, uint64_t byte, const char *why, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: damaged %s data before byte %llu (%llu bytes of content came out): %s", u->from.path,
                   u->ops->kind, (unsigned long long)byte, (unsigned long long)u->given, why);
}

int unpack_other_behind(const struct unpack *u, uint64_t byte, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: bytes that are not %s follow the %s data, from about byte %llu", u->from.path,
                   u->ops->kind, u->ops->kind, (unsigned long long)byte);
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
