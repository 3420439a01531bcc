/* gzip, one member after the other, by ISA-L, two to three times as fast as zlib. It checks the CRC and the length, and says
 * when a member ends. What follows the last member has to be zero bytes. Headers are read apart from the content: its inflate
 * forgets which fields are still to come if a header comes in pieces (2.30), and accepts reserved flags. */
#include "base/unpack_kind.h"
#include "base/unpack_pieces.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>

enum { MAGIC_1 = 0x1f, MAGIC_2 = 0x8b, RESERVED_FLAGS = 0xe0, ROOM_MAX_BYTES = 1 << 30 };

struct gzip {
    struct inflate_state inflate;
    struct isal_gzip_header header;
    bool in_header;
    bool padded; /* zeros have followed the last member */
};

static int gzip_open(struct unpack *u, struct err *err) {
    struct gzip *g = calloc(1, sizeof *g);
    if (!g) return err_nomem(err, sizeof *g, "gzip");
    isal_inflate_init(&g->inflate);
    u->state = g;
    return 0;
}

static bool has_magic(struct bytes head) {
    return head.p[0] == MAGIC_1 && (head.n == 1 || head.p[1] == MAGIC_2);
}

/* The first member has its magic: by that the kind was found. */
static int not_a_member(const struct unpack *u, struct err *err) {
    return unpack_damaged(u, "something else follows the compressed data", err);
}

/* Begins a member. Zeros pad the end: gzip passes them over, and takes nothing after them. Anything else must be a member. The
 * members before may have been unpacked as pieces. */
static int gzip_begin(struct unpack *u, struct err *err) {
    struct gzip *g = u->state;
    for (; u->taken > u->n - u->at && u->at < u->n && !u->in[u->at]; u->at++) g->padded = true;
    if (u->at == u->n) return 0;
    if (g->padded || !has_magic(bytes_of(u->in + u->at, u->n - u->at))) {
        u->at += u->n - u->at > 1 ? 2 : 1;
        return not_a_member(u, err);
    }
    isal_inflate_reset(&g->inflate);
    g->inflate.crc_flag = ISAL_GZIP_NO_HDR_VER;
    isal_gzip_header_init(&g->header);
    g->in_header = u->inside = true;
    return 0;
}

static int gzip_fault(const struct unpack *u, int rc, struct err *err) {
    const struct gzip *g = u->state;
    switch (rc) {
    case ISAL_INVALID_WRAPPER: return not_a_member(u, err);
    case ISAL_UNSUPPORTED_METHOD: return unpack_damaged(u, "unknown compression method", err);
    case ISAL_INVALID_BLOCK: return unpack_damaged(u, "invalid block header", err);
    case ISAL_INVALID_SYMBOL: return unpack_damaged(u, "invalid code", err);
    case ISAL_INVALID_LOOKBACK: return unpack_damaged(u, "invalid distance too far back", err);
    case ISAL_INCORRECT_CHECKSUM:
        return unpack_damaged(u, g->in_header ? "incorrect header checksum" : "incorrect checksum or length", err);
    default: return unpack_damaged(u, "not gzip", err);
    }
}

static int read_header(struct unpack *u, struct err *err) {
    struct gzip *g = u->state;
    int rc = isal_read_gzip_header(&g->inflate, &g->header);
    u->at = u->n - g->inflate.avail_in;
    if (rc < 0) return gzip_fault(u, rc, err);
    if (rc == ISAL_END_INPUT) return 0;
    if (g->header.flags & RESERVED_FLAGS) return unpack_damaged(u, "unknown header flags", err);
    g->in_header = false;
    return 0;
}

static int gzip_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    struct gzip *g = u->state;
    struct inflate_state *z = &g->inflate;
    size_t room = *n < ROOM_MAX_BYTES ? *n : ROOM_MAX_BYTES;
    *n = 0;
    if (!u->inside && gzip_begin(u, err)) return -1;
    if (!u->inside) return 0;
    z->next_in = u->in + u->at;
    z->avail_in = (uint32_t)(u->n - u->at);
    if (g->in_header && read_header(u, err)) return -1;
    if (g->in_header) return 0;
    z->next_out = p;
    z->avail_out = (uint32_t)room;
    int rc = isal_inflate(z);
    u->at = u->n - z->avail_in;
    if (rc < 0) return gzip_fault(u, rc, err);
    *n = room - z->avail_out;
    u->inside = z->block_state != ISAL_BLOCK_FINISH;
    return 0;
}

static void gzip_close(struct unpack *u) {
    free(u->state);
}

const struct unpack_ops unpack_gzip = {
    .kind = "gzip", .open = gzip_open, .step = gzip_step, .close = gzip_close, .pieces = &unpack_bgzip};
