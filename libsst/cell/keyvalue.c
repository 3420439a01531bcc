/* Writes and parses KeyValue bytes, and hashes cells through them. A cell that is in a block already is hashed in place
 * (digest_kv); any other is serialised into a scratch buffer first. */
#include "cell/keyvalue.h"

#include "base/buf.h"
#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint8_t *put_bytes(uint8_t *p, struct bytes b) {
    if (b.n) memcpy(p, b.p, b.n);
    return p + b.n;
}

uint8_t *kv_put_key(uint8_t *p, struct bytes row, struct bytes family, struct bytes qualifier, int64_t ts_ms, uint8_t type) {
    p = put_be16(p, (uint16_t)row.n);
    p = put_bytes(p, row);
    *p++ = (uint8_t)family.n;
    p = put_bytes(p, family);
    p = put_bytes(p, qualifier);
    p = put_be64(p, (uint64_t)ts_ms);
    *p++ = type;
    return p;
}

uint8_t *kv_put(uint8_t *p, const struct row_part *part, const struct cell *c, bool with_tags) {
    p = put_be32(p, (uint32_t)kv_key_size(part->row.n, part->family.n, c->qualifier.n));
    p = put_be32(p, (uint32_t)c->value.n);
    p = kv_put_key(p, part->row, part->family, c->qualifier, c->ts_ms, c->type);
    p = put_bytes(p, c->value);
    if (!with_tags) return p;
    p = put_be16(p, (uint16_t)c->tags.n);
    return put_bytes(p, c->tags);
}

bool kv_key_parse(struct bytes key, struct kv_key *out) {
    if (key.n < KV_KEY_FIXED_BYTES) return false;
    size_t row_n = be16(key.p);
    if (row_n > ROW_MAX_BYTES || key.n < KV_KEY_FIXED_BYTES + row_n) return false;
    size_t family_n = key.p[2 + row_n];
    if (family_n > FAMILY_MAX_BYTES || key.n < KV_KEY_FIXED_BYTES + row_n + family_n) return false;
    out->row = bytes_of(key.p + 2, row_n);
    out->family = bytes_of(key.p + 3 + row_n, family_n);
    out->qualifier = bytes_of(key.p + 3 + row_n + family_n, key.n - KV_KEY_FIXED_BYTES - row_n - family_n);
    out->ts_ms = (int64_t)be64(key.p + key.n - 9);
    out->type = key.p[key.n - 1];
    return true;
}

int kv_key_cmp(const struct kv_key *a, const struct kv_key *b) {
    int c = bytes_cmp(a->row, b->row);
    if (!c) c = bytes_cmp(a->family, b->family);
    if (!c) c = bytes_cmp(a->qualifier, b->qualifier);
    if (c) return c;
    if (a->ts_ms != b->ts_ms) return a->ts_ms > b->ts_ms ? -1 : 1;
    return (int)b->type - (int)a->type;
}

/* ---- digests ---- */

/* Mixes 16 bytes at a and 16 at b with 32 of the secret. */
static inline void mix32(XXH128_hash_t *h, const uint8_t *a, const uint8_t *b, const uint8_t *secret) {
    uint64_t low = XXH3_mul128_fold64(le64(a) ^ le64(secret), le64(a + 8) ^ le64(secret + 8));
    uint64_t high = XXH3_mul128_fold64(le64(b) ^ le64(secret + 16), le64(b + 8) ^ le64(secret + 24));
    h->low64 = (h->low64 + low) ^ (le64(b) + le64(b + 8));
    h->high64 = (h->high64 + high) ^ (le64(a) + le64(a + 8));
}

/* XXH3_128bits of 33 to 96 bytes, as most cells have, by the same steps, but without the branch on whether there are more than
 * 64: lengths vary, and a wrong guess of the processor costs a third of the time of a digest. */
