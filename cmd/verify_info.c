#include "base/be.h"
#include "cell/keyvalue.h"
#include "cmd/json_text.h"
#include "cmd/verify.h"
#include "dataset/manifest_table.h"
#include "hfile/hfile_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Enough of a key or value to recognise it: printable as it is, the rest as \xNN. */
static void print_bytes(struct bytes b) {
    for (size_t i = 0; i < b.n && i < 120; i++) {
        if (isprint(b.p[i]) && b.p[i] != '\\')
            putchar(b.p[i]);
        else
            printf("\\x%02X", b.p[i]);
    }
    if (b.n > 120) printf("… (%zu bytes)", b.n);
}

static void print_row_of(const char *label, struct bytes key) {
    struct kv_key k;
    printf("  %-22s ", label);
    if (key.n && kv_key_parse(key, &k)) print_bytes(k.row);
    putchar('\n');
}

/* Which keys hold a number: row keys and texts may have 4 or 8 bytes too. */
static bool is_number(struct bytes key) {
    static const char *const names[] = {"BULKLOAD_TIMESTAMP",  "DELETE_FAMILY_COUNT",  "EARLIEST_PUT_TS",
                                        "KEY_VALUE_VERSION",   "MAX_MEMSTORE_TS_KEY",  "MAX_SEQ_ID_KEY",
                                        "OBKV.CELLS",          "OBKV.NEXT_DROP_MS",    "hfile.AVG_KEY_LEN",
                                        "hfile.AVG_VALUE_LEN", "hfile.CREATE_TIME_TS", "hfile.LEN_OF_BIGGEST_CELL",
                                        "hfile.MAX_TAGS_LEN"};
    for (size_t i = 0; i < countof(names); i++)
        if (bytes_eq(key, bytes_str(names[i]))) return true;
    return false;
}

static void print_pair(const struct hfile_pair *p) {
    printf("  %-34.*s ", (int)p->key.n, (const char *)p->key.p);
    if (p->value.n == 8 && is_number(p->key))
        printf("%lld", (long long)be64(p->value.p));
    else if (p->value.n == 4 && is_number(p->key))
        printf("%d", (int)be32(p->value.p));
    else if (p->value.n == 16 && bytes_eq(p->key, bytes_str("TIMERANGE")))
        printf("%lld .. %lld", (long long)be64(p->value.p), (long long)be64(p->value.p + 8));
    else if (p->value.n == 16 && bytes_eq(p->key, bytes_str("OBKV.DIGEST")))
        printf("%016llx%016llx", (unsigned long long)be64(p->value.p), (unsigned long long)be64(p->value.p + 8));
    else
        print_bytes(p->value);
    putchar('\n');
}

static void hfile_text(const struct hfile_info *i) {
    char a[32], b[32];
    printf("%s: HFile v%u.%u, %s cells, %s\n", i->path, i->major, i->minor, report_count(i->cells, a),
           report_bytes(i->file_bytes, b));
    printf("  %-22s %s\n  %-22s %s\n", "codec", hfile_codec_name(i->codec), "encoding", hfile_encoding_name(i->encoding));
    printf("  %-22s %.*s\n", "bloom", i->bloom_type_name.n ? (int)i->bloom_type_name.n : 4,
           i->bloom_type_name.n ? (const char *)i->bloom_type_name.p : "NONE");
    printf("  %-22s %u\n  %-22s %s\n", "index levels", i->index_levels, "comparator", i->comparator);
    printf("  %-22s tags %s, mvcc %s (largest %llu)\n", "cells carry", i->has_tags ? "yes" : "no", i->has_mvcc ? "yes" : "no",
           (unsigned long long)i->max_mvcc);
    print_row_of("first row", i->first_key);
    print_row_of("last row", i->last_key);
    printf(" file info:\n");
    for (size_t k = 0; k < i->n_pairs; k++) print_pair(&i->pairs[k]);
}

