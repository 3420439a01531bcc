/* gzip, one member after the other, by zlib. It checks the CRC and the length, and says when a member ends. What follows the
 * last member has to be zero bytes. */
#include "base/unpack_kind.h"
#include "base/unpack_pieces.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ZLIB_GZIP_WINDOW = 15 + 16 };

static int gzip_open(struct unpack *u, struct err *err) {
    z_stream *z = calloc(1, sizeof *z);
    if (!z) return err_nomem(err, sizeof *z, "gzip");
    if (inflateInit2(z, ZLIB_GZIP_WINDOW) != Z_OK) {
        free(z);
        return err_nomem(err, 64 * 1024, "gzip");
    }
    u->state = z;
    return 0;
}

/* Between members: zero padding is passed over, as gzip does; everything else has to be a member. */
static void gzip_begin(struct unpack *u) {
    while (u->taken > u->n - u->at && u->at < u->n && !u->in[u->at]) u->at++;
    if (u->at == u->n) return;
    inflateReset(u->state);
    u->inside = true;
}

static int gzip_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    z_stream *z = u->state;
    size_t room = *n < UINT_MAX ? *n : UINT_MAX;
    *n = 0;
    if (!u->inside) gzip_begin(u);
    if (!u->inside) return 0;
    z->next_in = u->in + u->at;
    z->avail_in = (uInt)(u->n - u->at);
    z->next_out = p;
    z->avail_out = (uInt)room;
    int rc = inflate(z, Z_NO_FLUSH);
    u->at = u->n - z->avail_in;
    *n = room - z->avail_out;
    if (rc == Z_STREAM_END) u->inside = false;
    if (rc == Z_MEM_ERROR) return err_nomem(err, 0, "gzip");
    if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR) return 0;
    bool behind = u->given && z->msg && !strcmp(z->msg, "incorrect header check");
    return unpack_damaged(u, behind ? "something else follows the compressed data" : z->msg ? z->msg : "not gzip", err);
}

static void gzip_close(struct unpack *u) {
    inflateEnd(u->state);
    free(u->state);
}

const struct unpack_ops unpack_gzip = {
    .kind = "gzip", .open = gzip_open, .step = gzip_step, .close = gzip_close, .pieces = &unpack_bgzip};
