/* One request of a server, repeated until its answer is whole: with libcurl, one handle a thread, so that connections stay
 * open. What fails for a reason that may pass (no connection, a cut or slow one, 408, 429, 5xx, a standby namenode) is tried
 * again after 0.1, 0.2, 0.4 … seconds; what has come of a part is kept. An answer that is another part, of another length or
 * of another file than was listed is refused before its bytes are used. Nothing that is secret is in a message: they name
 * files as the user did. */
#include "formats/remote/remote_attempt.h"

#include "base/stop.h"
#include "formats/remote/remote_body.h"
#include "formats/remote/remote_headers.h"
#include "formats/remote/remote_request.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PAUSE_MS = 100, PAUSE_MAX_MS = 10000, REDIRECTS_MAX = 5, PROGRESS_BYTES = 64 << 10, CONNECT_S = 20 };
enum { AVOIDED_MAX_BYTES = 2048, ASKS_MAX = 16 };

struct remote_client *remote_client_new(const struct remote_opts *o, const struct remote_curl *api, struct remote_counts *counts,
                                        struct remote_keys *keys, struct err *err) {
    struct remote_client *c = calloc(1, sizeof *c);
    if (c && (c->curl = api->init())) {
        c->api = api;
        c->o = o;
        c->counts = counts;
        c->keys = keys;
        c->seed = (uintptr_t)c;
        return c;
    }
    free(c);
    err_nomem(err, sizeof *c, "a connection");
    return NULL;
}

void remote_client_ends(struct remote_client *c, const bool *ends) {
    c->ends = ends;
}

void remote_client_free(struct remote_client *c) {
    if (!c) return;
    c->api->cleanup(c->curl);
    buf_free(&c->url);
    buf_free(&c->fault);
    buf_free(&c->avoided);
    free(c);
}

int remote_encode(struct buf *out, const char *text, const char *keep, struct err *err) {
    for (const char *p = text; *p; p++) {
        unsigned char b = (unsigned char)*p;
        bool plain =
            (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || strchr("-._~", b) || strchr(keep, b);
        if (plain ? buf_put_byte(out, b, err) : buf_printf(out, err, "%%%02X", b)) return -1;
    }
    return 0;
}

/* ---- what comes ---- */

/* Checks before the first byte of a body: is it the part that was asked for, of the file that was listed? */
static bool is_wanted(struct attempt *a) {
    struct remote_call *call = a->call;
    const struct remote_headers *h = &call->headers;
    const struct remote_facts *want = call->expected;
    uint64_t from = call->offset + a->before, left = call->n - a->before;
    if (call->method && call->status >= 200 && call->status < 300) return true;
    if (call->status != 200 && call->status != 206) return false;
    if (!call->into) return true;
    if (want && *want->tag && *h->facts.tag && !remote_headers_same_tag(want->tag, h->facts.tag)) a->changed = true;
    if (want && want->bytes >= 0 && h->facts.bytes >= 0 && want->bytes != h->facts.bytes) a->changed = true;
    if (a->changed) return false;
    if (call->status == 206 && h->first >= 0) return (uint64_t)h->first == from && (uint64_t)h->last - (uint64_t)h->first < left;
    if (call->source->kind == REMOTE_HDFS) {
        a->changed = h->body >= 0 && (uint64_t)h->body < left && want != NULL;
        return !a->changed;
    }
    if (want && call->status == 200 && h->body >= 0 && h->body != want->bytes) a->changed = true;
    return !a->changed && call->status == 200 && from == 0 && want && (uint64_t)want->bytes == left;
}

static size_t on_header(char *p, size_t size, size_t n, void *arg) {
    struct attempt *a = arg;
    remote_headers_line(&a->call->headers, bytes_of(p, size * n));
    return size * n;
}

static size_t on_body(char *p, size_t size, size_t n, void *arg) {
    struct attempt *a = arg;
    n *= size;
    if (!a->judged) {
        a->c->api->getinfo(a->c->curl, CURLINFO_RESPONSE_CODE, &a->call->status);
        a->judged = true;
        a->good = is_wanted(a);
    }
    __atomic_add_fetch(&a->c->counts->bytes, n, __ATOMIC_RELAXED);
    if (a->good && a->call->into) {
        a->too_long = n > a->call->n - a->got;
        if (a->too_long) return 0;
        memcpy(a->call->into + a->got, p, n);
        a->got += n;
        return n;
    }
    struct buf *to = a->good ? a->call->body : &a->c->fault;
    size_t most = a->good ? REMOTE_ANSWER_MAX : 64 << 10;
    if (to->n + n > most) {
        a->too_long = a->good;
        return 0;
    }
    return buf_put(to, p, n, &a->err) ? 0 : n;
}

static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    struct attempt *t = arg;
    (void)a, (void)b, (void)c, (void)d;
    if (t->c->ends && __atomic_load_n(t->c->ends, __ATOMIC_RELAXED)) return 1;
    return t->c->o->stop && stop_check(t->c->o->stop, &t->err) ? 1 : 0;
}

