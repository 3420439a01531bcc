/* Decides what became of a request: the answer that was wanted, a failure that may pass, or a refusal. After a failure that may
 * pass, a run tries again, and ends with 75 in the end; a refusal ends it at once with 5. So a server that refuses differs from
 * one that cannot answer now, and a file that has changed from a connection that was cut. Refusals come with what to do about
 * them. */
#include "formats/remote/remote_attempt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_trust(CURLcode code) {
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_ISSUER_ERROR ||
           code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;
}

/* Returns whether the failure would repeat: another attempt is sent the same way. */
static bool is_misdirected(CURLcode code) {
    return code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_UNSUPPORTED_PROTOCOL;
}

static int refuse(const struct attempt *a, const char *text, struct err *err) {
    err_set(err, a->call->method ? ERR_OUTPUT : ERR_INPUT, "%s: %s", a->call->shown, text);
    if (!a->call->method) err->sys = EREMOTEIO; /* not damage of the file */
    return REFUSED;
}

static bool is_expired(const struct remote_fault *f) {
    const char *code = f->code;
    return !strcmp(code, "ExpiredToken") || !strcmp(code, "TokenRefreshRequired") || !strcmp(code, "RequestExpired") ||
           strstr(code, "ExpiredToken") || !strcmp(code, "InvalidToken") ||
           strstr(f->text, "InvalidToken"); /* WebHDFS: its SecurityException names the cause */
}

/* Returns whether the bytes that were sent did not arrive as they are. */
static bool is_of_the_way(const char *code) {
    return !strcmp(code, "BadDigest") || !strcmp(code, "IncompleteBody") || !strcmp(code, "InternalError");
}

/* 4xx: by what the server says of it. */
static enum remote_verdict judge_refusal(struct attempt *a, const struct remote_fault *f, struct err *err) {
    char text[700];
    long status = a->call->status;
    if (!strcmp(f->code, "StandbyException") || !strcmp(f->code, "RetriableException") || !strcmp(f->code, "RequestTimeout") ||
        !strcmp(f->code, "SlowDown") || (a->call->method && is_of_the_way(f->code))) {
        snprintf(a->why, sizeof a->why, "%s", f->code);
        return AGAIN;
    }
    const char *remedy = is_expired(f)                              ? "; the credentials have expired: get new ones and run again"
                         : !strcmp(f->code, "RequestTimeTooSkewed") ? "; the clock of this machine is wrong"
                         : status == 301 || status == 307 || !strcmp(f->code, "AuthorizationHeaderMalformed")
                             ? "; the bucket is in another region: set AWS_REGION"
                         : status == 401 && a->call->source->kind == REMOTE_HDFS && a->c->o->hdfs.negotiate
                             ? "; there is no valid Kerberos ticket: get one with kinit"
                         : status == 401
                             ? "; give credentials (docs/remote.md), or with Kerberos negotiate = yes in a file for --config"
                         : strstr(f->code, "QuotaExceeded") ? "; the quota of the directory is used up"
                         : status == 403                    ? "; check the credentials and what they permit (docs/remote.md)"
                         : status == 404                    ? "; there is no such file, or it has disappeared"
                                                            : "";
    snprintf(text, sizeof text, "the server refuses: HTTP %ld%s%s%s%s%s", status, *f->code ? " " : "", f->code,
             *f->text ? ": " : "", f->text, remedy);
    return refuse(a, text, err);
}

enum remote_verdict remote_judge(struct attempt *a, CURLcode code, struct err *err) {
    struct remote_call *call = a->call;
    struct remote_fault f;
    long status = call->status;
    if (a->err.code) {
        err_keep(err, &a->err);
        return REFUSED;
    }
    if (call->probe && (status == 416 || (status == 200 && call->headers.body == 0))) {
        call->headers.facts.bytes = 0;
        return GOOD;
    }
    if (a->changed || status == 412 || (status == 416 && call->into))
        return refuse(a, "changed while it was being read (another length or tag); run again when no program writes to it", err);
    if (code == CURLE_OUT_OF_MEMORY) {
        err_set(err, ERR_LIMIT, "%s: out of memory for a request", call->shown);
        return REFUSED;
    }
    if (a->too_long) return refuse(a, "the server sends more bytes than were asked for", err);
    if (is_trust(code)) {
        snprintf(a->why + strlen(a->why), sizeof a->why - strlen(a->why), "; name its certificate in AWS_CA_BUNDLE");
        return refuse(a, a->why, err);
    }
    if (code == CURLE_UNSUPPORTED_PROTOCOL && strstr(a->why, "HTTP/0.9"))
        return refuse(
            a, "the server sends bytes that belong to no answer: its Content-Length is too small, or it is no web server", err);
    if (is_misdirected(code)) {
        snprintf(a->why + strlen(a->why), sizeof a->why - strlen(a->why), "; the server redirects to no file: check the URL");
        return refuse(a, a->why, err);
    }
    remote_fault_parse(buf_bytes(&a->c->fault), &f);
    if (status == 404 && call->source->kind == REMOTE_HDFS && !*f.code)
        return refuse(a, "HTTP 404 from something that is not WebHDFS; is this its address (of HDFS 3, port 9870)?", err);
    if (status == 404 && call->may_miss) return GOOD;
    if (status == 408 || status == 429 || (status >= 500 && status != 501)) {
        snprintf(a->why, sizeof a->why, "HTTP %ld%s%s", status, *f.code ? " " : "", f.code);
        return AGAIN;
    }
    if (status >= 300) return judge_refusal(a, &f, err);
    if (a->judged && !a->good)
        return refuse(a, "the server does not serve parts of files (Range); download the file, and give its local path", err);
    if (code != CURLE_OK) {
        if (!a->why[0]) snprintf(a->why, sizeof a->why, "%s", a->c->api->text(code));
        return AGAIN;
    }
    if (!call->into || a->got == call->n) return GOOD;
    snprintf(a->why, sizeof a->why, "the answer ended after %zu of %zu bytes", a->got, call->n);
    return AGAIN;
}
