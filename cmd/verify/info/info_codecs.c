/* `obkv-verify info --codecs`: what codec, encoding and block size would make of a file. A sample of its cells, from places
 * spread evenly over the file, is written with every combination and read back. Sizes are exact for the sample. Speeds are those
 * of one processor, as CPU time, so that a busy machine or a slow disk does not count. */
#include "base/clock.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/temp_dir.h"
#include "cmd/verify/info/info.h"
#include "cmd/verify/info/info_codecs.h"
#include "sst/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLE_BYTES = 8 << 20, PIECE_BYTES = 1 << 18, BLOOM_BLOCK = 64 << 10 };

static const char *const codecs[] = {"NONE", "SNAPPY", "LZ4", "ZSTD", "GZ"};
static const char *const encodings[] = {"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"};
static const uint32_t block_sizes[] = {16 << 10, 64 << 10, 256 << 10};
static const char *const blooms[] = {"NONE", "ROW", "ROWCOL"};

/* ---- the sample: cells one after the other, as heads and bytes ---- */

struct cell_head {
    uint32_t row, qualifier, value, tags; /* lengths; row 0: that of the cell before */
    int64_t timestamp;
    uint64_t sequence;
    uint8_t type;
};

static int keep_cell(struct codec_trial *t, const sst_cell *c, struct err *err) {
    const bool same = t->last_row_bytes == c->row.size && c->row.size && t->cells &&
                      !memcmp(t->sample.p + t->last_row, c->row.data, c->row.size);
    const struct cell_head head = {.row = same ? 0 : (uint32_t)c->row.size,
                                   .qualifier = (uint32_t)c->qualifier.size,
                                   .value = (uint32_t)c->value.size,
                                   .tags = (uint32_t)c->tags.size,
                                   .timestamp = c->timestamp,
                                   .sequence = c->sequence,
                                   .type = c->type};
    if (!t->cells && buf_copy(&t->family, info_bytes(c->family), err)) return -1;
    if (buf_put(&t->sample, &head, sizeof head, err)) return -1;
    if (!same) {
        t->last_row = t->sample.n;
        t->last_row_bytes = c->row.size;
        if (buf_put(&t->sample, c->row.data, c->row.size, err)) return -1;
    }
    t->cells++;
    return buf_put(&t->sample, c->qualifier.data, c->qualifier.size, err) ||
                   buf_put(&t->sample, c->value.data, c->value.size, err) || buf_put(&t->sample, c->tags.data, c->tags.size, err)
               ? -1
               : 0;
}

static sst_bytes take(const uint8_t **p, uint32_t n) {
    const sst_bytes b = {*p, n};
    *p += n;
    return b;
}

/* Writes the sample. */
static int put_sample(const struct codec_trial *t, sst_writer *w, struct err *err) {
    const uint8_t *p = t->sample.p, *end = p + t->sample.n;
    sst_cell c = {.size = sizeof c, .family = {t->family.p, t->family.n}};
    sst_error error;
    while (p < end) {
        struct cell_head head;
        memcpy(&head, p, sizeof head);
        p += sizeof head;
        if (head.row) c.row = take(&p, head.row);
        c.qualifier = take(&p, head.qualifier);
        c.value = take(&p, head.value);
        c.tags = take(&p, head.tags);
        c.timestamp = head.timestamp;
        c.sequence = head.sequence;
        c.type = head.type;
        if (sst_writer_put(w, &c, &error)) return info_error(err, &error);
    }
    return 0;
}

static int keep_piece(struct codec_trial *t, const sst_file *f, uint64_t start, uint64_t end, struct err *err) {
    const sst_scan_options o = {.size = sizeof o, .range_start = start, .range_end = end};
    const sst_cell *cell;
    sst_error error;
    sst_scan *scan = sst_scan_open(f, &o, &error);
    int rc = scan ? 1 : -1;
    while (rc == 1 && (rc = sst_scan_next(scan, &cell, &error)) == 1)
        if (keep_cell(t, cell, err)) rc = -2;
    sst_scan_close(scan);
    return rc == -1 ? info_error(err, &error) : rc;
}

/* Every n-th piece, so that they are spread over the file and hold about SAMPLE_BYTES. */
static int take_sample(struct codec_trial *t, const sst_file *f, struct err *err) {
    const uint64_t all = sst_file_get_info(f)->total_unpacked_bytes, step = all / SAMPLE_BYTES + 1;
    uint64_t cursor = 0, start, end;
    sst_error error;
    int rc;
    for (uint64_t i = 0; (rc = sst_file_next_range(f, &cursor, PIECE_BYTES, &start, &end, &error)) == 1; i++) {
        if (i % step) continue;
        t->pieces++;
        if (keep_piece(t, f, start, end, err)) return -1;
        if (t->sample.n > 2 * SAMPLE_BYTES) return 0;
    }
    return rc ? info_error(err, &error) : 0;
}

/* ---- one combination ---- */

