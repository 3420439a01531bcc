/* Bloom filters while a file is written. Keys set bits in the chunk being filled; a full chunk waits for the next boundary
 * between blocks, folded to half its size as long as that costs no precision. The arithmetic is Java's, truncations included:
 * sizes and numbers of hashes must come out the same. */
#include "hfile/bloom_writer.h"

#include "base/bytes.h"
#include "base/wire.h"
#include "hfile/bloom.h"
#include "hfile/index_writer.h"
#include "hfile/trailer.h"

#include <math.h>
#include <stdlib.h>

/* ---- one filter ---- */

enum { MAX_FOLD = 7, BLOOM_VERSION = 3, CHUNK_BYTES_MAX = 1 << 27 };

/* Java's arithmetic, integer division and truncations included: the numbers must come out the same. */
int bloom_writer_init(struct bloom_writer *b, uint32_t chunk_bytes, float error_rate, struct err *err) {
    *b = (struct bloom_writer){.comparator = ""};
    if (chunk_bytes < 1 || chunk_bytes > CHUNK_BYTES_MAX || !(error_rate > 0 && error_rate < 1))
        return err_set(err, ERR_USAGE, "bloom filter: chunk of %u bytes with error rate %g is not possible", chunk_bytes,
                       (double)error_rate);
    uint32_t unit = 1u << MAX_FOLD;
    b->chunk_bytes = (chunk_bytes + unit - 1) / unit * unit;
    int64_t bits = (int64_t)b->chunk_bytes * 8;
    double e = (double)error_rate;
    int64_t ideal = (int64_t)((double)bits * (log(2) * log(2) / -log(e)));
    if (ideal < 1) return err_set(err, ERR_USAGE, "bloom filter: error rate %g leaves no room for a key", e);
    b->hash_count = (uint32_t)ceil(log(2) * (double)(bits / ideal));
    if (b->hash_count < 1) b->hash_count = 1;
    b->max_keys = (uint32_t)((double)-bits * 1.0 / b->hash_count * log(1 - exp(log(e) / b->hash_count)));
    if (b->max_keys < 1) b->max_keys = 1;
    return 0;
}

void bloom_writer_free(struct bloom_writer *b) {
    buf_free(&b->bits);
    buf_free(&b->first_key);
    for (size_t i = 0; i < b->cap_ready; i++) {
        buf_free(&b->ready[i].bits);
        buf_free(&b->ready[i].first_key);
    }
    free(b->ready);
    buf_free(&b->entries);
}

static int start_chunk(struct bloom_writer *b, struct bytes key, struct err *err) {
    buf_clear(&b->bits);
    if (buf_reserve(&b->bits, b->chunk_bytes, err) || buf_copy(&b->first_key, key, err)) return -1;
    memset(b->bits.p, 0, b->chunk_bytes);
    b->bits.n = b->chunk_bytes;
    b->keys = 0;
    return 0;
}

int bloom_writer_count(struct bloom_writer *b, struct bytes key, struct err *err) {
    if (b->bits.n && bloom_writer_is_full(b) && bloom_writer_cut(b, false, err)) return -1;
    if (!b->bits.n && start_chunk(b, key, err)) return -1;
    b->keys++;
    b->total_keys++;
    return 0;
}

static struct bloom_bits bits_of(const struct bloom_writer *b) {
    return (struct bloom_bits){b->bits.p, (uint32_t)b->bits.n * 8, b->hash_count};
}

struct bloom_bits bloom_writer_set_later(struct bloom_writer *b) {
    b->in_tasks = true;
    return bits_of(b);
}

static void await_bits(struct bloom_writer *b) {
    if (!b->in_tasks) return;
#pragma omp taskwait
    b->in_tasks = false;
}

int bloom_writer_add(struct bloom_writer *b, struct bytes key, struct err *err) {
    if (bloom_writer_count(b, key, err)) return -1;
    await_bits(b);
    bloom_bits_set(bits_of(b), bloom_hash_key(BLOOM_HASH_MURMUR, key));
    return 0;
}

/* Bytes alias everything: without restrict, and copies of the pointers, this is a byte at a time, and half of what a short file
 * costs. */
static void or_into(uint8_t *restrict to, const uint8_t *restrict from, size_t n) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) to[i] |= from[i];
}

