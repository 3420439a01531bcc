/* The two small files that say which rows: .regioninfo (those of a region) and references (the half of a parent's store file
 * that a daughter region sees). Both exist as a protobuf message after the magic PBUF, and as the Writable of HBase 0.94; the
 * region's is read by writables.c. */
#include "base/bytes.h"
#include "base/fs.h"
#include "base/text.h"
#include "base/wire.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/names.h"
#include "formats/hbase/region_info.h"
#include "formats/hbase/writables.h"

#include <md5.h>
#include <stdlib.h>

/* ---- .regioninfo ---- */

enum {
    FIELD_ID = 1,
    FIELD_TABLE = 2,
    FIELD_START = 3,
    FIELD_END = 4,
    FIELD_OFFLINE = 5,
    FIELD_SPLIT = 6,
    FIELD_REPLICA = 7,
    REPLICA_MAX = 0xffff, /* RegionReplicaUtil: four hex digits in the name */
    INFO_MAX_BYTES = 1 << 20
};

/* The first region of hbase:meta kept its name of old times, a Jenkins hash. */
static bool is_first_meta(const struct region_info *r) {
    return !strcmp(r->ns, "hbase") && !strcmp(r->table, "meta") && r->id == 1 && !r->start.n && !r->replica;
}

/* RegionInfo.createRegionName, without the dot before the md5. */
static int put_name(const struct region_info *r, struct buf *name, struct err *err) {
    bool has_ns = strcmp(r->ns, TABLE_NAME_DEFAULT_NS) != 0;
    if (buf_printf(name, err, "%s%s%s,", has_ns ? r->ns : "", has_ns ? ":" : "", r->table)) return -1;
    if (buf_put(name, r->start.p, r->start.n, err)) return -1;
    if (buf_printf(name, err, ",%lld", (long long)r->id)) return -1;
    return r->replica ? buf_printf(name, err, "_%04X", r->replica) : 0;
}

static int encode(struct region_info *r, struct err *err) {
    struct buf name = {0};
    uint8_t sum[MD5_DIGEST_LENGTH];
    MD5_CTX md5;
    int rc = put_name(r, &name, err);
    if (!rc) {
        MD5Init(&md5);
        MD5Update(&md5, name.p, name.n);
        MD5Final(sum, &md5);
        hex_write((uint8_t *)r->encoded, bytes_of(sum, sizeof sum));
        r->encoded[REGION_ENCODED_BYTES - 1] = 0;
        if (is_first_meta(r)) memcpy(r->encoded, "1588230740", sizeof "1588230740");
    }
    buf_free(&name);
    return rc;
}

static int take_field(const struct pbwire_field *f, struct region_info *out, struct bytes *table, struct err *err) {
    if (f->type == PBWIRE_BYTES) {
        if (f->number == FIELD_TABLE) *table = f->bytes;
        if (f->number == FIELD_START) return buf_copy(&out->start, f->bytes, err);
        if (f->number == FIELD_END) return buf_copy(&out->end, f->bytes, err);
    } else if (f->type == PBWIRE_VARINT) {
        if (f->number == FIELD_ID) out->id = f->value;
        if (f->number == FIELD_OFFLINE) out->offline = f->value != 0;
        if (f->number == FIELD_SPLIT) out->split = f->value != 0;
        if (f->number == FIELD_REPLICA) {
            if (f->value > REPLICA_MAX)
                return err_set(err, ERR_INPUT, "region: replica %llu is above 65535", (unsigned long long)f->value);
            out->replica = (uint32_t)f->value;
        }
    }
    return 0;
}

static int parse_region(struct bytes message, struct region_info *out, struct err *err) {
    struct bytes table = {0};
    struct pbwire_field f;
    bool has_id = false;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (take_field(&f, out, &table, err)) return -1;
        has_id |= f.number == FIELD_ID && f.type == PBWIRE_VARINT;
    }
    if (rc) return err_set(err, ERR_INPUT, "the region's description is malformed");
    if (!has_id) return err_set(err, ERR_INPUT, "the region's description has no id");
    if (!table.p) return err_set(err, ERR_INPUT, "the region's description has no table");
    if (table_name_parse(table, &out->ns, &out->table, err)) return err_prefix(err, "the region's description");
    return encode(out, err);
}

int region_info_parse(struct bytes message, struct region_info *out, struct err *err) {
    *out = (struct region_info){0};
    if (parse_region(message, out, err) == 0) return 0;
    region_info_free(out);
    return -1;
}

