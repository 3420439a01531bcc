/* URLs of inputs: which server is asked, for what, and how it is called in messages.
 *
 *     s3://bucket/key   hdfs://name[:port]/path   webhdfs://host:port/path   swebhdfs://…   http(s)://host/path?query
 *
 * hdfs:// names a namenode, or a pair of which hdfs-namenodes says where WebHDFS answers (9870 unless said). */

#include "base/fs.h"
#include "formats/remote/remote_address.h"
#include "formats/remote/remote_request.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_MAX_BYTES = 255 };
#define WEBHDFS_PORT "9870"

static const struct {
    const char *name;
    enum remote_kind kind;
    const char *transport;
} schemes[] = {
    {"s3", REMOTE_S3, NULL},          {"s3a", REMOTE_S3, NULL},           {"hdfs", REMOTE_HDFS, NULL},
    {"webhdfs", REMOTE_HDFS, "http"}, {"swebhdfs", REMOTE_HDFS, "https"}, {"http", REMOTE_HTTP, "http"},
    {"https", REMOTE_HTTP, "https"},
};

static int scheme_number(const char *url) {
    const char *end = strstr(url, "://");
    for (int i = 0; end && i < (int)countof(schemes); i++)
        if (strlen(schemes[i].name) == (size_t)(end - url) && !strncasecmp(url, schemes[i].name, (size_t)(end - url))) return i;
    return -1;
}

size_t remote_scheme(const char *url) {
    int i = scheme_number(url);
    return i < 0 ? 0 : strlen(schemes[i].name);
}

bool remote_can_write(const char *url) {
    int i = scheme_number(url);
    return i >= 0 && schemes[i].kind != REMOTE_HTTP;
}

const char *remote_scheme_name(size_t i) {
    return i < countof(schemes) ? schemes[i].name : NULL;
}

void remote_source_free(struct remote_source *s) {
    if (!s) return;
    for (unsigned i = 0; i < s->n_bases; i++) free(s->bases[i]);
    free(s->shown);
    free(s->place);
    free(s->bucket);
    if (s->query) explicit_bzero(s->query, strlen(s->query));
    free(s->query);
    free(s);
}

void remote_address_free(struct remote_address *a) {
    free(a->path);
    free(a->pattern);
}

static int add_base(struct remote_source *s, char *base) {
    if (base) s->bases[s->n_bases++] = base;
    return base ? 0 : -1;
}

/* A host may not bring along what would be taken for another part of a URL. */
static int check_host(const char *url, const char *host, size_t n, struct err *err) {
    static const char *const fit = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";
    if (memchr(host, '@', n))
        return err_set(err, ERR_USAGE, "a URL with a user or password is not read; see docs/remote.md for where credentials go");
    size_t fits = strspn(host, fit);
    if (n && n <= HOST_MAX_BYTES && fits >= n) return 0;
    return err_set(err, ERR_USAGE, "%.*s: the URL names no host or bucket", (int)strcspn(url, "?"), url);
}

static int name_s3(struct remote_source *s, const struct remote_opts *o, const char *bucket, size_t n, struct err *err) {
    const char *region = o->s3.region ? o->s3.region : "us-east-1", *end = o->s3.endpoint;
    size_t length = end ? strlen(end) : 0;
    while (length && end[length - 1] == '/') length--;
    if (end && strncmp(end, "https://", 8) && strncmp(end, "http://", 7))
        return err_set(err, ERR_USAGE, "s3-endpoint %s: expected https://host or http://host", end);
    if (end && memchr(end, '@', length))
        return err_set(err, ERR_USAGE, "s3-endpoint %s: a user or password is not read there; see docs/remote.md", end);
    if (!end) { /* names with dots do not match the certificate */
        bool dots = memchr(bucket, '.', n) != NULL;
        s->bucket = fs_printf(err, "%.*s", dots ? (int)n : 0, bucket);
        return s->bucket && !add_base(s, dots ? fs_printf(err, "https://s3.%s.amazonaws.com", region)
                                              : fs_printf(err, "https://%.*s.s3.%s.amazonaws.com", (int)n, bucket, region))
                   ? 0
                   : -1;
    }
    int transport = (int)(strstr(end, "://") + 3 - end);
    s->bucket = fs_printf(err, "%.*s", o->s3.in_host ? 0 : (int)n, bucket);
    if (!s->bucket) return -1;
    if (!o->s3.in_host) return add_base(s, fs_printf(err, "%.*s", (int)length, end));
    return add_base(s, fs_printf(err, "%.*s%.*s.%.*s", transport, end, (int)n, bucket, (int)length - transport, end + transport));
}

/* user.name and delegation exclude each other. */
static int hdfs_query(struct remote_source *s, const struct remote_opts *o, struct err *err) {
    struct buf q = {0};
    const char *name = o->hdfs.token ? "delegation=" : o->hdfs.user && !o->hdfs.negotiate ? "user.name=" : NULL;
    if (!name) return 0;
    int rc = buf_printf(&q, err, "%s", name) || remote_encode(&q, o->hdfs.token ? o->hdfs.token : o->hdfs.user, "", err) ||
             buf_put_byte(&q, 0, err);
    s->query = (char *)q.p;
    return rc ? -1 : 0;
}

