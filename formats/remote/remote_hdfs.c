/* HDFS by WebHDFS: the namenode lists and describes, and sends readers to a datanode, which libcurl follows. Listings come in
 * batches where the namenode has them (Hadoop 3), else a directory at a time. */
#include "formats/remote/remote_hdfs.h"
#include "formats/remote/remote_request.h"
#include "formats/remote/remote_store.h"

#include "base/fs.h"
#include "base/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, NAME_MAX_BYTES = 255 };

static int refuse(const char *shown, const char *what, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: the namenode's answer %s; is this the address of WebHDFS?", shown, what);
}

static int take_status(const json_t *j, const char *shown, struct remote_hdfs_entry *e, struct err *err) {
    const json_t *name = json_object_get(j, "pathSuffix"), *type = json_object_get(j, "type"),
                 *length = json_object_get(j, "length"), *time = json_object_get(j, "modificationTime");
    const char *kind = json_string_value(type);
    *e = (struct remote_hdfs_entry){.name = json_string_value(name), .facts = {-1, -1, ""}};
    if (!e->name || !kind || !json_is_integer(length) || !json_is_integer(time))
        return refuse(shown, "lacks a name or size", err);
    if (strlen(e->name) != json_string_length(name) || strlen(e->name) > NAME_MAX_BYTES || strchr(e->name, '/') ||
        !strcmp(e->name, ".") || !strcmp(e->name, ".."))
        return refuse(shown, "has a name that no file can have", err);
    e->is_dir = !strcmp(kind, "DIRECTORY");
    if (!e->is_dir && strcmp(kind, "FILE")) return refuse(shown, "has a link, which is not followed", err);
    e->facts.bytes = json_integer_value(length);
    e->facts.mtime_ms = json_integer_value(time);
    return e->facts.bytes < 0 ? refuse(shown, "has a length below 0", err) : 0;
}

int remote_hdfs_page(struct bytes json, const char *shown,
                     int (*take)(void *arg, const struct remote_hdfs_entry *e, struct err *err), void *arg, struct buf *last,
                     bool *more, struct err *err) {
    json_t *j = json.n ? json_loadb((const char *)json.p, json.n, 0, NULL) : NULL;
    const json_t *batch = json_object_get(j, "DirectoryListing"), *one = json_object_get(j, "FileStatus"),
                 *list = batch ? json_object_get(json_object_get(batch, "partialListing"), "FileStatuses")
                               : json_object_get(j, "FileStatuses"),
                 *all = json_object_get(list, "FileStatus");
    struct remote_hdfs_entry e = {0};
    if (!j && json_memory_check(err)) return -1;
    int rc = one || json_is_array(all) ? 0 : refuse(shown, "is no listing", err);
    if (!rc && one) rc = take_status(one, shown, &e, err) || take(arg, &e, err) ? -1 : 0;
    for (size_t i = 0; !rc && !one && i < json_array_size(all); i++)
        rc = take_status(json_array_get(all, i), shown, &e, err) || take(arg, &e, err) ? -1 : 0;
    json_int_t left = json_integer_value(json_object_get(batch, "remainingEntries"));
    *more = !rc && batch && left > 0;
    if (*more && !json_array_size(all)) rc = refuse(shown, "is an empty batch that is not the last", err);
    if (*more && !rc && last->n && !strcmp((char *)last->p, e.name)) rc = refuse(shown, "is the batch before it again", err);
    if (*more && !rc) rc = buf_copy(last, bytes_str(e.name), err) || buf_put_byte(last, 0, err) ? -1 : 0;
    json_decref(j);
    return rc;
}

/* ---- requests ---- */

int remote_hdfs_path(const char *path, struct buf *out, struct err *err) {
    return buf_printf(out, err, "/webhdfs/v1/") || remote_encode(out, path, "/", err) || buf_put_byte(out, 0, err) ? -1 : 0;
}

struct directory {
    struct remote_client *c;
    const struct remote_source *s;
    const struct remote_found *found;
    const char *path;
    int depth;
    char **below; /* directories, to be listed after the page */
    size_t n_below;
};

static int take_entry(void *arg, const struct remote_hdfs_entry *e, struct err *err) {
    struct directory *d = arg;
    char *path = fs_printf(err, "%s%s%s", d->path, *d->path && *e->name ? "/" : "", e->name);
    if (!path) return -1;
    if (!e->is_dir) {
        int rc = d->found->file(d->found->arg, path, &e->facts, err);
        free(path);
        return rc;
    }
    if (grow_array(&d->below, d->n_below, sizeof *d->below, "a listing", err)) {
        free(path);
        return -1;
    }
    d->below[d->n_below++] = path;
    return 0;
}

