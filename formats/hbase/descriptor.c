/* The table's descriptor, from the TableSchema message to struct hbase_table, and which .tableinfo file of a directory holds it.
 * Defaults, and which setting beats which, are those of TableDescriptorBuilder, ColumnFamilyDescriptorBuilder and
 * StoreUtils.createStoreConfiguration. */
#include "base/bytes.h"
#include "base/fs.h"
#include "base/buf.h"
#include "base/wire.h"
#include "formats/hbase/descriptor.h"
#include "formats/hbase/metadata.h"
#include "formats/hbase/names.h"
#include "formats/hbase/writables.h"

#include <stdlib.h>

/* ---- TableSchema ---- */

enum { TABLE_NAME = 1, TABLE_FAMILY = 3, FAMILY_NAME = 1, FAMILIES_MAX = 10000, FAMILY_NAME_MAX_BYTES = 127 };
enum { BLOCK_BYTES_DEFAULT = 65536, MOB_THRESHOLD_DEFAULT = 102400, ROW_MAX_BYTES = 32767 };

static const char purge_key[] = "hbase.hstore.time.to.purge.deletes";
static const char tracker_key[] = "hbase.store.file-tracker.impl";
static const char tracker_src_key[] = "hbase.store.file-tracker.migration.src.impl";
static const char prefix_key[] = "RowPrefixBloomFilter.prefix_length";

/* Settings of the table that hold for all its families; p == NULL: not set. Looked up once, however many families there are. */
struct table_settings {
    struct bytes purge, tracker, tracker_src, prefix;
};

/* HBase 2 appends TableSchema's configuration to the attributes when it reads it. */
static struct bytes table_setting(struct bytes message, const char *key) {
    struct bytes v = attribute_find(message, ATTRIBUTE_TABLE_CONFIGURATION, key);
    return v.p ? v : attribute_find(message, ATTRIBUTE_FIELD, key);
}

static struct bytes family_setting(struct bytes message, const char *key, struct bytes of_table) {
    struct bytes v = attribute_find(message, ATTRIBUTE_FIELD, key);
    if (!v.p) v = attribute_find(message, ATTRIBUTE_FAMILY_CONFIGURATION, key);
    return v.p ? v : of_table;
}

/* ColumnFamilyDescriptorBuilder.isLegalColumnFamilyName. */
static char *parse_name(struct bytes name, struct err *err) {
    bool good = name.n <= FAMILY_NAME_MAX_BYTES && !(name.n && name.p[0] == '.') && !bytes_eq(name, bytes_str("recovered.edits"));
    for (size_t i = 0; good && i < name.n; i++) good = name.p[i] != ':' && name.p[i] != '\\';
    if (good) return disk_name_copy(name, "family name", err);
    char shown[DISK_NAME_SHOWN_BYTES];
    err_set(err, ERR_INPUT, "'%s' is not a family name", disk_name_shown(name, shown));
    return NULL;
}

/* Seconds. HBase's own check takes only positive ones; old tables have -1. */
static int parse_ttl(struct bytes message, int64_t *ttl_s, struct err *err) {
    struct bytes value = attribute_find(message, ATTRIBUTE_FIELD, "TTL");
    int64_t v = INT32_MAX;
    if (value.p && (!attribute_number(value, &v) || v > INT32_MAX || v == 0 || v < -1))
        return attribute_unusable(err, "TTL", value, "a number of seconds from 1 to 2147483647, or -1");
    *ttl_s = v == -1 || v == INT32_MAX ? 0 : v;
    return 0;
}

static int parse_keep_deleted(struct bytes message, enum keep_deleted *out, struct err *err) {
    struct bytes value = attribute_find(message, ATTRIBUTE_FIELD, "KEEP_DELETED_CELLS");
    *out = KEEP_DELETED_FALSE;
    if (!value.p || attribute_is(value, "FALSE")) return 0;
    if (attribute_is(value, "TRUE")) *out = KEEP_DELETED_TRUE;
    if (attribute_is(value, "TTL")) *out = KEEP_DELETED_TTL;
    if (*out != KEEP_DELETED_FALSE) return 0;
    return attribute_unusable(err, "KEEP_DELETED_CELLS", value, "TRUE, FALSE or TTL");
}

