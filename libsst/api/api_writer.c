/* Writes an HFile for a caller: under a temporary name until it is complete. With threads the caller's cells are gathered
 * and then put inside a team of OpenMP, in which the inner writer compresses blocks as tasks:
 *
 *   put, put, put … --copied--> 16 MiB gathered --> parallel { one thread puts, all compress } --> put, put …
 *
 * Between two such rounds no thread of ours works. Relies on the inner writer's promise that bytes do not depend on threads. */
#include "api/api.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "cell/keyvalue.h"
#include "hfile/bloom.h"
#include "hfile/encoding.h"
#include "hfile/hfile_writer.h"
#include "codec/codec.h"
#include "sst/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GATHER_BYTES = 16 << 20, BLOCKS_PER_THREAD = 4, THREADS_MAX = 1024 };

/* A cell whose bytes were copied: row, family, qualifier, value and tags, one after the other from `at` on. */
struct held {
    size_t at;
    uint32_t row_n, family_n, qualifier_n, value_n, tags_n;
    int64_t ts_ms;
    uint64_t seq;
    uint8_t type;
};

struct sst_writer {
    char *path, *temp;
    struct outfile *out;
    struct hfile_writer *writer;
    struct hfile_extra *extra;
    unsigned threads;
    struct buf bytes, held; /* gathered */
    bool failed, finished;
    sst_written written;
};

/* ---- options ---- */

static int codec_of(const char *name, int level, struct hfile_write_opts *o, struct err *err) {
    const struct codec *codec = codec_by_name(name);
    if (!codec) return err_set(err, ERR_USAGE, "there is no codec %s", name);
    if (codec->decode_only) return err_set(err, ERR_UNSUPPORTED, "codec %s is not written: %s", codec->name, codec->decode_only);
    if (level < 0 || level > codec->level_max)
        return err_set(err, ERR_USAGE, "codec %s has no level %d: 0 to %d are possible", codec->name, level, codec->level_max);
    o->codec = (enum hfile_codec)codec->ordinal;
    o->codec_level = level;
    return 0;
}

static int encoding_of(const char *name, struct hfile_write_opts *o, struct err *err) {
    const struct encoding *e = encoding_by_name(bytes_str(name));
    bool plain = !strcmp(name, "NONE");
    if (!plain && (!e || !e->encode)) return err_set(err, ERR_USAGE, "there is no data block encoding %s", name);
    o->encoding = plain ? HFILE_ENC_NONE : e->id;
    return 0;
}

static int bloom_of(const sst_writer_options *given, struct hfile_write_opts *o, struct err *err) {
    if (given->bloom && !bloom_kind_by_name(bytes_str(given->bloom), &o->bloom))
        return err_set(err, ERR_USAGE, "there is no bloom filter %s", given->bloom);
    o->bloom_prefix = given->bloom_prefix_bytes;
    if (o->bloom == HFILE_BLOOM_PREFIX && (o->bloom_prefix < 1 || o->bloom_prefix > BLOOM_PREFIX_MAX))
        return err_set(err, ERR_USAGE, "bloom_prefix_bytes %u: 1 to %d are possible", o->bloom_prefix, (int)BLOOM_PREFIX_MAX);
    return 0;
}

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
    *o = hfile_write_defaults();
    if (given->threads > THREADS_MAX) return err_set(err, ERR_USAGE, "%u threads: at most %d", given->threads, THREADS_MAX);
    if (codec_of(given->codec ? given->codec : "SNAPPY", given->codec_level, o, err)) return -1;
    if (given->encoding && encoding_of(given->encoding, o, err)) return -1;
    if (bloom_of(given, o, err)) return -1;
    if (given->block_bytes) o->block_bytes = given->block_bytes;
    o->tags = !given->no_tags;
    o->tags_compressed = given->compress_tags != 0;
    o->mvcc = o->seqs = !given->no_sequences;
    o->create_ms = given->create_time;
    o->bulkload = given->bulkload_time != 0;
    o->bulkload_ms = given->bulkload_time;
    w->threads = given->threads > 1 ? given->threads : 1;
    o->batch_blocks = w->threads > 1 ? w->threads * BLOCKS_PER_THREAD : 1;
    return more_pairs(w, given, o, err);
}

/* ---- life ---- */

sst_writer *sst_writer_open(const char *path, const sst_writer_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_writer_options given;
    struct hfile_write_opts o;
    if (api_options(&given, sizeof given, options, "sst_writer_options", err)) return NULL;
    sst_writer *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "a writer");
        return NULL;
    }
    if (options_of(w, &given, &o, err)) goto fail;
    if (!(w->path = fs_printf(err, "%s", path)) || !(w->temp = fs_printf(err, "%s.%ld.tmp", path, (long)getpid()))) goto fail;
    if (!(w->out = outfile_create(w->temp, NULL, err)) || !(w->writer = hfile_writer_open(&o, w->out, err))) goto fail;
    return w;
fail:
    sst_writer_close(w);
    return NULL;
}

void sst_writer_close(sst_writer *writer) {
    if (!writer) return;
    hfile_writer_close(writer->writer);
    outfile_close(writer->out);
    if (writer->out && !writer->finished) (void)unlink(writer->temp); /* complete, but not renamed: nobody takes it for a file */
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

static int publish_file(sst_writer *w, struct err *err) {
    char checksum[17];
    if (outfile_finish(w->out, checksum, err) || fs_fsync_path(w->temp, err)) return -1;
    if (fs_rename(w->temp, w->path, err)) return -1;
    w->finished = true;
    return sync_directory(w->path, err);
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
