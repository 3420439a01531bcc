/* Cells into blocks. Every cell is serialised straight into the block being filled, and hashed there when the next one has been
 * put; the key of the row is assembled once per row and copied in steps of 16 bytes. A block ends after the cell that fills it,
 * but never between equal keys. */
#include "hfile/hfile_writer.h"

#include "base/bytes.h"
#include "base/outfile.h"
#include "base/wire.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_writer_state.h"
#include "hfile/hfile_keys.h"
#include "hfile/index_writer.h"
#include "hfile/trailer.h"

#include <stdlib.h>

uint64_t hfile_writer_kv_bytes(const struct hfile_writer *w) {
    return w->sums.kv_bytes;
}

uint64_t hfile_writer_key_bytes(const struct hfile_writer *w) {
    return w->sums.key_bytes;
}

int hfile_writer_pause(struct hfile_writer *w, struct err *err) {
    if (w->job) sums_digest_late(&w->sums, &w->job->raw, &w->late);
    return block_writer_pause(w->blocks, &w->job, err);
}

/* --- errors that show keys --- */

int cell_put_disorder(const char *path, struct bytes last_key, const struct row_part *part, const struct cell *c,
                      struct err *err) {
    char row[2][KEY_TEXT_BYTES], qualifier[2][KEY_TEXT_BYTES];
    struct kv_key last = {0};
    kv_key_parse(last_key, &last);
    return err_set(
        err, ERR_INTERNAL,
        "%s: cells are not in order: row %s qualifier %s ts %lld type %u came before row %s qualifier %s ts %lld type %u", path,
        key_text_hex(last.row, row[0]), key_text_hex(last.qualifier, qualifier[0]), (long long)last.ts_ms, last.type,
        key_text_hex(part->row, row[1]), key_text_hex(c->qualifier, qualifier[1]), (long long)c->ts_ms, c->type);
}

static int order_error(const struct hfile_writer *w, const struct row_part *part, const struct cell *c, struct err *err) {
    return cell_put_disorder(outfile_path(w->out), hfile_writer_last_key(w), part, c, err);
}

static struct block_writer_opts block_opts(const struct hfile_write_opts *o) {
    return (struct block_writer_opts){.codec = codec_by_ordinal(o->codec),
                                      .level = o->codec_level,
                                      .encoding = o->encoding ? encoding_by_id(o->encoding) : NULL,
                                      .layout = {.tags = o->tags, .mvcc = o->mvcc, .tags_compressed = o->tags_compressed},
                                      .sum = o->checksum,
                                      .bytes_per_sum = o->bytes_per_checksum,
                                      .block_bytes = o->block_bytes,
                                      .other_bytes = o->bloom_chunk_bytes,
                                      .batch_jobs = o->batch_blocks ? o->batch_blocks : 1};
}

static int too_long_error(const struct hfile_writer *w, struct err *err) {
    char row[KEY_TEXT_BYTES], qualifier[KEY_TEXT_BYTES];
    const struct block_writer_opts o = block_opts(&w->o);
    struct kv_key k = {0};
    kv_key_parse(hfile_writer_last_key(w), &k);
    size_t block = w->job->raw.n + w->surplus_bytes;
    return err_set(err, ERR_LIMIT,
                   "row %s qualifier %s ts %lld type %u: its cells make one block of %zu MB, because HFile does not "
                   "divide cells with one key; this takes %zu MB, %zu MB are left; give more --memory, or fewer --threads",
                   key_text_hex(k.row, row), key_text_hex(k.qualifier, qualifier), (long long)k.ts_ms, k.type, (block >> 20) + 1,
                   (block_writer_long_memory(&o, block) >> 20) + 1, w->o.long_block_bytes >> 20);
}

/* --- blocks --- */

int hfile_writer_end_block(struct hfile_writer *w, bool last, struct err *err) {
    if (!w->job) return 0;
    sums_digest_late(&w->sums, &w->job->raw, &w->late);
    if (w->surplus_bytes) return too_long_error(w, err);
    if (buf_copy(&w->last_key, hfile_writer_last_key(w), err)) return -1;
    w->job = NULL;
    if (last) return 0;
    return bloom_set_flush(&w->blooms, false, w->blocks, err);
}

