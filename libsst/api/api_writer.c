/* Writes an HFile for a caller: at a path, under a temporary name until it is complete, or to a descriptor or callbacks. With
 * threads the caller's cells are gathered and then put inside a team of OpenMP, in which the inner writer compresses blocks as
 * tasks:
 *
 *   put, put, put … --copied--> 16 MiB gathered --> parallel { one thread puts, all compress } --> put, put …
 *
 * Between two such rounds no thread of ours works. Relies on the inner writer's promise that bytes do not depend on threads. */
#include "api/api.h"
#include "api/api_write_opts.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_writer.h"
#include "sst/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { GATHER_BYTES = 16 << 20, BLOCKS_PER_THREAD = 4 };

/* A cell whose bytes were copied: row, family, qualifier, value and tags, one after the other from `at` on. */
struct held {
    size_t at;
    uint32_t row_n, family_n, qualifier_n, value_n, tags_n;
    int64_t ts_ms;
    uint64_t seq;
    uint8_t type;
};

struct sst_writer {
    char *path, *temp; /* temp NULL: it is not written at a path */
    int sync_fd;       /* a second descriptor of the caller's file; -1: none */
    sst_write_ops ops; /* write NULL: there are no callbacks */
    void *context;
    struct outfile *out;
    struct hfile_writer *writer;
    struct hfile_extra *extra;
    unsigned threads;
    struct buf bytes, held; /* gathered */
    bool failed, finished;
    sst_written written;
};

static int more_pairs(sst_writer *w, const sst_writer_options *given, struct hfile_write_opts *o, struct err *err) {
    if (!given->n_pairs) return 0;
    w->extra = calloc(given->n_pairs, sizeof *w->extra);
    if (!w->extra) return err_nomem(err, given->n_pairs * sizeof *w->extra, "file info");
    for (size_t i = 0; i < given->n_pairs; i++)
        w->extra[i] = (struct hfile_extra){given->pairs[i].key, api_taken(given->pairs[i].value)};
    o->extra = w->extra;
    o->n_extra = given->n_pairs;
    return 0;
}

static int options_of(sst_writer *w, const sst_writer_options *given, struct hfile_write_opts *o, struct err *err) {
    if (api_write_opts(given, o, err)) return -1;
    w->threads = given->threads > 1 ? given->threads : 1;
    o->batch_blocks = w->threads > 1 ? w->threads * BLOCKS_PER_THREAD : 1;
    return more_pairs(w, given, o, err);
}

/* ---- life ---- */

static sst_writer *writer_new(const char *name, struct err *err) {
    sst_writer *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "a writer");
        return NULL;
    }
    w->sync_fd = -1;
    if ((w->path = fs_printf(err, "%s", name))) return w;
    sst_writer_close(w);
    return NULL;
}

/* rc: what was done before. Takes ownership of w. */
static sst_writer *begin(sst_writer *w, int rc, const sst_writer_options *options, struct err *err) {
    sst_writer_options given;
    struct hfile_write_opts o;
    if (!w) return NULL;
    if (!rc && !api_options(&given, sizeof given, options, "sst_writer_options", err) && !options_of(w, &given, &o, err)) {
        if (w->temp) w->out = outfile_create(w->temp, NULL, err);
        if (w->out && (w->writer = hfile_writer_open(&o, w->out, err))) return w;
    }
    sst_writer_close(w);
    return NULL;
}

sst_writer *sst_writer_open(const char *path, const sst_writer_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_writer *w = writer_new(path, err);
    if (w) w->temp = fs_printf(err, "%s.%ld.tmp", path, (long)getpid());
    return begin(w, !w || !w->temp, options, err);
}

sst_writer *sst_writer_open_fd(int fd, const char *name, const sst_writer_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_writer *w = writer_new(name, err);
    if (w && (w->sync_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0) err_sys(err, ERR_OUTPUT, errno, "%s: cannot write", name);
    if (w && w->sync_fd >= 0)
        w->out = outfile_of_fd(fd, name, err);
    else
        fd_close(fd);
    return begin(w, !w || !w->out, options, err);
}

static int call_write(void *arg, const void *p, size_t n, struct err *err) {
    const sst_writer *w = arg;
    errno = 0;
    if (!w->ops.write(w->context, p, n)) return 0;
    return err_sys(err, ERR_OUTPUT, errno ? errno : EIO, "%s: cannot write", w->path);
}

sst_writer *sst_writer_open_callbacks(const sst_write_ops *ops, void *context, const char *name,
                                      const sst_writer_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_writer *w = writer_new(name, err);
    const struct outfile_sink sink = {.write = call_write, .arg = w};
    if (!w) {
        if (ops && ops->close) ops->close(context);
        return NULL;
    }
    w->context = context;
    int rc = api_options(&w->ops, sizeof w->ops, ops, "sst_write_ops", err);
    if (!rc && !w->ops.write) rc = err_set(err, ERR_USAGE, "sst_write_ops: write is needed");
    if (!rc) w->out = outfile_of_sink(&sink, name, err);
    return begin(w, rc || !w->out, options, err);
}

void sst_writer_close(sst_writer *writer) {
    if (!writer) return;
    hfile_writer_close(writer->writer);
    outfile_close(writer->out);
    if (writer->temp && writer->out && !writer->finished) (void)unlink(writer->temp); /* complete, but not renamed */
    fd_close(writer->sync_fd);
    if (writer->ops.close) writer->ops.close(writer->context);
    free(writer->path);
    free(writer->temp);
    free(writer->extra);
    buf_free(&writer->bytes);
    buf_free(&writer->held);
    free(writer);
}

/* ---- cells ---- */

static int gather(sst_writer *w, const struct row_part *part, struct err *err) {
    const struct cell *c = part->cells;
    const struct bytes pieces[] = {part->row, part->family, c->qualifier, c->value, c->tags};
    struct held h = {.at = w->bytes.n, .ts_ms = c->ts_ms, .seq = c->seq, .type = c->type};
    uint32_t *const lengths[] = {&h.row_n, &h.family_n, &h.qualifier_n, &h.value_n, &h.tags_n};
    for (size_t i = 0; i < countof(pieces); i++) {
        if (pieces[i].n > INT32_MAX) return err_set(err, ERR_LIMIT, "a cell of %zu bytes is too large", pieces[i].n);
        *lengths[i] = (uint32_t)pieces[i].n;
        if (pieces[i].n && buf_put(&w->bytes, pieces[i].p, pieces[i].n, err)) return -1;
    }
    return buf_put(&w->held, &h, sizeof h, err);
}

static int put_held(sst_writer *w, const struct held *h, struct err *err) {
    const uint8_t *p = w->bytes.p + h->at, *family = p + h->row_n, *qualifier = family + h->family_n;
    const uint8_t *value = qualifier + h->qualifier_n, *tags = value + h->value_n;
    struct cell c = {.qualifier = bytes_of(qualifier, h->qualifier_n),
                     .value = bytes_of(value, h->value_n),
                     .tags = bytes_of(tags, h->tags_n),
                     .ts_ms = h->ts_ms,
                     .seq = h->seq,
                     .type = h->type};
    struct row_part part = {.row = bytes_of(p, h->row_n), .family = bytes_of(family, h->family_n), .cells = &c, .n_cells = 1};
    return hfile_writer_put(w->writer, &part, err);
}

static int put_gathered(sst_writer *w, struct err *err) {
    const struct held *h = (const struct held *)w->held.p;
    size_t n = w->held.n / sizeof *h;
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) rc = put_held(w, &h[i], err);
    return rc ? rc : hfile_writer_pause(w->writer, err);
}

