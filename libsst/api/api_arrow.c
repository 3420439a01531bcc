/* A scan as a stream of Arrow: each batch takes parts until it has enough cells or bytes. The stream owns the scan and, if the
 * caller wishes, what the scan reads: a consumer in another language releases the stream when it is done, and knows no order of
 * closing. */
#include "api/api.h"

#include "api/api_arrow_batch.h"
#include "sst/arrow.h"

#include <errno.h>
#include <stdlib.h>

enum { BATCH_CELLS = 16384, BATCH_BYTES = 16 << 20, FIRST_SIX = SST_ARROW_SEQUENCE - 1, ALL = 2 * SST_ARROW_TAGS - 1 };

struct arrow_stream {
    sst_scan *scan;
    sst_arrow_options o;
    struct arrow_batch batch;
    bool ended;
    sst_error error; /* of the call that failed */
};

static void close_read(sst_scan *scan, const sst_arrow_options *o) {
    sst_scan_close(scan);
    sst_sorter_close(o->sorter);
    sst_file_close(o->file);
    sst_dataset_close(o->dataset);
}

static int errno_of(const sst_error *error) {
    switch (error->code) {
    case SST_INPUT: return EIO;
    case SST_LIMIT: return ENOMEM;
    case SST_UNSUPPORTED: return ENOTSUP;
    default: return EINVAL;
    }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    struct arrow_stream *s = stream->private_data;
    return arrow_batch_schema(s->o.columns, out, api_err(&s->error)) ? errno_of(&s->error) : 0;
}

/* 0: the batch has what there is, maybe nothing; -1 with s->error. */
static int fill(struct arrow_stream *s) {
    const sst_part *part;
    while (!s->ended && s->batch.n < s->o.batch_cells && arrow_batch_bytes(&s->batch) < s->o.batch_bytes) {
        int more = sst_scan_next_part(s->scan, &part, &s->error);
        s->ended = more == 0;
        if (more == 1) more = arrow_batch_add(&s->batch, (const struct row_part *)part, api_err(&s->error));
        if (more < 0) return -1;
    }
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct arrow_stream *s = stream->private_data;
    out->release = NULL;
    if (s->error.code || fill(s)) return errno_of(&s->error);
    if (s->batch.n && arrow_batch_take(&s->batch, out, api_err(&s->error))) return errno_of(&s->error);
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    const struct arrow_stream *s = stream->private_data;
    return s->error.code ? s->error.text : NULL;
}

static void release(struct ArrowArrayStream *stream) {
    struct arrow_stream *s = stream->private_data;
    close_read(s->scan, &s->o);
    arrow_batch_free(&s->batch);
    free(s);
    stream->release = NULL;
}

static int check_options(sst_arrow_options *o, struct err *err) {
    if (o->columns > ALL) return err_set(err, ERR_USAGE, "sst_arrow_options: columns is %u, there is no such column", o->columns);
    if (!o->columns) o->columns = FIRST_SIX;
    if (!o->batch_cells) o->batch_cells = BATCH_CELLS;
    if (!o->batch_bytes) o->batch_bytes = BATCH_BYTES;
    return 0;
}

int sst_scan_to_arrow(sst_scan *scan, const sst_arrow_options *options, struct ArrowArrayStream *stream, sst_error *error) {
    struct err *err = api_begin(error);
    sst_arrow_options o;
    stream->release = NULL;
    int rc = api_options(&o, sizeof o, options, "sst_arrow_options", err) ? -1 : check_options(&o, err);
    struct arrow_stream *s = rc ? NULL : calloc(1, sizeof *s);
    if (!rc && !s) err_nomem(err, sizeof *s, "a stream of Arrow");
    if (!s) {
        close_read(scan, &o);
        return -1;
    }
    *s = (struct arrow_stream){.scan = scan, .o = o, .batch = {.wanted = o.columns}};
    *stream = (struct ArrowArrayStream){
        .get_schema = get_schema, .get_next = get_next, .get_last_error = get_last_error, .release = release, .private_data = s};
    return 0;
}
