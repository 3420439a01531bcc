/* Writes and reads MANIFEST.json: an entry a line for inputs and files, so that long lists are never in memory as a tree, and a
 * checksum of the text as the last field. */
#include "dataset/manifest.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/json.h"
#include "dataset/manifest_json.h"
#include "dataset/manifest_packs.h"
#include "dataset/manifest_shard.h"
#include "dataset/manifest_brief.h"
#include "dataset/manifest_table.h"
#include "dataset/publication.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MANIFEST_MAX_BYTES = 1 << 30 };

static json_t *digest_json(struct digest d) {
    char hex[DIGEST_HEX];
    digest_print(d, hex);
    return json_string(hex);
}

static json_t *file_json(const struct manifest_file *f, const struct table *t) {
    json_t *j = json_pack(
        "{s:o, s:o, s:I, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:o, s:s}", "path", manifest_text(f->path), "family",
        manifest_text(t->families[f->family].name), "partition", (json_int_t)f->partition, "partition_name",
        manifest_text(t->partitioning.names[f->partition]), "number", (json_int_t)f->number, "cells", (json_int_t)f->tally.cells,
        "bytes", (json_int_t)f->file_bytes, "kv_bytes", (json_int_t)f->kv_bytes, "first_row_hex",
        manifest_hex(buf_bytes(&f->first_row)), "last_row_hex", manifest_hex(buf_bytes(&f->last_row)), "ts_min",
        (json_int_t)f->ts_min, "ts_max", (json_int_t)f->ts_max, "digest", digest_json(f->tally.digest), "checksum", f->checksum);
    if (f->offset) json_object_set_new(j, "offset", json_integer((json_int_t)f->offset));
    if (f->taken) json_object_set_new(j, "taken_over", json_string(link_way_name(f->taken)));
    return j;
}

/* Parses the members of a file's entry that tie it to the table. */
static int file_place(const json_t *j, const struct table *t, struct manifest_file *f, struct err *err) {
    char *family;
    const char *sum = json_string_value(json_object_get(j, "checksum"));
    if (manifest_u32(j, "partition", &f->partition, err) ||
        manifest_text_parse(json_object_get(j, "path"), "a path", &f->path, err) ||
        manifest_text_parse(json_object_get(j, "family"), "a family", &family, err))
        return -1;
    int fam = family ? table_family(t, bytes_str(family)) : -1;
    bool good = f->path && fam >= 0 && manifest_text_is_safe(f->path, family) && f->partition < t->partitioning.count && sum &&
                strlen(sum) == 16;
    free(family);
    if (!good) return err_set(err, ERR_INPUT, "manifest: file entry '%.100s' is malformed", f->path ? f->path : "");
    f->family = (uint32_t)fam;
    memcpy(f->checksum, sum, 17);
    char *name = NULL;
    if (manifest_text_parse(json_object_get(j, "partition_name"), "a partition", &name, err)) return -1;
    f->misnamed = !name || strcmp(name, t->partitioning.names[f->partition]) != 0;
    free(name);
    return 0;
}

void manifest_file_free(struct manifest_file *f) {
    free(f->path);
    buf_free(&f->first_row);
    buf_free(&f->last_row);
}

static int file_parse(const json_t *j, struct manifest *m, struct err *err) {
    struct manifest_file f = {0};
    int rc = file_place(j, &m->table, &f, err) || manifest_u32(j, "number", &f.number, err) ||
             manifest_u64(j, "bytes", &f.file_bytes, err) || manifest_u64(j, "kv_bytes", &f.kv_bytes, err) ||
             manifest_i64(j, "ts_min", &f.ts_min, err) || manifest_i64(j, "ts_max", &f.ts_max, err) ||
             manifest_tally_parse(j, &f.tally, err) ||
             manifest_hex_parse(json_object_get(j, "first_row_hex"), &f.first_row, err) ||
             manifest_hex_parse(json_object_get(j, "last_row_hex"), &f.last_row, err) ||
             (json_object_get(j, "offset") && manifest_u64(j, "offset", &f.offset, err));
    f.taken = link_way_named(json_string_value(json_object_get(j, "taken_over")));
    if (!rc) rc = manifest_add_file(m, &f, err);
    if (rc) manifest_file_free(&f);
    return rc ? -1 : 0;
}

