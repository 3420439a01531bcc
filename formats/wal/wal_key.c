/* Parses what surrounds cells in a log: its header, the key of an entry, and HBase's own markers. All are protobuf messages. In a
 * compressed log the names in keys are indexes of dictionaries, or bytes that enter one: they have to be resolved in the order in
 * which HBase does, even those of names that are never read. */
#include "base/wire.h"
#include "formats/wal/wal_key.h"

const char wal_magic[] = "PWAL";

/* ---- header ---- */

enum {
    HEADER_COMPRESSED = 1,
    HEADER_KEY = 2,
    HEADER_TAGS = 3,
    HEADER_WRITER = 4,
    HEADER_CODEC = 5,
    HEADER_VALUES = 6,
    HEADER_VALUE_CODEC = 7
};

static bool ends_with(struct bytes b, const char *end) {
    size_t n = strlen(end);
    return b.n >= n && !memcmp(b.p + b.n - n, end, n);
}

/* Names of classes come from the file: only what can be shown is shown. */
static int refuse_class(const char *what, struct bytes name, struct err *err) {
    char shown[100];
    size_t n = name.n < sizeof shown - 1 ? name.n : sizeof shown - 1;
    for (size_t i = 0; i < n; i++) shown[i] = name.p[i] >= 0x20 && name.p[i] < 0x7f ? (char)name.p[i] : '?';
    shown[n] = 0;
    return err_set(err, ERR_UNSUPPORTED,
                   "is a write-ahead log with the %s %s, which is not supported; replay it with HBase's WALPlayer", what, shown);
}

static int check_header(struct bytes writer, struct bytes codec, bool encrypted, struct err *err) {
    bool secure = writer.n >= 6 && !memcmp(writer.p, "Secure", 6);
    if (encrypted || secure || ends_with(codec, "SecureWALCellCodec"))
        return err_set(err, ERR_UNSUPPORTED,
                       "is an encrypted write-ahead log (%s), which is not supported; replay it with HBase's WALPlayer",
                       encrypted ? "its header carries a key" : "SecureWALCellCodec");
    if (writer.n && !bytes_eq(writer, bytes_str("ProtobufLogWriter")) && !bytes_eq(writer, bytes_str("AsyncProtobufLogWriter")))
        return refuse_class("writer", writer, err);
    if (codec.n && !bytes_eq(codec, bytes_str("org.apache.hadoop.hbase.regionserver.wal.WALCellCodec")))
        return refuse_class("cell codec", codec, err);
    return 0;
}

int wal_header_parse(struct bytes message, struct wal_header *h, struct err *err) {
    enum { GZ = 1, NOT_GIVEN = 1000 };
    struct bytes writer = bytes_str(""), codec = bytes_str("");
    bool encrypted = false;
    struct pbwire_field f;
    int rc;
    *h = (struct wal_header){.value_codec = NOT_GIVEN};
    while ((rc = pbwire_next(&message, &f)) == 1) {
        bool number = f.type == PBWIRE_VARINT, text = f.type == PBWIRE_BYTES;
        if (f.number == HEADER_COMPRESSED && number) h->compressed = f.value;
        if (f.number == HEADER_KEY && text) encrypted = true;
        if (f.number == HEADER_TAGS && number) h->tags_compressed = f.value;
        if (f.number == HEADER_WRITER && text) writer = f.bytes;
        if (f.number == HEADER_CODEC && text) codec = f.bytes;
        if (f.number == HEADER_VALUES && number) h->values_compressed = f.value;
        if (f.number == HEADER_VALUE_CODEC && number) h->value_codec = f.value < NOT_GIVEN ? (unsigned)f.value : NOT_GIVEN - 1;
    }
    if (rc) return err_set(err, ERR_INPUT, "the header of the log is malformed");
    h->tags_compressed &= h->compressed;
    h->values_compressed &= h->compressed && h->value_codec != NOT_GIVEN;
    return check_header(writer, codec, encrypted, err);
}

/* ---- keys ---- */

enum {
    KEY_REGION = 1,
    KEY_TABLE = 2,
    KEY_SEQUENCE = 3,
    KEY_TIME = 4,
    KEY_SCOPE = 6,
    KEY_CELLS = 7,
    KEY_ATTRIBUTE = 12,
    SCOPE_FAMILY = 1,
    ATTRIBUTE_VALUE = 2
};

/* A name: 0xff, length and bytes, which enter the dictionary; or two bytes of index. */
static int resolve_name(struct wal_dicts *all, enum wal_dict_kind kind, struct bytes in, struct bytes *out, struct err *err) {
    uint64_t n;
    struct wal_dict *d = &all->of[kind];
    if (in.n < 2) return err_set(err, ERR_INPUT, "a name of the key is cut short");
    if (in.p[0] != 0xff) {
        if (wal_dict_get(d, be16(in.p), out)) return 0;
        return err_set(err, ERR_INPUT, "the key names entry %u of a dictionary of %d", be16(in.p), d->n);
    }
    in = bytes_of(in.p + 1, in.n - 1);
    if (!pb_varint_take(&in, &n) || n > in.n) return err_set(err, ERR_INPUT, "a name of the key is cut short");
    *out = bytes_of(in.p, n);
    return wal_dict_add(d, *out, &all->budget, err);
}

