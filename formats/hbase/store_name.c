#include "formats/hbase/store_name.h"

#include "formats/hbase/table_name.h"

enum { MOB_MD5_BYTES = 32, MOB_DATE_BYTES = 8, MOB_UUID_BYTES = 32, MOB_BYTES = MOB_MD5_BYTES + MOB_DATE_BYTES + MOB_UUID_BYTES };

static size_t count_hex(struct bytes s) {
    size_t n = 0;
    while (n < s.n && ((s.p[n] >= '0' && s.p[n] <= '9') || (s.p[n] >= 'a' && s.p[n] <= 'f'))) n++;
    return n;
}

static size_t count_digits(struct bytes s) {
    size_t n = 0;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9') n++;
    return n;
}

static struct bytes skip(struct bytes s, size_t n) {
    return bytes_of(s.p + n, s.n - n);
}

/* An encoded region name: md5 in hex, in old tables a decimal number. */
static bool is_region(struct bytes s) {
    return s.n > 0 && count_hex(s) == s.n;
}

/* What does not fit a Java long counts as the largest. */
static uint64_t number_of(struct bytes digits) {
    uint64_t v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        uint64_t d = (uint64_t)(digits.p[i] - '0');
        if (v > ((uint64_t)INT64_MAX - d) / 10) return INT64_MAX;
        v = v * 10 + d;
    }
    return v;
}

/* `_SeqId_<n>_` and nothing behind it. */
static bool parse_seq(struct bytes s, uint64_t *seq) {
    static const char mark[] = "_SeqId_";
    enum { MARK_BYTES = sizeof mark - 1 };
    if (s.n < MARK_BYTES || memcmp(s.p, mark, MARK_BYTES) != 0) return false;
    s = skip(s, MARK_BYTES);
    size_t n = count_digits(s);
    if (n == 0 || s.n != n + 1 || s.p[n] != '_') return false;
    *seq = number_of(bytes_of(s.p, n));
    return true;
}

/* 32 hex of the region's start key, a date, 32 hex of a uuid: hex as a whole. */
static bool is_mob_stem(struct bytes hex) {
    return hex.n == MOB_BYTES && count_digits(skip(hex, MOB_MD5_BYTES)) >= MOB_DATE_BYTES;
}

/* FILE or MOB, else OTHER. */
static struct store_name parse_file(struct bytes name) {
    struct store_name out = {.kind = STORE_NAME_OTHER};
    size_t n = count_hex(name);
    if (n == 0) return out;
    struct bytes stem = bytes_of(name.p, n), rest = skip(name, n);
    if (rest.n == 0) {
        out.kind = is_mob_stem(stem) ? STORE_NAME_MOB : STORE_NAME_FILE; /* before 2.3 without region */
    } else if (is_mob_stem(stem) && rest.p[0] == '_' && is_region(skip(rest, 1))) {
        out.kind = STORE_NAME_MOB;
    } else if (bytes_eq(rest, bytes_str("_del"))) {
        out.kind = STORE_NAME_FILE;
    } else if (parse_seq(rest, &out.seq)) {
        out.kind = STORE_NAME_FILE;
        out.has_seq = true;
    }
    return out;
}

/* Splits s at its last c. false: it has none. */
static bool split_last(struct bytes s, uint8_t c, struct bytes *before, struct bytes *after) {
    const uint8_t *at = s.n ? memrchr(s.p, c, s.n) : NULL;
    if (!at) return false;
    size_t n = (size_t)(at - s.p);
    *before = bytes_of(s.p, n);
    *after = skip(s, n + 1);
    return true;
}

/* [ns=]table=region-file: neither names nor regions hold a '=', regions no '-'. */
static struct store_name parse_link(struct bytes name) {
    struct store_name out = {.kind = STORE_NAME_OTHER};
    struct bytes owner, target;
    if (!split_last(name, '=', &owner, &target)) return out;
    size_t n = count_hex(target);
    if (n == 0 || n == target.n || target.p[n] != '-') return out;
    struct bytes region = bytes_of(target.p, n), file = skip(target, n + 1), ns = bytes_str(TABLE_NAME_DEFAULT_NS), table = owner;
    split_last(owner, '=', &ns, &table);
    struct store_name at = parse_file(file);
    if (at.kind == STORE_NAME_OTHER || !table_name_is_ns(ns) || !table_name_is_table(table)) return out;
    return (struct store_name){
        .kind = STORE_NAME_LINK, .ns = ns, .table = table, .region = region, .file = file, .has_seq = at.has_seq, .seq = at.seq};
}

static struct store_name parse_file_or_link(struct bytes name) {
    struct store_name out = parse_file(name);
    return out.kind != STORE_NAME_OTHER ? out : parse_link(name);
}

struct store_name store_name_parse(struct bytes name) {
    struct store_name out = parse_file_or_link(name);
    struct bytes file, region;
    if (out.kind != STORE_NAME_OTHER || !split_last(name, '.', &file, &region) || !is_region(region)) return out;
    struct store_name of = parse_file_or_link(file);
    if (of.kind == STORE_NAME_OTHER) return out;
    return (struct store_name){
        .kind = STORE_NAME_REFERENCE, .region = region, .file = file, .has_seq = of.has_seq, .seq = of.seq};
}
