/* KEY: MurmurHash64A with seed 0, sign removed, modulo the number of partitions. Over K or a prefix of it; over (K, Q) and (K,
 * Q, T), the latter also as KEY(), the hash of each column is the seed of the next, T being as stored: 8 bytes, little-endian. */
#include "base/hash.h"
#include "table/key_prefix.h"
#include "table/partitioner.h"

#include <ctype.h>

static const char usage[] = "key:N, key:N:substring(pos[,len]), key:N:K,Q";

/* K,Q or K,Q,T, in either case and with blanks. */
static bool take_columns(const char *s, enum partition_by *out) {
    static const char names[] = "KQT";
    size_t n = 0;
    for (;; s++) {
        s = partitioner_skip_blanks(s);
        if (n == 3 || toupper((unsigned char)*s) != names[n]) return false;
        n++;
        s = partitioner_skip_blanks(s + 1);
        if (*s != ',') break;
    }
    *out = n == 3 ? BY_CELL : n == 2 ? BY_COLUMN : BY_ROW;
    return !*s;
}

static int parse(const char *spec, const char *s, struct partitioning *out, struct buf *warnings, struct err *err) {
    int64_t n;
    (void)warnings;
    *out = (struct partitioning){.kind = PARTITION_KEY};
    if (!s || !partitioner_take_number(&s, &n) || (*s && *s != ':'))
        return err_set(err, ERR_USAGE, "partitioning '%s': write %s", spec, usage);
    if (n < 1 || n > PARTITIONS_MAX)
        return err_set(err, ERR_USAGE, "partitioning '%s': the number of partitions must be 1 to %d", spec, PARTITIONS_MAX);
    if (*s == ':' && !key_prefix_take(partitioner_skip_blanks(s + 1), &out->prefix) && !take_columns(s + 1, &out->by))
        return err_set(err, ERR_USAGE,
                       "partitioning '%s': expected substring(pos[,len]) with pos from 1, or from -1 at the end, K,Q or K,Q,T "
                       "after the count",
                       spec);
    for (int64_t i = 0; i < n; i++)
        if (partitioning_add(out, NULL, NULL, err)) return -1;
    return 0;
}

enum { PAD_MAX = 256 }; /* binary(N) holds at most 255 bytes */

static enum place_result take_modulo(uint64_t hash, uint32_t count, uint32_t *index) {
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
    row = key_prefix_of(&spec->prefix, row);
    return take_modulo(murmur64a(row.p, row.n, 0), spec->count, index);
}

static enum place_result of_columns(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    uint64_t h = murmur64a(row.p, row.n, 0);
    h = murmur64a(c->qualifier.p, c->qualifier.n, h);
    if (p->spec->by == BY_CELL) {
        int64_t t = (int64_t) - (uint64_t)c->ts_ms;
        h = murmur64a((const uint8_t *)&t, sizeof t, h);
    }
    return take_modulo(h, p->spec->count, index);
}

static enum place_result of_cell(const struct placement *p, struct bytes row, const struct cell *c, uint32_t *index) {
    return p->spec->by == BY_ROW ? of_key(p, row, index) : of_columns(p, row, c, index);
}

static int prepare(struct placement *p, struct err *err) {
    unsigned pad = p->spec->k_pad;
    if (pad && p->spec->by != BY_ROW)
        return err_set(err, ERR_USAGE, "KEY over several columns with K binary(%u) is not supported; make it varbinary", pad);
    if (pad <= PAD_MAX) return 0;
    return err_set(err, ERR_USAGE, "K binary(%u): at most %d bytes are possible", pad, PAD_MAX);
}

const struct partitioner place_key = {
    .kind = PARTITION_KEY, .word = "key", .usage = usage, .parse = parse, .prepare = prepare, .of = of_key, .of_cell = of_cell};
