/* Writes v3.3 trailers, parses those of v2 and v3, and refuses other kinds by name. The trailer is the first thing read of a file
 * that may be damaged or no HFile at all: each field must be there once, in range and of the right type. */

#include "base/bytes.h"
#include "base/wire.h"
#include "hfile/hfile.h"
#include "hfile/trailer.h"

static const char magic[8] = {'T', 'R', 'A', 'B', 'L', 'K', '"', '$'};

/* As HFile.proto has them. */
static const char *const field_names[] = {[TRAILER_FILE_INFO_OFFSET] = "file_info_offset",
                                          [TRAILER_LOAD_ON_OPEN_OFFSET] = "load_on_open_data_offset",
                                          [TRAILER_INDEX_PLAIN_BYTES] = "uncompressed_data_index_size",
                                          [TRAILER_TOTAL_PLAIN_BYTES] = "total_uncompressed_bytes",
                                          [TRAILER_DATA_INDEX_COUNT] = "data_index_count",
                                          [TRAILER_META_INDEX_COUNT] = "meta_index_count",
                                          [TRAILER_ENTRY_COUNT] = "entry_count",
                                          [TRAILER_INDEX_LEVELS] = "num_data_index_levels",
                                          [TRAILER_FIRST_DATA_OFFSET] = "first_data_block_offset",
                                          [TRAILER_LAST_DATA_OFFSET] = "last_data_block_offset",
                                          [TRAILER_COMPARATOR] = "comparator_class_name",
                                          [TRAILER_CODEC] = "compression_codec"};

int trailer_put_missing(uint32_t missing, struct buf *out, struct err *err) {
    int left = __builtin_popcount(missing), all = left;
    for (unsigned f = 1; f < countof(field_names); f++) {
        if (!(missing >> f & 1)) continue;
        const char *sep = left == all ? "" : left == 1 ? " and " : ", ";
        if (buf_printf(out, err, "%s%s", sep, field_names[f])) return -1;
        left--;
    }
    return 0;
}

int trailer_put(const struct trailer *t, struct buf *out, struct err *err) {
    const uint64_t v[] = {[TRAILER_FILE_INFO_OFFSET] = t->file_info_offset,
                          [TRAILER_LOAD_ON_OPEN_OFFSET] = t->load_on_open_offset,
                          [TRAILER_INDEX_PLAIN_BYTES] = t->index_plain_bytes,
                          [TRAILER_TOTAL_PLAIN_BYTES] = t->total_plain_bytes,
                          [TRAILER_DATA_INDEX_COUNT] = t->data_index_count,
                          [TRAILER_META_INDEX_COUNT] = t->meta_index_count,
                          [TRAILER_ENTRY_COUNT] = t->entry_count,
                          [TRAILER_INDEX_LEVELS] = t->index_levels,
                          [TRAILER_FIRST_DATA_OFFSET] = t->first_data_offset,
                          [TRAILER_LAST_DATA_OFFSET] = t->last_data_offset};
    struct buf m = {0};
    int rc = -1;
    for (uint32_t f = TRAILER_FILE_INFO_OFFSET; f <= TRAILER_LAST_DATA_OFFSET; f++)
        if (pbwire_put_uint(&m, f, v[f], err)) goto out;
    if (pbwire_put_bytes(&m, TRAILER_COMPARATOR, bytes_str(TRAILER_COMPARATOR_NAME), err)) goto out;
    if (pbwire_put_uint(&m, TRAILER_CODEC, t->codec, err)) goto out;
    size_t start = out->n;
    if (buf_put(out, magic, sizeof magic, err) || pbwire_put_varint(out, m.n, err) || buf_put(out, m.p, m.n, err)) goto out;
    size_t pad = TRAILER_V3_BYTES - 4 - (out->n - start);
    if (buf_reserve(out, pad, err)) goto out;
    memset(out->p + out->n, 0, pad);
    out->n += pad;
    rc = buf_put_be32(out, 3u << 24 | 3, err);
out:
    buf_free(&m);
    return rc;
}

static uint32_t size_of_major(unsigned major) {
    switch (major) {
    case 1: return TRAILER_V1_BYTES;
    case 2: return TRAILER_V2_BYTES;
    case 3: return TRAILER_V3_BYTES;
    default: return 0;
    }
}

