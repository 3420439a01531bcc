/* Puts files on S3 (remote_parts.c) and HDFS, and removes them there. A name is final from the start: nothing is renamed but, on
 * HDFS, the last file of an output, which others would see before it is complete. */
#include "formats/remote/remote_put.h"

#include "base/fs.h"
#include "dataset/publication.h"
#include "formats/remote/remote_attempt.h"
#include "formats/remote/remote_hdfs.h"
#include "formats/remote/remote_headers.h"
#include "formats/remote/remote_parts.h"
#include "formats/remote/remote_request.h"
#include "formats/remote/remote_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- HDFS ---- */

/* answer: what the namenode says of it. */
static int hdfs_call(struct remote_client *c, const struct remote_source *s, const char *path, const char *op,
                     struct remote_call *call, struct buf *answer, struct err *err) {
    struct buf at = {0}, query = {0};
    char *shown = fs_printf(err, "%s/%s", s->shown, path);
    int rc = !shown || remote_hdfs_path(path, &at, err) || remote_hdfs_query(s, op, &query, err);
    call->source = s;
    call->path = (char *)at.p;
    call->query = (char *)query.p;
    call->shown = shown;
    call->body = answer;
    rc = rc || remote_call(c, call, err);
    free(shown);
    buf_free(&at);
    buf_free(&query);
    return rc ? -1 : 0;
}

static int hdfs_put(struct remote_client *c, const struct remote_put *p, struct remote_facts *facts, struct err *err) {
    const struct remote_body body = {.fd = p->fd, .text = p->text, .n = p->bytes};
    struct buf answer = {0};
    struct remote_call call = {.method = "PUT", .sends = &body};
    int is = hdfs_call(c, p->source, p->path, "CREATE&overwrite=true", &call, &answer, err) ? -1 : 1;
    buf_free(&answer);
    if (is == 1) is = remote_source_stat(c, p->source, p->path, facts, err);
    if (is == 1 && facts->bytes == (int64_t)p->bytes) return 0;
    return is < 0 ? -1
                  : err_set(err, ERR_BUSY, "%s/%s: is not there, or not whole, after it was written; try again", p->source->shown,
                            p->path);
}

/* An answer that was lost may have been yes: then the name is there. */
static int hdfs_move(struct remote_client *c, const struct remote_source *s, const char *from, const char *to, uint64_t bytes,
                     struct err *err) {
    struct buf op = {0}, answer = {0};
    struct remote_call call = {.method = "PUT"};
    struct remote_facts facts = {-1, -1, ""};
    int rc = buf_printf(&op, err, "RENAME&destination=") || remote_encode(&op, "/", "/", err) ||
                     remote_encode(&op, to, "/", err) || buf_put_byte(&op, 0, err) ||
                     hdfs_call(c, s, from, (char *)op.p, &call, &answer, err)
                 ? -1
                 : 0;
    if (!rc && remote_source_stat(c, s, to, &facts, err) < 0) rc = -1;
    if (!rc && facts.bytes != (int64_t)bytes) rc = err_set(err, ERR_BUSY, "%s/%s: cannot be renamed; try again", s->shown, from);
    buf_free(&op);
    buf_free(&answer);
    return rc;
}

/* ---- both ---- */

int remote_put_file(struct remote_client *c, const struct remote_put *p, struct remote_facts *facts, bool *kept,
                    struct err *err) {
    struct remote_parts parts = {0};
    *facts = (struct remote_facts){-1, -1, ""};
    *kept = false;
    int rc = p->source->kind == REMOTE_HDFS ? hdfs_put(c, p, facts, err) : remote_parts_sum(&parts, p, c->o->s3.part_bytes, err);
    if (!rc && p->source->kind == REMOTE_S3) {
        *kept = p->there && p->there->bytes == (int64_t)p->bytes && remote_headers_same_tag(p->there->tag, parts.tag);
        if (*kept)
            *facts = *p->there;
        else
            rc = remote_parts_send(c, p, &parts, facts, err);
        facts->bytes = (int64_t)p->bytes;
    }
    remote_parts_free(&parts);
    return rc;
}

