#include "formats/hbase/snapshot_manifest.h"

#include "base/wire.h"
#include "formats/hbase/disk_name.h"
#include "formats/hbase/table_name.h"

#include <stdlib.h>

static int set_name(struct bytes from, const char *what, char **to, struct err *err) {
    free(*to);
    *to = disk_name_copy(from, what, err);
    return *to ? 0 : -1;
}

/* StoreFile: 1 name, 2 Reference, 3 file_size. */
static int parse_file(struct bytes message, struct snapshot_file *out, struct err *err) {
    enum { NAME = 1, REFERENCE = 2, SIZE = 3 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == NAME && f.type == PBWIRE_BYTES && set_name(f.bytes, "store file", &out->name, err)) return -1;
        if (f.number == REFERENCE && f.type == PBWIRE_BYTES) {
            reference_free(&out->reference);
            if (reference_parse(f.bytes, &out->reference, err)) return -1;
            out->is_reference = true;
        }
        if (f.number == SIZE && f.type == PBWIRE_VARINT) {
            out->bytes = f.value;
            out->has_size = true;
        }
    }
    if (rc) return err_set(err, ERR_INPUT, "a store file's entry is malformed");
    return out->name ? 0 : err_set(err, ERR_INPUT, "a store file has no name");
}

/* FamilyFiles: 1 family_name, 2 store_files. */
static int parse_family(struct bytes message, struct snapshot_family *out, struct err *err) {
    enum { NAME = 1, FILES = 2 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.number == NAME && f.type == PBWIRE_BYTES && set_name(f.bytes, "family", &out->name, err)) return -1;
        if (f.number != FILES || f.type != PBWIRE_BYTES) continue;
        struct snapshot_file *file = snapshot_add_file(out, err);
        if (!file) return -1;
        if (parse_file(f.bytes, file, err)) return err_prefix(err, "file %zu", out->n_files);
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed after %zu files", out->n_files);
    return out->name ? 0 : err_set(err, ERR_INPUT, "has no name");
}

int snapshot_region_parse(struct bytes message, struct snapshot_region *out, struct err *err) {
    enum { REGION = 2, FAMILIES = 3 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == REGION) {
            region_info_free(&out->info);
            if (region_info_parse(f.bytes, &out->info, err)) return -1;
        }
        if (f.number != FAMILIES) continue;
        struct snapshot_family *family = snapshot_add_family(out, err);
        if (!family) return -1;
        if (parse_family(f.bytes, family, err)) return err_prefix(err, "family %zu", out->n_families);
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed after %zu families", out->n_families);
    return out->info.ns ? 0 : err_set(err, ERR_INPUT, "does not say which region it is");
}

int snapshot_manifest_parse(struct bytes message, struct snapshot *out, struct err *err) {
    enum { TABLE = 1, REGIONS = 2 };
    struct pbwire_field f;
    int rc;
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type != PBWIRE_BYTES) continue;
        if (f.number == TABLE) {
            hbase_table_free(&out->table);
            if (hbase_table_parse(f.bytes, &out->table, err)) return -1;
        }
        if (f.number != REGIONS) continue;
        struct snapshot_region *region = snapshot_add_region(out, err);
        if (!region) return -1;
        if (snapshot_region_parse(f.bytes, region, err)) return err_prefix(err, "region %zu", out->n_regions);
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed after %zu regions", out->n_regions);
    return out->table.name ? 0 : err_set(err, ERR_INPUT, "does not describe the table");
}

enum { INFO_NAME = 1, INFO_TABLE = 2, INFO_CREATED = 3, INFO_TYPE = 4, INFO_VERSION = 5, INFO_TTL = 8 };

static int take_info_number(const struct pbwire_field *f, uint64_t *version, struct snapshot *out, struct err *err) {
    if (f->number == INFO_CREATED) out->created_ms = (int64_t)f->value;
    if (f->number == INFO_TTL) out->ttl_s = (int64_t)f->value < 0 ? 0 : (int64_t)f->value;
    if (f->number == INFO_VERSION) *version = f->value;
    if (f->number == INFO_TYPE) {
        if (f->value > SNAPSHOT_SKIPFLUSH)
            return err_set(err, ERR_INPUT, "a snapshot of type %llu; 0, 1 and 2 are known", (unsigned long long)f->value);
        out->type = (enum snapshot_type)f->value;
    }
    return 0;
}

int snapshot_info_parse(struct bytes message, struct snapshot *out, struct err *err) {
    enum { VERSION_1 = 0, VERSION_2 = 2 }; /* SnapshotManifestV1, SnapshotManifestV2 */
    struct bytes table = {0};
    struct pbwire_field f;
    uint64_t version = VERSION_1;
    int rc;
    out->type = SNAPSHOT_FLUSH; /* the field's default */
    while ((rc = pbwire_next(&message, &f)) == 1) {
        if (f.type == PBWIRE_VARINT && take_info_number(&f, &version, out, err)) return -1;
        if (f.number == INFO_NAME && f.type == PBWIRE_BYTES && set_name(f.bytes, "snapshot", &out->name, err)) return -1;
        if (f.number == INFO_TABLE && f.type == PBWIRE_BYTES) table = f.bytes;
    }
    if (rc) return err_set(err, ERR_INPUT, "malformed");
    if (!out->name) return err_set(err, ERR_INPUT, "the snapshot has no name");
    if (!table.p) return err_set(err, ERR_INPUT, "does not say of which table the snapshot is");
    if (version != VERSION_1 && version != VERSION_2)
        return err_set(err, ERR_UNSUPPORTED,
                       "layout %llu of snapshots is not read, only those of HBase 0.94 to 2.6 (0 and 2): copy the table within "
                       "HBase and export that",
                       (unsigned long long)version);
    out->version = version == VERSION_2 ? 2 : 1;
    return table_name_split(table, &out->ns, &out->table_name, err);
}