/* The kind of an input's checksum, where it is not XXH3-64 of all bytes. */
static const char stretches[] = "xxh3-64-mib-sum";

static json_t *input_json(const struct manifest_input *in) {
    json_t *j = json_new(JSON("path", manifest_text(in->path)), JSON("format", in->format), JSON("bytes", in->file_bytes),
                         JSON("mtime_ns", in->mtime_ns), JSON("records", in->records), JSON("cells", in->tally.cells),
                         JSON("digest", digest_json(in->tally.digest)), JSON("checksum", in->checksum));
    if (in->by_stretches) json_object_set_new(j, "checksum_kind", json_string(stretches));
    if (in->ctime_ns) json_object_set_new(j, "ctime_ns", json_integer((json_int_t)in->ctime_ns));
    if (in->earlier) json_object_set_new(j, "earlier", json_true());
    return j;
}

/* The format's name follows the path, in the same allocation. */
static int input_names(const json_t *j, struct manifest_input *in, struct err *err) {
    const char *format = json_string_value(json_object_get(j, "format"));
    if (manifest_text_parse(json_object_get(j, "path"), "a path", &in->path, err)) return -1;
    if (!in->path) return err_set(err, ERR_INPUT, "manifest: an input without path");
    if (!format) format = "";
    size_t n = strlen(in->path) + 1, m = strlen(format) + 1;
    if (grow_to(&in->path, n + m, 1, "a path", err)) return -1;
    in->format = memcpy(in->path + n, format, m);
    return 0;
}

static int input_parse(const json_t *j, struct manifest_input *in, struct err *err) {
    const char *sum = json_string_value(json_object_get(j, "checksum"));
    if (input_names(j, in, err)) return -1;
    if (manifest_u64(j, "bytes", &in->file_bytes, err) || manifest_i64(j, "mtime_ns", &in->mtime_ns, err) ||
        manifest_u64(j, "records", &in->records, err))
        return -1;
    const char *kind = json_string_value(json_object_get(j, "checksum_kind"));
    in->by_stretches = kind && !strcmp(kind, stretches);
    if (sum && strlen(sum) == 16 && (!kind || in->by_stretches)) memcpy(in->checksum, sum, 17);
    in->ctime_ns = json_integer_value(json_object_get(j, "ctime_ns"));
    in->earlier = json_is_true(json_object_get(j, "earlier"));
    return manifest_tally_parse(j, &in->tally, err);
}

/* Appends a list, one entry a line: made one by one, since the tree of a long list takes ten times its text. */
static int put_list(struct buf *out, const struct manifest *m, bool files, struct err *err) {
    size_t n = !files ? m->n_inputs : m->n_packs ? 0 : m->n_files;
    if (buf_printf(out, err, ",\n \"%s\": [", files ? "files" : "inputs")) return -1;
    for (size_t i = 0; i < n; i++) {
        json_t *entry = files ? file_json(&m->files[i], &m->table) : input_json(&m->inputs[i]);
        char *text = json_memory_dump(entry, 0, "the manifest", err);
        int rc = text ? buf_printf(out, err, "%s\n  ", i ? "," : "") : -1;
        if (!rc) rc = buf_put(out, text, strlen(text), err);
        free(text);
        if (rc) return -1;
    }
    return buf_printf(out, err, n ? "\n ]" : "]");
}

