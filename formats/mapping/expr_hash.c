/* Functions of expressions that hash: digests are lower-case hex (with _raw: bytes), the others are numbers as Java prints them,
 * so that keys can be salted here as an application salts them. */
#include "base/text.h"
#include "formats/mapping/expr_program.h"

#include "base/hash.h"
#include "formats/mapping/expr_run.h"
#include "hfile/bloom.h"

#include <libdeflate.h>
#include <md5.h>
#include <sha1.h>
#include <sha2.h>

enum { DIGEST_MAX_BYTES = SHA256_DIGEST_LENGTH };
enum { MD5 = 1, SHA1 = 2, SHA256 = 3, RAW = 8 };

static size_t digest(unsigned kind, struct bytes prefix, const struct expr_value *v, uint8_t out[DIGEST_MAX_BYTES]) {
    union {
        MD5_CTX md5;
        SHA1_CTX sha1;
        SHA2_CTX sha2;
    } c;
    switch (kind) {
    case MD5:
        MD5Init(&c.md5);
        MD5Update(&c.md5, prefix.p, prefix.n);
        MD5Update(&c.md5, v->p, v->n);
        MD5Final(out, &c.md5);
        return MD5_DIGEST_LENGTH;
    case SHA1:
        SHA1Init(&c.sha1);
        SHA1Update(&c.sha1, prefix.p, prefix.n);
        SHA1Update(&c.sha1, v->p, v->n);
        SHA1Final(out, &c.sha1);
        return SHA1_DIGEST_LENGTH;
    default:
        SHA256Init(&c.sha2);
        SHA256Update(&c.sha2, v->p, v->n);
        SHA256Final(out, &c.sha2);
        return SHA256_DIGEST_LENGTH;
    }
}

static int run_digest(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    uint8_t raw[DIGEST_MAX_BYTES];
    bool hex = !(op->f->variant & RAW);
    int rc;
    size_t n = digest(op->f->variant & ~RAW, bytes_of("", 0), &args[0], raw);
    uint8_t *p = expr_take(run, hex ? 2 * n : n, &rc);
    if (!p) return rc;
    if (hex)
        hex_write(p, bytes_of(raw, n));
    else
        memcpy(p, raw, n);
    args[0] = (struct expr_value){.p = p, .n = hex ? 2 * n : n};
    return 1;
}

/* HBase's Bytes.hashCode, Java's Arrays.hashCode: bytes are signed. */
static int32_t bytes_hash(struct bytes b) {
    uint32_t h = 1;
    for (size_t i = 0; i < b.n; i++) h = 31 * h + (uint32_t)(int8_t)b.p[i];
    return (int32_t)h;
}

enum { MURMUR2, MURMUR3, MURMUR64A, CRC32, BYTES_HASH };

static int run_hash(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    struct bytes b = {args[0].p, args[0].n};
    int64_t seed = op->n_args > 1 ? args[1].number : 0, h;
    (void)run;
    switch (op->f->variant) {
    case MURMUR2: h = (int32_t)bloom_hash(BLOOM_HASH_MURMUR, b, (uint32_t)seed); break;
    case MURMUR3: h = (int32_t)bloom_hash(BLOOM_HASH_MURMUR3, b, (uint32_t)seed); break;
    case MURMUR64A: h = (int64_t)murmur64a(b.p, b.n, (uint64_t)seed); break;
    case CRC32: h = libdeflate_crc32(0, b.p, b.n); break;
    default: h = bytes_hash(b);
    }
    args[0] = expr_number(h);
    return 1;
}

/* Java's String.hashCode: over UTF-16 units. */
static int run_java_hash(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    char shown[EXPR_QUOTE_BYTES];
    uint32_t h = 0, code;
    for (size_t i = 0, n; i < args[0].n; i += n) {
        if (!(n = utf8_next(args[0].p + i, args[0].n - i, &code)))
            return expr_refuse(run, op, "%s is not valid UTF-8", expr_quote(args[0], shown));
        if (code >= 0x10000) h = 31 * h + (0xd800 + ((code - 0x10000) >> 10));
        h = 31 * h + (code >= 0x10000 ? 0xdc00 + (code & 0x3ff) : code);
    }
    args[0] = expr_number((int32_t)h);
    return 1;
}

/* ---- UUIDs ---- */

enum { UUID_BYTES = 16, UUID_TEXT_BYTES = 36 };

static bool parse_uuid(struct bytes text, uint8_t out[UUID_BYTES]) {
    size_t k = 0;
    if (text.n != UUID_TEXT_BYTES) return false;
    for (size_t i = 0; i < text.n; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        unsigned d = text.p[i] - (unsigned)'0', h = (text.p[i] | 0x20u) - 'a';
        if (dash ? text.p[i] != '-' : d > 9 && h > 5) return false;
        if (dash) continue;
        unsigned v = d < 10 ? d : h + 10;
        out[k / 2] = (uint8_t)(k % 2 ? out[k / 2] | v : v << 4);
        k++;
    }
    return true;
}

