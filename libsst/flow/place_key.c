/* KEY(K) and KEY(substring(K, pos[, len])): MurmurHash64A with seed 0, sign removed, modulo the partition count. */
#include "base/murmur64.h"
#include "flow/place_ops.h"

enum { PAD_MAX = 256 }; /* binary(N) holds at most 255 bytes */

/* substring() as the server computes it: pos 1-based, negative from the end; outside the value, or 0, gives ''. */
static struct bytes cut(struct bytes v, const struct key_prefix *prefix) {
    int64_t n = (int64_t)v.n, start = prefix->pos > 0 ? prefix->pos - 1 : n + prefix->pos;
    if (prefix->pos == 0 || start < 0 || start >= n) return (struct bytes){v.p, 0};
    int64_t len = n - start;
    if (prefix->has_len && prefix->len < len) len = prefix->len > 0 ? prefix->len : 0;
    return (struct bytes){v.p + start, (size_t)len};
}

static enum place_result of_key(const struct placement *p, struct bytes row, uint32_t *index) {
    const struct partitioning *spec = p->spec;
    uint8_t padded[PAD_MAX];
    if (row.n < spec->k_pad) {
        if (row.n) memcpy(padded, row.p, row.n);
        memset(padded + row.n, 0, spec->k_pad - row.n);
        row = (struct bytes){padded, spec->k_pad};
    }
    if (spec->prefix.on) row = cut(row, &spec->prefix);
    uint64_t h = murmur64a(row.p, row.n, 0);
    if (h == UINT64_C(1) << 63) return PLACE_HASH_MIN;
    uint64_t v = h >> 63 ? -h : h;
    *index = (uint32_t)(v % spec->count);
    return PLACE_OK;
}

static int prepare(struct placement *p, struct err *err) {
    if (p->spec->k_pad > PAD_MAX)
        return err_set(err, ERR_USAGE, "K binary(%u): at most %d bytes are possible", (unsigned)p->spec->k_pad, PAD_MAX);
    return 0;
}

const struct place_ops place_key = {.kind = PARTITION_KEY, .monotone = false, .prepare = prepare, .of = of_key};