/* Halves the filter while that costs no precision. Positions are taken modulo the size, so the pieces just OR. */
static uint32_t fold_filter(struct bloom_writer *b) {
    uint32_t max_keys = b->max_keys;
    if (max_keys > 2 * b->keys) await_bits(b);
    while (b->bits.n % 2 == 0 && max_keys > 2 * b->keys) {
        b->bits.n /= 2;
        or_into(b->bits.p, b->bits.p + b->bits.n, b->bits.n);
        max_keys /= 2;
    }
    return max_keys;
}

static int grow_ready(struct bloom_writer *b, struct err *err) {
    size_t n = b->cap_ready;
    if (b->n_ready < n) return 0;
    if (grow_capacity(&b->ready, &b->cap_ready, sizeof *b->ready, "bloom chunks", err)) return -1;
    memset(b->ready + n, 0, (b->cap_ready - n) * sizeof *b->ready);
    return 0;
}

static void swap_buf(struct buf *a, struct buf *b) {
    struct buf t = *a;
    *a = *b;
    *b = t;
}

int bloom_writer_cut(struct bloom_writer *b, bool closing, struct err *err) {
    if (!b->bits.n || (b->keys < b->max_keys && !closing)) return 0;
    if (grow_ready(b, err)) return -1;
    b->total_max_keys += fold_filter(b);
    b->total_bytes += b->bits.n;
    struct bloom_ready *r = &b->ready[b->n_ready++];
    swap_buf(&r->bits, &b->bits);
    swap_buf(&r->first_key, &b->first_key);
    buf_clear(&b->bits);
    return 0;
}

int bloom_writer_take(struct bloom_writer *b, struct bytes first_key, struct bytes bits, struct err *err) {
    if (bloom_writer_cut(b, true, err) || grow_ready(b, err)) return -1;
    if (!bits.n || bits.n > b->chunk_bytes || b->chunk_bytes % bits.n)
        return err_set(err, ERR_INPUT, "a bloom chunk of %zu bytes is not one of %u bytes, folded", bits.n, b->chunk_bytes);
    struct bloom_ready *r = &b->ready[b->n_ready];
    if (buf_copy(&r->bits, bits, err) || buf_copy(&r->first_key, first_key, err)) return -1;
    b->n_ready++;
    b->total_max_keys += b->max_keys / (b->chunk_bytes / bits.n);
    b->total_bytes += bits.n;
    return 0;
}

int bloom_writer_flush(struct bloom_writer *b, struct block_writer *w, struct err *err) {
    if (b->n_ready) await_bits(b);
    for (size_t i = 0; i < b->n_ready; i++) {
        struct bloom_ready *r = &b->ready[i];
        struct block_job *j = block_writer_begin(w, BLOCK_BLOOM_CHUNK, err);
        if (!j || buf_put(&j->raw, r->bits.p, r->bits.n, err)) return -1;
        if (buf_copy(&j->key, buf_bytes(&r->first_key), err)) return -1;
        j->owner = b;
    }
    b->n_ready = 0;
    return 0;
}

int bloom_writer_placed(struct bloom_writer *b, const struct block_place *place, struct err *err) {
    b->chunks++;
    return index_put_root_entry(&b->entries, place->offset, place->disk_bytes, place->key, err);
}

int bloom_writer_meta(const struct bloom_writer *b, struct buf *out, struct err *err) {
    if (buf_put_be32(out, BLOOM_VERSION, err) || buf_put_be64(out, b->total_bytes, err)) return -1;
    if (buf_put_be32(out, b->hash_count, err) || buf_put_be32(out, BLOOM_HASH_MURMUR, err)) return -1;
    if (buf_put_be64(out, b->total_keys, err) || buf_put_be64(out, b->total_max_keys, err)) return -1;
    struct bytes name = bytes_str(b->comparator);
    uint8_t length[HADOOP_VLONG_MAX];
    if (buf_put_be32(out, b->chunks, err)) return -1;
    if (buf_put(out, length, hadoop_vlong_put(length, (int64_t)name.n), err) || buf_put(out, name.p, name.n, err)) return -1;
    return buf_put(out, b->entries.p, b->entries.n, err);
}

size_t bloom_writer_memory(uint32_t chunk_bytes) {
    return 2 * ((size_t)chunk_bytes + (1u << MAX_FOLD)); /* the one being filled and one that waits */
}

/* ---- the filters of one file ---- */