int hfile_writer_begin_block(struct hfile_writer *w, struct bytes key, struct err *err) {
    struct block_job *j = block_writer_begin(w->blocks, w->o.encoding ? BLOCK_ENCODED_DATA : BLOCK_DATA, err);
    if (!j || buf_reserve(&j->raw, w->o.block_bytes + 1024, err)) return -1;
    if (separator_put(&j->key, buf_bytes(&w->last_key), key, err)) return -1;
    w->job = j;
    w->block_rows = 0;
    w->new_row = true;
    return 0;
}

static int begin_block_at(struct hfile_writer *w, const struct row_part *part, const struct cell *c, struct err *err) {
    size_t n = kv_key_size(part->row.n, part->family.n, c->qualifier.n);
    uint8_t *key = malloc(n);
    if (!key) return err_nomem(err, n, "an index key");
    kv_put_key(key, part->row, part->family, c->qualifier, c->ts_ms, c->type);
    int rc = hfile_writer_begin_block(w, bytes_of(key, n), err);
    free(key);
    return rc;
}

/* Called by the block writer for every block, in file order. */
static int on_written(void *arg, const struct block_place *place, struct err *err) {
    struct hfile_writer *w = arg;
    w->plain_bytes += BLOCK_HEADER_BYTES + (uint64_t)place->plain_bytes;
    if (place->type == BLOCK_BLOOM_CHUNK) return bloom_writer_placed(place->owner, place, err);
    if (w->first_data_offset == TRAILER_NO_OFFSET) w->first_data_offset = place->offset;
    w->last_data_offset = place->offset;
    w->data_blocks++;
    return index_writer_add(&w->index, w->blocks, place, err);
}

/* --- cells --- */

int cell_put_check(const struct hfile_write_opts *o, const char *path, const struct cell *c, struct err *err) {
    if (c->value.n > CELL_PART_BYTES_MAX || c->qualifier.n > CELL_PART_BYTES_MAX)
        return err_set(err, ERR_LIMIT, "%s: a cell of %zu bytes is more than an HFile block can hold", path,
                       c->value.n + c->qualifier.n);
    if (c->tags.n > TAGS_MAX_BYTES) return err_set(err, ERR_INTERNAL, "%s: %zu bytes of tags in one cell", path, c->tags.n);
    if (c->tags.n && !o->tags) return err_set(err, ERR_INTERNAL, "%s: a cell with tags in a file without", path);
    if (c->seq > INT64_MAX) return err_set(err, ERR_INTERNAL, "%s: sequence id %llu", path, (unsigned long long)c->seq);
    return 0;
}

static int note_biggest(struct hfile_writer *w, uint64_t n, struct err *err) {
    w->sums.biggest_bytes = n;
    return buf_copy(&w->biggest_key, hfile_writer_last_key(w), err);
}

static int append_cell(struct hfile_writer *w, const struct cell *c, bool spare, struct err *err) {
    const struct bytes prefix = bytes_of(w->prefix.p, w->prefix_n);
    size_t key_n = w->prefix_n + c->qualifier.n + CELL_STAMP_BYTES, room = cell_put_room(key_n, c), kv_n;
    struct buf *b = &w->job->raw;
    if (b->cap - b->n < room && buf_reserve(b, room, err)) return -1;
    uint8_t *start = b->p + b->n;
    const uint8_t *end = cell_put(start, &w->o, prefix, c, spare, &kv_n);
    sums_digest_late(&w->sums, b, &w->late);
    w->late = (struct late_cell){b->n, kv_n};
    w->last_at = b->n + 8;
    w->last_n = key_n;
    b->n = (size_t)(end - b->p);
    sums_note(&w->sums, kv_n, c, key_n);
    return kv_n > w->sums.biggest_bytes ? note_biggest(w, kv_n, err) : 0;
}

int hfile_writer_note_family_delete(struct hfile_writer *w, struct bytes row, struct err *err) {
    w->sums.family_deletes++;
    return bloom_set_family_delete(&w->blooms, row, err);
}

/* A cell with the last one's key, as it stands in a block: about. */
static size_t cell_bytes(const struct hfile_writer *w, const struct cell *c) {
    return 8 + w->last_n + c->value.n + (w->o.tags ? 2 + c->tags.n : 0) + (w->o.mvcc ? 1 : 0);
}

