/* bzip2 by libarchive, one stream after the other. Its filter asks for the compressed bytes itself, and does not say when bytes
 * that are not bzip2 follow: that is checked here. */
#include "base/unpack_kind.h"

#include "base/archive_error.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct state {
    struct archive *archive;
    struct archive_entry *entry; /* its own may be missing: archive_read_new() does not say so */
    struct unpack *u;
    struct err read_err; /* of a callback, which cannot pass it on itself */
    bool empty;
};

static la_ssize_t give_block(struct archive *a, void *arg, const void **block) {
    struct state *s = arg;
    struct unpack *u = s->u;
    if (unpack_refill(u, &s->read_err)) {
        archive_set_error(a, EIO, "read failed");
        return -1;
    }
    *block = u->in + u->at;
    size_t n = u->n - u->at;
    u->at = u->n;
    return (la_ssize_t)n;
}

static int archive_fault(struct state *s, bool opening, struct err *err) {
    const char *why = archive_error_string(s->archive);
    err_keep(err, &s->read_err);
    if (err->code != ERR_NONE) return -1;
    if (archive_lacks_memory(s->archive, opening)) return err_nomem(err, 0, "decompression");
    return unpack_damaged(s->u, why ? why : "no detail", err);
}

static int start_archive(struct state *s, int (*support)(struct archive *), int filter, struct err *err) {
    struct archive *a = s->archive;
    if (support(a) < ARCHIVE_WARN || archive_read_support_format_raw(a) || archive_read_support_format_empty(a) ||
        archive_read_set_read_callback(a, give_block) || archive_read_set_callback_data(a, s) || archive_read_open1(a))
        return archive_fault(s, true, err);
    int rc = archive_read_next_header2(a, s->entry);
    if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF) return archive_fault(s, false, err);
    /* A stream too short for the filter's own test would come out as it is. */
    if (archive_filter_code(a, 0) != filter) return unpack_damaged(s->u, "the data ends in the middle", err);
    s->empty = rc == ARCHIVE_EOF;
    return 0;
}

static int archive_begin(struct unpack *u, int (*support)(struct archive *), int filter, struct err *err) {
    struct state *s = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "decompression");
    u->state = s;
    u->inside = true;
    s->u = u;
    if (!(s->archive = archive_read_new()) || !(s->entry = archive_entry_new2(s->archive)))
        return err_nomem(err, 0, "decompression");
    return start_archive(s, support, filter, err);
}

/* bzip2's filter stops at bytes that begin no further stream, and says nothing. */
static int check_end(struct state *s, struct err *err) {
    struct unpack *u = s->u;
    if (unpack_refill(u, err)) return -1;
    uint64_t used = (uint64_t)archive_filter_bytes(s->archive, -1);
    if (u->at < u->n || used < u->taken)
        return err_set(err, ERR_INPUT, "%s: bytes that are not %s follow the %s data, from about byte %llu", u->from.path,
                       u->ops->kind, u->ops->kind, (unsigned long long)used);
    u->inside = false;
    return 0;
}

static int archive_step(struct unpack *u, uint8_t *p, size_t *n, struct err *err) {
    struct state *s = u->state;
    la_ssize_t r = s->empty ? 0 : archive_read_data(s->archive, p, *n);
    *n = 0;
    if (r < 0) return archive_fault(s, false, err);
    *n = (size_t)r;
    return r == 0 ? check_end(s, err) : 0;
}

static void archive_end(struct unpack *u) {
    struct state *s = u->state;
    archive_entry_free(s->entry);
    if (s->archive) archive_read_free(s->archive);
    free(s);
}

static int bzip2_open(struct unpack *u, struct err *err) {
    return archive_begin(u, archive_read_support_filter_bzip2, ARCHIVE_FILTER_BZIP2, err);
}

const struct unpack_ops unpack_bzip2 = {
    .kind = "bzip2", .pulls = true, .open = bzip2_open, .step = archive_step, .close = archive_end};
