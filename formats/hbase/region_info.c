#include "formats/hbase/region_info.h"

#include "base/fs.h"
#include "base/text.h"
#include "base/wire.h"
#include "formats/hbase/pbuf.h"
#include "formats/hbase/table_name.h"

#include <md5.h>
#include <stdlib.h>

enum {
    FIELD_ID = 1,
    FIELD_TABLE = 2,
    FIELD_START = 3,
    FIELD_END = 4,
    FIELD_OFFLINE = 5,
    FIELD_SPLIT = 6,
    FIELD_REPLICA = 7,
    REPLICA_MAX = 0xffff, /* RegionReplicaUtil: four hex digits in the name */
    FILE_MAX_BYTES = 1 << 20
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

static int parse(struct bytes message, struct region_info *out, struct err *err) {
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
    if (parse(message, out, err) == 0) return 0;
    region_info_free(out);
    return -1;
}

static int parse_file(struct bytes content, struct region_info *out, struct err *err) {
    enum { WRITABLE_VERSION_MAX = 2 }; /* HRegionInfo wrote its version, 0 or 1, as the first byte */
    struct bytes message;
    if (!pbuf_take(&content)) {
        if (content.n > PBUF_BYTES && content.p[0] <= WRITABLE_VERSION_MAX)
            return err_set(err, ERR_UNSUPPORTED,
                           "a region described as HBase 0.94 and older did (no PBUF): give the folders with its store files, "
                           "REGION/FAMILY, instead");
        return err_set(err, ERR_INPUT, "does not start with PBUF");
    }
    if (!pbwire_delimited(&content, &message)) return err_set(err, ERR_INPUT, "ends within the region's description");
    return region_info_parse(message, out, err);
}

int region_info_read(const char *path, struct region_info *out, struct err *err) {
    size_t n;
    *out = (struct region_info){0};
    char *text = fs_read_text(path, FILE_MAX_BYTES, &n, err);
    if (!text) return -1;
    int rc = parse_file(bytes_of(text, n), out, err);
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
