#include "cmd/import.h"

#include "cmd/json_text.h"

#include <stdio.h>
#include <stdlib.h>

/* One family of a table or snapshot, summed over its regions. */
struct family_sum {
    uint64_t files, bytes, cells;
    const char *codec, *encoding; /* found in files; "mixed" when they differ */
};

struct listing {
    struct session *s;
    json_t *json; /* NULL: text */
    size_t shown;
};

static void note_kind(const char **at, const char *found) {
    if (!*at)
        *at = found;
    else if (strcmp(*at, found))
        *at = "mixed";
}

static void sum_files(const struct input_store *in, struct family_sum *sums) {
    for (size_t i = 0; i < in->files.n_files; i++) {
        const struct surveyed_file *seen = &in->survey.files[i];
        struct family_sum *sum = &sums[in->files.files[i].family];
        sum->files++;
        sum->bytes += in->files.files[i].bytes;
        sum->cells += seen->cells;
        if (seen->unread) continue;
        note_kind(&sum->codec, seen->codec);
        note_kind(&sum->encoding, seen->encoding);
    }
}

static void print_family(const struct listing *l, const struct input_store *in, uint32_t f, const struct family_sum *sum) {
    char a[32], b[32], c[32];
    const struct store_files *s = &in->files;
    printf("%-40s %-16s %8zu %8s %12s %16s  %-8s %s\n", f ? "" : s->what, s->table.families[f].name, s->n_regions,
           report_count(sum->files, a), report_bytes(sum->bytes, b), report_count(sum->cells, c), sum->codec ? sum->codec : "-",
           sum->encoding ? sum->encoding : "-");
    (void)l;
}

static json_t *family_json(const struct hbase_family *f, const struct family_sum *sum) {
    return json_pack("{s:o, s:I, s:I, s:I, s:s, s:s, s:o, s:o, s:o, s:b}", "name", json_text(f->name), "files",
                     (json_int_t)sum->files, "bytes", (json_int_t)sum->bytes, "cells", (json_int_t)sum->cells, "codec",
                     sum->codec ? sum->codec : "-", "encoding", sum->encoding ? sum->encoding : "-", "compression",
                     json_text(f->compression), "data_block_encoding", json_text(f->encoding), "bloomfilter", json_text(f->bloom),
                     "mob", (int)f->is_mob);
}

static json_t *store_json(const struct input_store *in, const struct family_sum *sums) {
    const struct store_files *s = &in->files;
    json_t *families = json_array();
    for (uint32_t f = 0; f < s->table.n_families; f++)
        json_array_append_new(families, family_json(&s->table.families[f], &sums[f]));
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:{s:I, s:I}, s:{s:I, s:I}}", "what", json_text(s->what), "namespace",
                     json_text(s->table.ns ? s->table.ns : ""), "table", json_text(s->table.name ? s->table.name : ""), "regions",
                     (json_int_t)s->n_regions, "files", (json_int_t)s->n_files, "families", families, "recovered_edits", "files",
                     (json_int_t)s->recovered_edits.files, "bytes", (json_int_t)s->recovered_edits.bytes, "wal", "files",
                     (json_int_t)s->wal.files, "bytes", (json_int_t)s->wal.bytes);
}

static int show_store(struct listing *l, const struct input_store *in, struct err *err) {
    uint32_t n = in->files.table.n_families;
    struct family_sum *sums = calloc(n + 1, sizeof *sums);
    if (!sums) return err_nomem(err, n * sizeof *sums, "the list of families");
    sum_files(in, sums);
    if (l->json)
        json_array_append_new(l->json, store_json(in, sums));
    else if (l->shown == 0)
        printf("%-40s %-16s %8s %8s %12s %16s  %-8s %s\n", "what", "family", "regions", "files", "bytes", "cells", "codec",
               "encoding");
    for (uint32_t f = 0; !l->json && f < n; f++) print_family(l, in, f, &sums[f]);
    l->shown++;
    free(sums);
    return 0;
}

/* Each snapshot, table or other directory is opened by itself and let go again. */
static int show_path(struct listing *l, const char *path, const char *snapshot, struct err *err) {
    struct input_list in = {0};
    struct buf warnings = {0};
    struct input_opts o = session_input_opts(l->s);
    uint64_t resident = l->s->job.resident_bytes;
    o.snapshot = snapshot;
    int rc = input_list_add_any(&in, path, &o, &warnings, err);
    session_tell(l->s, &warnings);
    if (!rc && !in.n_stores)
        rc = err_set(err, ERR_UNSUPPORTED, "%s: --list shows what HBase left on disk, and this is not", path);
    for (uint32_t i = 0; !rc && i < in.n_stores; i++) rc = show_store(l, in.stores[i], err);
    buf_free(&warnings);
    input_list_free(&in);
    l->s->job.resident_bytes = resident;
    return rc;
}

static int show_root(struct listing *l, const char *root, struct err *err) {
    struct store_catalog c;
    if (store_catalog_read(root, &c, err)) return -1;
    int rc = 0;
    for (size_t i = 0; !rc && i < c.n; i++) {
        if (l->s->o.snapshot && (!c.entries[i].snapshot || strcmp(c.entries[i].snapshot, l->s->o.snapshot))) continue;
        rc = show_path(l, c.entries[i].dir, NULL, err);
    }
    store_catalog_free(&c);
    return rc;
}

int import_list(struct session *s, struct err *err) {
    struct listing l = {.s = s, .json = s->o.json ? json_array() : NULL};
    int rc = s->o.n_inputs ? 0 : err_set(err, ERR_USAGE, "--list: of what? (see obkv-import --help)");
    for (int i = 0; !rc && i < s->o.n_inputs; i++) {
        enum store_kind kind;
        rc = store_kind_of(s->o.inputs[i], &kind, err);
        if (!rc) rc = kind == STORE_KIND_ROOT ? show_root(&l, s->o.inputs[i], err) : show_path(&l, s->o.inputs[i], NULL, err);
    }
    reporter_end_line(&s->reporter);
    if (!rc && l.json) return json_text_put(l.json, err);
    json_decref(l.json);
    return rc;
}
