/* Keys of S3 for a web identity: a pod of Kubernetes has a file with a token, and the token service (STS) gives keys for it that
 * are valid for an hour or so. They are asked for when the first request needs them, and again five minutes before they expire.
 * The token is read each time, because Kubernetes replaces it. It goes in the body of a request, so that it is in no log of
 * addresses. */
#include "formats/remote/remote_attempt.h"

#include "base/fs.h"
#include "formats/remote/remote_identity.h"
#include "formats/remote/remote_request.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MARGIN_S = 300, TOKEN_MAX_BYTES = 1 << 20 };

void remote_keys_begin(struct remote_keys *k) {
    *k = (struct remote_keys){0};
    pthread_mutex_init(&k->lock, NULL);
}

static void forget(struct buf *b) {
    if (b->p) explicit_bzero(b->p, b->n);
    buf_free(b);
}

static void forget_all(struct remote_keys *k) {
    forget(&k->key_id);
    forget(&k->secret);
    forget(&k->token);
    k->until_s = 0;
}

void remote_keys_end(struct remote_keys *k) {
    forget_all(k);
    pthread_mutex_destroy(&k->lock);
}

int remote_identity_parse(struct bytes xml, struct remote_keys *out, struct err *err) {
    static const char *const names[] = {"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"};
    struct buf texts[countof(names)] = {0};
    struct tm t = {0};
    int whole = remote_xml_texts(xml, names, texts, countof(names), err);
    bool all = whole == 1;
    for (size_t i = 0; i < countof(names); i++) all = all && texts[i].n > 1;
    if (all && strptime((char *)texts[3].p, "%Y-%m-%dT%H:%M:%S", &t)) out->until_s = (int64_t)timegm(&t);
    out->key_id = texts[0];
    out->secret = texts[1];
    out->token = texts[2];
    buf_free(&texts[3]);
    if (whole < 0) return -1;
    return out->until_s > 0 ? 0 : err_set(err, ERR_INPUT, "the answer of the token service has no keys");
}

/* ---- asking ---- */

static int put_field(struct buf *out, const char *name, const char *value, struct err *err) {
    return buf_printf(out, err, "&%s=", name) || remote_encode(out, value, "", err) ? -1 : 0;
}

static int make_request(const struct remote_opts *o, struct buf *out, struct err *err) {
    size_t n = 0;
    char *token = fs_read_text(o->s3.identity.token_file, TOKEN_MAX_BYTES, &n, err);
    if (!token) return err_prefix(err, "AWS_WEB_IDENTITY_TOKEN_FILE");
    token[strcspn(token, "\r\n")] = 0;
    int rc = buf_printf(out, err, "Action=AssumeRoleWithWebIdentity&Version=2011-06-15") ||
             put_field(out, "RoleArn", o->s3.identity.role, err) ||
             put_field(out, "RoleSessionName", o->s3.identity.session ? o->s3.identity.session : "obkv-bulkload", err) ||
             put_field(out, "WebIdentityToken", token, err) || buf_put_byte(out, 0, err);
    explicit_bzero(token, n);
    free(token);
    return rc ? -1 : 0;
}

static int ask(struct remote_client *c, struct remote_keys *got, struct err *err) {
    const struct remote_opts *o = c->o;
    struct buf post = {0}, body = {0};
    struct remote_source sts = {.kind = REMOTE_HTTP, .n_bases = 1};
    sts.bases[0] = o->s3.identity.endpoint
                       ? fs_printf(err, "%.*s", (int)strcspn(o->s3.identity.endpoint, " "), o->s3.identity.endpoint)
                       : fs_printf(err, "https://sts.%s.amazonaws.com", o->s3.region ? o->s3.region : "us-east-1");
    int rc = !sts.bases[0] || make_request(o, &post, err);
    struct remote_call call = {.source = &sts, .path = "/", .shown = sts.bases[0], .post = (char *)post.p, .body = &body};
    rc = rc || remote_call(c, &call, err);
    if (!rc && remote_identity_parse(buf_bytes(&body), got, err)) {
        err_prefix(err, "%s", sts.bases[0]);
        rc = -1;
    }
    forget(&post);
    forget(&body);
    free(sts.bases[0]);
    return rc ? -1 : 0;
}

static int renew(struct remote_client *c, struct err *err) {
    struct remote_keys *k = c->keys, got = {0};
    int rc = 0;
    pthread_mutex_lock(&k->lock);
    if (k->until_s - MARGIN_S <= (int64_t)time(NULL) && !(rc = ask(c, &got, err))) {
        forget_all(k);
        k->key_id = got.key_id;
        k->secret = got.secret;
        k->token = got.token;
        k->until_s = got.until_s;
        got = (struct remote_keys){0};
    }
    pthread_mutex_unlock(&k->lock);
    forget_all(&got);
    return rc;
}

int remote_object_call(struct remote_client *c, struct remote_call *call, struct err *err) {
    if (call->source->kind == REMOTE_S3 && c->o->s3.identity.token_file && renew(c, err)) return -1;
    return remote_call(c, call, err);
}
