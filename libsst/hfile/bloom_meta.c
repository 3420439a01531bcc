#include "hfile/bloom_meta.h"

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/comparator.h"
#include "hfile/hfile_state.h"

#include <stdlib.h>

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
        if (!hfile_take_root_entry(&in, e) || (m->of_cells && !kv_key_parse(e->key, &k)))
            return err_set(err, ERR_INPUT, "the entry of chunk %u of %u is malformed", i, m->n);
        if (i && bloom_meta_cmp(m, e[-1].key, e->key) >= 0)
            return err_set(err, ERR_INPUT, "the first keys of chunks %u and %u do not ascend", i - 1, i);
    }
    return in.n ? err_set(err, ERR_INPUT, "%zu bytes behind the last chunk's entry", in.n) : 0;
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
    for (uint32_t i = 0; i < m->hash_count; i++) {
        uint32_t bit = bloom_hash_bit(h, i, (uint32_t)bits.n * 8);
        if (!(bits.p[bit >> 3] >> (bit & 7) & 1)) return false;
    }
    return true;
}