static int parse_purge(struct bytes value, int64_t *ms, struct err *err) {
    while (value.n && value.p[0] <= ' ') value = bytes_of(value.p + 1, value.n - 1);
    while (value.n && value.p[value.n - 1] <= ' ') value.n--;
    *ms = 0;
    if (!value.p) return 0;
    if (!attribute_number(value, ms)) return attribute_unusable(err, purge_key, value, "a number of milliseconds");
    if (*ms < 0) *ms = 0; /* ScanInfo takes the larger of it and 0 */
    return 0;
}

static int parse_rules(struct bytes message, const struct table_settings *t, struct family_rules *out, struct err *err) {
    int64_t versions = 1, min_versions = 0;
    *out = (struct family_rules){.versions_given = true};
    if (attribute_int(message, "VERSIONS", 1, &versions, err)) return -1;
    if (attribute_int(message, "MIN_VERSIONS", 0, &min_versions, err)) return -1;
    out->versions = versions == INT32_MAX ? UINT32_MAX : (uint32_t)versions;
    out->min_versions = (uint32_t)min_versions;
    attribute_bool(message, "NEW_VERSION_BEHAVIOR", &out->new_version_behavior);
    if (parse_ttl(message, &out->ttl_s, err) || parse_keep_deleted(message, &out->keep_deleted, err)) return -1;
    return parse_purge(family_setting(message, purge_key, t->purge), &out->purge_deletes_after_ms, err);
}

/* Text; the first releases with MOB wrote a boolean as one byte, and a long as eight that are no digits. */
static int parse_mob(struct bytes message, struct hbase_family *out, struct err *err) {
    struct bytes is_mob = attribute_find(message, ATTRIBUTE_FIELD, "IS_MOB");
    struct bytes threshold = attribute_find(message, ATTRIBUTE_FIELD, "MOB_THRESHOLD");
    int64_t v = MOB_THRESHOLD_DEFAULT;
    out->is_mob = attribute_is(is_mob, "true") || (is_mob.n == 1 && is_mob.p[0] == 0xff);
    if (threshold.p && !attribute_number(threshold, &v)) {
        if (threshold.n != 8) return attribute_unusable(err, "MOB_THRESHOLD", threshold, "a number of bytes");
        v = (int64_t)be64(threshold.p);
    }
    if (v < 0) return attribute_unusable(err, "MOB_THRESHOLD", threshold, "a number of bytes");
    out->mob_threshold = (uint64_t)v;
    return 0;
}

/* StoreFileTrackerFactory: a name in any case, or the name of a class. */
static int is_list_tracker(const char *key, struct bytes value, bool *migration, struct err *err) {
    static const char package[] = "org.apache.hadoop.hbase.regionserver.storefiletracker.";
    enum { PACKAGE_BYTES = sizeof package - 1 };
    *migration = false;
    if (value.n > PACKAGE_BYTES && memcmp(value.p, package, PACKAGE_BYTES) == 0)
        value = bytes_of(value.p + PACKAGE_BYTES, value.n - PACKAGE_BYTES);
    if (!value.p || attribute_is(value, "DEFAULT") || attribute_is(value, "DefaultStoreFileTracker")) return 0;
    if (attribute_is(value, "FILE") || attribute_is(value, "FileBasedStoreFileTracker")) return 1;
    *migration = attribute_is(value, "MIGRATION") || attribute_is(value, "MigrationStoreFileTracker");
    return *migration ? 1 : attribute_unusable(err, key, value, "DEFAULT, FILE or MIGRATION");
}

/* MIGRATION reads what its source has. */
static int parse_tracker(struct bytes message, const struct table_settings *t, bool *tracks, struct err *err) {
    bool migration;
    int rc = is_list_tracker(tracker_key, family_setting(message, tracker_key, t->tracker), &migration, err);
    struct bytes src = family_setting(message, tracker_src_key, t->tracker_src);
    if (rc == 1 && migration && src.p) rc = is_list_tracker(tracker_src_key, src, &migration, err);
    *tracks = rc == 1;
    return rc < 0 ? -1 : 0;
}

static int parse_bloom(struct bytes message, const struct table_settings *t, struct hbase_family *out, struct err *err) {
    out->bloom = attribute_word(message, "BLOOMFILTER", "ROW", err);
    if (!out->bloom) return -1;
    struct bytes prefix = family_setting(message, prefix_key, t->prefix);
    int64_t v;
    if (strcmp(out->bloom, "ROWPREFIX_FIXED_LENGTH") != 0 || !prefix.p) return 0;
    if (!attribute_number(prefix, &v) || v < 1 || v > ROW_MAX_BYTES)
        return attribute_unusable(err, prefix_key, prefix, "a length from 1 to 32767");
    out->bloom_prefix = (uint32_t)v;
    return 0;
}

