#include "hfile/index_block.h"

#include "base/bytes.h"

enum { ENTRY_FIXED_BYTES = 12 };

bool index_block_parse(struct bytes payload, struct index_block *x) {
    if (payload.n < 8) return false;
    x->n = be32(payload.p);
    x->bytes = payload.n;
    if (x->n == 0 || x->n > (payload.n - 8) / (4 + ENTRY_FIXED_BYTES)) return false;
    size_t table = 4 + 4 * ((size_t)x->n + 1);
    x->offsets = payload.p + 4;
    x->entries = payload.p + table;
    size_t last = 0;
    for (uint32_t i = 0; i <= x->n; i++) {
        size_t at = be32(x->offsets + 4 * (size_t)i);
        if (i == 0 ? at != 0 : at < last + ENTRY_FIXED_BYTES || at > payload.n - table) return false;
        last = at;
    }
    return last == payload.n - table;
}

struct hfile_index_entry index_block_at(const struct index_block *x, uint32_t i) {
    size_t from = be32(x->offsets + 4 * (size_t)i), to = be32(x->offsets + 4 * ((size_t)i + 1));
    const uint8_t *p = x->entries + from;
    return (struct hfile_index_entry){be64(p), be32(p + 8), bytes_of(p + ENTRY_FIXED_BYTES, to - from - ENTRY_FIXED_BYTES)};
}

int index_root_fault(const struct hfile *h, uint32_t i, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: root index: entry %u of %u is malformed", h->path, i, h->trailer.data_index_count);
}

int index_block_read(const struct hfile *h, struct block_reader *r, const struct hfile_index_entry *e, unsigned level,
                     struct index_block *x, struct err *err) {
    enum block_type want = level == 1 ? BLOCK_LEAF_INDEX : BLOCK_INTERMEDIATE_INDEX;
    struct block b;
    if (block_reader_get(r, e->offset, BLOCK_ANY, &b, err)) return -1;
    if (b.header.type != want) return block_fault(&h->src, &b, err, "the index says %s", block_type_name(want));
    if (b.next - b.offset != e->disk_bytes)
        return block_fault(&h->src, &b, err, "has %llu bytes, the index says %u", (unsigned long long)(b.next - b.offset),
                           e->disk_bytes);
    if (!index_block_parse(b.payload, x)) return block_fault(&h->src, &b, err, "its table of entries is malformed");
    if (!bytes_eq(index_block_at(x, 0).key, e->key))
        return block_fault(&h->src, &b, err, "its first key is not the one above it");
    return 0;
}