/* order: of the last key against this cell, < 0 or 0. Equal keys are never parted by a block boundary. */
static inline int put_cell(struct hfile_writer *w, const struct row_part *part, const struct cell *c, int order,
                           struct err *err) {
    if (cell_is_odd(&w->o, c) && cell_put_check(&w->o, outfile_path(w->out), c, err)) return -1;
    if (!order && hfile_writer_surplus(w, 0, cell_bytes(w, c))) return 0;
    if (cell_is_family_delete(c->type) && hfile_writer_note_family_delete(w, part->row, err)) return -1;
    if (w->o.bloom == HFILE_BLOOM_ROWCOL && bloom_set_column(&w->blooms, part->row, c->qualifier, err)) return -1;
    if (order < 0 && hfile_writer_block_full(w, 0) && hfile_writer_end_block(w, false, err)) return -1;
    if (!w->job && begin_block_at(w, part, c, err)) return -1;
    w->block_rows += w->new_row;
    w->new_row = false;
    return append_cell(w, c, part->spare, err);
}

/* --- rows --- */

static int begin_row(struct hfile_writer *w, const struct row_part *part, struct err *err) {
    if (key_prefix_put(&w->prefix, part, err)) return -1;
    w->prefix_n = w->prefix.n;
    w->new_row = true;
    return bloom_set_row(&w->blooms, part->row, err);
}

int hfile_writer_first(struct hfile_writer *w, struct bytes row, struct bytes family, struct err *err) {
    if (buf_copy(&w->family, family, err)) return -1;
    return buf_copy(&w->first_row, row, err);
}

static int check_part(const struct hfile_writer *w, const struct row_part *part, struct err *err) {
    if (part->row.n > ROW_MAX_BYTES || part->family.n > FAMILY_MAX_BYTES)
        return err_set(err, ERR_INTERNAL, "%s: a row of %zu bytes, a family of %zu", outfile_path(w->out), part->row.n,
                       part->family.n);
    if (w->prefix_n && !bytes_eq(part->family, buf_bytes(&w->family)))
        return err_set(err, ERR_INTERNAL, "%s: cells of family '%.*s' in a file of family '%.*s'", outfile_path(w->out),
                       (int)part->family.n, (const char *)part->family.p, (int)w->family.n, (const char *)w->family.p);
    return 0;
}

/* Compares the last cell with the part's first one; begins a row when it is new. */
static int enter_part(struct hfile_writer *w, const struct row_part *part, int *order, struct err *err) {
    *order = -1;
    if (w->prefix_n) {
        struct bytes row = bytes_of(w->prefix.p + 2, w->prefix_n - 3 - w->family.n);
        *order = bytes_cmp(row, part->row);
        if (*order == 0) {
            struct kv_key last;
            kv_key_parse(hfile_writer_last_key(w), &last);
            struct cell c = {.qualifier = last.qualifier, .ts_ms = last.ts_ms, .type = last.type};
            *order = cell_key_cmp(&c, part->cells);
            return *order > 0 ? order_error(w, part, part->cells, err) : 0;
        }
        if (*order > 0) return order_error(w, part, part->cells, err);
    } else if (hfile_writer_first(w, part->row, part->family, err)) {
        return -1;
    }
    return begin_row(w, part, err);
}

int hfile_writer_put(struct hfile_writer *w, const struct row_part *part, struct err *err) {
    int order;
    if (part->n_cells == 0) return 0;
    if (check_part(w, part, err) || enter_part(w, part, &order, err)) return -1;
    w->sums.duplicates += order == 0;
    if (put_cell(w, part, part->cells, order, err)) return -1;
    for (const struct cell *c = part->cells + 1, *end = part->cells + part->n_cells; c < end; c++) {
        order = cell_key_cmp(c - 1, c);
        if (order > 0) return order_error(w, part, c, err);
        w->sums.duplicates += order == 0;
        if (put_cell(w, part, c, order, err)) return -1;
    }
    return 0;
}

/* --- life --- */