static const struct remote_service *find_service(const struct remote_opts *o, const char *host, size_t n) {
    const char *colon = memchr(host, ':', n);
    if (colon) n = (size_t)(colon - host);
    for (size_t i = 0; i < o->hdfs.n_services; i++)
        if (bytes_eq(bytes_str(o->hdfs.services[i].name), bytes_of(host, n))) return &o->hdfs.services[i];
    return NULL;
}

static int name_hdfs(struct remote_source *s, const struct remote_opts *o, const char *transport, const char *host, size_t n,
                     struct err *err) {
    const char *list = transport && memchr(host, ':', n) ? NULL : o->hdfs.namenodes, *how = transport ? transport : "http";
    if (hdfs_query(s, o, err)) return -1;
    const struct remote_service *service = list || transport ? NULL : find_service(o, host, n);
    if (service) {
        list = service->namenodes;
        if (service->tls) how = "https";
    }
    if (!list && transport && memchr(host, ':', n)) return add_base(s, fs_printf(err, "%s://%.*s", how, (int)n, host));
    if (!list) { /* the port of a hdfs:// URL is that of Hadoop's RPC */
        const char *colon = memchr(host, ':', n);
        return add_base(s, fs_printf(err, "%s://%.*s:" WEBHDFS_PORT, how, (int)(colon ? colon - host : (ptrdiff_t)n), host));
    }
    for (const char *at = list; *at;) {
        size_t k = strcspn(at, ",");
        if (check_host(at, at, k, err)) return err_prefix(err, "hdfs-namenodes");
        if (s->n_bases == REMOTE_BASES_MAX)
            return err_set(err, ERR_USAGE, "hdfs-namenodes: more than %d namenodes", REMOTE_BASES_MAX);
        bool port = memchr(at, ':', k) != NULL;
        if (add_base(s, fs_printf(err, "%s://%.*s%s", how, (int)k, at, port ? "" : ":" WEBHDFS_PORT))) return -1;
        at += k + (at[k] == ',');
    }
    return s->n_bases ? 0 : err_set(err, ERR_USAGE, "hdfs-namenodes names none");
}

/* The last directory without a pattern in its name is what is listed. */
static int cut_pattern(struct remote_address *a, const char *path, size_t n, bool may, struct err *err) {
    size_t plain = may ? strcspn(path, "*?[") : n;
    if (plain > n) plain = n;
    while (n && path[n - 1] == '/') n--;
    if (plain < n) {
        a->pattern = fs_printf(err, "%.*s", (int)n, path);
        while (plain && path[plain - 1] != '/') plain--;
        while (plain && path[plain - 1] == '/') plain--;
        n = plain;
        if (!a->pattern) return -1;
    }
    a->path = fs_printf(err, "%.*s", (int)n, path);
    return a->path ? 0 : -1;
}

int remote_address_parse(const char *url, const struct remote_opts *o, struct remote_address *out, struct err *err) {
    int scheme = scheme_number(url);
    *out = (struct remote_address){0};
    if (scheme < 0) return err_set(err, ERR_USAGE, "%s: is no URL that is read", url);
    const char *host = strstr(url, "://") + 3;
    size_t n = strcspn(host, "/?#");
    enum remote_kind kind = schemes[scheme].kind;
    const char *path = host + n + (host[n] == '/'), *transport = schemes[scheme].transport;
    if (!n && kind == REMOTE_HDFS && !transport && o->hdfs.by_default) n = strlen(host = o->hdfs.by_default);
    if (check_host(url, host, n, err)) return -1;
    struct remote_source *s = out->source = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "an input");
    s->kind = kind;
    s->shown = fs_printf(err, "%s://%.*s", schemes[scheme].name, (int)n, host);
    s->place = fs_printf(err, "%s:/%.*s", schemes[scheme].name, (int)n, host);
    while (kind == REMOTE_HDFS && *path == '/') path++; /* hdfs://name//path: HDFS takes many for one */
    size_t path_bytes = kind == REMOTE_HTTP ? strcspn(path, "?#") : strlen(path);
    int rc = s->shown && s->place ? 0 : -1;
    if (!rc && kind == REMOTE_HTTP) {
        rc = add_base(s, fs_printf(err, "%s://%.*s", transport, (int)n, host));
        if (!rc && path[path_bytes] == '?' && !(s->query = fs_printf(err, "%s", path + path_bytes + 1))) rc = -1;
        if (!rc && !path_bytes) rc = err_set(err, ERR_USAGE, "%s://%.*s/: the URL names no file", transport, (int)n, host);
    } else if (!rc) {
        rc = kind == REMOTE_S3 ? name_s3(s, o, host, n, err) : name_hdfs(s, o, transport, host, n, err);
    }
    return rc || cut_pattern(out, path, path_bytes, kind != REMOTE_HTTP, err) ? -1 : 0;
}