/* The trailer's bytes; p == NULL: none here. */
static struct bytes find_trailer(struct bytes tail, unsigned *major, unsigned *minor) {
    if (tail.n < 4) return (struct bytes){0};
    uint32_t word = be32(tail.p + tail.n - 4), n;
    *major = word & 0xffffff;
    *minor = word >> 24;
    n = size_of_major(*major);
    if (!n || n > tail.n || memcmp(tail.p + tail.n - n, magic, sizeof magic) != 0) return (struct bytes){0};
    return bytes_of(tail.p + tail.n - n, n);
}

bool trailer_looks_like(struct bytes tail) {
    unsigned major, minor;
    return find_trailer(tail, &major, &minor).p != NULL;
}

/* Refuses what other versions hold in another layout. */
static int check_version(unsigned major, unsigned minor, struct err *err) {
    if (major == 1)
        return err_set(err, ERR_UNSUPPORTED, "HFile v1 is not supported; major-compact the table with HBase 0.92-1.2 first");
    if (major == 2 && minor > 3) return err_set(err, ERR_UNSUPPORTED, "HFile v2.%u is not a known version", minor);
    return 0;
}

static uint64_t *u64_field(struct trailer *t, uint32_t number) {
    switch (number) {
    case TRAILER_FILE_INFO_OFFSET: return &t->file_info_offset;
    case TRAILER_LOAD_ON_OPEN_OFFSET: return &t->load_on_open_offset;
    case TRAILER_INDEX_PLAIN_BYTES: return &t->index_plain_bytes;
    case TRAILER_TOTAL_PLAIN_BYTES: return &t->total_plain_bytes;
    case TRAILER_ENTRY_COUNT: return &t->entry_count;
    case TRAILER_FIRST_DATA_OFFSET: return &t->first_data_offset;
    case TRAILER_LAST_DATA_OFFSET: return &t->last_data_offset;
    default: return NULL;
    }
}

static uint32_t *u32_field(struct trailer *t, uint32_t number) {
    switch (number) {
    case TRAILER_DATA_INDEX_COUNT: return &t->data_index_count;
    case TRAILER_META_INDEX_COUNT: return &t->meta_index_count;
    case TRAILER_INDEX_LEVELS: return &t->index_levels;
    case TRAILER_CODEC: return &t->codec;
    default: return NULL;
    }
}

/* Takes a field; false: it is known, and of the wrong kind or out of range. Unknown fields are passed over. */
static bool take_field(struct trailer *t, const struct pbwire_field *f) {
    uint64_t *wide = u64_field(t, f->number);
    uint32_t *narrow = u32_field(t, f->number);
    if (wide || narrow) {
        if (f->type != PBWIRE_VARINT || (narrow && f->value > INT32_MAX)) return false;
        if (wide)
            *wide = f->value;
        else
            *narrow = (uint32_t)f->value;
    } else if (f->number == TRAILER_COMPARATOR) {
        if (f->type != PBWIRE_BYTES) return false;
        t->comparator = f->bytes;
    } else if (f->number == TRAILER_ENCRYPTION_KEY) {
        t->encrypted = true;
    }
    return true;
}

/* Fields without which HBase finds no cells. */
static const uint32_t needed_fields =
    1u << TRAILER_LOAD_ON_OPEN_OFFSET | 1u << TRAILER_DATA_INDEX_COUNT | 1u << TRAILER_ENTRY_COUNT | 1u << TRAILER_INDEX_LEVELS;

/* Refuses a trailer that lacks fields. Where fields are there that HBase never wrote, it is more likely that they stood for those
 * that are not. */
static int check_missing(const struct trailer *t, bool has_unknown, struct err *err) {
    struct buf names = {0};
    if (!t->missing) return 0;
    if (has_unknown) return err_set(err, ERR_INPUT, "trailer: field %d is missing", __builtin_ctz(t->missing));
    if (!(t->missing & needed_fields)) return 0;
    if (trailer_put_missing(t->missing & needed_fields, &names, err) == 0)
        err_set(err, ERR_UNSUPPORTED, "written by another program: the trailer lacks %.*s, without which HBase finds no cells",
                (int)names.n, (const char *)names.p);
    buf_free(&names);
    return -1;
}

static int parse_message(struct bytes m, struct trailer *t, struct err *err) {
    uint32_t seen = 0, usual = ((1u << TRAILER_ENCRYPTION_KEY) - 1) & ~1u;
    bool has_unknown = false;
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&m, &f)) == 1) {
        bool known = f.number <= TRAILER_ENCRYPTION_KEY;
        if (!take_field(t, &f) || (known && seen >> f.number & 1))
            return err_set(err, ERR_INPUT, "trailer: field %u is damaged", f.number);
        if (known)
            seen |= 1u << f.number;
        else
            has_unknown = true;
    }
    if (rc) return err_set(err, ERR_INPUT, "trailer: malformed protobuf");
    t->missing = usual & ~seen;
    return check_missing(t, has_unknown, err);
}

