/* S3: what is below a prefix (ListObjectsV2, page by page), what an object is, and its bytes. Addresses are in path style with an
 * endpoint, https://endpoint/bucket/key, and have the bucket in the host at AWS. */

#include "formats/remote/remote_identity.h"
#include "formats/remote/remote_request.h"
#include "formats/remote/remote_s3.h"
#include "formats/remote/remote_source.h"

#include <errno.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPTH_MAX = 16, TEXT_MAX = 8192 };
enum field { KEY, SIZE, TAG, TIME, TRUNCATED, TOKEN, FIELDS };

struct s3_page {
    XML_Parser parser;
    const char *shown;
    const struct remote_found *found;
    struct buf text[FIELDS];
    int field; /* that is open; FIELDS: none */
    int depth;
    bool in_object, is_list;
    struct err *err;
};

static void stop_page(struct s3_page *p) {
    XML_StopParser(p->parser, XML_FALSE);
}

static enum field field_of(const struct s3_page *p, const char *name) {
    static const char *const names[FIELDS] = {"Key", "Size", "ETag", "LastModified", "IsTruncated", "NextContinuationToken"};
    for (int i = 0; i < FIELDS; i++)
        if (!strcmp(name, names[i])) return (i < TRUNCATED) == p->in_object ? (enum field)i : FIELDS;
    return FIELDS;
}

static void XMLCALL on_start(void *arg, const XML_Char *name, const XML_Char **attributes) {
    struct s3_page *p = arg;
    (void)attributes;
    if (++p->depth > DEPTH_MAX) {
        err_set(p->err, ERR_INPUT, "%s: the listing is not that of S3", p->shown);
        return stop_page(p);
    }
    if (p->depth == 1) p->is_list = !strcmp(name, "ListBucketResult");
    if (p->depth == 2 && !strcmp(name, "Contents")) {
        p->in_object = true;
        for (int i = 0; i < TRUNCATED; i++) buf_clear(&p->text[i]);
    }
    p->field = p->depth == (p->in_object ? 3 : 2) ? (int)field_of(p, name) : FIELDS;
    if (p->field < FIELDS) buf_clear(&p->text[p->field]);
}

static void XMLCALL on_text(void *arg, const XML_Char *text, int n) {
    struct s3_page *p = arg;
    if (p->field == FIELDS) return;
    struct buf *b = &p->text[p->field];
    if (b->n + (size_t)n > TEXT_MAX) {
        err_set(p->err, ERR_INPUT, "%s: the listing has a name of more than %d bytes", p->shown, TEXT_MAX);
        stop_page(p);
    } else if (buf_put(b, text, (size_t)n, p->err))
        stop_page(p);
}

/* 2026-11-24T18:00:00.000Z */
static int64_t time_of(const char *text) {
    struct tm t = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &t);
    return rest ? (int64_t)timegm(&t) * 1000 : -1;
}

static int end_object(struct s3_page *p) {
    struct remote_facts f = {-1, -1, ""};
    for (int i = 0; i < FIELDS; i++)
        if (buf_reserve(&p->text[i], 1, p->err)) return -1;
    for (int i = 0; i < FIELDS; i++) p->text[i].p[p->text[i].n] = 0;
    const char *key = (char *)p->text[KEY].p, *size = (char *)p->text[SIZE].p, *tag = (char *)p->text[TAG].p;
    char *end = NULL;
    errno = 0;
    f.bytes = *size >= '0' && *size <= '9' ? strtoll(size, &end, 10) : -1;
    if (f.bytes < 0 || errno || *end || !*key || strlen(key) != p->text[KEY].n)
        return err_set(p->err, ERR_INPUT, "%s: the listing has an object without a name or size", p->shown);
    if (strlen(tag) < sizeof f.tag) memcpy(f.tag, tag, strlen(tag) + 1);
    f.mtime_ms = time_of((char *)p->text[TIME].p);
    return p->found->file(p->found->arg, key, &f, p->err);
}

static void XMLCALL on_end(void *arg, const XML_Char *name) {
    struct s3_page *p = arg;
    (void)name;
    p->field = FIELDS;
    if (p->depth-- != 2 || !p->in_object) return;
    p->in_object = false;
    if (end_object(p)) stop_page(p);
}

static void XMLCALL on_entity(void *arg, const XML_Char *name, int is_parameter, const XML_Char *value, int n,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation) {
    struct s3_page *p = arg;
    (void)name, (void)is_parameter, (void)value, (void)n, (void)base, (void)system, (void)public, (void)notation;
    err_set(p->err, ERR_INPUT, "%s: the listing declares entities", p->shown);
    stop_page(p);
}

