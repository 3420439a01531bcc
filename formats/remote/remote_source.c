/* One file of any server: what the server says of it, and its bytes. HDFS has its own requests (remote_hdfs.c). Of S3 and HTTP
 * a path is an object, and one byte of it is asked for to learn its length: a HEAD request has no answer that says why it was
 * refused, and some presigned URLs allow GET only. */

#include "base/fs.h"
#include "formats/remote/remote_hdfs.h"
#include "formats/remote/remote_identity.h"
#include "formats/remote/remote_request.h"
#include "formats/remote/remote_source.h"

#include <stdlib.h>

/* Keys of S3 are encoded here, paths of HTTP by who wrote the URL. */
int remote_source_path(const struct remote_source *s, const char *path, struct buf *out, struct err *err) {
    bool in_path = s->bucket && *s->bucket;
    if (in_path && (buf_printf(out, err, "/") || remote_encode(out, s->bucket, "", err))) return -1;
    if (buf_printf(out, err, "/")) return -1;
    if (s->kind == REMOTE_S3 ? remote_encode(out, path, "/", err) : buf_printf(out, err, "%s", path)) return -1;
    return buf_put_byte(out, 0, err);
}

static int object_stat(struct remote_client *c, const struct remote_source *s, const char *path, struct remote_facts *out,
                       struct err *err) {
    uint8_t first;
    struct buf at = {0};
    char *shown = fs_printf(err, "%s/%s", s->shown, path);
    int rc = !shown || remote_source_path(s, path, &at, err);
    struct remote_call call = {.source = s,
                               .path = (char *)at.p,
                               .query = s->query,
                               .shown = shown,
                               .into = &first,
                               .n = 1,
                               .may_miss = true,
                               .probe = true};
    rc = rc || remote_object_call(c, &call, err) ? -1 : call.status != 404;
    if (rc == 1 && call.headers.facts.bytes < 0)
        rc = err_set(err, ERR_INPUT, "%s: the server does not say how long the file is", shown);
    *out = call.headers.facts;
    free(shown);
    buf_free(&at);
    return rc;
}

int remote_source_stat(struct remote_client *c, const struct remote_source *s, const char *path, struct remote_facts *out,
                       struct err *err) {
    return s->kind == REMOTE_HDFS ? remote_hdfs_stat(c, s, path, out, err) : object_stat(c, s, path, out, err);
}

static int object_read(struct remote_client *c, const struct remote_file *f, struct remote_call *call, struct err *err) {
    struct buf at = {0};
    int rc = remote_source_path(f->source, f->path, &at, err);
    call->path = (char *)at.p;
    call->query = f->source->query;
    rc = rc || remote_object_call(c, call, err);
    buf_free(&at);
    return rc ? -1 : 0;
}

int remote_source_read(struct remote_client *c, const struct remote_file *f, uint64_t offset, uint8_t *p, size_t n,
                       struct err *err) {
    char *shown = fs_printf(err, "%s/%s", f->source->shown, f->path);
    struct remote_call call = {.source = f->source, .shown = shown, .expected = &f->facts, .offset = offset, .into = p, .n = n};
    int rc = shown ? 0 : -1;
    if (!rc) rc = f->source->kind == REMOTE_HDFS ? remote_hdfs_read(c, f, &call, err) : object_read(c, f, &call, err);
    free(shown);
    return rc;
}