/* The fixed fields of v2.0 and v2.1, all that is between magic and version word. */
static int parse_fixed(const uint8_t *p, struct trailer *t, struct err *err) {
    enum { COMPARATOR_BYTES = 128 };
    t->file_info_offset = be64(p);
    t->load_on_open_offset = be64(p + 8);
    t->data_index_count = be32(p + 16);
    t->index_plain_bytes = be64(p + 20);
    t->meta_index_count = be32(p + 28);
    t->total_plain_bytes = be64(p + 32);
    t->entry_count = be64(p + 40);
    t->codec = be32(p + 48);
    t->index_levels = be32(p + 52);
    t->first_data_offset = be64(p + 56);
    t->last_data_offset = be64(p + 64);
    t->comparator = bytes_of(p + 72, strnlen((const char *)p + 72, COMPARATOR_BYTES));
    if ((t->data_index_count | t->meta_index_count | t->codec | t->index_levels) > INT32_MAX)
        return err_set(err, ERR_INPUT, "trailer: a negative count, codec or number of levels");
    for (size_t i = t->comparator.n; i < COMPARATOR_BYTES; i++)
        if (p[72 + i])
            return err_set(err, ERR_INPUT, "trailer: byte %zu after the comparator's name is not zero", i - t->comparator.n);
    return 0;
}

int trailer_parse(struct bytes tail, struct trailer *t, struct err *err) {
    unsigned major = 0, minor = 0;
    struct bytes all = find_trailer(tail, &major, &minor), message;
    if (!all.p) return err_set(err, ERR_INPUT, "not an HFile, truncated, or followed by other bytes: no trailer at the end");
    if (check_version(major, minor, err)) return -1;
    *t = (struct trailer){.major = major, .minor = minor, .bytes = (uint32_t)all.n, .codec = HFILE_NONE};
    if (major == 2 && minor < 2) return parse_fixed(all.p + sizeof magic, t, err);
    struct bytes in = bytes_of(all.p + sizeof magic, all.n - sizeof magic - 4);
    if (!pbwire_delimited(&in, &message)) return err_set(err, ERR_INPUT, "trailer: malformed length");
    for (size_t i = 0; i < in.n; i++)
        if (in.p[i]) return err_set(err, ERR_INPUT, "trailer: padding byte %zu is not zero", (size_t)(in.p - all.p) + i);
    return parse_message(message, t, err);
}

/* ---- comparators ---- */

static const char package[] = "org.apache.hadoop.hbase.";

static const struct {
    const char *name; /* without the package */
    enum comparator_kind kind;
} names[] = {
    {"KeyValue$KVComparator", COMPARATOR_CELLS},
    {"KeyValue$KeyComparator", COMPARATOR_CELLS},
    {"CellComparator", COMPARATOR_CELLS},
    {"CellComparatorImpl", COMPARATOR_CELLS},
    {"InnerStoreCellComparator", COMPARATOR_CELLS},
    {"KeyValue$MetaComparator", COMPARATOR_META},
    {"KeyValue$MetaKeyComparator", COMPARATOR_META},
    {"CellComparator$MetaCellComparator", COMPARATOR_META},
    {"CellComparatorImpl$MetaCellComparator", COMPARATOR_META},
    {"MetaCellComparator", COMPARATOR_META},
    {"KeyValue$RootComparator", COMPARATOR_META},
    {"KeyValue$RootKeyComparator", COMPARATOR_META},
    {"KeyValue$RawBytesComparator", COMPARATOR_RAW},
    {"util.Bytes$ByteArrayComparator", COMPARATOR_RAW},
};

enum comparator_kind comparator_by_name(struct bytes name) {
    size_t n = sizeof package - 1;
    if (name.n < n || memcmp(name.p, package, n) != 0) return COMPARATOR_UNKNOWN;
    struct bytes rest = bytes_of(name.p + n, name.n - n);
    for (size_t i = 0; i < countof(names); i++)
        if (bytes_eq(bytes_str(names[i].name), rest)) return names[i].kind;
    return COMPARATOR_UNKNOWN;
}