static char *print_head(const struct manifest *m, struct err *err) {
    uint64_t bytes = 0, kv_bytes = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        bytes += m->files[i].file_bytes;
        kv_bytes += m->files[i].kv_bytes;
    }
    json_t *j = json_pack(
        "{s:[i,i], s:o, s:O, s:I, s:b, s:o, s:o, s:o, s:{s:I, s:I, s:I, s:I, s:o}}", "schema", MANIFEST_MAJOR, MANIFEST_MINOR,
        "tool", manifest_text(m->tool), "settings", m->settings, "now_ms", (json_int_t)m->now_ms, "now_given", (int)m->now_given,
        "table", manifest_table_json(&m->table), "rules", manifest_text(m->rules), "ledger", manifest_ledger_json(&m->ledger),
        "totals", "files", (json_int_t)m->n_files, "cells", (json_int_t)ledger_written(&m->ledger)->cells, "bytes",
        (json_int_t)bytes, "kv_bytes", (json_int_t)kv_bytes, "digest", digest_json(ledger_written(&m->ledger)->digest));
    if (j && m->kind) json_object_set_new(j, "kind", json_string(dataset_kind_name(m->kind)));
    if (j && m->n_pending) json_object_set_new(j, "pending", manifest_pending_json(m->pending, m->n_pending, &m->table));
    if (j && m->warnings) json_object_set(j, "warnings", m->warnings);
    if (j && (manifest_shard_put(m, j) || manifest_packs_put(m, j) || (m->shard.of && manifest_brief_put(j)))) {
        json_decref(j);
        j = NULL;
    }
    return json_memory_dump(j, JSON_INDENT(1), "the manifest", err);
}

static char *print_manifest(const struct manifest *m, struct err *err) {
    struct buf text = {0};
    char *head = print_head(m, err);
    int rc = head ? buf_put(&text, head, strlen(head) - strlen("\n}"), err) : -1;
    free(head);
    if (!rc) rc = put_list(&text, m, false, err) || put_list(&text, m, true, err) || manifest_put_seal(&text, err) ? -1 : 0;
    if (!rc) return (char *)text.p;
    buf_free(&text);
    return NULL;
}

static int totals_parse(const json_t *j, struct manifest_totals *t, struct err *err) {
    if (!j) return 0; /* then they differ from the files */
    return manifest_u64(j, "files", &t->files, err) || manifest_u64(j, "bytes", &t->file_bytes, err) ||
                   manifest_u64(j, "kv_bytes", &t->kv_bytes, err) || manifest_tally_parse(j, &t->tally, err)
               ? -1
               : 0;
}

/* All but the lists. */
static int parse_head(json_t *j, struct manifest *m, struct err *err) {
    json_t *schema = json_object_get(j, "schema");
    const char *kind = json_string_value(json_object_get(j, "kind"));
    if (!json_is_array(schema)) return err_set(err, ERR_INPUT, "not a manifest: no schema version");
    if (kind && !strcmp(kind, "export")) /* of a directory that obkv-export wrote */
        return err_set(err, ERR_UNSUPPORTED, "the manifest of an export, not of a dataset; give the dataset that was exported");
    json_int_t major = json_integer_value(json_array_get(schema, 0));
    if (major != MANIFEST_MAJOR)
        return err_set(err, ERR_UNSUPPORTED, "schema version %lld, this program reads %d; use a newer program", (long long)major,
                       MANIFEST_MAJOR);
    if (manifest_brief_take(j, err)) return -1;
    json_t *settings = json_object_get(j, "settings");
    m->settings = settings ? json_incref(settings) : json_null();
    if (dataset_kind_parse(kind, &m->kind, err)) return -1;
    if (manifest_text_parse(json_object_get(j, "tool"), "tool", &m->tool, err) ||
        manifest_text_parse(json_object_get(j, "rules"), "rules", &m->rules, err) || manifest_i64(j, "now_ms", &m->now_ms, err))
        return -1;
    if (!m->tool && !(m->tool = strdup(""))) return err_nomem(err, 1, "the manifest");
    m->now_given = json_is_true(json_object_get(j, "now_given"));
    if (manifest_table_parse(json_object_get(j, "table"), &m->table, err)) return -1;
    if (manifest_ledger_parse(json_object_get(j, "ledger"), &m->ledger, err)) return -1;
    if (totals_parse(json_object_get(j, "totals"), &m->totals, err)) return -1;
    json_t *warnings = json_object_get(j, "warnings");
    if (warnings && !json_is_object(warnings)) return err_set(err, ERR_INPUT, "manifest: the warnings are malformed");
    m->warnings = warnings ? json_incref(warnings) : NULL;
    if (manifest_shard_parse(j, m, err) || manifest_packs_parse(j, m, err)) return -1;
    return manifest_pending_parse(json_object_get(j, "pending"), &m->table, &m->pending, &m->n_pending, err);
}

