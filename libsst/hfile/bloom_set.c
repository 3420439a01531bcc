#include "hfile/bloom_set.h"

#include "hfile/bloom_kind.h"
#include "hfile/comparator.h"

#include <math.h>

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
