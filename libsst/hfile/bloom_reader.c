/* Asks a file's bloom filters. What is asked and how: HBase's StoreFileReader (passesGeneralRowBloomFilter and others). One
 * chunk is kept in memory, so that keys in ascending order read each chunk once. */
#include "cell/keyvalue.h"
#include "hfile/bloom.h"
#include "hfile/bloom_reader.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_state.h"

#include <stdlib.h>

struct hfile_bloom_reader {
    const struct hfile *h;
    enum hfile_bloom kind;             /* ROW for the filter of markers too */
    struct block_reader blocks, chunk; /* payloads stay: meta borrows from blocks, the bits from chunk */
    struct bloom_meta meta;
    struct bytes last_key; /* LAST_BLOOM_KEY: no key is after it; p == NULL: not known */
    uint32_t loaded;       /* index of the chunk in `bits`, or meta.n */
    struct bytes bits;
    unsigned __int128 above, below; /* a key whose first 16 bytes lie between lies in that chunk; none does: 0, 0 */
    struct buf key;                 /* of a column */
};

static int meta_fault(const struct hfile *h, uint64_t offset, const char *what, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: bloom meta block at %llu: %s", h->path, (unsigned long long)offset, what);
}

static int read_meta(struct hfile_bloom_reader *b, uint64_t offset, struct err *err) {
    struct block m;
    if (block_reader_get(&b->blocks, offset, BLOCK_ANY, &m, err)) return -1;
    if (bloom_meta_parse(m.payload, b->h->src.max_block_bytes, &b->meta, err))
        return err_prefix(err, "%s: bloom meta block at %llu", b->h->path, (unsigned long long)offset);
    b->loaded = b->meta.n;
    if (b->meta.of_cells != (b->kind == HFILE_BLOOM_ROWCOL))
        return meta_fault(b->h, offset, "its comparator is not that of the filter's kind in file info", err);
    return 0;
}

static int read_last_key(struct hfile_bloom_reader *b, struct err *err) {
    struct kv_key k;
    b->last_key = hfile_find(b->h, "LAST_BLOOM_KEY");
    if (b->kind != HFILE_BLOOM_ROWCOL || (b->last_key.p && kv_key_parse(b->last_key, &k))) return 0;
    return err_set(err, ERR_INPUT, "%s: file info LAST_BLOOM_KEY is missing or not a key", b->h->path);
}

static struct hfile_bloom_reader *open_at(const struct hfile *h, enum hfile_bloom kind, uint64_t offset, struct err *err) {
    struct hfile_bloom_reader *b = calloc(1, sizeof *b);
    if (!b) {
        err_nomem(err, sizeof *b, "a bloom reader");
        return NULL;
    }
    b->h = h;
    b->kind = kind;
    block_reader_init(&b->blocks, &h->src, h->trailer_offset, 0);
    block_reader_init(&b->chunk, &h->src, h->trailer.load_on_open_offset, 0);
    if (read_meta(b, offset, err) == 0) return b;
    hfile_bloom_close(b);
    return NULL;
}

struct hfile_bloom_reader *hfile_bloom_open(const struct hfile *h, struct err *err) {
    if (h->info.bloom == HFILE_BLOOM_NONE) return NULL;
    struct hfile_bloom_reader *b = open_at(h, h->info.bloom, h->bloom_meta_offset, err);
    if (!b || read_last_key(b, err) == 0) return b;
    hfile_bloom_close(b);
    return NULL;
}

struct hfile_bloom_reader *hfile_bloom_open_deletes(const struct hfile *h, struct err *err) {
    return h->info.has_delete_bloom ? open_at(h, HFILE_BLOOM_ROW, h->delete_bloom_meta_offset, err) : NULL;
}

/* The first 16 bytes as a number, zero padded: a < b implies head_of(a) <= head_of(b). */
static inline unsigned __int128 head_of(struct bytes b) {
    uint64_t low = b.n > 8 ? bytes_prefix8(bytes_of(b.p + 8, b.n - 8)) : 0;
    return (unsigned __int128)bytes_prefix8(b) << 64 | low;
}

