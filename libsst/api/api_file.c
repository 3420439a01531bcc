/* Opens HFiles for callers: by path, descriptor or callbacks, and lists what trailer and file info say. The inner reader does
 * the work; its facts are laid out once, when the file is opened, so that later calls only read and any thread may make them. */
#include "api/api.h"
#include "api/api_file.h"

#include "hfile/bloom.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

_Static_assert(sizeof(sst_pair) == sizeof(struct hfile_pair), "sst_pair is struct hfile_pair");
_Static_assert(sizeof(sst_bytes) == sizeof(struct bytes) && offsetof(sst_bytes, size) == offsetof(struct bytes, n),
               "sst_bytes is struct bytes");
_Static_assert((int)SST_BLOOM_ROW == HFILE_BLOOM_ROW && (int)SST_BLOOM_ROWCOL == HFILE_BLOOM_ROWCOL &&
                   (int)SST_BLOOM_ROW_PREFIX == HFILE_BLOOM_PREFIX,
               "kinds of bloom filters are the inner ones");

static void fill_trailer(sst_file_info *to, const struct trailer *t) {
    to->file_info_offset = t->file_info_offset;
    to->load_on_open_offset = t->load_on_open_offset;
    to->trailer_bytes = t->bytes;
    to->first_data_offset = t->first_data_offset;
    to->last_data_offset = t->last_data_offset;
    to->data_index_entries = t->data_index_count;
    to->meta_index_entries = t->meta_index_count;
    to->index_levels = t->index_levels;
    to->index_unpacked_bytes = t->index_plain_bytes;
    to->total_unpacked_bytes = t->total_plain_bytes;
}

static void fill_info(sst_file_info *to, const struct hfile *h) {
    const struct hfile_info *i = hfile_info(h);
    *to = (sst_file_info){.size = sizeof *to,
                          .name = i->path,
                          .file_bytes = i->file_bytes,
                          .major = i->major,
                          .minor = i->minor,
                          .cells = i->cells,
                          .codec = hfile_codec_name(i->codec),
                          .encoding = hfile_encoding_name(i->encoding),
                          .comparator = i->comparator,
                          .bloom = api_bytes(i->bloom_type_name),
                          .bloom_kind = i->bloom,
                          .bloom_prefix_bytes = i->bloom_prefix,
                          .has_delete_bloom = i->has_delete_bloom,
                          .has_tags = i->has_tags,
                          .has_sequence = i->has_mvcc,
                          .has_time_range = i->has_ts_range,
                          .has_earliest_put = i->has_earliest_put,
                          .max_sequence = i->max_mvcc,
                          .time_min = i->ts_min,
                          .time_max = i->ts_max,
                          .earliest_put = i->earliest_put_ms,
                          .first_key = api_bytes(i->first_key),
                          .last_key = api_bytes(i->last_key),
                          .trailer_offset = i->trailer_offset,
                          .codec_id = i->codec,
                          .encoding_id = i->encoding,
                          .data_block_bytes = i->block_bytes,
                          .scan_bytes = hfile_scan_memory(h)};
    fill_trailer(to, hfile_trailer(h));
}

sst_file *api_file_of(struct hfile *h, struct err *err) {
    sst_file *f = h ? malloc(sizeof *f) : NULL;
    if (!f) {
        hfile_close(h);
        if (!err->code) err_nomem(err, sizeof *f, "an open file");
        return NULL;
    }
    f->hfile = h;
    fill_info(&f->info, h);
    return f;
}

sst_file *sst_file_open(const char *path, const sst_file_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_file_options o;
    if (api_options(&o, sizeof o, options, "sst_file_options", err)) return NULL;
    return api_file_of(hfile_open(path, o.max_block_bytes, err), err);
}

sst_file *sst_file_open_fd(int fd, const char *name, const sst_file_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_file_options o;
    int rc = api_options(&o, sizeof o, options, "sst_file_options", err);
    struct hfile *h = hfile_open_fd(fd, name, o.max_block_bytes, NULL, err); /* which takes the descriptor over in any case */
    if (!rc) return api_file_of(h, err);
    hfile_close(h);
    return NULL;
}

/* ---- callbacks ---- */

struct callbacks {
    sst_read_ops ops;
    void *context;
};

static ssize_t call_pread(void *arg, void *p, size_t n, uint64_t offset) {
    const struct callbacks *c = arg;
    errno = 0;
    int64_t got = c->ops.pread(c->context, p, n, offset);
    if (got > (int64_t)n) return -EIO; /* the buffer has been overrun: nothing after it can be trusted */
    return got < 0 ? -(errno ? errno : EIO) : (ssize_t)got;
}

static void call_close(void *arg) {
    struct callbacks *c = arg;
    if (c->ops.close) c->ops.close(c->context);
    free(c);
}

/* The inner view of the caller's file; -1: it has none. What is returned in *bytes is released by its close. */
static int bytes_by_callbacks(struct callbacks *c, const char *name, struct hfile_bytes *bytes, struct err *err) {
    if (!c->ops.pread || !c->ops.file_size) return err_set(err, ERR_USAGE, "sst_read_ops: pread and file_size are needed");
    errno = 0;
    int64_t size = c->ops.file_size(c->context);
    if (size < 0) return err_sys(err, ERR_INPUT, errno ? errno : EIO, "%s: cannot determine its size", name);
    *bytes = (struct hfile_bytes){.pread = call_pread, .close = call_close, .arg = c, .size = (uint64_t)size};
    return 0;
}

struct hfile *api_open_hfile(const sst_read_ops *ops, void *context, const char *name, size_t max_block_bytes, struct err *err) {
    struct hfile_bytes bytes;
    struct callbacks *c = calloc(1, sizeof *c);
    if (!c) {
        if (ops && ops->close) ops->close(context);
        err_nomem(err, sizeof *c, "an open file");
        return NULL;
    }
    c->context = context;
    if (!api_options(&c->ops, sizeof c->ops, ops, "sst_read_ops", err) && !bytes_by_callbacks(c, name, &bytes, err))
        return hfile_open_bytes(bytes, name, max_block_bytes, NULL, err);
    call_close(c);
    return NULL;
}

sst_file *sst_file_open_callbacks(const sst_read_ops *ops, void *context, const char *name, const sst_file_options *options,
                                  sst_error *error) {
    struct err *err = api_begin(error);
    sst_file_options o;
    int rc = api_options(&o, sizeof o, options, "sst_file_options", err);
    struct hfile *h = api_open_hfile(ops, context, name, o.max_block_bytes, err); /* which takes the file over in any case */
    if (!rc) return api_file_of(h, err);
    hfile_close(h);
    return NULL;
}

void sst_file_close(sst_file *file) {
    if (!file) return;
    hfile_close(file->hfile);
    free(file);
}

const sst_file_info *sst_file_get_info(const sst_file *file) {
    return &file->info;
}

const char *sst_codec_name(unsigned id) {
    return hfile_codec_name(id);
}

const char *sst_encoding_name(unsigned id) {
    return hfile_encoding_name(id);
}

const char *sst_block_kind_name(unsigned kind) {
    return kind < BLOCK_TYPES ? block_type_name((enum block_type)kind) : "unknown";
}

const sst_pair *sst_file_pairs(const sst_file *file, size_t *n) {
    *n = hfile_info(file->hfile)->n_pairs;
    return (const sst_pair *)hfile_info(file->hfile)->pairs;
}

int sst_file_find(const sst_file *file, const char *key, sst_bytes *value) {
    *value = api_bytes(hfile_find(file->hfile, key));
    return value->data != NULL;
}
