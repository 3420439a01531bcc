/* One snapshot, table or other store of obkv-import --list: its families with the version rules that HBase applies, and its
 * regions with the rows where they begin. What a plan or a DDL needs to know of a table stands here, before anything is read. */
#include "cmd/common/inputs.h"
#include "cmd/common/report_figures.h"
#include "cmd/import/import.h"

#include "base/plain.h"
#include "cmd/common/output_text.h"
#include "formats/hbase/mob_sizes.h"
#include "hfile/hfile_open.h"

#include <stdio.h>
#include <stdlib.h>

enum { REGIONS_SHOWN = 10, ROW_SHOWN_BYTES = 60, DAY_S = 86400 };

struct store_sum {
    uint64_t files, bytes, cells, kv_bytes;
};

/* One family of a table or snapshot, summed over its regions. */
struct family_sum {
    struct store_sum sum;
    struct mob_sizes mob;
    const char *codec, *encoding; /* found in files; "mixed" when they differ */
};

struct store_sums {
    struct family_sum *families;
    struct store_sum *regions;
};

static void note_kind(const char **at, const char *found) {
    if (!*at)
        *at = found;
    else if (strcmp(*at, found))
        *at = "mixed";
}

static void add_file(struct store_sum *sum, const struct store_file *file, const struct surveyed_file *seen) {
    sum->files++;
    sum->bytes += file->bytes;
    sum->cells += seen->cells;
    sum->kv_bytes += seen->kv_bytes;
}

static void sum_files(const struct input_store *in, const struct store_sums *s) {
    for (size_t i = 0; i < in->files.n_files; i++) {
        const struct store_file *file = &in->files.files[i];
        const struct surveyed_file *seen = &in->survey.files[i];
        if (seen->left_out) continue;
        struct family_sum *family = &s->families[file->family];
        add_file(&family->sum, file, seen);
        add_file(&s->regions[file->region], file, seen);
        if (seen->unread) continue;
        note_kind(&family->codec, hfile_codec_name(seen->codec));
        note_kind(&family->encoding, hfile_encoding_name(seen->encoding));
    }
}

static int sum_mob(const struct input_store *in, const struct store_sums *s, struct err *err) {
    enum { BLOCK_LIMIT = 1 << 20 }; /* no block is read, but the index is: files of larger blocks count as they are */
    for (uint32_t f = 0; f < in->files.table.n_families; f++)
        if (mob_sizes_add(&in->files, f, BLOCK_LIMIT, &s->families[f].mob, err)) return -1;
    return 0;
}

/* ---- as text ---- */

/* The family's name comes last: it may be of any length. */
static void print_family(const struct hbase_family *f, const struct family_sum *sum, bool packed) {
    char a[32], b[32], c[32];
    text_print("  %9s %12s %16s  %-7s  %-12s  %s\n", report_count(sum->sum.files, a), report_bytes(sum->sum.bytes, b),
               packed ? "?" : report_count(sum->sum.cells, c), sum->codec ? sum->codec : "-", sum->encoding ? sum->encoding : "-",
               f->name);
}

static const char *keep_name(enum keep_deleted keep) {
    return keep == KEEP_DELETED_TTL ? "TTL" : keep == KEEP_DELETED_TRUE ? "TRUE" : "FALSE";
}

/* As HBase's shell writes them. Without a descriptor nothing is known of them. */
static void print_rules(const struct hbase_family *f, const struct mob_sizes *mob) {
    char a[32], b[32];
    const struct family_rules *r = &f->rules;
    if (!r->versions_given) return;
    text_print("%12s", "");
    if (r->versions == UINT32_MAX)
        text_print("VERSIONS => unlimited");
    else
        text_print("VERSIONS => %u", r->versions);
    if (r->ttl_s)
        text_print(", TTL => %lld", (long long)r->ttl_s);
    else
        text_print(", TTL => FOREVER");
    if (r->ttl_s >= DAY_S) text_print(" (%.3g days)", (double)r->ttl_s / DAY_S);
    if (r->min_versions) text_print(", MIN_VERSIONS => %u", r->min_versions);
    if (r->keep_deleted != KEEP_DELETED_FALSE) text_print(", KEEP_DELETED_CELLS => %s", keep_name(r->keep_deleted));
    if (r->new_version_behavior) text_print(", NEW_VERSION_BEHAVIOR");
    if (f->is_mob) text_print(", IS_MOB");
    if (mob->files)
        text_print(" (%s mob file%s, %s)", report_count(mob->files, a), mob->files == 1 ? "" : "s", report_bytes(mob->bytes, b));
    text_print("\n");
}

static int print_region(const struct region_info *region, const struct store_sum *sum, struct err *err) {
    char a[32], b[32];
    struct buf row = {0};
    struct bytes start = buf_bytes(&region->start);
    if (start.n > ROW_SHOWN_BYTES) start.n = ROW_SHOWN_BYTES;
    int rc = plain_put(&row, start.n ? start : bytes_str("(first)"), err) || buf_put_byte(&row, 0, err) ? -1 : 0;
    if (!rc)
        text_print("  %9s %12s  region from %s%s\n", report_count(sum->files, a), report_bytes(sum->bytes, b),
                   (const char *)row.p, start.n < region->start.n ? "..." : "");
    buf_free(&row);
    return rc;
}

