/* KEY(K) and KEY over a prefix of it: MurmurHash64A with seed 0, sign removed, modulo the partition count. */
#include "base/hash.h"
#include "table/place_ops.h"

enum { PAD_MAX = 256 }; /* binary(N) holds at most 255 bytes */

enum place_result place_hash(uint64_t hash, uint32_t count, uint32_t *index) {
    if (hash == UINT64_C(1) << 63) return PLACE_HASH_MIN;
    uint64_t v = hash >> 63 ? -hash : hash;
    *index = (uint32_t)(v % count);
    return PLACE_OK;
}

static enum place_result of_key(const struct placement *p, struct bytes row, uint32_t *index) {
    const struct partitioning *spec = p->spec;
    uint8_t padded[PAD_MAX];
    if (row.n < spec->k_pad) {
        if (row.n) memcpy(padded, row.p, row.n);
        memset(padded + row.n, 0, spec->k_pad - row.n);
        row = (struct bytes){padded, spec->k_pad};
    }
    row = place_prefix(&spec->prefix, row);
    return place_hash(murmur64a(row.p, row.n, 0), spec->count, index);
}

static int prepare(struct placement *p, struct err *err) {
    if (p->spec->k_pad > PAD_MAX)
        return err_set(err, ERR_USAGE, "K binary(%u): at most %d bytes are possible", (unsigned)p->spec->k_pad, PAD_MAX);
    return 0;
}

const struct place_ops place_key = {.kind = PARTITION_KEY, .prepare = prepare, .of = of_key};