/* Rows ask in order, so that most are known by their first bytes to lie in the chunk of the row before. */
static void note_bounds(struct hfile_bloom_reader *b, uint32_t i) {
    b->above = b->below = 0;
    if (b->meta.of_cells) return;
    b->above = head_of(b->meta.chunks[i].key);
    b->below = i + 1 < b->meta.n ? head_of(b->meta.chunks[i + 1].key) : ~(unsigned __int128)0;
    if (b->last_key.p && head_of(b->last_key) < b->below) b->below = head_of(b->last_key);
}

static int load_chunk(struct hfile_bloom_reader *b, uint32_t i, struct err *err) {
    const struct hfile_index_entry *e = &b->meta.chunks[i];
    struct block c;
    b->loaded = b->meta.n;
    b->above = b->below = 0;
    if (block_reader_get(&b->chunk, e->offset, BLOCK_ANY, &c, err)) return -1;
    if (c.header.type != BLOCK_BLOOM_CHUNK || c.next - c.offset != e->disk_bytes)
        return block_fault(&b->h->src, &c, err, "is not the bloom chunk that the meta block names here");
    if (c.payload.n == 0 || c.payload.n > INT32_MAX / 8) return block_fault(&b->h->src, &c, err, "has an impossible size");
    b->bits = c.payload;
    b->loaded = i;
    note_bounds(b, i);
    return 0;
}

static int may_have(struct hfile_bloom_reader *b, struct bytes key, struct err *err) {
    unsigned __int128 head = head_of(key);
    if (head > b->above && head < b->below) return bloom_meta_may_have(&b->meta, b->bits, key);
    if (b->last_key.p && bloom_meta_cmp(&b->meta, key, b->last_key) > 0) return 0;
    uint32_t i = bloom_meta_chunk_of(&b->meta, key);
    if (i == b->meta.n) return 0;
    if (i != b->loaded && load_chunk(b, i, err)) return -1;
    return bloom_meta_may_have(&b->meta, b->bits, key);
}

int hfile_bloom_may_have(struct hfile_bloom_reader *b, struct bytes row, struct err *err) {
    switch (b->kind) {
    case HFILE_BLOOM_ROW: return may_have(b, row, err);
    case HFILE_BLOOM_PREFIX: return may_have(b, bloom_kind_prefix(row, b->h->info.bloom_prefix), err);
    default: return 1;
    }
}

int hfile_bloom_may_have_column(struct hfile_bloom_reader *b, struct bytes row, struct bytes qualifier, struct err *err) {
    if (b->kind != HFILE_BLOOM_ROWCOL) return hfile_bloom_may_have(b, row, err);
    if (row.n > ROW_MAX_BYTES) return 0;
    if (bloom_kind_begin_column(&b->key, row, err) || bloom_kind_end_column(&b->key, qualifier, err)) return -1;
    return may_have(b, buf_bytes(&b->key), err);
}

struct hfile_bloom_facts hfile_bloom_facts(const struct hfile_bloom_reader *b) {
    return (struct hfile_bloom_facts){.bytes = b->meta.bytes,
                                      .keys = b->meta.keys,
                                      .max_keys = b->meta.max_keys,
                                      .chunks = b->meta.n,
                                      .hash_count = b->meta.hash_count,
                                      .hash = bloom_hash_name(b->meta.hash),
                                      .comparator = b->meta.comparator};
}

struct bytes hfile_bloom_chunk_key(const struct hfile_bloom_reader *b, uint32_t i) {
    return b->meta.chunks[i].key;
}

int hfile_bloom_chunk(struct hfile_bloom_reader *b, uint32_t i, struct bytes *bits, struct err *err) {
    if (i != b->loaded && load_chunk(b, i, err)) return -1;
    *bits = b->bits;
    return 0;
}

void hfile_bloom_close(struct hfile_bloom_reader *b) {
    if (!b) return;
    block_reader_release(&b->blocks);
    block_reader_release(&b->chunk);
    bloom_meta_free(&b->meta);
    buf_free(&b->key);
    free(b);
}