/* One region begins at the first row: there is nothing to say. */
static int print_regions(const struct store_files *s, const struct store_sum *sums, struct err *err) {
    size_t shown = s->n_regions < REGIONS_SHOWN ? s->n_regions : REGIONS_SHOWN;
    if (s->n_regions < 2) return 0;
    for (size_t i = 0; i < shown; i++)
        if (print_region(&s->regions[i], &sums[i], err)) return -1;
    if (shown < s->n_regions) text_print("  … and %zu regions more: --json has all\n", s->n_regions - shown);
    return 0;
}

static int print_store(const struct input_store *in, const struct store_sums *sums, bool packed, bool first, struct err *err) {
    const struct store_files *s = &in->files;
    char a[32];
    if (first) text_print("  %9s %12s %16s  %-7s  %-12s  %s\n", "files", "bytes", "cells", "codec", "encoding", "family");
    text_print("%s: %s region%s\n", s->what, report_count(s->n_regions, a), s->n_regions == 1 ? "" : "s");
    for (uint32_t f = 0; f < s->table.n_families; f++) {
        print_family(&s->table.families[f], &sums->families[f], packed);
        print_rules(&s->table.families[f], &sums->families[f].mob);
    }
    return print_regions(s, sums->regions, err);
}

/* ---- as JSON ---- */

static json_t *rules_json(const struct family_rules *r) {
    if (!r->versions_given) return json_null();
    return json_new(JSON("versions", r->versions == UINT32_MAX ? json_string("unlimited") : json_integer(r->versions)),
                    JSON("min_versions", r->min_versions), JSON("ttl_s", r->ttl_s),
                    JSON("keep_deleted_cells", keep_name(r->keep_deleted)),
                    JSON("new_version_behavior", r->new_version_behavior));
}

static json_t *family_json(const struct hbase_family *f, const struct family_sum *sum) {
    return json_new(JSON("name", json_text(f->name)), JSON("files", sum->sum.files), JSON("bytes", sum->sum.bytes),
                    JSON("cells", sum->sum.cells), JSON("kv_bytes", sum->sum.kv_bytes),
                    JSON("codec", sum->codec ? sum->codec : "-"), JSON("encoding", sum->encoding ? sum->encoding : "-"),
                    JSON("compression", json_text(f->compression)), JSON("data_block_encoding", json_text(f->encoding)),
                    JSON("bloomfilter", json_text(f->bloom)), JSON("mob", f->is_mob), JSON("mob_files", sum->mob.files),
                    JSON("mob_bytes", sum->mob.bytes), JSON("mob_kv_bytes", sum->mob.kv_bytes),
                    JSON("rules", rules_json(&f->rules)));
}

static json_t *region_json(const struct region_info *region, const struct store_sum *sum) {
    return json_new(JSON("name", json_text(region->encoded)), JSON("start_hex", json_hex(buf_bytes(&region->start))),
                    JSON("end_hex", json_hex(buf_bytes(&region->end))), JSON("files", sum->files), JSON("bytes", sum->bytes));
}

static json_t *store_json(const struct input_store *in, const struct store_sums *sums) {
    const struct store_files *s = &in->files;
    json_t *families = json_array(), *regions = json_array();
    for (uint32_t f = 0; f < s->table.n_families; f++)
        json_array_append_new(families, family_json(&s->table.families[f], &sums->families[f]));
    for (size_t i = 0; i < s->n_regions; i++) json_array_append_new(regions, region_json(&s->regions[i], &sums->regions[i]));
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:{s:I, s:I}, s:{s:I, s:I}}", "what", json_text(s->what), "namespace",
                     json_text(s->table.ns ? s->table.ns : ""), "table", json_text(s->table.name ? s->table.name : ""), "regions",
                     (json_int_t)s->n_regions, "files", (json_int_t)s->n_files, "families", families, "region_list", regions,
                     "recovered_edits", "files", (json_int_t)s->recovered_edits.files, "bytes",
                     (json_int_t)s->recovered_edits.bytes, "wal", "files", (json_int_t)s->wal.files, "bytes",
                     (json_int_t)s->wal.bytes);
}

int import_list_store(const struct input_store *in, bool packed, bool first, json_t *entries, struct err *err) {
    uint32_t families = in->files.table.n_families;
    size_t regions = in->files.n_regions;
    struct store_sums sums = {calloc(families + 1, sizeof *sums.families), calloc(regions + 1, sizeof *sums.regions)};
    int rc = 0;
    if (!sums.families || !sums.regions) {
        rc = err_nomem(err, families * sizeof *sums.families + regions * sizeof *sums.regions, "the list of families");
    } else {
        sum_files(in, &sums);
        rc = sum_mob(in, &sums, err);
        if (!rc && !entries) rc = print_store(in, &sums, packed, first, err);
        if (!rc && entries && json_array_append_new(entries, store_json(in, &sums))) rc = err_nomem(err, 0, "the list of stores");
    }
    free(sums.families);
    free(sums.regions);
    return rc;
}
