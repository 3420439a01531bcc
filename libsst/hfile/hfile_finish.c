/* Writes what follows the last cell: last leaf index and bloom chunks, upper index levels, meta index, file info, bloom meta
 * blocks, trailer. Order and contents as HBase's HFileWriterImpl.close and StoreFileWriter give them. */
#include "base/bytes.h"
#include "base/outfile.h"
#include "hfile/bloom.h"
#include "hfile/file_info.h"
#include "hfile/hfile_writer.h"
#include "hfile/hfile_writer_state.h"
#include "hfile/index_writer.h"
#include "hfile/trailer.h"

static int add_store_file_keys(const struct hfile_writer *w, struct file_info *f, struct err *err) {
    const struct writer_sums *m = &w->sums;
    int64_t lo = w->sums.ts_min, hi = w->sums.ts_max;
    if (m->range_delete && lo > 0) lo = 0;
    if (m->range_delete && hi < 0) hi = 0;
    uint8_t range[16];
    put_be64(put_be64(range, (uint64_t)lo), (uint64_t)hi);
    if (file_info_add(f, "TIMERANGE", bytes_of(range, sizeof range), err)) return -1;
    if (file_info_add_i64(f, "EARLIEST_PUT_TS", (uint64_t)m->earliest_put_ms, err)) return -1;
    return file_info_add_i64(f, "DELETE_FAMILY_COUNT", m->family_deletes, err);
}

static int add_bloom_keys(const struct hfile_writer *w, struct file_info *f, struct err *err) {
    if (!w->blooms.general.total_keys) return 0;
    if (file_info_add(f, "BLOOM_FILTER_TYPE", bytes_str(bloom_kind_name(w->o.bloom)), err)) return -1;
    if (w->o.bloom == HFILE_BLOOM_PREFIX && file_info_add_i32(f, "BLOOM_FILTER_PARAM", w->o.bloom_prefix, err)) return -1;
    return file_info_add(f, "LAST_BLOOM_KEY", bloom_set_last_key(&w->blooms, buf_bytes(&w->last_row)), err);
}

static int add_hfile_keys(const struct hfile_writer *w, struct file_info *f, struct err *err) {
    const struct writer_sums *m = &w->sums;
    uint64_t cells = w->sums.tally.cells, d = cells ? cells : 1;
    if (cells && file_info_add(f, "hfile.LASTKEY", buf_bytes(&w->last_key), err)) return -1;
    if (cells && file_info_add(f, "hfile.KEY_OF_BIGGEST_CELL", buf_bytes(&w->biggest_key), err)) return -1;
    if (cells && file_info_add_i64(f, "hfile.LEN_OF_BIGGEST_CELL", m->biggest_bytes + 4, err)) return -1;
    if (file_info_add_i32(f, "hfile.AVG_KEY_LEN", (uint32_t)(m->key_bytes / d), err)) return -1;
    if (file_info_add_i32(f, "hfile.AVG_VALUE_LEN", (uint32_t)(m->value_bytes / d), err)) return -1;
    if (file_info_add_i64(f, "hfile.CREATE_TIME_TS", (uint64_t)w->o.create_ms, err)) return -1;
    if (w->o.tags && file_info_add_i32(f, "hfile.MAX_TAGS_LEN", m->max_tags, err)) return -1;
    if (w->o.tags && file_info_add_bool(f, "hfile.TAGS_COMPRESSED", w->o.encoding && w->o.tags_compressed, err)) return -1;
    if (w->o.encoding && file_info_add(f, "DATA_BLOCK_ENCODING", bytes_str(encoding_name(w->o.encoding)), err)) return -1;
    if (!w->o.mvcc) return 0;
    if (file_info_add_i32(f, "KEY_VALUE_VERSION", 1, err)) return -1;
    return file_info_add_i64(f, "MAX_MEMSTORE_TS_KEY", w->o.seqs ? m->max_seq : 0, err);
}

static int add_bulkload_keys(const struct hfile_writer *w, struct file_info *f, struct err *err) {
    if (!w->o.bulkload) return 0;
    if (file_info_add_i64(f, "BULKLOAD_TIMESTAMP", (uint64_t)w->o.bulkload_ms, err)) return -1;
    if (file_info_add(f, "BULKLOAD_SOURCE_TASK", bytes_str(w->o.bulkload_task ? w->o.bulkload_task : ""), err)) return -1;
    if (file_info_add_bool(f, "MAJOR_COMPACTION_KEY", true, err)) return -1;
    return file_info_add_bool(f, "EXCLUDE_FROM_MINOR_COMPACTION", false, err);
}

static int add_own_keys(const struct hfile_writer *w, struct file_info *f, struct err *err) {
    if (w->o.obkv) {
        uint8_t digest[16];
        put_be64(put_be64(digest, w->sums.tally.digest.hi), w->sums.tally.digest.lo);
        if (file_info_add_i64(f, "OBKV.CELLS", w->sums.tally.cells, err)) return -1;
        if (file_info_add(f, "OBKV.DIGEST", bytes_of(digest, sizeof digest), err)) return -1;
        if (file_info_add(f, "OBKV.FIRST", buf_bytes(&w->first_row), err)) return -1;
        if (file_info_add(f, "OBKV.LAST", buf_bytes(&w->last_row), err)) return -1;
        if (w->sums.deletes && file_info_add_i64(f, "OBKV.DELETES", w->sums.deletes, err)) return -1;
    }
    for (size_t i = 0; i < w->o.n_extra; i++)
        if (file_info_add(f, w->o.extra[i].key, w->o.extra[i].value, err)) return -1;
    return 0;
}

