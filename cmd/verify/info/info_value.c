/* What the values of file info are, by key. Source: HBase's HFileInfo, HStoreFile, HFilePrettyPrinter. */
#include "base/bytes.h"
#include "cmd/verify/info/info.h"

enum kind { BYTES, NUMBER, TRUTH, KEY, RANGE, DIGEST };

/* Row keys and texts may have 4 or 8 bytes too: only the name tells. */
static const struct {
    const char *key;
    enum kind kind;
} known[] = {
    {"BLOOM_FILTER_PARAM", NUMBER},
    {"BULKLOAD_TIMESTAMP", NUMBER},
    {"DELETE_FAMILY_COUNT", NUMBER},
    {"EARLIEST_PUT_TS", NUMBER},
    {"EXCLUDE_FROM_MINOR_COMPACTION", TRUTH},
    {"HISTORICAL", TRUTH},
    {"KEY_VALUE_VERSION", NUMBER},
    {"MAJOR_COMPACTION_KEY", TRUTH},
    {"MAX_MEMSTORE_TS_KEY", NUMBER},
    {"MAX_SEQ_ID_KEY", NUMBER},
    {"MOB_CELLS_COUNT", NUMBER},
    {"OBKV.CELLS", NUMBER},
    {"OBKV.DELETES", NUMBER},
    {"OBKV.DIGEST", DIGEST},
    {"OBKV.NEXT_DROP_MS", NUMBER},
    {"SKIP_RESET_SEQ_ID", TRUTH},
    {"TIMERANGE", RANGE},
    {"hfile.AVG_KEY_LEN", NUMBER},
    {"hfile.AVG_VALUE_LEN", NUMBER},
    {"hfile.CREATE_TIME_TS", NUMBER},
    {"hfile.KEY_OF_BIGGEST_CELL", KEY},
    {"hfile.LASTKEY", KEY},
    {"hfile.LEN_OF_BIGGEST_CELL", NUMBER},
    {"hfile.MAX_TAGS_LEN", NUMBER},
    {"hfile.TAGS_COMPRESSED", TRUTH},
};

/* BYTES also where the length is not that of the kind. */
static enum kind kind_of(const struct hfile *h, const struct hfile_pair *p) {
    enum kind kind = BYTES;
    size_t n = p->value.n;
    for (size_t i = 0; i < countof(known); i++)
        if (bytes_eq(p->key, bytes_str(known[i].key))) kind = known[i].kind;
    if (bytes_eq(p->key, bytes_str("LAST_BLOOM_KEY")) && hfile_info(h)->bloom == HFILE_BLOOM_ROWCOL) kind = KEY;
    bool fits = kind == NUMBER ? n == 4 || n == 8 : kind == TRUTH ? n == 1 : kind == DIGEST ? n == 16 : true;
    return fits ? kind : BYTES;
}

static int64_t number_of(struct bytes v) {
    return v.n == 8 ? (int64_t)be64(v.p) : (int32_t)be32(v.p);
}

int info_put_value(struct buf *b, const struct hfile *h, const struct hfile_pair *p, struct err *err) {
    struct bytes v = p->value;
    switch (kind_of(h, p)) {
    case NUMBER: return buf_printf(b, err, "%lld", (long long)number_of(v));
    case TRUTH: return buf_printf(b, err, "%s", v.p[0] ? "true" : "false");
    case KEY: return info_put_key(b, v, err);
    case RANGE: return buf_printf(b, err, "%lld .. %lld", (long long)hfile_info(h)->ts_min, (long long)hfile_info(h)->ts_max);
    case DIGEST: return buf_printf(b, err, "%016llx%016llx", (unsigned long long)be64(v.p), (unsigned long long)be64(v.p + 8));
    default: return info_put_bytes(b, v, err);
    }
}

json_t *info_value_json(const struct hfile *h, const struct hfile_pair *p) {
    switch (kind_of(h, p)) {
    case NUMBER: return json_integer(number_of(p->value));
    case TRUTH: return json_boolean(p->value.p[0] != 0);
    default: break;
    }
    struct buf b = {0};
    struct err err = {0};
    json_t *j = info_put_value(&b, h, p, &err) ? NULL : json_stringn(b.p ? (const char *)b.p : "", b.n);
    buf_free(&b);
    return j;
}