/* HBase 0.94 and older wrote a small number first. */
static int parse_older_file(struct bytes content, struct region_info *out, struct err *err) {
    enum { WRITABLE_VERSION_MAX = 9 };
    if (content.n == 0 || content.p[0] > WRITABLE_VERSION_MAX) return err_set(err, ERR_INPUT, "does not start with PBUF");
    if (!writable_region_parse(content, out, err) && !encode(out, err)) return 0;
    region_info_free(out);
    return -1;
}

static int parse_info_file(struct bytes content, struct region_info *out, struct err *err) {
    struct bytes message;
    if (!pbuf_take(&content)) return parse_older_file(content, out, err);
    if (!pbwire_delimited(&content, &message)) return err_set(err, ERR_INPUT, "ends within the region's description");
    return region_info_parse(message, out, err);
}

int region_info_read(const char *path, struct region_info *out, struct err *err) {
    size_t n;
    *out = (struct region_info){0};
    char *text = fs_read_text(path, INFO_MAX_BYTES, &n, err);
    if (!text) return -1;
    int rc = parse_info_file(bytes_of(text, n), out, err);
    free(text);
    return rc ? err_prefix(err, "%s", path) : 0;
}

void region_info_free(struct region_info *r) {
    free(r->ns);
    free(r->table);
    buf_free(&r->start);
    buf_free(&r->end);
    *r = (struct region_info){0};
}

/* ---- references ---- */

enum { FIELD_SPLIT_KEY = 1, FIELD_HALF = 2, RANGE_TOP = 0, RANGE_BOTTOM = 1, REFERENCE_MAX_BYTES = 1 << 20 };

/* Copies the row of a serialised key (i16 length, row, family, …). Nothing else counts: HalfStoreFileReader seeks to the first
 * key of the row. */
static int take_row(struct bytes key, struct buf *row, struct err *err) {
    enum { AROUND_ROW = 2 + 1 + 8 + 1 }; /* lengths of row and family, timestamp, type */
    if (key.n < AROUND_ROW) return err_set(err, ERR_INPUT, "a split key of %zu bytes is too short", key.n);
    size_t n = be16(key.p);
    if (n > INT16_MAX || n > key.n - AROUND_ROW)
        return err_set(err, ERR_INPUT, "a split key of %zu bytes cannot hold a row of %zu bytes", key.n, n);
    return buf_copy(row, bytes_of(key.p + 2, n), err);
}

int reference_parse(struct bytes message, struct reference *out, struct err *err) {
    struct bytes key = {0};
    struct pbwire_field f;
    uint64_t range = UINT64_MAX;
    int rc;
    *out = (struct reference){0};
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == FIELD_SPLIT_KEY && f.type == PBWIRE_BYTES) key = f.bytes;
        if (f.number == FIELD_HALF && f.type == PBWIRE_VARINT) range = f.value;
    }
    if (rc) return err_set(err, ERR_INPUT, "the reference is malformed");
    if (!key.p) return err_set(err, ERR_INPUT, "the reference has no split key");
    if (range == UINT64_MAX) return err_set(err, ERR_INPUT, "the reference does not say which half it is");
    if (range != RANGE_TOP && range != RANGE_BOTTOM)
        return err_set(err, ERR_INPUT, "the reference is of half %llu; 0 (top) and 1 (bottom) are known",
                       (unsigned long long)range);
    out->top = range == RANGE_TOP;
    return take_row(key, &out->split_row, err);
}

/* HBase 0.94 and older: a boolean (true = top) and a byte array. */
static int parse_writable(struct bytes in, struct reference *out, struct err *err) {
    int64_t n;
    *out = (struct reference){0};
    if (in.n == 0) return err_set(err, ERR_INPUT, "the reference is empty");
    if (in.p[0] > 1) return err_set(err, ERR_INPUT, "the reference begins neither with PBUF nor with a boolean");
    out->top = in.p[0] == 1;
    in = bytes_of(in.p + 1, in.n - 1);
    if (!hadoop_vlong_take(&in, &n) || n < 0 || (uint64_t)n != in.n)
        return err_set(err, ERR_INPUT, "the length of the reference's split key does not fit the file");
    return take_row(in, &out->split_row, err);
}

int reference_parse_file(struct bytes content, struct reference *out, struct err *err) {
    return pbuf_take(&content) ? reference_parse(content, out, err) : parse_writable(content, out, err);
}

int reference_read(const char *path, struct reference *out, struct err *err) {
    size_t n;
    *out = (struct reference){0};
    char *text = fs_read_text(path, REFERENCE_MAX_BYTES, &n, err);
    if (!text) return -1;
    int rc = reference_parse_file(bytes_of(text, n), out, err);
    free(text);
    return rc ? err_prefix(err, "%s", path) : 0;
}

void reference_free(struct reference *r) {
    buf_free(&r->split_row);
    *r = (struct reference){0};
}