static json_t *hfile_json(const struct hfile_info *i) {
    json_t *pairs = json_object();
    for (size_t k = 0; k < i->n_pairs; k++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)i->pairs[k].key.n, (const char *)i->pairs[k].key.p);
        for (char *p = name; *p; p++)
            if ((unsigned char)*p >= 0x80) *p = '?';
        json_object_set_new(pairs, name, manifest_hex(i->pairs[k].value));
    }
    char version[32];
    snprintf(version, sizeof version, "%u.%u", i->major, i->minor);
    return json_pack("{s:o, s:s, s:s, s:I, s:I, s:s, s:s, s:I, s:b, s:b, s:I, s:o, s:o, s:o}", "path", json_text(i->path), "kind",
                     "hfile", "version", version, "cells", (json_int_t)i->cells, "bytes", (json_int_t)i->file_bytes, "codec",
                     hfile_codec_name(i->codec), "encoding", hfile_encoding_name(i->encoding), "index_levels",
                     (json_int_t)i->index_levels, "tags", (int)i->has_tags, "mvcc", (int)i->has_mvcc, "max_mvcc",
                     (json_int_t)i->max_mvcc, "first_key_hex", manifest_hex(i->first_key), "last_key_hex",
                     manifest_hex(i->last_key), "file_info_hex", pairs);
}

/* How an HBase bulk load of this folder would go. */
static void print_hbase(const struct manifest *m) {
    if (m->table.partitioning.kind == PARTITION_KEY && m->n_files > 1)
        printf("  for HBase              every file spans all regions: a bulk load splits each one and needs\n"
               "                         -Dhbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily=%zu\n",
               m->n_files > 32 ? m->n_files : 32);
    else
        printf("  for HBase              bulk-loads as it is where at most 32 files fall into one region; load a copy\n");
}

static int dataset_text(const char *dir, const struct manifest *m, struct err *err) {
    char a[32], b[32], hex[DIGEST_HEX];
    struct buf text = {0};
    uint64_t bytes = 0, kv = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        bytes += m->files[i].file_bytes;
        kv += m->files[i].kv_bytes;
    }
    if (partitioning_describe(&m->table.partitioning, &text, err)) return -1;
    digest_print(ledger_written(&m->ledger)->digest, hex);
    printf("%s: dataset by %s\n", dir, m->tool);
    printf("  %-22s %s\n", "table", m->table.name ? m->table.name : "(no name)");
    printf("  %-22s %.*s\n", "partitioning", (int)text.n, (const char *)text.p);
    printf("  %-22s %s in %zu files, %s\n", "cells", report_count(ledger_written(&m->ledger)->cells, a), m->n_files,
           report_bytes(bytes, b));
    printf("  %-22s %s\n", "KeyValue bytes", report_bytes(kv, a));
    printf("  %-22s %s\n", "digest", hex);
    printf("  %-22s %s\n", "version rules applied", m->rules ? m->rules : "none");
    printf("  %-22s %lld%s\n", "now", (long long)m->now_ms, m->now_given ? "" : " (clock)");
    for (uint32_t i = 0; i < m->table.n_families; i++)
        printf("  family %-15s K <= %u, Q <= %u, V <= %llu bytes\n", m->table.families[i].name, m->table.families[i].k_max,
               m->table.families[i].q_max, (unsigned long long)m->table.families[i].v_max);
    for (size_t i = 0; i < m->n_inputs && i < 20; i++)
        printf("  input %-16s %s (%s cells)\n", m->inputs[i].format, m->inputs[i].path,
               report_count(m->inputs[i].tally.cells, a));
    print_hbase(m);
    buf_free(&text);
    return 0;
}

static int info_dataset(struct session *s, const char *dir, struct err *err) {
    struct manifest m;
    if (manifest_load(dir, &m, err)) return -1;
    int rc;
    if (s->o.json) {
        char *text = manifest_print(&m, err);
        rc = text ? 0 : -1;
        if (text) puts(text);
        free(text);
    } else {
        rc = dataset_text(dir, &m, err);
    }
    manifest_free(&m);
    return rc;
}

static int info_hfile(struct session *s, const char *path, struct err *err) {
    struct hfile *h = hfile_open(path, 0, err);
    if (!h) return -1;
    int rc = 0;
    if (s->o.json)
        rc = json_text_put(hfile_json(hfile_info(h)), err);
    else
        hfile_text(hfile_info(h));
    hfile_close(h);
    return rc;
}

int verify_info(struct session *s, int *code, struct err *err) {
    *code = 0;
    for (int i = 0; i < s->o.n_inputs; i++) {
        int is = dataset_is(s->o.inputs[i], err);
        if (is < 0) return -1;
        if (is ? info_dataset(s, s->o.inputs[i], err) : info_hfile(s, s->o.inputs[i], err)) return -1;
    }
    return 0;
}