static int ask(struct directory *d, const char *query, const char *after, struct buf *body, long *status, struct err *err) {
    struct buf path = {0}, all = {0};
    char *shown = fs_printf(err, "%s/%s", d->s->shown, d->path);
    int rc = !shown || remote_hdfs_path(d->path, &path, err) || buf_printf(&all, err, "%s", query);
    if (!rc && after) rc = buf_printf(&all, err, "&startAfter=") || remote_encode(&all, after, "", err);
    rc = rc || buf_put_byte(&all, 0, err);
    struct remote_call call = {
        .source = d->s, .path = (char *)path.p, .query = (char *)all.p, .shown = shown, .body = body, .may_miss = true};
    rc = rc || remote_call(d->c, &call, err);
    *status = call.status;
    free(shown);
    buf_free(&path);
    buf_free(&all);
    return rc ? -1 : 0;
}

int remote_hdfs_query(const struct remote_source *s, const char *op, struct buf *out, struct err *err) {
    buf_clear(out);
    return buf_printf(out, err, "op=%s%s%s", op, s->query ? "&" : "", s->query ? s->query : "") || buf_put_byte(out, 0, err) ? -1
                                                                                                                             : 0;
}

static int list_directory(const struct directory *up, const char *path, struct err *err);

/* Lists the directory, page by page; its sub-directories are listed afterwards. */
static int list_pages(struct directory *d, struct err *err) {
    struct buf body = {0}, last = {0}, query = {0};
    struct err batch = {0};
    bool more = true, batched = true;
    long status = 0;
    char *shown = fs_printf(err, "%s/%s", d->s->shown, d->path);
    int rc = shown ? remote_hdfs_query(d->s, "LISTSTATUS_BATCH", &query, err) : -1;
    while (!rc && more) {
        rc = ask(d, (char *)query.p, last.n ? (char *)last.p : NULL, &body, &status, batched && !last.n ? &batch : err);
        if (rc && batch.code == ERR_INPUT && status == 400) { /* before Hadoop 3 */
            batched = false;
            batch = (struct err){0};
            rc = remote_hdfs_query(d->s, "LISTSTATUS", &query, err);
            continue;
        }
        err_keep(err, &batch);
        more = false;
        if (!rc && status != 404) rc = remote_hdfs_page(buf_bytes(&body), shown, take_entry, d, &last, &more, err);
    }
    free(shown);
    buf_free(&body);
    buf_free(&last);
    buf_free(&query);
    for (size_t i = 0; i < d->n_below; i++) {
        if (!rc) rc = list_directory(d, d->below[i], err);
        free(d->below[i]);
    }
    free(d->below);
    return rc;
}

static int list_directory(const struct directory *up, const char *path, struct err *err) {
    struct directory d = {.c = up->c, .s = up->s, .found = up->found, .path = path, .depth = up->depth + 1};
    if (d.depth > DEPTH_MAX)
        return err_set(err, ERR_LIMIT, "%s/%s: directories are read only %d levels deep", up->s->shown, path, DEPTH_MAX);
    return list_pages(&d, err);
}

static int take_one(void *arg, const struct remote_hdfs_entry *e, struct err *err) {
    struct remote_hdfs_entry *out = arg;
    (void)err;
    *out = *e;
    out->name = "";
    return 0;
}

/* Asks for the status of a path. 1, 0 = nothing is there, -1. */
static int status_of(struct directory *d, struct remote_hdfs_entry *out, struct err *err) {
    struct buf body = {0}, query = {0}, last = {0};
    long status = 0;
    bool more;
    int rc = remote_hdfs_query(d->s, "GETFILESTATUS", &query, err) || ask(d, (char *)query.p, NULL, &body, &status, err) ? -1 : 1;
    if (rc == 1 && status == 404)
        rc = 0;
    else if (rc == 1 && remote_hdfs_page(buf_bytes(&body), d->s->shown, take_one, out, &last, &more, err))
        rc = -1;
    buf_free(&body);
    buf_free(&query);
    buf_free(&last);
    return rc;
}

int remote_hdfs_list(struct remote_client *c, const struct remote_source *s, const char *path, const struct remote_found *found,
                     struct err *err) {
    struct directory top = {.c = c, .s = s, .found = found, .path = path};
    struct remote_hdfs_entry e;
    int is = status_of(&top, &e, err);
    if (is <= 0) return is;
    if (!e.is_dir) return found->file(found->arg, path, &e.facts, err) ? -1 : 1;
    return list_directory(&top, path, err);
}

int remote_hdfs_stat(struct remote_client *c, const struct remote_source *s, const char *path, struct remote_facts *out,
                     struct err *err) {
    struct directory one = {.c = c, .s = s, .path = path};
    struct remote_hdfs_entry e;
    int is = status_of(&one, &e, err);
    if (is == 1) *out = e.facts;
    return is == 1 && e.is_dir ? 0 : is;
}

int remote_hdfs_read(struct remote_client *c, const struct remote_file *f, struct remote_call *call, struct err *err) {
    struct buf at = {0}, query = {0};
    int rc = remote_hdfs_path(f->path, &at, err) || remote_hdfs_query(f->source, "OPEN", &query, err);
    call->path = (char *)at.p;
    call->query = (char *)query.p;
    rc = rc || remote_call(c, call, err);
    buf_free(&at);
    buf_free(&query);
    return rc ? -1 : 0;
}
