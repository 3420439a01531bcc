/* The names HBase puts on disk: text that becomes part of a path or a message, namespaces and tables, store files. All of it
 * is hostile until it has passed here: a name out of a metadata file never leads out of the directory it belongs to. */
#include "formats/hbase/names.h"

#include "base/wire.h"

#include <stdlib.h>

/* ---- text from metadata as part of a path or a message ---- */

static bool is_control(uint8_t c) {
    return c < 0x20 || c == 0x7f;
}

const char *disk_name_shown(struct bytes b, char out[DISK_NAME_SHOWN_BYTES]) {
    size_t n = b.n < DISK_NAME_SHOWN ? b.n : DISK_NAME_SHOWN;
    for (size_t i = 0; i < n; i++) out[i] = is_control(b.p[i]) ? '?' : (char)b.p[i];
    memcpy(out + n, b.n > n ? "..." : "", b.n > n ? 4 : 1);
    return out;
}

static const char *fault_of(struct bytes name) {
    if (name.n == 0) return "is empty";
    if (name.n > DISK_NAME_MAX_BYTES) return "is longer than 255 bytes";
    if (bytes_eq(name, bytes_str(".")) || bytes_eq(name, bytes_str(".."))) return "names a directory";
    for (size_t i = 0; i < name.n; i++) {
        if (is_control(name.p[i])) return "holds a control character";
        if (name.p[i] == '/') return "holds a '/'";
    }
    return NULL;
}

char *disk_name_copy(struct bytes name, const char *what, struct err *err) {
    const char *fault = fault_of(name);
    if (fault) {
        char shown[DISK_NAME_SHOWN_BYTES];
        err_set(err, ERR_INPUT, "%s '%s' %s", what, disk_name_shown(name, shown), fault);
        return NULL;
    }
    char *copy = malloc(name.n + 1);
    if (!copy) {
        err_nomem(err, name.n + 1, what);
        return NULL;
    }
    memcpy(copy, name.p, name.n);
    copy[name.n] = 0;
    return copy;
}

/* ---- namespaces and tables ---- */

static bool is_word(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

bool table_name_is_ns(struct bytes ns) {
    for (size_t i = 0; i < ns.n; i++)
        if (!is_word(ns.p[i])) return false;
    return ns.n > 0;
}

bool table_name_is_table(struct bytes name) {
    for (size_t i = 0; i < name.n; i++)
        if (!is_word(name.p[i]) && !(i > 0 && (name.p[i] == '-' || name.p[i] == '.'))) return false;
    return name.n > 0;
}

static int copy_both(struct bytes from_ns, struct bytes from_name, char **ns, char **name, struct err *err) {
    char shown[DISK_NAME_SHOWN_BYTES];
    *ns = *name = NULL;
    if (!table_name_is_ns(from_ns))
        return err_set(err, ERR_INPUT, "'%s' is not the name of a namespace", disk_name_shown(from_ns, shown));
    if (!table_name_is_table(from_name))
        return err_set(err, ERR_INPUT, "'%s' is not the name of a table", disk_name_shown(from_name, shown));
    *ns = disk_name_copy(from_ns, "namespace", err);
    if (*ns) *name = disk_name_copy(from_name, "table name", err);
    if (*name) return 0;
    free(*ns);
    *ns = NULL;
    return -1;
}

int table_name_parse(struct bytes message, char **ns, char **name, struct err *err) {
    enum { NAMESPACE = 1, QUALIFIER = 2 };
    struct bytes from_ns = {0}, from_name = {0};
    struct pbwire_field f;
    int rc;
    *ns = *name = NULL;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == NAMESPACE) from_ns = f.bytes;
        if (f.number == QUALIFIER) from_name = f.bytes;
    }
    if (rc) return err_set(err, ERR_INPUT, "the table's name is malformed");
    return copy_both(from_ns, from_name, ns, name, err);
}

int table_name_split(struct bytes text, char **ns, char **name, struct err *err) {
    const uint8_t *colon = text.n ? memchr(text.p, ':', text.n) : NULL;
    if (!colon) return copy_both(bytes_str(TABLE_NAME_DEFAULT_NS), text, ns, name, err);
    size_t n = (size_t)(colon - text.p);
    return copy_both(bytes_of(text.p, n), bytes_of(colon + 1, text.n - n - 1), ns, name, err);
}

/* ---- store files, links, references ---- */

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

static struct bytes skip_bytes(struct bytes s, size_t n) {
    return bytes_of(s.p + n, s.n - n);
}

/* An encoded region name: md5 in hex, in old tables a decimal number. */
static bool is_region(struct bytes s) {
    return s.n > 0 && count_hex(s) == s.n;
}

/* Returns the number; one that does not fit a Java long counts as the largest. */
static uint64_t number_of(struct bytes digits) {
    uint64_t v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        uint64_t d = (uint64_t)(digits.p[i] - '0');
        if (v > ((uint64_t)INT64_MAX - d) / 10) return INT64_MAX;
        v = v * 10 + d;
    }
    return v;
}

/* `_SeqId_<n>_` and nothing after it. */
static bool parse_seq(struct bytes s, uint64_t *seq) {
    static const char mark[] = "_SeqId_";
    enum { MARK_BYTES = sizeof mark - 1 };
    if (s.n < MARK_BYTES || memcmp(s.p, mark, MARK_BYTES) != 0) return false;
    s = skip_bytes(s, MARK_BYTES);
    size_t n = count_digits(s);
    if (n == 0 || s.n != n + 1 || s.p[n] != '_') return false;
    *seq = number_of(bytes_of(s.p, n));
    return true;
}

/* 32 hex of the region's start key, a date, 32 hex of a uuid: hex as a whole. */
static bool is_mob_stem(struct bytes hex) {
    return hex.n == MOB_BYTES && count_digits(skip_bytes(hex, MOB_MD5_BYTES)) >= MOB_DATE_BYTES;
}

/* FILE or MOB, else OTHER. */
static struct store_name parse_file(struct bytes name) {
    struct store_name out = {.kind = STORE_NAME_OTHER};
    size_t n = count_hex(name);
    if (n == 0) return out;
    struct bytes stem = bytes_of(name.p, n), rest = skip_bytes(name, n);
    if (rest.n == 0) {
        out.kind = is_mob_stem(stem) ? STORE_NAME_MOB : STORE_NAME_FILE; /* before 2.3 without region */
    } else if (is_mob_stem(stem) && rest.p[0] == '_' && is_region(skip_bytes(rest, 1))) {
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
    *after = skip_bytes(s, n + 1);
    return true;
}

/* [ns=]table=region-file: neither names nor regions hold a '=', regions no '-'. */
static struct store_name parse_link(struct bytes name) {
    struct store_name out = {.kind = STORE_NAME_OTHER};
    struct bytes owner, target;
    if (!split_last(name, '=', &owner, &target)) return out;
    size_t n = count_hex(target);
    if (n == 0 || n == target.n || target.p[n] != '-') return out;
    struct bytes region = bytes_of(target.p, n), file = skip_bytes(target, n + 1), ns = bytes_str(TABLE_NAME_DEFAULT_NS),
                 table = owner;
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