static int make_inputs(struct manifest *m, size_t n, struct err *err) {
    m->inputs = calloc(n + 1, sizeof *m->inputs);
    return m->inputs ? 0 : err_nomem(err, n * sizeof *m->inputs, "the manifest");
}

static int parse_lists(const json_t *j, struct manifest *m, struct err *err) {
    const json_t *inputs = json_object_get(j, "inputs"), *e;
    size_t i;
    if (make_inputs(m, json_array_size(inputs), err)) return -1;
    json_array_foreach(inputs, i, e) {
        if (input_parse(e, &m->inputs[m->n_inputs++], err)) return -1;
    }
    json_array_foreach(json_object_get(j, "files"), i, e) {
        if (file_parse(e, m, err)) return -1;
    }
    return 0;
}

static int parse_whole(const char *text, size_t n, struct manifest *m, struct err *err) {
    json_error_t je;
    json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &je);
    if (!j) return err_set(err, ERR_INPUT, "line %d: %s", je.line, je.text);
    int rc = parse_head(j, m, err) || parse_lists(j, m, err) ? -1 : 0;
    json_decref(j);
    return rc;
}

/* ---- by lines ---- */

static int head_by_lines(struct bytes head, struct manifest *m, struct err *err) {
    struct buf text = {0};
    json_t *j = NULL;
    if (!buf_put(&text, head.p, head.n, err) && !buf_put_byte(&text, '}', err))
        j = json_loadb((const char *)text.p, text.n, JSON_REJECT_DUPLICATES, NULL);
    buf_free(&text);
    int rc = j ? parse_head(j, m, err) : -1;
    json_decref(j);
    return rc;
}

static int entry_parse(struct bytes entry, bool file, struct manifest *m, struct manifest_input *in, struct err *err) {
    json_t *j = json_loadb((const char *)entry.p, entry.n, JSON_REJECT_DUPLICATES, NULL);
    int rc = !j ? -1 : file ? file_parse(j, m, err) : input_parse(j, in, err);
    json_decref(j);
    return rc;
}

static int files_by_lines(struct bytes list, struct manifest *m, struct err *err) {
    struct bytes entry;
    while (manifest_lines_next(&list, &entry))
        if (entry_parse(entry, true, m, NULL, err)) return -1;
    return 0;
}

/* Parses inputs from the last to the first. Where the text is the caller's to give, what has been read of it goes: text and
 * entries together are twice as much. */
static int inputs_by_lines(struct bytes list, char **owned, bool keeps, struct manifest *m, struct err *err) {
    enum { STEP_BYTES = 1 << 20 };
    size_t had = list.n, n = manifest_lines_count(list);
    struct bytes entry;
    if (make_inputs(m, keeps ? n : 1, err)) return -1;
    m->n_inputs = keeps ? n : 1;
    while (n && manifest_lines_last(&list, &entry)) {
        struct manifest_input *in = &m->inputs[keeps ? --n : 0];
        if (entry_parse(entry, false, m, in, err)) return -1;
        if (!keeps) free(in->path);
        if (!keeps) *in = (struct manifest_input){0};
        if (!owned || had - list.n < STEP_BYTES) continue;
        size_t at = (size_t)(list.p - (const uint8_t *)*owned);
        char *less = realloc(*owned, at + list.n);
        if (less) *owned = less;
        list.p = (const uint8_t *)*owned + at;
        had = list.n;
    }
    return 0;
}

enum { KEEPS_INPUTS = 1, KEEPS_FILES = 2 };

/* owned: the text, which may be cut; or NULL. keeps: of the lists. false: parse the whole text, which also reports what is
 * wrong. */
static bool parse_by_lines(const char *text, size_t n, char **owned, unsigned keeps, struct manifest *m) {
    struct manifest_lines l;
    struct err err = {0};
    *m = (struct manifest){0};
    if (!manifest_is_sealed(text, n) || !manifest_lines_cut(bytes_of(text, n), &l)) return false;
    m->sealed = true;
    int rc = head_by_lines(l.head, m, &err);
    if (!rc && keeps & KEEPS_FILES) rc = files_by_lines(l.files, m, &err);
    if (!rc && !inputs_by_lines(l.inputs, owned, keeps & KEEPS_INPUTS, m, &err)) return true;
    manifest_free(m);
    return false;
}