/* ---- what is sent ---- */

static int make_url(struct attempt *a, struct err *err) {
    const struct remote_call *call = a->call;
    struct buf *u = &a->c->url;
    const char *query = call->query ? call->query : "";
    a->base = __atomic_load_n(&call->source->active, __ATOMIC_RELAXED);
    buf_clear(u);
    if (buf_printf(u, err, "%s%s%s%s", call->source->bases[a->base], call->path, *query ? "?" : "", query)) return -1;
    if (call->into && call->source->kind == REMOTE_HDFS &&
        buf_printf(u, err, "&offset=%llu&length=%llu", (unsigned long long)(call->offset + a->got),
                   (unsigned long long)(call->n - a->got)))
        return -1;
    return buf_put_byte(u, 0, err);
}

static int sign_with(struct remote_client *c, const char *key_id, const char *secret, const char *token,
                     struct curl_slist **headers, struct err *err) {
    struct buf text = {0};
    const char *region = c->o->s3.region ? c->o->s3.region : "us-east-1";
    int rc = buf_printf(&text, err, "aws:amz:%s:s3", region) || buf_put_byte(&text, 0, err);
    if (!rc) c->api->setopt(c->curl, CURLOPT_AWS_SIGV4, (char *)text.p);
    c->api->setopt(c->curl, CURLOPT_USERNAME, key_id);
    c->api->setopt(c->curl, CURLOPT_PASSWORD, secret);
    *headers = c->api->append(*headers, "x-amz-content-sha256: UNSIGNED-PAYLOAD");
    buf_clear(&text);
    if (!rc && token) {
        rc = buf_printf(&text, err, "x-amz-security-token: %s", token) || buf_put_byte(&text, 0, err);
        if (!rc) *headers = c->api->append(*headers, (char *)text.p);
    }
    if (text.p) explicit_bzero(text.p, text.n);
    buf_free(&text);
    return rc ? -1 : 0;
}

/* libcurl copies what it is given. */
static int sign(struct remote_client *c, struct curl_slist **headers, struct err *err) {
    const struct remote_opts *o = c->o;
    if (o->s3.key_id && o->s3.secret) return sign_with(c, o->s3.key_id, o->s3.secret, o->s3.token, headers, err);
    if (!o->s3.identity.token_file) return 0; /* a public bucket */
    struct remote_keys *k = c->keys;
    pthread_mutex_lock(&k->lock);
    int rc = sign_with(c, (char *)k->key_id.p, (char *)k->secret.p, (char *)k->token.p, headers, err);
    pthread_mutex_unlock(&k->lock);
    return rc;
}

