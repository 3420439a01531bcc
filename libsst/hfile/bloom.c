/* Keys, hashes and meta block of bloom filters, each exactly
 * as HBase makes them: a filter whose bits are elsewhere hides cells. */
#include "hfile/bloom.h"

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/index_reader.h"
#include "hfile/trailer.h"

#include <stdlib.h>

/* ---- kinds ---- */

static const char *const kind_names[] = {[HFILE_BLOOM_NONE] = "NONE",
                                         [HFILE_BLOOM_ROW] = "ROW",
                                         [HFILE_BLOOM_ROWCOL] = "ROWCOL",
                                         [HFILE_BLOOM_PREFIX] = "ROWPREFIX_FIXED_LENGTH"};

const char *bloom_kind_name(enum hfile_bloom kind) {
    return kind < countof(kind_names) ? kind_names[kind] : "unknown";
}

bool bloom_kind_by_name(struct bytes name, enum hfile_bloom *kind) {
    for (unsigned i = 0; i < countof(kind_names); i++) {
        if (!bytes_eq(bytes_str(kind_names[i]), name)) continue;
        *kind = (enum hfile_bloom)i;
        return true;
    }
    return false;
}

int bloom_kind_begin_column(struct buf *key, struct bytes row, struct err *err) {
    uint8_t length[2];
    put_be16(length, (uint16_t)row.n);
    buf_clear(key);
    if (buf_put(key, length, sizeof length, err) || buf_put(key, row.p, row.n, err)) return -1;
    return buf_put_byte(key, 0, err); /* length of the family */
}

int bloom_kind_end_column(struct buf *key, struct bytes qualifier, struct err *err) {
    if (buf_reserve(key, qualifier.n + BLOOM_COLUMN_TAIL_BYTES, err) || buf_put(key, qualifier.p, qualifier.n, err)) return -1;
    *put_be64(key->p + key->n, INT64_MAX) = CELL_MAXIMUM;
    key->n += BLOOM_COLUMN_TAIL_BYTES;
    return 0;
}

/* ---- hashes ---- */

static uint32_t rotl(uint32_t x, int r) {
    return x << r | x >> (32 - r);
}

/* MurmurHash2, except that the 1-3 tail bytes are sign-extended before they are shifted. */
static uint32_t murmur(struct bytes key, uint32_t seed) {
    const uint32_t m = 0x5bd1e995;
    uint32_t h = seed ^ (uint32_t)key.n;
    const uint8_t *p = key.p;
    size_t left = key.n;
    for (; left >= 4; left -= 4, p += 4) {
        uint32_t k = le32(p) * m;
        k ^= k >> 24;
        h = h * m ^ k * m;
    }
    if (left >= 3) h ^= (uint32_t)(int8_t)p[2] << 16;
    if (left >= 2) h ^= (uint32_t)(int8_t)p[1] << 8;
    if (left >= 1) h = (h ^ (uint32_t)(int8_t)p[0]) * m;
    h ^= h >> 13;
    h *= m;
    return h ^ h >> 15;
}

/* MurmurHash3_x86_32. */
static uint32_t murmur3(struct bytes key, uint32_t seed) {
    const uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
    uint32_t h = seed, k = 0;
    const uint8_t *p = key.p;
    size_t left = key.n;
    for (; left >= 4; left -= 4, p += 4) {
        h ^= rotl(le32(p) * c1, 15) * c2;
        h = rotl(h, 13) * 5 + 0xe6546b64;
    }
    while (left) k = k << 8 | p[--left];
    h ^= rotl(k * c1, 15) * c2;
    h ^= (uint32_t)key.n;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return h ^ h >> 16;
}

/* Bob Jenkins' lookup3, hashlittle. */
static uint32_t jenkins(struct bytes key, uint32_t seed) {
    uint32_t a = 0xdeadbeef + (uint32_t)key.n + seed, b = a, c = a;
    const uint8_t *p = key.p;
    size_t left = key.n;
    for (; left > 12; left -= 12, p += 12) {
        a += le32(p);
        b += le32(p + 4);
        c += le32(p + 8);
        a = (a - c) ^ rotl(c, 4);
        c += b;
        b = (b - a) ^ rotl(a, 6);
        a += c;
        c = (c - b) ^ rotl(b, 8);
        b += a;
        a = (a - c) ^ rotl(c, 16);
        c += b;
        b = (b - a) ^ rotl(a, 19);
        a += c;
        c = (c - b) ^ rotl(b, 4);
        b += a;
    }
    if (!left) return c;
    uint8_t last[12] = {0};
    memcpy(last, p, left);
    a += le32(last);
    b += le32(last + 4);
    c += le32(last + 8);
    c = (c ^ b) - rotl(b, 14);
    a = (a ^ c) - rotl(c, 11);
    b = (b ^ a) - rotl(a, 25);
    c = (c ^ b) - rotl(b, 16);
    a = (a ^ c) - rotl(c, 4);
    b = (b ^ a) - rotl(a, 14);
    return (c ^ b) - rotl(b, 24);
}

bool bloom_hash_known(uint32_t type) {
    return type <= BLOOM_HASH_MURMUR3;
}

const char *bloom_hash_name(enum bloom_hash_type type) {
    static const char *const names[] = {"jenkins", "murmur", "murmur3"};
    return bloom_hash_known(type) ? names[type] : "unknown";
}

