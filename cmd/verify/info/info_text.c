/* Bytes, keys and values of file info as text for people and for JSON. A pair's value is what its key says it is, by a table of
 * HBase's keys (HFileInfo, HStoreFile, HFilePrettyPrinter); anything else is printed as bytes. */
#include "cmd/verify/info/info.h"

#include "base/bytes.h"
#include "base/json.h"
#include "base/plain.h"
#include "cell/keyvalue.h"
#include "cmd/common/output_text.h"
#include "cmd/verify/info/info_text.h"

#include <ctype.h>
#include <stdio.h>

enum { WRITE_BYTES = 64 << 10, SHOWN_BYTES = 120 };

int info_out_write(struct info_out *o, bool all, struct err *err) {
    if (o->text.n < WRITE_BYTES && !all) return 0;
    int rc = o->gone ? 0 : stdout_write_named(o->names, buf_bytes(&o->text), o->json, &o->gone, err);
    buf_clear(&o->text);
    return rc;
}

int info_put_bytes(struct buf *b, struct bytes v, struct err *err) {
    for (size_t i = 0; i < v.n && i < SHOWN_BYTES; i++) {
        bool plain = isprint(v.p[i]) && v.p[i] != '\\';
        if (plain ? buf_put_byte(b, v.p[i], err) : buf_printf(b, err, "\\x%02X", v.p[i])) return -1;
    }
    return v.n > SHOWN_BYTES ? buf_printf(b, err, "… (%zu bytes)", v.n) : 0;
}

int info_put_key(struct buf *b, struct bytes key, struct err *err) {
    struct kv_key k;
    if (!kv_key_parse(key, &k)) return info_put_bytes(b, key, err);
    if (info_put_bytes(b, k.row, err) || buf_put_byte(b, '/', err) || info_put_bytes(b, k.family, err)) return -1;
    if ((k.family.n && buf_put_byte(b, ':', err)) || info_put_bytes(b, k.qualifier, err)) return -1;
    if (k.ts_ms == INT64_MAX ? buf_printf(b, err, "/LATEST_TIMESTAMP") : buf_printf(b, err, "/%lld", (long long)k.ts_ms))
        return -1;
    return buf_printf(b, err, "/%s", cell_type_name(k.type));
}

/* Frees b. rc: of filling it, which fails without memory only. */
static json_t *text_json(struct buf *b, int rc) {
    json_t *j = rc ? NULL : json_stringn(b->p ? (const char *)b->p : "", b->n);
    if (rc) json_memory_note_lost();
    buf_free(b);
    return j;
}

json_t *info_text_json(int (*put)(struct buf *b, struct bytes v, struct err *err), struct bytes v) {
    struct buf b = {0};
    struct err err = {0};
    return text_json(&b, put(&b, v, &err));
}

/* ---- values of file info ---- */

enum kind { BYTES, NUMBER, TRUTH, KEY, RANGE, DIGEST };

/* Row keys and texts may have 4 or 8 bytes too: only the name distinguishes them. */
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
    {"OBKV.KEY_BYTES", NUMBER},
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
static enum kind kind_of(const sst_file *f, const sst_pair *p) {
    enum kind kind = BYTES;
    size_t n = p->value.size;
    for (size_t i = 0; i < countof(known); i++)
        if (bytes_eq(info_bytes(p->key), bytes_str(known[i].key))) kind = known[i].kind;
    if (bytes_eq(info_bytes(p->key), bytes_str("LAST_BLOOM_KEY")) && sst_file_get_info(f)->bloom_kind == SST_BLOOM_ROWCOL)
        kind = KEY;
    bool fits = kind == NUMBER ? n == 4 || n == 8 : kind == TRUTH ? n == 1 : kind == DIGEST ? n == 16 : true;
    return fits ? kind : BYTES;
}

static int64_t number_of(struct bytes v) {
    return v.n == 8 ? (int64_t)be64(v.p) : (int32_t)be32(v.p);
}

int info_put_value(struct buf *b, const sst_file *f, const sst_pair *p, struct err *err) {
    struct bytes v = info_bytes(p->value);
    switch (kind_of(f, p)) {
    case NUMBER: return buf_printf(b, err, "%lld", (long long)number_of(v));
    case TRUTH: return buf_printf(b, err, "%s", v.p[0] ? "true" : "false");
    case KEY: return info_put_key(b, v, err);
    case RANGE:
        return buf_printf(b, err, "%lld .. %lld", (long long)sst_file_get_info(f)->time_min,
                          (long long)sst_file_get_info(f)->time_max);
    case DIGEST: return buf_printf(b, err, "%016llx%016llx", (unsigned long long)be64(v.p), (unsigned long long)be64(v.p + 8));
    default: return info_put_bytes(b, v, err);
    }
}

json_t *info_value_json(const sst_file *f, const sst_pair *p) {
    switch (kind_of(f, p)) {
    case NUMBER: return json_integer(number_of(info_bytes(p->value)));
    case TRUTH: return json_boolean(p->value.data[0] != 0);
    default: break;
    }
    struct buf b = {0};
    struct err err = {0};
    return text_json(&b, info_put_value(&b, f, p, &err));
}