static int end_page(struct s3_page *p, bool parsed, struct buf *next, struct err *err) {
    if (err->code) return -1;
    if (!parsed || !p->is_list) return err_set(err, ERR_INPUT, "%s: the server's listing is not that of S3", p->shown);
    struct buf *more = &p->text[TRUNCATED];
    buf_clear(next);
    if (more->n != 4 || memcmp(more->p, "true", 4)) return 0;
    if (!p->text[TOKEN].n) return err_set(err, ERR_INPUT, "%s: the server's listing is cut off without a token", p->shown);
    return buf_put(next, p->text[TOKEN].p, p->text[TOKEN].n, err);
}

int remote_s3_page(struct bytes xml, const char *shown, const struct remote_found *found, struct buf *next, struct err *err) {
    struct s3_page p = {.parser = XML_ParserCreate(NULL), .shown = shown, .found = found, .field = FIELDS, .err = err};
    if (!p.parser) return err_nomem(err, 0, "a listing");
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, on_start, on_end);
    XML_SetCharacterDataHandler(p.parser, on_text);
    XML_SetEntityDeclHandler(p.parser, on_entity);
    bool parsed = xml.n < INT32_MAX && XML_Parse(p.parser, (const char *)xml.p, (int)xml.n, XML_TRUE) == XML_STATUS_OK;
    int rc = end_page(&p, parsed, next, err);
    XML_ParserFree(p.parser);
    for (int i = 0; i < FIELDS; i++) buf_free(&p.text[i]);
    return rc;
}

/* ---- requests ---- */

/* Parameters in the order in which signatures want them. */
static int list_query(struct buf *q, const char *prefix, const struct buf *token, struct err *err) {
    struct buf text = {0};
    buf_clear(q);
    int rc = 0;
    if (token->n) {
        rc = buf_put(&text, token->p, token->n, err) || buf_put_byte(&text, 0, err) ||
             buf_printf(q, err, "continuation-token=") || remote_encode(q, (char *)text.p, "", err) || buf_printf(q, err, "&");
    }
    rc = rc || buf_printf(q, err, "list-type=2&prefix=") || remote_encode(q, prefix, "", err) || buf_put_byte(q, 0, err);
    buf_free(&text);
    return rc ? -1 : 0;
}

static int bucket_path(const struct remote_source *s, struct buf *out, struct err *err) {
    bool in_path = s->bucket && *s->bucket;
    return buf_printf(out, err, "/") || (in_path && remote_encode(out, s->bucket, "", err)) || buf_put_byte(out, 0, err) ? -1 : 0;
}

int remote_s3_list(struct remote_client *c, const struct remote_source *s, const char *path, const struct remote_found *found,
                   struct err *err) {
    struct remote_facts facts;
    size_t n = strlen(path);
    if (n && path[n - 1] != '/') {
        int is = remote_source_stat(c, s, path, &facts, err);
        if (is < 0) return -1;
        if (is) return found->file(found->arg, path, &facts, err) ? -1 : 1;
    }
    struct buf at = {0}, query = {0}, body = {0}, token = {0}, before = {0}, prefix = {0}, shown = {0};
    int rc = bucket_path(s, &at, err) || buf_printf(&shown, err, "%s/%s", s->shown, path) || buf_put_byte(&shown, 0, err) ||
             buf_printf(&prefix, err, "%s%s", path, n && path[n - 1] != '/' ? "/" : "") || buf_put_byte(&prefix, 0, err);
    do {
        rc = rc || list_query(&query, (char *)prefix.p, &token, err) || buf_copy(&before, buf_bytes(&token), err);
        struct remote_call call = {
            .source = s, .path = (char *)at.p, .query = (char *)query.p, .shown = (char *)shown.p, .body = &body};
        rc = rc || remote_object_call(c, &call, err) || remote_s3_page(buf_bytes(&body), (char *)shown.p, found, &token, err);
        if (!rc && token.n && bytes_eq(buf_bytes(&token), buf_bytes(&before)))
            rc = err_set(err, ERR_INPUT, "%s: the server's listing does not end: the token of a page is that of the page before",
                         (char *)shown.p);
    } while (!rc && token.n);
    buf_free(&at);
    buf_free(&query);
    buf_free(&body);
    buf_free(&token);
    buf_free(&before);
    buf_free(&prefix);
    buf_free(&shown);
    return rc ? -1 : 0;
}