static int put_in_team(sst_writer *w, struct err *err) {
    int rc = 0;
#pragma omp parallel num_threads(w->threads)
#pragma omp single
    rc = put_gathered(w, err);
    buf_clear(&w->bytes);
    buf_clear(&w->held);
    return rc;
}

/* The inner writer takes wrong order for a mistake of ours: here it is the caller's. */
static int mark_failed(sst_writer *w, struct err *err) {
    if (err->code == ERR_INTERNAL) err->code = ERR_USAGE;
    w->failed = true;
    return -1;
}

static int refuse_more(const sst_writer *w, struct err *err) {
    return err_set(err, ERR_USAGE, "%s: the writer has %s", w->path, w->failed ? "failed before" : "finished");
}

int sst_writer_put(sst_writer *writer, const sst_cell *cell, sst_error *error) {
    struct err *err = api_begin(error);
    struct cell one;
    struct row_part part;
    if (writer->failed || writer->finished) return refuse_more(writer, err);
    if (api_part_of(cell, &one, &part, err)) return mark_failed(writer, err);
    if (writer->threads == 1) return hfile_writer_put(writer->writer, &part, err) ? mark_failed(writer, err) : 0;
    if (gather(writer, &part, err)) return mark_failed(writer, err);
    if (writer->bytes.n + writer->held.n < GATHER_BYTES) return 0;
    return put_in_team(writer, err) ? mark_failed(writer, err) : 0;
}

/* ---- the end ---- */

static int sync_directory(const char *path, struct err *err) {
    char *dir = directory_above(path, err);
    int rc = dir ? fs_fsync_path(dir, err) : -1;
    free(dir);
    return rc;
}

static int place_file(sst_writer *w, struct err *err) {
    if (fs_fsync_path(w->temp, err) || fs_rename(w->temp, w->path, err)) return -1;
    w->finished = true;
    return sync_directory(w->path, err);
}

/* Pipes and sockets have nothing to sync. */
static int end_stream(sst_writer *w, struct err *err) {
    errno = 0;
    if (w->ops.finish && w->ops.finish(w->context))
        return err_sys(err, ERR_OUTPUT, errno ? errno : EIO, "%s: cannot be completed", w->path);
    if (w->sync_fd >= 0 && fsync(w->sync_fd) && errno != EINVAL && errno != EROFS)
        return err_sys(err, ERR_OUTPUT, errno, "%s: cannot sync", w->path);
    w->finished = true;
    return 0;
}

static int publish_file(sst_writer *w, struct err *err) {
    char checksum[17];
    if (outfile_finish(w->out, checksum, err)) return -1;
    return w->temp ? place_file(w, err) : end_stream(w, err);
}

int sst_writer_finish(sst_writer *writer, sst_error *error) {
    struct err *err = api_begin(error);
    struct hfile_write_stats s;
    if (writer->failed || writer->finished) return refuse_more(writer, err);
    if (writer->held.n && put_in_team(writer, err)) return mark_failed(writer, err);
    if (hfile_writer_finish(writer->writer, &s, err) || publish_file(writer, err)) return mark_failed(writer, err);
    writer->written = (sst_written){.size = sizeof writer->written,
                                    .cells = s.tally.cells,
                                    .puts = s.puts,
                                    .deletes = s.deletes,
                                    .key_value_bytes = s.kv_bytes,
                                    .file_bytes = s.file_bytes,
                                    .data_blocks = s.data_blocks,
                                    .time_min = s.ts_min,
                                    .time_max = s.ts_max,
                                    .first_row = api_bytes(s.first_row),
                                    .last_row = api_bytes(s.last_row),
                                    .digest = {s.tally.digest.lo, s.tally.digest.hi}};
    return 0;
}

const sst_written *sst_writer_get_written(const sst_writer *writer) {
    return writer->finished ? &writer->written : NULL;
}