static int run_uuid_raw(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    char shown[EXPR_QUOTE_BYTES];
    int rc;
    uint8_t *p = expr_take(run, UUID_BYTES, &rc);
    if (!p) return rc;
    if (!parse_uuid(bytes_of(args[0].p, args[0].n), p))
        return expr_refuse(run, op, "%s is not a UUID such as 123e4567-e89b-12d3-a456-426614174000", expr_quote(args[0], shown));
    args[0] = (struct expr_value){.p = p, .n = UUID_BYTES};
    return 1;
}

/* The namespaces of RFC 4122, appendix C, or any other UUID. Without one the name alone is hashed, as Java's
 * UUID.nameUUIDFromBytes does. */
static int prepare_namespace(struct expr_op *op, const struct expr_value *consts, struct expr_scratch *memory, struct err *err) {
    static const char *const names[] = {"dns", "url", "oid", NULL, "x500"};
    uint8_t *ns = NULL;
    if (op->n_args < 2) return 0;
    struct bytes given = {consts[1].p, consts[1].n};
    if (!(ns = expr_keep(memory, UUID_BYTES, err))) return -1;
    op->data = ns;
    parse_uuid(bytes_str("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), ns);
    for (size_t i = 0; i < countof(names); i++) {
        if (!names[i] || !bytes_eq(given, bytes_str(names[i]))) continue;
        ns[3] = (uint8_t)(ns[3] + i);
        return 0;
    }
    if (parse_uuid(given, ns)) return 0;
    return err_set(err, ERR_USAGE, "the namespace is none of 'dns', 'url', 'oid', 'x500' or a UUID");
}

static void print_uuid(uint8_t *out, const uint8_t *u) {
    static const uint8_t groups[] = {4, 2, 2, 2, 6};
    for (size_t i = 0; i < countof(groups); i++) {
        if (i) *out++ = '-';
        out = hex_write(out, bytes_of(u, groups[i]));
        u += groups[i];
    }
}

static int run_uuid(struct expr_run *run, const struct expr_op *op, struct expr_value *args) {
    uint8_t u[DIGEST_MAX_BYTES];
    struct bytes ns = bytes_of(op->data, op->data ? UUID_BYTES : 0);
    int rc;
    digest(op->f->variant == 3 ? MD5 : SHA1, ns, &args[0], u);
    u[6] = (uint8_t)((u[6] & 0x0f) | op->f->variant << 4);
    u[8] = (u[8] & 0x3f) | 0x80;
    uint8_t *p = expr_take(run, UUID_TEXT_BYTES, &rc);
    if (!p) return rc;
    print_uuid(p, u);
    args[0] = (struct expr_value){.p = p, .n = UUID_TEXT_BYTES};
    return 1;
}

#define DIGEST(name_, variant_, type_)                                                                             \
    {                                                                                                              \
        .name = name_, .usage = name_ "(text)", .result = type_, .min_args = 1, .max_args = 1, .args = {ARG_TEXT}, \
        .variant = variant_, .run = run_digest                                                                     \
    }
#define HASH(name_, usage_, n_, variant_)                                                                                     \
    {                                                                                                                         \
        .name = name_, .usage = usage_, .result = EXPR_NUMBER, .min_args = 1, .max_args = n_, .args = {ARG_TEXT, ARG_NUMBER}, \
        .variant = variant_, .run = run_hash                                                                                  \
    }
#define UUID(name_, variant_)                                                                                   \
    {                                                                                                           \
        .name = name_, .usage = name_ "(text[, namespace])", .result = EXPR_TEXT, .min_args = 1, .max_args = 2, \
        .args = {ARG_TEXT, ARG_CONST}, .variant = variant_, .run = run_uuid, .prepare = prepare_namespace       \
    }

static const struct expr_function list[] = {
    DIGEST("md5", MD5, EXPR_HEX),
    DIGEST("md5_raw", MD5 | RAW, EXPR_RAW),
    DIGEST("sha1", SHA1, EXPR_HEX),
    DIGEST("sha1_raw", SHA1 | RAW, EXPR_RAW),
    DIGEST("sha256", SHA256, EXPR_HEX),
    DIGEST("sha256_raw", SHA256 | RAW, EXPR_RAW),
    HASH("murmur2", "murmur2(text[, seed])", 2, MURMUR2),
    HASH("murmur3", "murmur3(text[, seed])", 2, MURMUR3),
    HASH("murmur64a", "murmur64a(text[, seed])", 2, MURMUR64A),
    HASH("crc32", "crc32(text)", 1, CRC32),
    HASH("bytes_hash", "bytes_hash(text)", 1, BYTES_HASH),
    {.name = "java_hash",
     .usage = "java_hash(text)",
     .result = EXPR_NUMBER,
     .min_args = 1,
     .max_args = 1,
     .args = {ARG_TEXT},
     .run = run_java_hash},
    UUID("uuid3", 3),
    UUID("uuid5", 5),
    {.name = "uuid_raw",
     .usage = "uuid_raw(UUID)",
     .result = EXPR_TEXT,
     .min_args = 1,
     .max_args = 1,
     .args = {ARG_TEXT},
     .run = run_uuid_raw},
};
const struct expr_functions expr_hash_functions = {list, countof(list)};
