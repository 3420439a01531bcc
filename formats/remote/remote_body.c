/* Sends bytes of a file, or a text, with a request. They are read when libcurl asks for them, as often as it does, so nothing is
 * held in memory. S3 gets the MD5 of these bytes, and refuses others. A namenode is asked without bytes first: its answer names
 * the datanode that takes them. */
#include "formats/remote/remote_body.h"

#include "base/fs.h"
#include "base/message_digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 256 << 10 };

static size_t hand_out(char *to, size_t size, size_t n, void *arg) {
    struct attempt *a = arg;
    const struct remote_body *b = a->call->sends;
    uint64_t left = b->n - a->put;
    ssize_t r;
    n = size * n < left ? size * n : (size_t)left;
    if (b->fd < 0) {
        memcpy(to, b->text + a->put, n);
        r = (ssize_t)n;
    } else {
        while ((r = pread(b->fd, to, n, (off_t)(b->offset + a->put))) < 0 && errno == EINTR) {
        }
    }
    if (r < 0 || (!r && left)) {
        err_sys(&a->err, ERR_OUTPUT, r < 0 ? errno : EIO, "%s: cannot read what is to be sent", a->call->shown);
        return CURL_READFUNC_ABORT;
    }
    a->put += (uint64_t)r;
    return (size_t)r;
}

/* A connection may turn out to be closed when the first bytes have gone. */
static int seek_to(void *arg, curl_off_t offset, int origin) {
    struct attempt *a = arg;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > a->call->sends->n) return CURL_SEEKFUNC_FAIL;
    a->put = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

void remote_body_begin(struct attempt *a, struct curl_slist **headers, bool bare) {
    const struct remote_body *b = a->call->sends;
    const struct remote_curl *api = a->c->api;
    char text[64];
    api->setopt(a->c->curl, CURLOPT_CUSTOMREQUEST, a->call->method);
    if (!b) return;
    api->setopt(a->c->curl, CURLOPT_UPLOAD, 1L);
    api->setopt(a->c->curl, CURLOPT_READFUNCTION, hand_out);
    api->setopt(a->c->curl, CURLOPT_READDATA, a);
    api->setopt(a->c->curl, CURLOPT_SEEKFUNCTION, seek_to);
    api->setopt(a->c->curl, CURLOPT_SEEKDATA, a);
    api->setopt(a->c->curl, CURLOPT_INFILESIZE_LARGE, bare ? (curl_off_t)0 : (curl_off_t)b->n);
    *headers = api->append(*headers, "Expect:"); /* no wait for a word between */
    *headers = api->append(*headers, "Content-Type: application/octet-stream");
    if (*b->md5) {
        snprintf(text, sizeof text, "Content-MD5: %s", b->md5);
        *headers = api->append(*headers, text);
    }
}

void remote_body_send(struct attempt *a) {
    a->put = 0;
    a->c->api->setopt(a->c->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)a->call->sends->n);
}

CURLcode remote_body_unsent(struct attempt *a) {
    if (a->call->status >= 300) return CURLE_OK;
    snprintf(a->why, sizeof a->why, "the namenode names no datanode to write to");
    return CURLE_GOT_NOTHING;
}

/* ---- sums ---- */

static void put_base64(const uint8_t *p, size_t n, char *to) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
        *to++ = letters[v >> 18];
        *to++ = letters[v >> 12 & 63];
        *to++ = i + 1 < n ? letters[v >> 6 & 63] : '=';
        *to++ = i + 2 < n ? letters[v & 63] : '=';
    }
    *to = 0;
}

int remote_body_sum(struct remote_body *body, const char *name, uint8_t md5[16], struct err *err) {
    struct message_digest d;
    uint8_t out[MESSAGE_DIGEST_MAX_BYTES], *piece = body->fd < 0 ? NULL : malloc(PIECE_BYTES);
    if (body->fd >= 0 && !piece) return err_nomem(err, PIECE_BYTES, "a checksum");
    int rc = 0;
    message_digest_begin(&d, MESSAGE_MD5);
    if (body->fd < 0) message_digest_add(&d, body->text, body->n);
    for (uint64_t at = 0; !rc && body->fd >= 0 && at < body->n;) {
        const size_t n = body->n - at < PIECE_BYTES ? (size_t)(body->n - at) : PIECE_BYTES;
        rc = fs_pread_full(body->fd, piece, n, body->offset + at, name, err);
        if (!rc) message_digest_add(&d, piece, n);
        at += n;
    }
    free(piece);
    message_digest_end(&d, out);
    memcpy(md5, out, 16);
    put_base64(md5, 16, body->md5);
    return rc;
}