/* Limits, trust and where to: the same for every server. */
static void set_common(struct attempt *a) {
    CURL *u = a->c->curl;
    CURLcode (*set)(CURL *, CURLoption, ...) = a->c->api->setopt;
    const struct remote_opts *o = a->c->o;
    bool tls = !strncmp((char *)a->c->url.p, "https:", 6);
    a->c->api->reset(u);
    set(u, CURLOPT_URL, (char *)a->c->url.p);
    set(u, CURLOPT_NOSIGNAL, 1L);
    set(u, CURLOPT_PROTOCOLS_STR, "http,https");
    set(u, CURLOPT_REDIR_PROTOCOLS_STR, tls ? "https" : "http,https");
    set(u, CURLOPT_FOLLOWLOCATION, a->call->source->kind == REMOTE_S3 ? 0L : 1L);
    set(u, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    set(u, CURLOPT_CONNECTTIMEOUT, (long)(o->timeout_s < CONNECT_S ? o->timeout_s : CONNECT_S));
    set(u, CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(u, CURLOPT_LOW_SPEED_TIME, (long)o->timeout_s);
    set(u, CURLOPT_USERAGENT, "obkv-bulkload");
    set(u, CURLOPT_ERRORBUFFER, a->why);
    if (o->ca_file) set(u, CURLOPT_CAINFO, o->ca_file);
    set(u, CURLOPT_HEADERFUNCTION, on_header);
    set(u, CURLOPT_HEADERDATA, a);
    set(u, CURLOPT_WRITEFUNCTION, on_body);
    set(u, CURLOPT_WRITEDATA, a);
    set(u, CURLOPT_XFERINFOFUNCTION, on_progress);
    set(u, CURLOPT_XFERINFODATA, a);
    set(u, CURLOPT_NOPROGRESS, 0L);
    if (o->hdfs.negotiate && a->call->source->kind == REMOTE_HDFS) {
        set(u, CURLOPT_HTTPAUTH, (long)CURLAUTH_NEGOTIATE);
        set(u, CURLOPT_USERPWD, ":");
    }
}

/* ---- datanodes that failed ---- */

/* ",host:port," of a URL, as `avoided` has it. */
static int name_node(const char *url, struct buf *out, struct err *err) {
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    return buf_printf(out, err, ",%.*s,", (int)strcspn(host, "/?"), host);
}

static int is_avoided(const struct remote_client *c, const char *url, bool *is, struct err *err) {
    struct buf name = {0};
    int rc = name_node(url, &name, err);
    *is = !rc && c->avoided.n && memmem(c->avoided.p, c->avoided.n, name.p, name.n);
    buf_free(&name);
    return rc;
}

/* The one that was asked last. */
static int avoid_node(struct remote_client *c, struct err *err) {
    const char *url = NULL;
    bool is;
    c->api->getinfo(c->curl, CURLINFO_EFFECTIVE_URL, &url);
    if (!url || is_avoided(c, url, &is, err)) return url ? -1 : 0;
    if (is) return 0;
    if (c->avoided.n > AVOIDED_MAX_BYTES) buf_clear(&c->avoided);
    return name_node(url, &c->avoided, err);
}

static void begin_answer(struct attempt *a) {
    a->judged = a->good = a->changed = a->too_long = false;
    a->why[0] = 0;
    buf_clear(&a->c->fault);
    if (!a->call->into) buf_clear(a->call->body);
    remote_headers_begin(&a->call->headers);
    a->call->status = 0;
    __atomic_add_fetch(&a->c->counts->requests, 1, __ATOMIC_RELAXED);
}

/* Asks the namenode until it names a datanode that has not failed: for ten minutes it still sends readers to a dead one, but each
 * time it chooses among those that have the block. *sent: to a datanode, from which the bytes are still to be got; else there was
 * an answer, or none. */
static int choose_node(struct attempt *a, CURLcode *code, bool *sent, struct err *err) {
    struct remote_client *c = a->c;
    const char *to = NULL;
    bool avoided = true;
    c->api->setopt(c->curl, CURLOPT_FOLLOWLOCATION, 0L);
    for (int i = 0; avoided && i < ASKS_MAX; i++) {
        begin_answer(a);
        *code = c->api->perform(c->curl);
        c->api->getinfo(c->curl, CURLINFO_REDIRECT_URL, &to);
        if (*code != CURLE_OK || !to) return 0;
        if (is_avoided(c, to, &avoided, err)) return -1;
    }
    if (avoided) buf_clear(&c->avoided); /* it may be back */
    buf_clear(&c->url);
    if (buf_printf(&c->url, err, "%s", to) || buf_put_byte(&c->url, 0, err)) return -1;
    c->api->setopt(c->curl, CURLOPT_URL, (char *)c->url.p);
    c->api->setopt(c->curl, CURLOPT_USERPWD, NULL); /* its address has all that it wants to know */
    *sent = true;
    return 0;
}

/* ---- one attempt ---- */

static void set_range(struct attempt *a) {
    char range[64];
    snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)(a->call->offset + a->got),
             (unsigned long long)(a->call->offset + a->call->n - 1));
    a->c->api->setopt(a->c->curl, CURLOPT_RANGE, range);
}