static int parse_storage(struct bytes message, const struct table_settings *t, struct hbase_family *out, struct err *err) {
    int64_t block_bytes = BLOCK_BYTES_DEFAULT;
    out->compression = attribute_word(message, "COMPRESSION", "NONE", err);
    if (!out->compression) return -1;
    out->encoding = attribute_word(message, "DATA_BLOCK_ENCODING", "NONE", err);
    if (!out->encoding || parse_bloom(message, t, out, err)) return -1;
    if (attribute_int(message, "BLOCKSIZE", 1, &block_bytes, err)) return -1;
    out->block_bytes = (uint32_t)block_bytes;
    out->compress_tags = true;
    attribute_bool(message, "COMPRESS_TAGS", &out->compress_tags);
    out->encrypted = attribute_find(message, ATTRIBUTE_FIELD, "ENCRYPTION").p != NULL;
    if (parse_tracker(message, t, &out->tracks_files, err)) return -1;
    return parse_mob(message, out, err);
}

/* Well-formed as far as pbwire goes; *name is its last field 1. */
static bool scan_message(struct bytes message, uint32_t name_field, struct bytes *name, uint32_t count_field, size_t *count) {
    struct pbwire_field f;
    int rc;
    *name = (struct bytes){0};
    *count = 0;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == name_field) *name = f.bytes;
        if (f.number == count_field) (*count)++;
    }
    return rc == 0;
}

static int parse_family(struct bytes message, const struct table_settings *t, struct hbase_family *out, struct err *err) {
    struct bytes name;
    size_t attributes;
    if (!scan_message(message, FAMILY_NAME, &name, ATTRIBUTE_FIELD, &attributes))
        return err_set(err, ERR_INPUT, "a family is malformed");
    out->name = parse_name(name, err);
    if (!out->name) return -1;
    if (parse_rules(message, t, &out->rules, err) || parse_storage(message, t, out, err))
        return err_prefix(err, "family %s", out->name);
    if (attribute_list_add(&out->attributes, message, ATTRIBUTE_FAMILY_CONFIGURATION, err)) return -1;
    return attribute_list_add(&out->attributes, message, ATTRIBUTE_FIELD, err);
}

static int add_family(struct bytes message, const struct table_settings *t, struct hbase_table *out, struct err *err) {
    struct hbase_family *f = &out->families[out->n_families++];
    if (parse_family(message, t, f, err)) return -1;
    out->tracks_files |= f->tracks_files;
    for (uint32_t i = 0; i + 1 < out->n_families; i++)
        if (!strcmp(out->families[i].name, f->name)) return err_set(err, ERR_INPUT, "family %s appears twice", f->name);
    return 0;
}

static int parse_families(struct bytes message, size_t n, struct hbase_table *out, struct err *err) {
    const struct table_settings settings = {table_setting(message, purge_key), table_setting(message, tracker_key),
                                            table_setting(message, tracker_src_key), table_setting(message, prefix_key)};
    struct pbwire_field f;
    if (n > FAMILIES_MAX) return err_set(err, ERR_LIMIT, "%zu families, more than %d are not read", n, FAMILIES_MAX);
    out->families = calloc(n + 1, sizeof *out->families);
    if (!out->families) return err_nomem(err, n * sizeof *out->families, "families");
    while (pbwire_next(&message, &f) == 1)
        if (f.number == TABLE_FAMILY && f.type == PBWIRE_BYTES && add_family(f.bytes, &settings, out, err)) return -1;
    return 0;
}

static int parse_table(struct bytes message, struct hbase_table *out, struct err *err) {
    struct bytes name;
    size_t n;
    if (!scan_message(message, TABLE_NAME, &name, TABLE_FAMILY, &n))
        return err_set(err, ERR_INPUT, "the table's description is malformed");
    if (!name.p) return err_set(err, ERR_INPUT, "the table's description has no name");
    if (table_name_parse(name, &out->ns, &out->name, err)) return -1;
    if (parse_families(message, n, out, err)) return err_prefix(err, "table %s:%s", out->ns, out->name);
    if (attribute_list_add(&out->attributes, message, ATTRIBUTE_FIELD, err)) return -1;
    return attribute_list_add(&out->attributes, message, ATTRIBUTE_TABLE_CONFIGURATION, err);
}

int hbase_table_parse(struct bytes message, struct hbase_table *out, struct err *err) {
    *out = (struct hbase_table){0};
    if (parse_table(message, out, err) == 0) return 0;
    hbase_table_free(out);
    return -1;
}

