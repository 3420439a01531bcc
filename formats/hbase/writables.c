/* Regions and tables as HBase 0.90 to 0.94 described them: Hadoop's Writables, fields one after the other without names, and in
 * a file a text for people after them. A table becomes the TableSchema message that later releases write, so that only one
 * place (descriptor.c) knows what its settings mean. Sources: HRegionInfo, HTableDescriptor, HColumnDescriptor of 0.94. */
#include "base/wire.h"
#include "formats/hbase/names.h"
#include "formats/hbase/writables.h"

#include <stdlib.h>

/* ---- fields ---- */

/* The rest of a file. Once something in it is missing, everything after that is empty. */
struct fields {
    struct bytes rest;
    bool ended;
};

static struct bytes take_bytes(struct fields *f, uint64_t n) {
    f->ended |= n > f->rest.n;
    if (f->ended) return (struct bytes){0};
    struct bytes taken = bytes_of(f->rest.p, (size_t)n);
    f->rest = bytes_of(f->rest.p + n, f->rest.n - (size_t)n);
    return taken;
}

static uint8_t take_byte(struct fields *f) {
    struct bytes b = take_bytes(f, 1);
    return b.n ? b.p[0] : 0;
}

static uint32_t take_int(struct fields *f) {
    struct bytes b = take_bytes(f, 4);
    return b.n ? be32(b.p) : 0;
}

static uint64_t take_long(struct fields *f) {
    struct bytes b = take_bytes(f, 8);
    return b.n ? be64(b.p) : 0;
}

/* Bytes.writeByteArray. */
static struct bytes take_array(struct fields *f) {
    int64_t n;
    f->ended |= !hadoop_vlong_take(&f->rest, &n) || n < 0;
    return f->ended ? (struct bytes){0} : take_bytes(f, (uint64_t)n);
}

/* ImmutableBytesWritable. */
static struct bytes take_writable(struct fields *f) {
    uint32_t n = take_int(f);
    return take_bytes(f, n);
}

/* ---- tables ---- */

enum { TABLE_NAME = 1, TABLE_ATTRIBUTES = 2, TABLE_FAMILIES = 3, NAMESPACE = 1, QUALIFIER = 2 };
enum { FAMILY_NAME = 1, FAMILY_ATTRIBUTES = 2, PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { TABLE_VERSION_MIN = 3, TABLE_VERSION_MAX = 5, FAMILY_VERSION_MIN = 8, FAMILY_VERSION_MAX = 9 };

static int put_pair(struct buf *message, uint32_t field, struct bytes key, struct bytes value, struct err *err) {
    struct buf pair = {0};
    int rc = pbwire_put_bytes(&pair, PAIR_KEY, key, err);
    if (!rc) rc = pbwire_put_bytes(&pair, PAIR_VALUE, value, err);
    if (!rc) rc = pbwire_put_bytes(message, field, buf_bytes(&pair), err);
    buf_free(&pair);
    return rc;
}

static int put_pairs(struct fields *f, struct buf *message, uint32_t field, struct err *err) {
    uint32_t n = take_int(f);
    for (uint32_t i = 0; i < n; i++) {
        struct bytes key = take_writable(f), value = take_writable(f);
        if (f->ended) return err_set(err, ERR_INPUT, "ends within the table's description");
        if (put_pair(message, field, key, value, err)) return -1;
    }
    return 0;
}

/* Adds a family. Releases that wrote Writables kept 3 versions where a family did not say how many. Of equal keys the last
 * counts. */
static int put_family(struct fields *f, struct buf *table, struct err *err) {
    struct buf family = {0};
    uint8_t version = take_byte(f);
    struct bytes name = take_array(f);
    int rc = 0;
    if (f->ended) return err_set(err, ERR_INPUT, "ends within the table's description");
    if (version < FAMILY_VERSION_MIN || version > FAMILY_VERSION_MAX)
        return err_set(err, ERR_UNSUPPORTED,
                       "a family described by version %u: only those of HBase 0.90 to 0.94 are read (8, 9), and later ones",
                       version);
    rc = pbwire_put_bytes(&family, FAMILY_NAME, name, err);
    if (!rc) rc = put_pair(&family, FAMILY_ATTRIBUTES, bytes_str("VERSIONS"), bytes_str("3"), err);
    if (!rc) rc = put_pairs(f, &family, FAMILY_ATTRIBUTES, err);
    if (!rc) rc = pbwire_put_bytes(table, TABLE_FAMILIES, buf_bytes(&family), err);
    buf_free(&family);
    return rc;
}

static int put_name(struct buf *table, struct bytes name, struct err *err) {
    struct buf message = {0};
    int rc = pbwire_put_bytes(&message, NAMESPACE, bytes_str(TABLE_NAME_DEFAULT_NS), err);
    if (!rc) rc = pbwire_put_bytes(&message, QUALIFIER, name, err);
    if (!rc) rc = pbwire_put_bytes(table, TABLE_NAME, buf_bytes(&message), err);
    buf_free(&message);
    return rc;
}

static int take_table(struct fields *f, struct buf *message, struct bytes *name, struct err *err) {
    uint32_t version = take_int(f);
    if (!f->ended && (version < TABLE_VERSION_MIN || version > TABLE_VERSION_MAX))
        return err_set(err, ERR_UNSUPPORTED,
                       "a table described by version %u: only those of HBase 0.90 to 0.94 are read (3 to 5), and later ones",
                       version);
    *name = take_array(f);
    take_byte(f); /* whether it is -ROOT- */
    take_byte(f); /* … or .META. */
    if (f->ended) return err_set(err, ERR_INPUT, "ends within the table's description");
    if (put_name(message, *name, err) || put_pairs(f, message, TABLE_ATTRIBUTES, err)) return -1;
    uint32_t n = take_int(f);
    for (uint32_t i = 0; i < n; i++)
        if (put_family(f, message, err)) return -1;
    return f->ended ? err_set(err, ERR_INPUT, "ends within the table's description") : 0;
}

int writable_table_message(struct bytes content, struct buf *message, struct err *err) {
    struct fields f = {.rest = content};
    struct bytes name;
    return take_table(&f, message, &name, err);
}

/* ---- regions ---- */

/* Version 0, of 0.90 and older, has the whole table in it, version 1 its name. */
static struct bytes take_table_name(struct fields *f, uint8_t version, struct err *err) {
    struct buf message = {0};
    struct bytes name = {0};
    if (version)
        name = take_array(f);
    else if (take_table(f, &message, &name, err))
        name = (struct bytes){0};
    buf_free(&message);
    return name;
}

int writable_region_parse(struct bytes content, struct region_info *out, struct err *err) {
    struct fields f = {.rest = content};
    uint8_t version = take_byte(&f);
    if (version > 1) return err_set(err, ERR_UNSUPPORTED, "a region described by version %u: 0, 1 and PBUF are read", version);
    struct bytes end = take_array(&f);
    out->offline = take_byte(&f) != 0;
    out->id = take_long(&f);
    struct bytes name = take_array(&f);
    out->split = take_byte(&f) != 0;
    struct bytes start = take_array(&f), table = take_table_name(&f, version, err);
    take_int(&f); /* Java's hash of it */
    if (err->code) return -1;
    if (f.ended) return err_set(err, ERR_INPUT, "ends within the region's description");
    out->short_name = !name.n || name.p[name.n - 1] != '.';
    if (table_name_split(table, &out->ns, &out->table, err)) return err_prefix(err, "the region's description");
    return buf_copy(&out->start, start, err) || buf_copy(&out->end, end, err) ? -1 : 0;
}