static int write_file(const struct codec_trial *t, struct codec_result *r, struct err *err) {
    const sst_writer_options o = {.size = sizeof o,
                                  .codec = r->codec,
                                  .encoding = r->encoding,
                                  .bloom = r->bloom,
                                  .block_bytes = r->block_bytes,
                                  .compress_tags = 1};
    sst_error error;
    const double begun = clock_processor(false);
    sst_writer *w = sst_writer_open(t->path, &o, &error);
    if (!w) return info_error(err, &error);
    int rc = put_sample(t, w, err);
    if (!rc && sst_writer_finish(w, &error)) rc = info_error(err, &error);
    if (!rc) {
        const sst_written *done = sst_writer_get_written(w);
        r->write_s = clock_processor(false) - begun;
        r->file_bytes = done->file_bytes;
        r->kv_bytes = done->key_value_bytes;
    }
    sst_writer_close(w);
    return rc;
}

static int read_file(const struct codec_trial *t, struct codec_result *r, struct err *err) {
    sst_error error;
    const sst_part *part;
    uint64_t cells = 0;
    const double begun = clock_processor(false);
    sst_file *f = sst_file_open(t->path, NULL, &error);
    sst_scan *scan = f ? sst_scan_open(f, NULL, &error) : NULL;
    int rc = scan ? 1 : -1;
    while (rc == 1 && (rc = sst_scan_next_part(scan, &part, &error)) == 1) cells += part->n;
    r->read_s = clock_processor(false) - begun;
    sst_scan_close(scan);
    sst_bloom *bloom = f && !rc ? sst_bloom_open(f, 0, &error) : NULL;
    if (bloom) r->bloom_bytes = sst_bloom_get_info(bloom)->bytes;
    sst_bloom_close(bloom);
    sst_file_close(f);
    if (rc) return info_error(err, &error);
    return cells == t->cells
               ? 0
               : err_set(err, ERR_INTERNAL, "%s: %s with %s came back with other cells", t->path, r->codec, r->encoding);
}

static int try_one(struct codec_trial *t, struct codec_result *r, struct err *err) {
    if (stop_check(t->stop, err)) return -1;
    int rc = write_file(t, r, err) || read_file(t, r, err) ? -1 : 0;
    (void)unlink(t->path); /* the next run clears what stays */
    return rc;
}

/* ---- all of them ---- */

static int try_all(struct codec_trial *t, struct err *err) {
    for (size_t c = 0; c < countof(codecs); c++)
        for (size_t e = 0; e < countof(encodings); e++)
            for (size_t b = 0; b < countof(block_sizes); b++) {
                struct codec_result *r = &t->results[t->n++];
                *r = (struct codec_result){codecs[c], encodings[e], "ROW", .block_bytes = block_sizes[b]};
                if (try_one(t, r, err)) return -1;
            }
    return 0;
}

static const struct codec_result *find_result(const struct codec_trial *t, const char *codec, const char *encoding,
                                              uint32_t block) {
    for (size_t i = 0; i < t->n; i++) {
        const struct codec_result *r = &t->results[i];
        if (!strcmp(r->codec, codec) && !strcmp(r->encoding, encoding) && r->block_bytes == block) return r;
    }
    return NULL;
}

/* The smallest that is written and read at least half as fast as today's settings, with blocks of at most 64 KiB: a Get reads a
 * whole block. */
static void choose_result(struct codec_trial *t) {
    const struct codec_result *now = t->now ? t->now : find_result(t, "SNAPPY", "FAST_DIFF", BLOOM_BLOCK);
    t->best = now;
    for (size_t i = 0; i < t->n; i++) {
        const struct codec_result *r = &t->results[i];
        bool fits = r->block_bytes <= BLOOM_BLOCK && r->write_s <= 2 * now->write_s && r->read_s <= 2 * now->read_s;
        if (fits && r->file_bytes < t->best->file_bytes) t->best = r;
    }
    /* Random values: a codec that saves less than this costs time for nothing. */
    enum { WORTH_PERCENT = 3 };
    const struct codec_result *plain = find_result(t, "NONE", t->best->encoding, t->best->block_bytes);
    if (plain && t->best->file_bytes * 100 > plain->file_bytes * (100 - WORTH_PERCENT)) t->best = plain;
}

static int try_blooms(struct codec_trial *t, struct err *err) {
    for (size_t i = 0; i < countof(blooms); i++) {
        t->blooms[i] = *t->best;
        t->blooms[i].bloom = blooms[i];
        t->blooms[i].bloom_bytes = 0;
        if (try_one(t, &t->blooms[i], err)) return -1;
    }
    return 0;
}

int codec_trial_run(struct codec_trial *t, const sst_file *f, const char *temp_dir, struct err *err) {
    const sst_file_info *info = sst_file_get_info(f);
    char *dir = NULL;
    int lock = -1, rc = take_sample(t, f, err);
    if (!rc && !t->cells) rc = err_set(err, ERR_USAGE, "%s: no cells to try codecs with", info->name);
    if (!rc) rc = temp_dir_make(temp_dir, "codecs", &dir, &lock, err);
    if (!rc && !(t->path = fs_join(dir, "sample", err))) rc = -1;
    if (!rc) rc = try_all(t, err);
    if (!rc) {
        t->now = find_result(t, info->codec, info->encoding, BLOOM_BLOCK);
        choose_result(t);
        rc = try_blooms(t, err);
    }
    if (dir) (void)rmdir(dir); /* the next run clears what stays */
    fd_close(lock);
    free(dir);
    return rc;
}

void codec_trial_free(struct codec_trial *t) {
    buf_free(&t->sample);
    buf_free(&t->family);
    free(t->path);
}