struct hfile_write_opts hfile_write_defaults(void) {
    return (struct hfile_write_opts){.codec = HFILE_SNAPPY,
                                     .bloom = HFILE_BLOOM_ROW,
                                     .block_bytes = 65536,
                                     .index_chunk_bytes = 131072,
                                     .index_min_entries = 16,
                                     .bloom_chunk_bytes = 131072,
                                     .bloom_error_rate = 0.01f,
                                     .checksum = HFILE_SUM_CRC32C,
                                     .bytes_per_checksum = 16384,
                                     .tags = true,
                                     .mvcc = true,
                                     .seqs = true,
                                     .bulkload_task = "",
                                     .batch_blocks = 4};
}

size_t hfile_writer_memory(const struct hfile_write_opts *o) {
    struct block_writer_opts b = block_opts(o);
    size_t index = 3 * (size_t)o->index_chunk_bytes; /* a leaf, the root, and the one being written */
    return sizeof(struct hfile_writer) + block_writer_memory(&b) + bloom_set_memory(o) + index + 2 * (size_t)ROW_MAX_BYTES;
}

size_t hfile_writer_paused_memory(const struct hfile_write_opts *o) {
    struct block_writer_opts b = block_opts(o);
    size_t index = 2 * (size_t)o->index_chunk_bytes;
    return sizeof(struct hfile_writer) + block_writer_paused_memory(&b) + bloom_set_memory(o) + index;
}

/* The size of payload that so much memory suffices for: memory grows in proportion, but for a little. */
static size_t long_block_most(size_t memory, const struct block_writer_opts *o) {
    enum { UNIT = 1 << 20 };
    size_t most = (size_t)((double)memory / (double)block_writer_long_memory(o, UNIT) * UNIT);
    return most > o->block_bytes ? most : o->block_bytes;
}

static int check_opts(const struct hfile_write_opts *o, struct err *err) {
    const struct codec *c = codec_by_ordinal(o->codec);
    if (!c || c->decode_only) return err_set(err, ERR_USAGE, "codec %u cannot be written", (unsigned)o->codec);
    if (o->codec_level < 0 || o->codec_level > c->level_max)
        return err_set(err, ERR_USAGE, "%s has no level %d (at most %d)", c->name, o->codec_level, c->level_max);
    if (!encoding_by_id(o->encoding)) return err_set(err, ERR_USAGE, "encoding %u cannot be written", (unsigned)o->encoding);
    if (o->block_bytes < 1 || o->block_bytes > CELL_PART_BYTES_MAX)
        return err_set(err, ERR_USAGE, "a block size of %u bytes is out of range", o->block_bytes);
    if (o->bytes_per_checksum < BLOCK_HEADER_BYTES || o->bytes_per_checksum > CELL_PART_BYTES_MAX)
        return err_set(err, ERR_USAGE, "%u bytes per checksum are out of range", o->bytes_per_checksum);
    if (o->index_chunk_bytes < 1 || o->index_min_entries < 2 || o->batch_blocks > 1024)
        return err_set(err, ERR_USAGE, "index or batch sizes are out of range");
    return 0;
}

struct hfile_writer *hfile_writer_open(const struct hfile_write_opts *o, struct outfile *out, struct err *err) {
    if (check_opts(o, err)) return NULL;
    struct hfile_writer *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "an HFile writer");
        return NULL;
    }
    w->o = *o;
    w->out = out;
    w->row_bytes = encoding_by_id(o->encoding)->row_bytes;
    w->first_data_offset = w->last_data_offset = TRAILER_NO_OFFSET;
    w->sums = sums_none();
    w->index.chunk_bytes = o->index_chunk_bytes;
    w->index.min_entries = o->index_min_entries;
    if (bloom_set_init(&w->blooms, o, err)) goto fail;
    struct block_writer_opts b = block_opts(o);
    w->long_block_most = long_block_most(o->long_block_bytes, &b);
    b.out = out;
    b.written = on_written;
    b.arg = w;
    if (!(w->blocks = block_writer_open(&b, err))) goto fail;
    return w;
fail:
    hfile_writer_close(w);
    return NULL;
}

void hfile_writer_close(struct hfile_writer *w) {
    if (!w) return;
    block_writer_close(w->blocks);
    index_writer_free(&w->index);
    bloom_set_free(&w->blooms);
    struct buf *bufs[] = {&w->prefix, &w->family, &w->last_key, &w->first_row, &w->last_row, &w->biggest_key};
    for (size_t i = 0; i < countof(bufs); i++) buf_free(bufs[i]);
    free(w);
}