/* A block of the load-on-open section that counts into trailer field 4. */
static int put_counted(struct hfile_writer *w, enum block_type type, struct bytes payload, struct block_place *place,
                       struct err *err) {
    if (block_writer_put(w->blocks, type, payload, place, err)) return -1;
    w->plain_bytes += BLOCK_HEADER_BYTES + (uint64_t)place->plain_bytes;
    return 0;
}

static int put_file_info(struct hfile_writer *w, struct trailer *t, struct err *err) {
    struct file_info f = {0};
    struct buf payload = {0};
    struct block_place place;
    int rc = -1;
    if (add_store_file_keys(w, &f, err) || add_bloom_keys(w, &f, err) || add_hfile_keys(w, &f, err)) goto out;
    if (add_bulkload_keys(w, &f, err) || add_own_keys(w, &f, err)) goto out;
    if (file_info_put(&f, &payload, err)) goto out;
    if (put_counted(w, BLOCK_FILE_INFO, buf_bytes(&payload), &place, err)) goto out;
    t->file_info_offset = place.offset;
    rc = 0;
out:
    buf_free(&payload);
    file_info_free(&f);
    return rc;
}

static int put_bloom_meta(struct hfile_writer *w, enum block_type type, const struct bloom_writer *b, struct err *err) {
    if (!b->total_keys) return 0;
    struct buf payload = {0};
    struct block_place place;
    int rc = bloom_writer_meta(b, &payload, err);
    if (!rc) rc = put_counted(w, type, buf_bytes(&payload), &place, err);
    buf_free(&payload);
    return rc;
}

/* The rest of the scanned section. */
static int end_inline_blocks(struct hfile_writer *w, struct err *err) {
    if (hfile_writer_end_block(w, true, err) || block_writer_drain(w->blocks, err)) return -1;
    if (index_writer_close_leaf(&w->index, w->blocks, err)) return -1;
    if (bloom_set_flush(&w->blooms, true, w->blocks, err)) return -1;
    return block_writer_pause(w->blocks, &w->job, err); /* what follows needs memory for blocks above the leaves */
}

static int put_load_on_open(struct hfile_writer *w, struct trailer *t, struct err *err) {
    struct block_place root, meta;
    if (index_writer_finish(&w->index, w->blocks, &root, err)) return -1;
    t->load_on_open_offset = root.offset;
    if (put_counted(w, BLOCK_ROOT_INDEX, (struct bytes){0}, &meta, err)) return -1;
    if (put_file_info(w, t, err)) return -1;
    if (put_bloom_meta(w, BLOCK_GENERAL_BLOOM_META, &w->blooms.general, err)) return -1;
    return put_bloom_meta(w, BLOCK_DELETE_FAMILY_BLOOM_META, &w->blooms.family_deletes, err);
}

static int put_trailer(struct hfile_writer *w, struct trailer *t, struct err *err) {
    const struct index_writer *x = &w->index;
    t->index_plain_bytes = x->plain_bytes;
    t->total_plain_bytes = w->plain_bytes + x->leaf_plain_bytes + BLOCK_HEADER_BYTES * x->leaf_blocks + TRAILER_V3_BYTES;
    t->data_index_count = x->root_entries;
    t->entry_count = w->sums.tally.cells;
    t->index_levels = x->levels;
    t->first_data_offset = w->first_data_offset;
    t->last_data_offset = w->last_data_offset;
    t->codec = w->o.codec;
    struct buf b = {0};
    int rc = trailer_put(t, &b, err);
    if (!rc) rc = outfile_write(w->out, b.p, b.n, err);
    buf_free(&b);
    return rc;
}

int hfile_writer_finish(struct hfile_writer *w, struct hfile_write_stats *stats, struct err *err) {
    struct trailer t = {0};
    if (w->prefix_n && buf_copy(&w->last_row, bytes_of(w->prefix.p + 2, w->prefix_n - 3 - w->family.n), err)) return -1;
    if (end_inline_blocks(w, err) || put_load_on_open(w, &t, err) || put_trailer(w, &t, err)) return -1;
    *stats = (struct hfile_write_stats){.tally = w->sums.tally,
                                        .puts = w->sums.puts,
                                        .deletes = w->sums.deletes,
                                        .duplicates = w->sums.duplicates,
                                        .kv_bytes = w->sums.kv_bytes,
                                        .file_bytes = outfile_size(w->out),
                                        .ts_min = w->sums.ts_min,
                                        .ts_max = w->sums.ts_max,
                                        .first_row = buf_bytes(&w->first_row),
                                        .last_row = buf_bytes(&w->last_row),
                                        .data_blocks = w->data_blocks};
    return 0;
}
