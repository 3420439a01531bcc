#include "formats/hbase/snapshot_read.h"

#include "base/fs.h"
#include "formats/hbase/snapshot_folder.h"
#include "formats/hbase/snapshot_manifest.h"

#include <stdlib.h>

enum { INFO_MAX_BYTES = 16 << 20 }; /* it may hold the permissions of every user */

typedef int parse_message(struct bytes message, struct snapshot *out, struct err *err);

static int read_message(const char *dir, const char *name, size_t limit, parse_message *parse, struct snapshot *out,
                        struct err *err) {
    size_t n;
    char *path = fs_join(dir, name, err);
    char *text = path ? fs_read_text(path, limit, &n, err) : NULL;
    int rc = -1;
    if (text) rc = parse(bytes_of(text, n), out, err) ? err_prefix(err, "%s", path) : 0;
    free(text);
    free(path);
    return rc;
}

/* In .tabledesc; HBase 0.94 put the file into the snapshot's own folder. */
static int read_table(const char *dir, struct hbase_table *out, struct err *err) {
    char *desc = fs_join(dir, ".tabledesc", err);
    if (!desc) return -1;
    int rc = hbase_tableinfo_read(desc, out, err);
    if (rc == 0) rc = hbase_tableinfo_read(dir, out, err);
    if (rc == 0) rc = err_set(err, ERR_INPUT, "%s: holds neither data.manifest nor a table descriptor (.tabledesc)", dir);
    free(desc);
    return rc == 1 ? 0 : -1;
}

static int read_folder(const char *dir, struct snapshot *out, struct err *err) {
    if (read_table(dir, &out->table, err) || snapshot_folder_read(dir, out, err)) return -1;
    if (out->n_regions) return 0;
    return err_set(err, ERR_INPUT,
                   "%s: holds neither data.manifest nor regions: the snapshot was not finished, or not copied whole", dir);
}

static int has_manifest(const char *dir, struct err *err) {
    char *path = fs_join(dir, "data.manifest", err);
    int rc = path ? fs_exists(path, err) : -1;
    free(path);
    return rc;
}

static int read_snapshot(const char *dir, struct snapshot *out, struct err *err) {
    if (read_message(dir, ".snapshotinfo", INFO_MAX_BYTES, snapshot_info_parse, out, err)) return -1;
    int manifest = out->version == 2 ? has_manifest(dir, err) : 0;
    if (manifest < 0) return -1;
    int rc = manifest ? read_message(dir, "data.manifest", SNAPSHOT_MANIFEST_MAX_BYTES, snapshot_manifest_parse, out, err)
                      : read_folder(dir, out, err);
    if (rc) return -1;
    if (strcmp(out->ns, out->table.ns) != 0 || strcmp(out->table_name, out->table.name) != 0)
        return err_set(err, ERR_INPUT, "%s: .snapshotinfo is of table %s:%s, the descriptor of %s:%s", dir, out->ns,
                       out->table_name, out->table.ns, out->table.name);
    return 0;
}

int snapshot_read(const char *dir, struct snapshot *out, struct err *err) {
    *out = (struct snapshot){0};
    if (read_snapshot(dir, out, err) == 0) return 0;
    snapshot_free(out);
    return -1;
}