uint32_t bloom_hash(enum bloom_hash_type type, struct bytes key, uint32_t seed) {
    switch (type) {
    case BLOOM_HASH_JENKINS: return jenkins(key, seed);
    case BLOOM_HASH_MURMUR3: return murmur3(key, seed);
    default: return murmur(key, seed);
    }
}

struct bloom_hash_pair bloom_hash_key(enum bloom_hash_type type, struct bytes key) {
    uint32_t h1 = bloom_hash(type, key, 0);
    return (struct bloom_hash_pair){h1, bloom_hash(type, key, h1)};
}

/* ---- the meta block ---- */

enum { META_FIXED_BYTES = 40, BLOOM_VERSION = 3, HASHES_MAX = 64, ENTRY_BYTES_MIN = 13 };

static int take_head(struct bloom_meta *m, struct bytes *in, struct err *err) {
    if (in->n < META_FIXED_BYTES) return err_set(err, ERR_INPUT, "%zu bytes are too few", in->n);
    if (be32(in->p) != BLOOM_VERSION) return err_set(err, ERR_INPUT, "version %u, only %d is known", be32(in->p), BLOOM_VERSION);
    m->bytes = be64(in->p + 4);
    m->hash_count = be32(in->p + 12);
    uint32_t hash = be32(in->p + 16);
    m->hash = (enum bloom_hash_type)hash;
    m->keys = be64(in->p + 20);
    m->max_keys = be64(in->p + 28);
    m->n = be32(in->p + 36);
    *in = bytes_of(in->p + META_FIXED_BYTES, in->n - META_FIXED_BYTES);
    if (!bloom_hash_known(hash)) return err_set(err, ERR_INPUT, "hash function %u is not known", hash);
    if (m->hash_count < 1 || m->hash_count > HASHES_MAX)
        return err_set(err, ERR_INPUT, "%u hashes per key, 1 to %d are possible", m->hash_count, HASHES_MAX);
    return 0;
}

static int take_comparator(struct bloom_meta *m, struct bytes *in, struct err *err) {
    int64_t n;
    if (!hadoop_vlong_take(in, &n) || n < 0 || (uint64_t)n > in->n)
        return err_set(err, ERR_INPUT, "its comparator's name is malformed");
    m->comparator = bytes_of(in->p, (size_t)n);
    *in = bytes_of(in->p + n, in->n - (size_t)n);
    enum comparator_kind kind = n ? comparator_by_name(m->comparator) : COMPARATOR_RAW;
    m->of_cells = kind == COMPARATOR_CELLS;
    if (m->of_cells || kind == COMPARATOR_RAW) return 0;
    return err_set(err, ERR_INPUT, "comparator \"%.*s\" is not known", (int)(n < 100 ? n : 100), (const char *)m->comparator.p);
}

static int take_chunks(struct bloom_meta *m, struct bytes in, size_t max_bytes, struct err *err) {
    struct kv_key k;
    if (m->n < 1 || m->n > in.n / ENTRY_BYTES_MIN)
        return err_set(err, ERR_INPUT, "%u chunks do not fit in %zu bytes", m->n, in.n);
    if (m->n > max_bytes / sizeof *m->chunks || !(m->chunks = calloc(m->n, sizeof *m->chunks)))
        return err_nomem(err, m->n * sizeof *m->chunks, "a bloom filter's list of chunks");
    for (uint32_t i = 0; i < m->n; i++) {
        struct hfile_index_entry *e = &m->chunks[i];
        if (!index_take_root_entry(&in, e) || (m->of_cells && !kv_key_parse(e->key, &k)))
            return err_set(err, ERR_INPUT, "the entry of chunk %u of %u is malformed", i, m->n);
        if (i && bloom_meta_cmp(m, e[-1].key, e->key) >= 0)
            return err_set(err, ERR_INPUT, "the first keys of chunks %u and %u do not ascend", i - 1, i);
    }
    return in.n ? err_set(err, ERR_INPUT, "%zu bytes after the last chunk's entry", in.n) : 0;
}

int bloom_meta_parse(struct bytes payload, size_t max_bytes, struct bloom_meta *out, struct err *err) {
    *out = (struct bloom_meta){0};
    if (take_head(out, &payload, err) || take_comparator(out, &payload, err)) return -1;
    if (take_chunks(out, payload, max_bytes, err) == 0) return 0;
    bloom_meta_free(out);
    return -1;
}

void bloom_meta_free(struct bloom_meta *m) {
    free(m->chunks);
    m->chunks = NULL;
    m->n = 0;
}

int bloom_meta_cmp(const struct bloom_meta *m, struct bytes a, struct bytes b) {
    struct kv_key x, y;
    if (m->of_cells && kv_key_parse(a, &x) && kv_key_parse(b, &y)) return kv_key_cmp(&x, &y);
    return bytes_cmp(a, b);
}

uint32_t bloom_meta_chunk_of(const struct bloom_meta *m, struct bytes key) {
    uint32_t lo = 0, hi = m->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (bloom_meta_cmp(m, m->chunks[mid].key, key) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : m->n;
}

bool bloom_meta_may_have(const struct bloom_meta *m, struct bytes bits, struct bytes key) {
    struct bloom_hash_pair h = bloom_hash_key(m->hash, key);
    unsigned all = 1; /* most keys are in the filter: nothing waits for a bit but the end */
    for (uint32_t i = 0; i < m->hash_count; i++) {
        uint32_t bit = bloom_hash_bit(h, i, (uint32_t)bits.n * 8);
        all &= (unsigned)bits.p[bit >> 3] >> (bit & 7);
    }
    return all;
}
