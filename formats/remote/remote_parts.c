/* Uploads of S3. A file is sent whole if it is small, else in parts, each with its MD5, which the server compares; then the parts
 * are put together. Only that makes the file visible, so it is whole or not there. The server's tag of a file is made of these
 * sums, so the listing says whether a file is there already. */
#include "formats/remote/remote_parts.h"

#include "base/fs.h"
#include "base/message_digest.h"
#include "formats/remote/remote_body.h"
#include "formats/remote/remote_identity.h"
#include "formats/remote/remote_request.h"
#include "formats/remote/remote_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 10000, COMPLETIONS = 5 };

/* ---- sums ---- */

static void put_hex(const uint8_t md5[16], char *to) {
    for (size_t i = 0; i < 16; i++) snprintf(to + 2 * i, 3, "%02x", md5[i]);
}

void remote_parts_free(struct remote_parts *parts) {
    free(parts->bodies);
    *parts = (struct remote_parts){0};
}

int remote_parts_sum(struct remote_parts *parts, const struct remote_put *p, uint64_t part_bytes, struct err *err) {
    struct message_digest all;
    uint8_t md5[MESSAGE_DIGEST_MAX_BYTES];
    int rc = 0;
    while (p->bytes / part_bytes >= PARTS_MAX) part_bytes *= 2;
    *parts = (struct remote_parts){.part_bytes = part_bytes, .n = p->bytes ? (size_t)((p->bytes - 1) / part_bytes) + 1 : 1};
    if (!(parts->bodies = calloc(parts->n, sizeof *parts->bodies)))
        return err_nomem(err, parts->n * sizeof *parts->bodies, "parts of a file");
    message_digest_begin(&all, MESSAGE_MD5);
    for (size_t i = 0; !rc && i < parts->n; i++) {
        const uint64_t at = i * part_bytes, left = p->bytes - at;
        parts->bodies[i] =
            (struct remote_body){.fd = p->fd, .text = p->text, .offset = at, .n = left < part_bytes ? left : part_bytes};
        rc = remote_body_sum(&parts->bodies[i], p->path, md5, err);
        message_digest_add(&all, md5, 16);
    }
    if (parts->n > 1) message_digest_end(&all, md5);
    put_hex(md5, parts->tag);
    if (parts->n > 1) snprintf(parts->tag + 32, sizeof parts->tag - 32, "-%zu", parts->n);
    return rc;
}

/* ---- requests ---- */

int remote_parts_call(struct remote_client *c, const struct remote_source *s, const char *path, struct remote_call *call,
                      struct err *err) {
    struct buf at = {0};
    char *shown = fs_printf(err, "%s/%s", s->shown, path);
    call->source = s;
    call->shown = shown;
    int rc = !shown || (!call->path && remote_source_path(s, path, &at, err)) ? -1 : 0;
    if (!call->path) call->path = (char *)at.p;
    rc = rc || remote_object_call(c, call, err) ? -1 : 0;
    call->path = call->shown = NULL;
    free(shown);
    buf_free(&at);
    return rc;
}

static int send_whole(struct remote_client *c, const struct remote_put *p, const struct remote_parts *parts,
                      struct remote_facts *facts, struct err *err) {
    struct buf answer = {0};
    struct remote_call call = {.method = "PUT", .sends = parts->bodies, .body = &answer};
    int rc = remote_parts_call(c, p->source, p->path, &call, err);
    *facts = call.headers.facts;
    buf_free(&answer);
    return rc;
}

/* ---- an upload in parts ---- */

/* Begins it. id: its name, encoded, with a 0. */
static int begin(struct remote_client *c, const struct remote_put *p, struct buf *id, struct err *err) {
    static const char *const names[] = {"UploadId"};
    const struct remote_body none = {.fd = -1, .text = ""};
    struct buf answer = {0}, text = {0};
    struct remote_call call = {.method = "POST", .sends = &none, .query = "uploads=", .body = &answer};
    int rc =
        remote_parts_call(c, p->source, p->path, &call, err) || remote_xml_texts(buf_bytes(&answer), names, &text, 1, err) < 0
            ? -1
            : 0;
    if (!rc && text.n < 2) rc = err_set(err, ERR_OUTPUT, "%s/%s: the server's answer names no upload", p->source->shown, p->path);
    if (!rc) rc = remote_encode(id, (char *)text.p, "", err) || buf_put_byte(id, 0, err) ? -1 : 0;
    buf_free(&answer);
    buf_free(&text);
    return rc;
}