/* The bytes of field `inner` in each message of field `outer`. */
static int resolve_all(struct bytes message, uint32_t outer, uint32_t inner, enum wal_dict_kind kind, struct wal_dicts *dicts,
                       struct err *err) {
    struct pbwire_field f, g;
    struct bytes name;
    while (pbwire_next(&message, &f) == 1) {
        if (f.number != outer || f.type != PBWIRE_BYTES) continue;
        int rc;
        while ((rc = pbwire_next(&f.bytes, &g)) == 1)
            if (g.number == inner && g.type == PBWIRE_BYTES && resolve_name(dicts, kind, g.bytes, &name, err)) return -1;
        if (rc) return err_set(err, ERR_INPUT, "the key of the entry is malformed");
    }
    return 0;
}

static int resolve_names(struct bytes message, struct wal_dicts *dicts, struct wal_key *out, struct err *err) {
    struct bytes region = out->region, table = out->table;
    if (resolve_name(dicts, WAL_DICT_REGION, region, &out->region, err)) return -1;
    if (resolve_name(dicts, WAL_DICT_TABLE, table, &out->table, err) || buf_copy(&dicts->table, out->table, err)) return -1;
    out->table = buf_bytes(&dicts->table);
    if (resolve_all(message, KEY_SCOPE, SCOPE_FAMILY, WAL_DICT_FAMILY, dicts, err)) return -1;
    return resolve_all(message, KEY_ATTRIBUTE, ATTRIBUTE_VALUE, WAL_DICT_TABLE, dicts, err);
}

int wal_key_parse(struct bytes message, struct wal_dicts *dicts, struct wal_key *out, struct err *err) {
    enum { HAS_ALL = 1 << KEY_REGION | 1 << KEY_TABLE | 1 << KEY_SEQUENCE | 1 << KEY_TIME };
    struct bytes rest = message;
    struct pbwire_field f;
    unsigned has = 0;
    int rc;
    *out = (struct wal_key){0};
    while ((rc = pbwire_next(&rest, &f)) == 1) {
        bool number = f.type == PBWIRE_VARINT;
        if (f.number > KEY_CELLS || number == (f.number == KEY_REGION || f.number == KEY_TABLE)) continue;
        has |= 1u << f.number;
        if (f.number == KEY_REGION) out->region = f.bytes;
        if (f.number == KEY_TABLE) out->table = f.bytes;
        if (f.number == KEY_SEQUENCE) out->seq = f.value;
        if (f.number == KEY_TIME) out->written_ms = (int64_t)f.value;
        if (f.number == KEY_CELLS) out->cells = (uint32_t)f.value;
    }
    if (rc) return err_set(err, ERR_INPUT, "the key of the entry is malformed");
    if ((has & HAS_ALL) != HAS_ALL)
        return err_set(err, ERR_INPUT, "the key of the entry lacks region, table, sequence id or time");
    return dicts ? resolve_names(message, dicts, out, err) : 0;
}

/* ---- markers ---- */

const char *const wal_marker_names[WAL_MARKER_KINDS] = {"flush",        "compaction", "region open",
                                                        "region close", "bulk load",  "other"};

bool wal_is_marker(struct bytes family) {
    static const char name[] = "METAFAMILY";
    return family.n == sizeof name - 1 && !memcmp(family.p, name, sizeof name - 1);
}

enum wal_marker_kind wal_marker_kind(struct bytes qualifier) {
    static const char *const names[] = {"HBASE::FLUSH", "HBASE::COMPACTION", "HBASE::REGION_EVENT::REGION_OPEN",
                                        "HBASE::REGION_EVENT::REGION_CLOSE", "HBASE::BULK_LOAD"};
    for (size_t i = 0; i < countof(names); i++)
        if (bytes_eq(qualifier, bytes_str(names[i]))) return (enum wal_marker_kind)i;
    return WAL_MARKER_OTHER;
}

typedef int bulk_file_fn(void *arg, struct bytes family, struct bytes name, struct err *err);

/* StoreDescriptor. */
static int parse_store(struct bytes message, bulk_file_fn *file, void *arg, struct err *err) {
    enum { STORE_FAMILY = 1, STORE_FILE = 3 };
    struct bytes rest = message, family = bytes_str("");
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&rest, &f)) == 1)
        if (f.number == STORE_FAMILY && f.type == PBWIRE_BYTES) family = f.bytes;
    while (!rc && pbwire_next(&message, &f) == 1)
        if (f.number == STORE_FILE && f.type == PBWIRE_BYTES && file(arg, family, f.bytes, err)) return -1;
    return rc ? err_set(err, ERR_INPUT, "the marker of a bulk load is malformed") : 0;
}

int wal_bulk_load_parse(struct bytes value, uint64_t *seq, bulk_file_fn *file, void *arg, struct err *err) {
    enum { LOAD_STORES = 3, LOAD_SEQUENCE = 4 };
    struct bytes rest = value;
    struct pbwire_field f;
    int rc;
    *seq = UINT64_MAX;
    while ((rc = pbwire_next(&rest, &f)) == 1)
        if (f.number == LOAD_SEQUENCE && f.type == PBWIRE_VARINT) *seq = f.value;
    while (!rc && pbwire_next(&value, &f) == 1)
        if (f.number == LOAD_STORES && f.type == PBWIRE_BYTES && parse_store(f.bytes, file, arg, err)) return -1;
    return rc || *seq == UINT64_MAX ? err_set(err, ERR_INPUT, "the marker of a bulk load is malformed") : 0;
}