void hbase_table_free(struct hbase_table *t) {
    for (uint32_t i = 0; i < t->n_families; i++) {
        struct hbase_family *f = &t->families[i];
        free(f->name);
        free(f->compression);
        free(f->encoding);
        free(f->bloom);
        attribute_list_free(&f->attributes);
    }
    attribute_list_free(&t->attributes);
    free(t->families);
    free(t->ns);
    free(t->name);
    *t = (struct hbase_table){0};
}

/* ---- .tableinfo files ---- */

enum { TABLEINFO_MAX_BYTES = 64 << 20 };

/* .tableinfo[.<sequence>[.<bytes>]] */
struct tableinfo {
    char *name;
    int64_t seq;   /* 0: the name has none */
    int64_t bytes; /* -1: the name does not say */
};

struct tableinfo_list {
    struct tableinfo *files;
    size_t n;
};

/* false: not one. */
static bool parse_tableinfo_name(const char *name, struct tableinfo *out) {
    static const char start[] = ".tableinfo";
    size_t n = sizeof start - 1;
    *out = (struct tableinfo){.bytes = -1};
    if (strncmp(name, start, n) != 0) return false;
    if (!name[n]) return true;
    if (name[n] != '.') return false;
    const char *seq = name + n + 1, *dot = strchr(seq, '.');
    size_t seq_n = dot ? (size_t)(dot - seq) : strlen(seq);
    if (!attribute_number(bytes_of(seq, seq_n), &out->seq) || out->seq < 0) return false;
    return !dot || (attribute_number(bytes_str(dot + 1), &out->bytes) && out->bytes >= 0);
}

static int visit_tableinfo(void *arg, const char *name, bool is_dir, struct err *err) {
    struct tableinfo_list *l = arg;
    struct tableinfo t;
    if (is_dir || !parse_tableinfo_name(name, &t)) return 0;
    if (grow_array(&l->files, l->n, sizeof *l->files, "table descriptors", err)) return -1;
    t.name = fs_printf(err, "%s", name);
    if (!t.name) return -1;
    l->files[l->n++] = t;
    return 0;
}

static int newest_first(const void *a, const void *b) {
    const struct tableinfo *x = a, *y = b;
    if (x->seq != y->seq) return x->seq < y->seq ? 1 : -1;
    return strcmp(y->name, x->name);
}

static int parse_tableinfo(struct bytes content, struct hbase_table *out, struct err *err) {
    struct buf message = {0};
    if (pbuf_take(&content)) return hbase_table_parse(content, out, err);
    bool is_older = content.n >= PBUF_BYTES && !content.p[0] && !content.p[1] && !content.p[2]; /* its version, an i32 */
    if (!is_older) return err_set(err, ERR_INPUT, "does not start with PBUF");
    int rc = writable_table_message(content, &message, err);
    if (!rc) rc = hbase_table_parse(buf_bytes(&message), out, err);
    buf_free(&message);
    return rc;
}

/* Reads a descriptor. 1 read, 0 half written, -1 error. */
static int read_tableinfo(const char *dir, const struct tableinfo *t, struct hbase_table *out, struct err *err) {
    size_t n;
    int rc = -1;
    char *path = fs_join(dir, t->name, err);
    char *text = path ? fs_read_text(path, TABLEINFO_MAX_BYTES, &n, err) : NULL;
    if (text && t->bytes >= 0 && (uint64_t)t->bytes != n)
        rc = 0;
    else if (text)
        rc = parse_tableinfo(bytes_of(text, n), out, err) ? err_prefix(err, "%s", path) : 1;
    free(text);
    free(path);
    return rc;
}

int hbase_tableinfo_read(const char *dir, struct hbase_table *out, struct err *err) {
    struct tableinfo_list l = {0};
    int rc = directory_each(dir, visit_tableinfo, &l, err) < 0 ? -1 : 0;
    *out = (struct hbase_table){0};
    if (l.n) qsort(l.files, l.n, sizeof *l.files, newest_first);
    for (size_t i = 0; !rc && i < l.n; i++) rc = read_tableinfo(dir, &l.files[i], out, err);
    if (!rc && l.n)
        rc = err_set(err, ERR_INPUT, "%s/%s: its length is not the one in its name, and no older one is whole", dir,
                     l.files[0].name);
    for (size_t i = 0; i < l.n; i++) free(l.files[i].name);
    free(l.files);
    return rc;
}
