/* Asks a file's ROW bloom filter. Meta block: bloom_writer_meta writes the same bytes. */
#include "base/be.h"
#include "base/varint.h"
#include "hfile/bloom_hash.h"
#include "hfile/hfile_state.h"

#include <stdlib.h>

enum { META_FIXED_BYTES = 40, BLOOM_VERSION = 3, HASHES_MAX = 64 };

struct hfile_bloom_reader {
    const struct hfile *h;
    struct block_reader meta, chunk; /* payloads stay: the entries borrow from meta, the bits from chunk */
    struct hfile_index_entry *chunks;
    uint32_t n, hash_count, hash_type;
    uint32_t loaded; /* index of the chunk in `bits`, or n */
    struct bytes bits;
};

static int meta_fault(const struct hfile *h, const char *what, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: bloom meta block at %llu: %s", h->path, (unsigned long long)h->bloom_meta_offset, what);
}

static int parse_meta(struct hfile_bloom_reader *b, struct bytes in, struct err *err) {
    int64_t name_n;
    if (in.n < META_FIXED_BYTES || be32(in.p) != BLOOM_VERSION)
        return meta_fault(b->h, "malformed or of an unknown version", err);
    b->hash_count = be32(in.p + 12);
    b->hash_type = be32(in.p + 16);
    b->n = b->loaded = be32(in.p + 36);
    in = bytes_of(in.p + META_FIXED_BYTES, in.n - META_FIXED_BYTES);
    if (!hadoop_vlong_take(&in, &name_n) || name_n < 0 || (uint64_t)name_n > in.n)
        return meta_fault(b->h, "malformed comparator", err);
    in = bytes_of(in.p + name_n, in.n - (size_t)name_n);
    if (!bloom_hash_known(b->hash_type) || b->hash_count < 1 || b->hash_count > HASHES_MAX)
        return meta_fault(b->h, "unknown hash", err);
    if (b->n < 1 || b->n > in.n / 13) return meta_fault(b->h, "number of chunks does not fit", err);
    if (b->n > b->h->src.max_block_bytes / sizeof *b->chunks) return err_nomem(err, b->n * sizeof *b->chunks, "a bloom index");
    if (!(b->chunks = calloc(b->n, sizeof *b->chunks))) return err_nomem(err, b->n * sizeof *b->chunks, "a bloom index");
    for (uint32_t i = 0; i < b->n; i++)
        if (!hfile_take_root_entry(&in, &b->chunks[i]) || (i && bytes_cmp(b->chunks[i - 1].key, b->chunks[i].key) >= 0))
            return meta_fault(b->h, "its chunks are malformed or out of order", err);
    return in.n ? meta_fault(b->h, "bytes behind the last chunk", err) : 0;
}

struct hfile_bloom_reader *hfile_bloom_open(const struct hfile *h, struct err *err) {
    struct block m;
    if (h->info.bloom != HFILE_BLOOM_ROW) return NULL;
    struct hfile_bloom_reader *b = calloc(1, sizeof *b);
    if (!b) return err_nomem(err, sizeof *b, "a bloom reader"), NULL;
    b->h = h;
    block_reader_init(&b->meta, &h->src, h->trailer_offset, 0);
    block_reader_init(&b->chunk, &h->src, h->trailer.load_on_open_offset, 0);
    if (block_reader_get(&b->meta, h->bloom_meta_offset, BLOCK_ANY, &m, err) == 0 && parse_meta(b, m.payload, err) == 0) return b;
    hfile_bloom_close(b);
    return NULL;
}

static int load(struct hfile_bloom_reader *b, uint32_t i, struct err *err) {
    struct block c;
    b->loaded = b->n;
    if (block_reader_get(&b->chunk, b->chunks[i].offset, BLOCK_ANY, &c, err)) return -1;
    if (c.header.type != BLOCK_BLOOM_CHUNK || c.next - c.offset != b->chunks[i].disk_bytes)
        return block_fault(&b->h->src, &c, err, "is not the bloom chunk that the meta block names here");
    if (c.payload.n == 0 || c.payload.n > INT32_MAX / 8) return block_fault(&b->h->src, &c, err, "has an impossible size");
    b->bits = c.payload;
    b->loaded = i;
    return 0;
}

/* The last chunk whose first key is not behind row; n: none. */
static uint32_t chunk_of(const struct hfile_bloom_reader *b, struct bytes row) {
    uint32_t lo = 0, hi = b->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (bytes_cmp(b->chunks[mid].key, row) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : b->n;
}

int hfile_bloom_may_have(struct hfile_bloom_reader *b, struct bytes row, struct err *err) {
    uint32_t i = chunk_of(b, row);
    if (i == b->n) return 0;
    if (i != b->loaded && load(b, i, err)) return -1;
    struct bloom_hash_pair h = bloom_hash_key((enum bloom_hash_type)b->hash_type, row);
    uint32_t bits = (uint32_t)b->bits.n * 8;
    for (uint32_t k = 0; k < b->hash_count; k++) {
        uint32_t bit = bloom_hash_bit(h, k, bits);
        if (!(b->bits.p[bit >> 3] >> (bit & 7) & 1)) return 0;
    }
    return 1;
}

void hfile_bloom_close(struct hfile_bloom_reader *b) {
    if (!b) return;
    block_reader_release(&b->meta);
    block_reader_release(&b->chunk);
    free(b->chunks);
    free(b);
}