int remote_put_whole(struct remote_client *c, const struct remote_put *p, const char *by, struct err *err) {
    struct remote_facts facts;
    bool kept;
    if (p->source->kind == REMOTE_S3) return remote_put_file(c, p, &facts, &kept, err);
    struct remote_put first = *p;
    first.path = by;
    if (remote_put_file(c, &first, &facts, &kept, err)) return -1;
    return hdfs_move(c, p->source, by, p->path, p->bytes, err);
}

int remote_put_remove(struct remote_client *c, const struct remote_source *s, const char *path, struct err *err) {
    struct buf answer = {0};
    struct remote_call call = {.method = "DELETE", .body = &answer, .may_miss = true};
    int rc = s->kind == REMOTE_HDFS ? hdfs_call(c, s, path, "DELETE&recursive=true", &call, &answer, err)
                                    : remote_parts_call(c, s, path, &call, err);
    buf_free(&answer);
    return rc;
}

/* ---- uploads that were left ---- */

static int bucket_query(const char *path, struct buf *query, struct err *err) {
    return buf_printf(query, err, "max-uploads=1&prefix=") || remote_encode(query, path, "", err) ||
                   buf_printf(query, err, "%s&uploads=", *path ? "%2F" : "") || buf_put_byte(query, 0, err)
               ? -1
               : 0;
}

/* One upload below the path, of a file of ours: others may write beside an output. 1, 0 = the first is none, -1. */
static int find_upload(struct remote_client *c, const struct remote_source *s, const char *path, struct buf *texts,
                       struct err *err) {
    static const char *const names[] = {"Key", "UploadId"};
    struct buf query = {0}, answer = {0}, at = {0};
    const bool in_path = s->bucket && *s->bucket;
    int rc = bucket_query(path, &query, err) || buf_printf(&at, err, "/") ||
             (in_path && remote_encode(&at, s->bucket, "", err)) || buf_put_byte(&at, 0, err);
    struct remote_call call = {.path = (char *)at.p, .query = (char *)query.p, .body = &answer, .may_miss = true};
    rc = rc || remote_parts_call(c, s, path, &call, err) || remote_xml_texts(buf_bytes(&answer), names, texts, 2, err) < 0 ? -1
                                                                                                                           : 0;
    buf_free(&query);
    buf_free(&answer);
    buf_free(&at);
    if (rc) return -1;
    const size_t n = strlen(path);
    const char *key = (char *)texts[0].p;
    const bool is_below = call.status != 404 && texts[1].n > 1 && !strncmp(key, path, n) && (!n || key[n] == '/');
    return is_below && (publication_is_ours(key + n + (n != 0)) || !strcmp(key + n + (n != 0), "MANIFEST.json"));
}

static int end_upload(struct remote_client *c, const struct remote_source *s, const struct buf *texts, struct err *err) {
    struct buf query = {0}, answer = {0};
    int rc = buf_printf(&query, err, "uploadId=") || remote_encode(&query, (char *)texts[1].p, "", err) ||
             buf_put_byte(&query, 0, err);
    struct remote_call call = {.method = "DELETE", .query = (char *)query.p, .body = &answer, .may_miss = true};
    rc = rc || remote_parts_call(c, s, (char *)texts[0].p, &call, err);
    buf_free(&query);
    buf_free(&answer);
    return rc ? -1 : 0;
}

int remote_put_tidy(struct remote_client *c, const struct remote_source *s, const char *path, struct err *err) {
    enum { UPLOADS_MAX = 100000 };
    struct buf last = {0};
    int more = s->kind == REMOTE_S3;
    for (unsigned i = 0; more == 1 && i < UPLOADS_MAX; i++) {
        struct buf texts[2] = {0};
        more = find_upload(c, s, path, texts, err);
        if (more == 1 && bytes_eq(buf_bytes(&last), buf_bytes(&texts[1]))) more = 0; /* it does not go: nor would the next ones */
        if (more == 1 && end_upload(c, s, texts, err)) more = -1;
        buf_free(&last);
        last = texts[1];
        buf_free(&texts[0]);
    }
    buf_free(&last);
    return more < 0 ? -1 : 0;
}