static inline XXH128_hash_t hash_33_to_96(const uint8_t *p, size_t n) {
    const uint8_t *end = p + n;
    const uint64_t more = 0 - (uint64_t)(n > 64);
    XXH128_hash_t h = {n * XXH_PRIME64_1, 0}, longer = h;
    mix32(&longer, p + (32 & more), end - 32 - (16 & more), XXH3_kSecret + 64);
    h.low64 ^= (h.low64 ^ longer.low64) & more;
    h.high64 = longer.high64 & more;
    mix32(&h, p + 16, end - 32, XXH3_kSecret + 32);
    mix32(&h, p, end - 16, XXH3_kSecret);
    uint64_t low = h.low64 + h.high64, high = h.low64 * XXH_PRIME64_1 + h.high64 * XXH_PRIME64_4 + n * XXH_PRIME64_2;
    return (XXH128_hash_t){XXH3_avalanche(low), 0 - XXH3_avalanche(high)};
}

struct digest digest_kv(const void *p, size_t n) {
    XXH128_hash_t h = n - 33 < 64 ? hash_33_to_96(p, n) : XXH3_128bits(p, n);
    return (struct digest){h.low64, h.high64};
}

/* Writes up to LONG_VALUE_BYTES without a call, and longer values with one. */
static inline uint8_t *copy_value(uint8_t *p, struct bytes b) {
    enum { LONG_VALUE_BYTES = 128 };
    return b.n > LONG_VALUE_BYTES ? put_bytes(p, b) : copy16(p, b);
}

int digest_cell(struct buf *scratch, const struct row_part *part, const struct cell *c, struct digest *out, struct err *err) {
    bool tags = c->tags.n > 0;
    size_t n = kv_size(part, c, tags);
    scratch->n = 0;
    if (buf_reserve(scratch, n, err)) return -1;
    kv_put(scratch->p, part, c, tags);
    *out = digest_kv(scratch->p, n);
    return 0;
}

/* The scratch has two places, with row and family in each, for all cells of the part. A cell is hashed when the next one has been
 * put into the other place: a processor waits for bytes that it has just written in other pieces than it reads. */
int digest_part(struct buf *scratch, const struct row_part *part, struct tally *t, struct err *err) {
    size_t most = 0, prefix_n = 8 + 2 + part->row.n + 1 + part->family.n;
    struct bytes before = {0};
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        size_t n = c->qualifier.n + c->value.n + c->tags.n;
        if (n > most) most = n;
    }
    size_t room = prefix_n + most + 9 + 2 + VALUE_SPARE_BYTES;
    scratch->n = 0;
    if (buf_reserve(scratch, 2 * room, err)) return -1;
    for (uint32_t i = 0; i < 2 && i < part->n_cells; i++) {
        uint8_t *p = copy16(put_be16(scratch->p + i * room + 8, (uint16_t)part->row.n), part->row);
        *p++ = (uint8_t)part->family.n;
        copy16(p, part->family);
    }
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        uint8_t *place = scratch->p + i % 2 * room;
        put_be32(put_be32(place, (uint32_t)(prefix_n + c->qualifier.n + 9 - 8)), (uint32_t)c->value.n);
        uint8_t *p = put_be64(copy16(place + prefix_n, c->qualifier), (uint64_t)c->ts_ms);
        *p++ = c->type;
        p = part->spare ? put_spare_value(p, c->value) : copy_value(p, c->value);
        if (c->tags.n) p = copy16(put_be16(p, (uint16_t)c->tags.n), c->tags);
        if (i) tally_one(t, digest_kv(before.p, before.n));
        before = bytes_of(place, (size_t)(p - place));
    }
    if (part->n_cells) tally_one(t, digest_kv(before.p, before.n));
    return 0;
}

void digest_print(struct digest d, char out[DIGEST_HEX]) {
    snprintf(out, DIGEST_HEX, "%016llx%016llx", (unsigned long long)d.hi, (unsigned long long)d.lo);
}

bool digest_parse(const char *hex, struct digest *out) {
    if (strlen(hex) != DIGEST_HEX - 1 || strspn(hex, "0123456789abcdef") != DIGEST_HEX - 1) return false;
    char half[17] = {0};
    memcpy(half, hex, 16);
    out->hi = strtoull(half, NULL, 16);
    out->lo = strtoull(hex + 16, NULL, 16);
    return true;
}