/* list: the document that puts the parts together. */
static int send_part(struct remote_client *c, const struct remote_put *p, const struct remote_parts *parts, size_t i,
                     const struct buf *id, struct buf *list, struct err *err) {
    struct buf query = {0}, answer = {0};
    int rc = buf_printf(&query, err, "partNumber=%zu&uploadId=%s", i + 1, (char *)id->p) || buf_put_byte(&query, 0, err);
    struct remote_call call = {.method = "PUT", .sends = &parts->bodies[i], .query = (char *)query.p, .body = &answer};
    rc = rc || remote_parts_call(c, p->source, p->path, &call, err);
    if (!rc && !*call.headers.facts.tag)
        rc = err_set(err, ERR_OUTPUT, "%s/%s: the server gives a part no tag", p->source->shown, p->path);
    rc = rc || buf_printf(list, err, "<Part><PartNumber>%zu</PartNumber><ETag>%s</ETag></Part>", i + 1, call.headers.facts.tag);
    buf_free(&query);
    buf_free(&answer);
    return rc ? -1 : 0;
}

/* Takes the tag from an answer. S3 says 200 before it begins, so it may still be an error. 1 = done, 0 = try again, -1. */
static int take_completion(const struct remote_put *p, const struct buf *answer, struct remote_facts *facts, struct err *err) {
    static const char *const names[] = {"ETag", "Code", "Message"};
    struct buf texts[countof(names)] = {0};
    int rc = remote_xml_texts(buf_bytes(answer), names, texts, countof(names), err) < 0 ? -1 : 0;
    if (!rc && texts[0].n > 1 && texts[0].n < sizeof facts->tag) {
        memcpy(facts->tag, texts[0].p, texts[0].n);
        rc = 1;
    } else if (!rc && texts[1].n > 1 && strcmp((char *)texts[1].p, "InternalError") && strcmp((char *)texts[1].p, "SlowDown")) {
        rc = err_set(err, ERR_OUTPUT, "%s/%s: the server cannot put the parts together: %s: %s", p->source->shown, p->path,
                     (char *)texts[1].p, (char *)texts[2].p);
    }
    for (size_t i = 0; i < countof(names); i++) buf_free(&texts[i]);
    return rc;
}

/* Is the file there after all? The answer to an earlier attempt may have been lost. */
static int is_there(struct remote_client *c, const struct remote_put *p, struct remote_facts *facts, struct err *err) {
    int is = remote_source_stat(c, p->source, p->path, facts, err);
    return is == 1 ? facts->bytes == (int64_t)p->bytes : is;
}

static int complete(struct remote_client *c, const struct remote_put *p, const struct buf *id, const struct buf *list,
                    struct remote_facts *facts, struct err *err) {
    const struct remote_body document = {.fd = -1, .text = (char *)list->p, .n = list->n};
    struct buf query = {0};
    int rc = buf_printf(&query, err, "uploadId=%s", (char *)id->p) || buf_put_byte(&query, 0, err) ? -1 : 0;
    for (unsigned i = 0; !rc && i < COMPLETIONS; i++) {
        struct buf answer = {0};
        struct remote_call call = {
            .method = "POST", .sends = &document, .query = (char *)query.p, .body = &answer, .may_miss = true};
        rc = remote_parts_call(c, p->source, p->path, &call, err);
        if (!rc) rc = call.status == 404 ? is_there(c, p, facts, err) : take_completion(p, &answer, facts, err);
        buf_free(&answer);
        if (rc == 1) rc = is_there(c, p, facts, err); /* with the tag that listings have: some servers answer with another one */
        if (!rc && call.status == 404) break;
    }
    buf_free(&query);
    if (!rc) rc = err_set(err, ERR_BUSY, "%s/%s: the upload was given up by the server; try again", p->source->shown, p->path);
    return rc == 1 ? 0 : -1;
}

static void give_up(struct remote_client *c, const struct remote_put *p, const struct buf *id) {
    struct err ignored = {0}; /* the next run removes it otherwise */
    struct buf query = {0}, answer = {0};
    struct remote_call call = {.method = "DELETE", .body = &answer, .may_miss = true};
    if (!buf_printf(&query, &ignored, "uploadId=%s", (char *)id->p) && !buf_put_byte(&query, 0, &ignored)) {
        call.query = (char *)query.p;
        (void)remote_parts_call(c, p->source, p->path, &call, &ignored);
    }
    buf_free(&query);
    buf_free(&answer);
}

int remote_parts_send(struct remote_client *c, const struct remote_put *p, const struct remote_parts *parts,
                      struct remote_facts *facts, struct err *err) {
    struct buf id = {0}, list = {0};
    if (parts->n == 1) return send_whole(c, p, parts, facts, err);
    int rc = begin(c, p, &id, err);
    const bool begun = !rc;
    if (!rc) rc = buf_printf(&list, err, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    for (size_t i = 0; !rc && i < parts->n; i++) rc = send_part(c, p, parts, i, &id, &list, err);
    if (!rc) rc = buf_printf(&list, err, "</CompleteMultipartUpload>");
    if (!rc) rc = complete(c, p, &id, &list, facts, err);
    if (rc && begun) give_up(c, p, &id);
    buf_free(&id);
    buf_free(&list);
    return rc;
}