static int perform(struct attempt *a, CURLcode *code, struct err *err) {
    struct remote_call *call = a->call;
    const struct remote_curl *api = a->c->api;
    struct curl_slist *headers = NULL;
    bool is_part = call->into != NULL, is_hdfs = call->source->kind == REMOTE_HDFS, sent = false;
    long redirects = 0;
    a->before = a->got;
    if (make_url(a, err)) return -1;
    set_common(a);
    int rc = call->source->kind == REMOTE_S3 ? sign(a->c, &headers, err) : 0;
    if (is_part && !is_hdfs) set_range(a);
    if (call->post) api->setopt(a->c->curl, CURLOPT_POSTFIELDS, call->post);
    bool chooses = is_hdfs && ((is_part && a->c->avoided.n) || call->sends);
    if (call->method) remote_body_begin(a, &headers, is_hdfs);
    if (headers) api->setopt(a->c->curl, CURLOPT_HTTPHEADER, headers);
    if (!rc && chooses) rc = choose_node(a, code, &sent, err);
    if (!rc && chooses && !is_part && !sent && *code == CURLE_OK) *code = remote_body_unsent(a);
    if (!rc && (!chooses || sent)) {
        if (call->sends) remote_body_send(a);
        begin_answer(a);
        *code = api->perform(a->c->curl);
    }
    api->getinfo(a->c->curl, CURLINFO_RESPONSE_CODE, &call->status);
    api->getinfo(a->c->curl, CURLINFO_REDIRECT_COUNT, &redirects);
    a->sent_on = sent || (redirects > 0 && is_hdfs);
    if (*code != CURLE_OK && redirects > 0 && call->status < 400) call->status = 0; /* not the answer of who was asked last */
    if (!rc && *code != CURLE_OK && a->sent_on && !a->too_long) rc = avoid_node(a->c, err);
    api->free_list(headers);
    return rc;
}

/* ---- until it is whole ---- */

static bool has_ended(const struct remote_client *c) {
    return c->ends && __atomic_load_n(c->ends, __ATOMIC_RELAXED);
}

/* Half of the pause is by chance, so that many readers do not come back at once. */
static int pause_before(struct attempt *a, unsigned failed, struct err *err) {
    int64_t ms = FIRST_PAUSE_MS;
    for (unsigned i = 1; i < failed && ms < PAUSE_MAX_MS; i++) ms *= 2;
    if (a->call->headers.age > 0) ms = a->call->headers.age < PAUSE_MAX_MS / 1000 ? a->call->headers.age * 1000 : PAUSE_MAX_MS;
    if (ms > PAUSE_MAX_MS) ms = PAUSE_MAX_MS;
    a->c->seed = a->c->seed * 6364136223846793005u + 1442695040888963407u;
    ms = ms / 2 + (int64_t)((a->c->seed >> 33) % (uint64_t)(ms / 2 + 1));
    struct pollfd p = {.fd = a->c->o->stop ? a->c->o->stop->fd : -1, .events = POLLIN};
    for (; ms > 0 && !has_ended(a->c); ms -= FIRST_PAUSE_MS)
        if (poll(&p, 1, (int)(ms < FIRST_PAUSE_MS ? ms : FIRST_PAUSE_MS))) break; /* less of a pause than it could be */
    if (has_ended(a->c)) return err_set(err, ERR_BUSY, "%s: the run has ended", a->call->shown);
    return a->c->o->stop ? stop_check(a->c->o->stop, err) : 0;
}

/* Asks the next server from now on, unless another thread has found out before. */
static void ask_next(const struct remote_source *s, unsigned asked) {
    unsigned next = (asked + 1) % s->n_bases;
    __atomic_compare_exchange_n((unsigned *)&s->active, &asked, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int remote_call(struct remote_client *c, struct remote_call *call, struct err *err) {
    struct attempt a = {.c = c, .call = call};
    /* The active one of a pair is not known yet: to ask the other one costs no retry. */
    unsigned allowed = c->o->retries + call->source->n_bases - 1;
    for (unsigned failed = 0;;) {
        CURLcode code = CURLE_OK;
        if (perform(&a, &code, err)) return -1;
        enum remote_verdict v = remote_judge(&a, code, err);
        if (v == GOOD) return 0;
        if (v == REFUSED) return -1;
        if (a.got - a.before >= PROGRESS_BYTES) failed = 0;
        if (failed++ == allowed)
            return err_set(err, ERR_BUSY, "%s: %s; %u attempts failed, try again later (docs/remote.md)", call->shown, a.why,
                           failed);
        __atomic_add_fetch(&c->counts->retries, 1, __ATOMIC_RELAXED);
        unsigned other = call->source->n_bases > 1 && !a.sent_on;
        if (other) ask_next(call->source, a.base);
        if ((!other || failed >= call->source->n_bases) && pause_before(&a, failed, err)) return -1;
    }
}