/* A column is looked up twice, by itself and as a row marker: each may err half as often (BloomFilterFactory). */
static float general_error_rate(const struct hfile_write_opts *o) {
    return o->bloom == HFILE_BLOOM_ROWCOL ? (float)(1 - sqrt((double)(1 - o->bloom_error_rate))) : o->bloom_error_rate;
}

int bloom_set_init(struct bloom_set *b, const struct hfile_write_opts *o, struct err *err) {
    *b = (struct bloom_set){.kind = o->bloom, .prefix = o->bloom_prefix};
    if (o->bloom > HFILE_BLOOM_PREFIX) return err_set(err, ERR_USAGE, "bloom filter: unknown kind %u", (unsigned)o->bloom);
    if (o->bloom == HFILE_BLOOM_PREFIX && (o->bloom_prefix < 1 || o->bloom_prefix > BLOOM_PREFIX_MAX))
        return err_set(err, ERR_USAGE, "bloom filter: a prefix of %u bytes is out of range, 1 to %u are possible",
                       o->bloom_prefix, (unsigned)BLOOM_PREFIX_MAX);
    if (bloom_writer_init(&b->general, o->bloom_chunk_bytes, general_error_rate(o), err)) return -1;
    if (o->bloom == HFILE_BLOOM_ROWCOL) b->general.comparator = COMPARATOR_CELLS_NAME;
    return bloom_writer_init(&b->family_deletes, o->bloom_chunk_bytes, o->bloom_error_rate, err);
}

void bloom_set_free(struct bloom_set *b) {
    bloom_writer_free(&b->general);
    bloom_writer_free(&b->family_deletes);
    buf_free(&b->key);
    buf_free(&b->marked_row);
}

size_t bloom_set_memory(const struct hfile_write_opts *o) {
    unsigned filters = (o->bloom != HFILE_BLOOM_NONE) + (o->bloom != HFILE_BLOOM_ROWCOL);
    return filters * bloom_writer_memory(o->bloom_chunk_bytes) + 2 * (size_t)ROW_MAX_BYTES;
}

static int add_prefix(struct bloom_set *b, struct bytes prefix, struct err *err) {
    if (b->general.total_keys && bytes_eq(prefix, buf_bytes(&b->key))) return 0;
    if (buf_copy(&b->key, prefix, err)) return -1;
    return bloom_writer_add(&b->general, prefix, err);
}

int bloom_set_row(struct bloom_set *b, struct bytes row, struct err *err) {
    switch (b->kind) {
    case HFILE_BLOOM_ROW: return bloom_writer_add(&b->general, row, err);
    case HFILE_BLOOM_PREFIX: return add_prefix(b, bloom_kind_prefix(row, b->prefix), err);
    default: b->columns_from = 0; return 0;
    }
}

int bloom_set_column(struct bloom_set *b, struct bytes row, struct bytes qualifier, struct err *err) {
    if (b->columns_from) {
        struct bytes last = bytes_of(b->key.p + b->columns_from, b->key.n - b->columns_from - BLOOM_COLUMN_TAIL_BYTES);
        if (bytes_eq(last, qualifier)) return 0;
        b->key.n = b->columns_from;
    } else {
        if (bloom_kind_begin_column(&b->key, row, err)) return -1;
        b->columns_from = b->key.n;
    }
    if (bloom_kind_end_column(&b->key, qualifier, err)) return -1;
    return bloom_writer_add(&b->general, buf_bytes(&b->key), err);
}

int bloom_set_family_delete(struct bloom_set *b, struct bytes row, struct err *err) {
    if (b->kind == HFILE_BLOOM_ROWCOL) return 0;
    if (b->family_deletes.total_keys && bytes_eq(row, buf_bytes(&b->marked_row))) return 0;
    if (buf_copy(&b->marked_row, row, err)) return -1;
    return bloom_writer_add(&b->family_deletes, row, err);
}

int bloom_set_flush(struct bloom_set *b, bool closing, struct block_writer *w, struct err *err) {
    if (bloom_writer_cut(&b->general, closing, err) || bloom_writer_flush(&b->general, w, err)) return -1;
    if (bloom_writer_cut(&b->family_deletes, closing, err)) return -1;
    return bloom_writer_flush(&b->family_deletes, w, err);
}

struct bytes bloom_set_last_key(const struct bloom_set *b, struct bytes last_row) {
    return b->kind == HFILE_BLOOM_ROW ? last_row : buf_bytes(&b->key);
}
