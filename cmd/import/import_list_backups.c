/* The head of one image in obkv-import --list of HBase's backups: kind, time span, tables and ancestors, and which of those are
 * missing. The tables themselves are listed as any other (import_list_stores.c). */
#include "cmd/import/import.h"

#include "base/fs.h"
#include "cmd/common/output_text.h"

#include <stdlib.h>

static const char *kind_of(const struct backup_image *b) {
    return b->is_full ? "full" : "incremental";
}

/* Returns whether ROOT/ID is there: 1, 0, -1. */
static int is_there(const char *root, const struct backup_image *b, struct err *err) {
    return fs_exists_in(root, b->id, err);
}

static int print_ancestors(const char *root, const struct backup_image *b, struct err *err) {
    for (size_t i = 0; i < b->n_ancestors; i++) {
        int there = is_there(root, &b->ancestors[i], err);
        if (there < 0) return -1;
        text_print("%s%s (%s%s)", i ? ", " : "  after ", b->ancestors[i].id, kind_of(&b->ancestors[i]), there ? "" : ", MISSING");
    }
    if (b->n_ancestors) text_print("\n");
    return 0;
}

static int print_image(const char *root, const struct backup_image *b, struct err *err) {
    char from[48], to[48];
    moment_text(b->start_ms, true, from);
    moment_text(b->complete_ms, true, to);
    text_print("backup image %s: %s, %s to %s", b->id, kind_of(b), from, to);
    for (size_t i = 0; i < b->n_tables; i++)
        text_print("%s%s:%s", i ? ", " : b->n_tables == 1 ? ", table " : ", tables ", b->tables[i].ns, b->tables[i].name);
    text_print("\n");
    return print_ancestors(root, b, err);
}

static json_t *tables_json(const struct backup_image *b) {
    json_t *list = json_array();
    for (size_t i = 0; i < b->n_tables; i++)
        json_array_append_new(
            list, json_new(JSON("namespace", json_text(b->tables[i].ns)), JSON("table", json_text(b->tables[i].name))));
    return list;
}

static json_t *ancestors_json(const char *root, const struct backup_image *b, struct err *err) {
    json_t *list = json_array();
    for (size_t i = 0; i < b->n_ancestors; i++) {
        int there = is_there(root, &b->ancestors[i], err);
        json_array_append_new(list, json_new(JSON("id", json_text(b->ancestors[i].id)), JSON("kind", kind_of(&b->ancestors[i])),
                                             JSON("missing", json_boolean(there == 0))));
    }
    return list;
}

int import_list_image(const char *root, const struct backup_image *b, json_t *entries, struct err *err) {
    if (!entries) return print_image(root, b, err);
    json_t *what = json_new(JSON("backup_image", json_text(b->id)), JSON("kind", kind_of(b)), JSON("start_ms", b->start_ms),
                            JSON("complete_ms", b->complete_ms), JSON("tables", tables_json(b)),
                            JSON("ancestors", ancestors_json(root, b, err)));
    return json_array_append_new(entries, what) ? err_nomem(err, 0, "the list of backups") : err->code ? -1 : 0;
}