int manifest_parse(const char *name, const char *text, size_t n, struct manifest *out, struct err *err) {
    int rc = parse_by_lines(text, n, NULL, KEEPS_INPUTS | KEEPS_FILES, out) ? 0 : parse_whole(text, n, out, err);
    malloc_trim(0); /* trees are not to be kept for the run that follows */
    out->sealed = manifest_is_sealed(text, n);
    if (!rc) return 0;
    manifest_free(out);
    return err_prefix(err, "%s", name);
}

/* Prints the manifest, and refuses to if it could not be read back as it was. Entries of inputs, of which there may be very many,
 * are let go. */
char *manifest_print(const struct manifest *m, struct err *err) {
    struct manifest back = {0};
    char *text = print_manifest(m, err);
    int rc = text ? 0 : -1;
    if (!rc && !parse_by_lines(text, strlen(text), NULL, KEEPS_FILES, &back))
        rc = manifest_parse("the manifest to be written", text, strlen(text), &back, err);
    const char *differs = rc ? NULL : manifest_differs(m, &back);
    if (!rc) manifest_free(&back);
    if (differs) rc = err_set(err, ERR_INTERNAL, "the manifest to be written: its \"%s\" cannot be read back", differs);
    if (!rc) return text;
    free(text);
    return NULL;
}

static int load(const char *dir, unsigned keeps, struct manifest *out, struct err *err) {
    char *path = publication_recover(dir, err) ? NULL : fs_join(dir, "MANIFEST.json", err);
    if (!path) return -1;
    size_t n;
    char *text = fs_read_text(path, MANIFEST_MAX_BYTES, &n, err);
    bool whole = text && !parse_by_lines(text, n, &text, keeps, out);
    int rc = text ? 0 : -1;
    free(text);
    if (whole) { /* it may have been cut */
        text = fs_read_text(path, MANIFEST_MAX_BYTES, &n, err);
        rc = text ? manifest_parse(path, text, n, out, err) : -1;
        free(text);
    }
    malloc_trim(0);
    free(path);
    return rc;
}

int manifest_load(const char *dir, struct manifest *out, struct err *err) {
    return load(dir, KEEPS_INPUTS | KEEPS_FILES, out, err);
}

int manifest_load_inputs(const char *dir, struct manifest *out, struct err *err) {
    return load(dir, KEEPS_INPUTS, out, err);
}

void manifest_free(struct manifest *m) {
    if (m->table_lent) m->table.partitioning = (struct partitioning){0};
    if (m->table_lent) m->table.ddl = NULL;
    if (m->inputs_lent) m->inputs = NULL;
    for (size_t i = 0; m->inputs && i < m->n_inputs; i++) free(m->inputs[i].path);
    for (size_t i = 0; i < m->n_files; i++) manifest_file_free(&m->files[i]);
    manifest_pending_free(m->pending, m->n_pending);
    manifest_packs_free(m);
    free(m->inputs);
    free(m->files);
    free(m->tool);
    free(m->rules);
    if (m->settings) json_decref(m->settings);
    json_decref(m->warnings);
    json_decref(m->shard.notes);
    json_decref(m->shard.rows);
    json_decref(m->share.notes);
    table_free(&m->table);
    *m = (struct manifest){0};
}

int manifest_add_file(struct manifest *m, const struct manifest_file *f, struct err *err) {
    if (grow_array(&m->files, m->n_files, sizeof *m->files, "the list of files", err)) return -1;
    m->files[m->n_files++] = *f;
    return 0;
}

int manifest_sort_families(struct manifest *m, struct err *err) {
    uint32_t *rank = calloc(m->table.n_families + 1, sizeof *rank);
    if (!rank) return err_nomem(err, m->table.n_families * sizeof *rank, "families");
    table_rank_families(&m->table, rank);
    int rc = table_place_families(&m->table, rank, err);
    for (size_t i = 0; !rc && i < m->n_files; i++) m->files[i].family = rank[m->files[i].family];
    for (size_t i = 0; !rc && i < m->n_packs; i++) m->packs[i].family = rank[m->packs[i].family];
    free(rank);
    return rc;
}
