/* The manifest: what is printed is read again as it was, and what is not one is refused before it does harm. */
#include "flat_cells.h"

#include "base/fs.h"
#include "dataset/manifest.h"
#include "dataset/manifest_lines.h"
#include "dataset/manifest_table.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- random manifests ---- */

static char *word(uint64_t *s, const char *letters, size_t least, size_t most) {
    size_t n = least + flat_below(s, most - least + 1), kinds = strlen(letters);
    char *t = calloc(1, n + 1);
    assert_non_null(t);
    for (size_t i = 0; i < n; i++) t[i] = letters[flat_below(s, kinds)];
    return t;
}

/* Any bytes but NUL; every other one is no UTF-8. */
static char *any_text(uint64_t *s) {
    return word(s, flat_below(s, 2) ? "a\x80\xff\xc3\xa9\n\"\\$' " : "abc \xc3\xa9", 0, 12);
}

static struct tally random_tally(uint64_t *s) {
    return (struct tally){flat_random(s) >> 1, {flat_random(s), flat_random(s)}};
}

static void random_rules(uint64_t *s, struct family_rules *r) {
    static const uint32_t versions[] = {1, 3, UINT32_MAX - 1, UINT32_MAX};
    r->versions_given = flat_below(s, 3);
    r->versions = r->versions_given ? versions[flat_below(s, 4)] : UINT32_MAX;
    r->min_versions = (uint32_t)flat_random(s);
    r->ttl_s = (int64_t)flat_random(s);
    r->keep_deleted = (enum keep_deleted)flat_below(s, 3);
    r->new_version_behavior = flat_below(s, 2);
    r->purge_deletes_after_ms = (int64_t)(flat_random(s) >> flat_below(s, 64));
}

static void random_families(uint64_t *s, struct table *t) {
    struct err err = {0};
    uint32_t n = (uint32_t)flat_below(s, 5);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, i % 2 ? "f%u\xff" : "f%u", i);
        assert_int_equal(table_add_family(t, bytes_str(name), &err), 0);
        struct family *f = &t->families[i];
        f->sql_table = flat_below(s, 2) ? any_text(s) : NULL;
        f->v_type = flat_below(s, 2) ? any_text(s) : NULL;
        f->k_max = (uint32_t)flat_random(s);
        f->q_max = (uint32_t)flat_random(s);
        f->v_max = flat_random(s) >> 1;
        f->has_ttl_column = flat_below(s, 2);
        f->has_generated = flat_below(s, 2);
        f->is_padded = flat_below(s, 2);
        random_rules(s, &f->rules);
    }
}

static void random_partitioning(uint64_t *s, struct partitioning *p) {
    struct err err = {0};
    uint32_t n = 1 + (uint32_t)flat_below(s, 20);
    partitioning_free(p);
    p->kind = (enum partition_kind)flat_below(s, 3);
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        uint8_t bound[3] = {(uint8_t)(i * 12), 0xff, (uint8_t)flat_random(s)};
        snprintf(name, sizeof name, "leaf %u%s", i, i % 3 ? "" : "\xe9");
        struct bytes b = bytes_of(bound, 1 + flat_below(s, 3)), label = bytes_str(name);
        if (i + 1 == n && flat_below(s, 2)) b.p = NULL; /* MAXVALUE */
        assert_int_equal(partitioning_add(p, &label, p->kind == PARTITION_RANGE ? &b : NULL, &err), 0);
    }
    if (p->kind == PARTITION_KEY && flat_below(s, 2))
        p->prefix = (struct key_prefix){.on = true, .pos = -3, .has_len = flat_below(s, 2), .len = 0};
    if (p->prefix.has_len) p->prefix.len = (int64_t)flat_below(s, 9);
    if (p->kind != PARTITION_NONE && flat_below(s, 2)) p->k_pad = (uint32_t)flat_below(s, 1000);
}

static void random_files(uint64_t *s, struct manifest *m) {
    size_t n = m->table.n_families ? flat_below(s, 12) : 0;
    struct err err = {0};
    for (size_t i = 0; i < n; i++) {
        struct manifest_file f = {.family = (uint32_t)flat_below(s, m->table.n_families)};
        f.partition = (uint32_t)flat_below(s, m->table.partitioning.count);
        f.number = (uint32_t)flat_below(s, 3);
        f.file_bytes = flat_random(s) >> 8;
        f.kv_bytes = flat_random(s) >> 8;
        f.tally = random_tally(s);
        f.ts_min = (int64_t)flat_random(s);
        f.ts_max = (int64_t)flat_random(s);
        snprintf(f.checksum, sizeof f.checksum, "%016llx", (unsigned long long)flat_random(s));
        f.path = fs_printf(&err, "%s/p%05u-%03u.hfile", m->table.families[f.family].name, f.partition, f.number);
        for (size_t k = flat_below(s, 20); k; k--) buf_put_byte(&f.first_row, (uint8_t)flat_random(s), &err);
        for (size_t k = flat_below(s, 20); k; k--) buf_put_byte(&f.last_row, (uint8_t)flat_random(s), &err);
        assert_int_equal(manifest_add_file(m, &f, &err), 0);
    }
}

static void random_inputs(uint64_t *s, struct manifest *m) {
    static const char *const formats[] = {"csv", "hfile", "dataset"};
    m->n_inputs = flat_below(s, 5);
    m->inputs = calloc(m->n_inputs + 1, sizeof *m->inputs);
    for (size_t i = 0; i < m->n_inputs; i++) {
        struct manifest_input *in = &m->inputs[i];
        in->path = any_text(s);
        in->format = formats[flat_below(s, 3)];
        in->file_bytes = flat_random(s) >> 1;
        in->mtime_ns = (int64_t)flat_random(s);
        in->records = flat_random(s) >> 1;
        in->tally = random_tally(s);
        if (flat_below(s, 2)) snprintf(in->checksum, sizeof in->checksum, "%016llx", (unsigned long long)flat_random(s));
    }
}

static void random_manifest(uint64_t *s, struct manifest *m) {
    struct err err = {0};
    *m = (struct manifest){.tool = any_text(s), .now_ms = (int64_t)flat_random(s), .now_given = flat_below(s, 2)};
    m->settings = json_pack("{s:s, s:[i,n,b]}", "columns", "a,b", "list", 7, 1);
    m->rules = flat_below(s, 2) ? any_text(s) : NULL;
    assert_int_equal(table_handmade(&m->table, &err), 0);
    m->table.name = flat_below(s, 2) ? any_text(s) : NULL;
    m->table.ddl = flat_below(s, 2) ? any_text(s) : NULL;
    random_families(s, &m->table);
    random_partitioning(s, &m->table.partitioning);
    m->ledger = (struct ledger){flat_random(s) >> 1,
                                flat_random(s) >> 1,
                                flat_random(s) >> 1,
                                flat_random(s) >> 1,
                                random_tally(s),
                                random_tally(s),
                                .lost = {flat_below(s, 3), flat_random(s) >> 1, flat_below(s, 9)}};
    if (!m->ledger.lost.places) m->ledger.lost = (struct lost_count){0};
    for (int c = 0; c < CAUSE_COUNT; c++) {
        struct tally t = {flat_below(s, 1000), random_tally(s).digest};
        tally_add(&m->ledger.dropped[cause_verdict((enum cause)c)], t);
        if (c != CAUSE_KEPT) m->ledger.by[c] = t;
    }
    random_files(s, m);
    random_inputs(s, m);
}

/* ---- equality, field by field ---- */

static void expect_text(const char *a, const char *b) {
    assert_int_equal(!a, !b);
    if (a) assert_string_equal(a, b);
}

static void expect_tally(const struct tally *a, const struct tally *b) {
    assert_true(a->cells == b->cells && digest_eq(a->digest, b->digest));
}

static void expect_family(const struct family *a, const struct family *b) {
    expect_text(a->name, b->name);
    expect_text(a->sql_table, b->sql_table);
    expect_text(a->v_type, b->v_type);
    assert_true(a->k_max == b->k_max && a->q_max == b->q_max && a->v_max == b->v_max);
    assert_int_equal(a->has_ttl_column, b->has_ttl_column);
    assert_true(a->has_generated == b->has_generated && a->is_padded == b->is_padded);
    const struct family_rules *x = &a->rules, *y = &b->rules;
    assert_true(x->versions_given == y->versions_given && x->versions == y->versions && x->min_versions == y->min_versions);
    assert_true(x->ttl_s == y->ttl_s && x->keep_deleted == y->keep_deleted);
    assert_true(x->new_version_behavior == y->new_version_behavior && x->purge_deletes_after_ms == y->purge_deletes_after_ms);
}

static void expect_table(const struct table *a, const struct table *b) {
    expect_text(a->name, b->name);
    expect_text(a->ddl, b->ddl);
    assert_int_equal(a->n_families, b->n_families);
    for (uint32_t i = 0; i < a->n_families; i++) expect_family(&a->families[i], &b->families[i]);
    assert_true(partitioning_eq(&a->partitioning, &b->partitioning));
    assert_int_equal(b->client_order_differs, partitioning_client_differs(&a->partitioning));
}

static void expect_files(const struct manifest *a, const struct manifest *b) {
    assert_int_equal(a->n_files, b->n_files);
    for (size_t i = 0; i < a->n_files; i++) {
        const struct manifest_file *x = &a->files[i], *y = &b->files[i];
        assert_string_equal(x->path, y->path);
        assert_true(x->family == y->family && x->partition == y->partition && x->number == y->number);
        assert_true(x->file_bytes == y->file_bytes && x->kv_bytes == y->kv_bytes);
        assert_true(x->ts_min == y->ts_min && x->ts_max == y->ts_max);
        assert_true(bytes_eq(buf_bytes(&x->first_row), buf_bytes(&y->first_row)));
        assert_true(bytes_eq(buf_bytes(&x->last_row), buf_bytes(&y->last_row)));
        assert_string_equal(x->checksum, y->checksum);
        expect_tally(&x->tally, &y->tally);
    }
}

static void expect_inputs(const struct manifest *a, const struct manifest *b) {
    assert_int_equal(a->n_inputs, b->n_inputs);
    for (size_t i = 0; i < a->n_inputs; i++) {
        const struct manifest_input *x = &a->inputs[i], *y = &b->inputs[i];
        assert_string_equal(x->path, y->path);
        assert_string_equal(x->format, y->format);
        assert_true(x->file_bytes == y->file_bytes && x->mtime_ns == y->mtime_ns && x->records == y->records);
        assert_string_equal(x->checksum, y->checksum);
        expect_tally(&x->tally, &y->tally);
    }
}

static void expect_equal(const struct manifest *a, const struct manifest *b) {
    expect_text(a->tool, b->tool);
    expect_text(a->rules, b->rules);
    assert_true(json_equal(a->settings, b->settings));
    assert_true(a->now_ms == b->now_ms && a->now_given == b->now_given);
    expect_table(&a->table, &b->table);
    expect_files(a, b);
    expect_inputs(a, b);
    assert_true(a->ledger.records_read == b->ledger.records_read && a->ledger.records_accepted == b->ledger.records_accepted);
    assert_true(a->ledger.records_rejected == b->ledger.records_rejected &&
                a->ledger.records_skipped == b->ledger.records_skipped);
    expect_tally(&a->ledger.in, &b->ledger.in);
    assert_memory_equal(&a->ledger.lost, &b->ledger.lost, sizeof a->ledger.lost);
    expect_tally(&a->ledger.rejected, &b->ledger.rejected);
    for (int v = 0; v < VERDICT_COUNT; v++) expect_tally(&a->ledger.dropped[v], &b->ledger.dropped[v]);
    for (int c = 0; c < CAUSE_COUNT; c++) expect_tally(&a->ledger.by[c], &b->ledger.by[c]);
    assert_int_equal(a->ledger.unparted, b->ledger.unparted);
}

/* Parses a copy that ends where its length says. */
static int parse(const char *text, size_t n, struct manifest *out, struct err *err) {
    char *exact = malloc(n + !n);
    assert_non_null(exact);
    memcpy(exact, text, n);
    *err = (struct err){0};
    int rc = manifest_parse("M", exact, n, out, err);
    free(exact);
    return rc;
}

static void test_round_trip(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t s = seed * 0x9e3779b97f4a7c15u;
        struct manifest m, back;
        struct err err = {0};
        random_manifest(&s, &m);
        char *text = manifest_print(&m, &err);
        assert_string_equal(err.text, "");
        assert_int_equal(parse(text, strlen(text), &back, &err), 0);
        expect_equal(&m, &back);
        assert_true(back.sealed);
        char *again = manifest_print(&back, &err);
        assert_string_equal(text, again);
        free(text);
        free(again);
        manifest_free(&m);
        manifest_free(&back);
    }
}

/* Read by lines, as it was printed, and as a whole, when it is written otherwise. */
static void test_both_ways(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        uint64_t s = seed * 0x9e3779b97f4a7c15u;
        struct manifest m, back;
        struct manifest_lines l;
        struct err err = {0};
        random_manifest(&s, &m);
        char *text = manifest_print(&m, &err), *seal = strstr(text, ",\n \"checksum\"");
        assert_true(manifest_lines_cut(bytes_str(text), strlen(seal), &l));
        assert_int_equal(manifest_lines_count(l.inputs), m.n_inputs);
        assert_int_equal(manifest_lines_count(l.files), m.n_files);
        seal[strlen(seal) - 5] ^= 1;
        assert_int_equal(parse(text, strlen(text), &back, &err), 0);
        assert_false(back.sealed);
        expect_equal(&m, &back);
        manifest_free(&back);
        json_t *j = json_loads(text, 0, NULL);
        char *other = json_dumps(j, JSON_COMPACT);
        json_decref(j);
        assert_false(manifest_lines_cut(bytes_str(other), strlen(seal), &l));
        assert_int_equal(parse(other, strlen(other), &back, &err), 0);
        expect_equal(&m, &back);
        free(text);
        free(other);
        manifest_free(&m);
        manifest_free(&back);
    }
}

/* ---- what is refused ---- */

/* A small manifest: two families, three RANGE partitions, one file, one input. */
static char *sample(void) {
    char tool[] = "obkv-import 1.0.0", path[] = "/a.csv";
    struct manifest m = {.tool = tool, .settings = json_object(), .now_ms = 5, .ledger.lost.places = 1};
    struct manifest_input in = {.path = path, .format = "csv"};
    struct err err = {0};
    struct bytes bounds[] = {bytes_str("g"), bytes_str("p"), {NULL, 0}};
    assert_int_equal(table_handmade(&m.table, &err) || table_add_family(&m.table, bytes_str("f"), &err) ||
                         table_add_family(&m.table, bytes_str("g"), &err),
                     0);
    partitioning_free(&m.table.partitioning);
    m.table.partitioning.kind = PARTITION_RANGE;
    for (int i = 0; i < 3; i++) assert_int_equal(partitioning_add(&m.table.partitioning, NULL, &bounds[i], &err), 0);
    struct manifest_file f = {.path = strdup("g/p00001-000.hfile"), .family = 1, .partition = 1, .checksum = "0123456789abcdef"};
    assert_int_equal(manifest_add_file(&m, &f, &err), 0);
    m.inputs = &in;
    m.n_inputs = 1;
    char *text = manifest_print(&m, &err);
    assert_string_equal(err.text, "");
    m.inputs = NULL;
    m.n_inputs = 0;
    m.tool = NULL;
    manifest_free(&m);
    return text;
}

/* The member at "a/b/0/c" becomes `value` (JSON text; NULL removes it). */
static char *changed(const char *text, const char *where, const char *value) {
    json_t *root = json_loads(text, 0, NULL), *at = root;
    char path[100], *key = path, *slash;
    snprintf(path, sizeof path, "%s", where);
    for (; (slash = strchr(key, '/')); key = slash + 1) {
        *slash = 0;
        at = json_is_array(at) ? json_array_get(at, (size_t)strtol(key, NULL, 10)) : json_object_get(at, key);
        assert_non_null(at);
    }
    json_t *v = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    assert_true(!value || v);
    if (json_is_array(at)) {
        assert_int_equal(json_array_set_new(at, (size_t)strtol(key, NULL, 10), v), 0);
    } else {
        assert_non_null(json_object_get(at, key)); /* a typo here would prove nothing */
        assert_int_equal(v ? json_object_set_new(at, key, v) : json_object_del(at, key), 0);
    }
    char *out = json_dumps(root, 0);
    json_decref(root);
    return out;
}

static const struct refusal {
    const char *where, *value, *text;
} refusals[] = {
    {"schema", "1", "not a manifest"},
    {"schema", "[2,0]", "M: schema version 2, this program reads 1"},
    {"schema", "[\"1\",0]", "schema version 0"},
    {"now_ms", "\"5\"", "now_ms is not a number"},
    {"now_ms", "5.5", "now_ms is not a number"},
    {"tool", "7", "hex text expected"},
    {"rules", "[]", "hex text expected"},
    {"table", "[]", "partitioning is malformed"},
    {"table/families/0/name", "null", "a family name is empty"},
    {"table/families/0/name", "\"\"", "a family name is empty"},
    {"table/families/0/name", "\"..\"", "may not start with '.'"},
    {"table/families/0/name", "\"a/../..\"", "may not hold '/'"},
    {"table/families/0/name", "{\"hex\": \"2e2e\"}", "may not start with '.'"},
    {"table/families/0/name", "{\"hex\": \"610062\"}", "holds a zero byte"},
    {"table/families/0/name", "{\"hex\": \"6\"}", "hex text expected"},
    {"table/families/0/name", "{\"hex\": \"6G\"}", "is not hex"},
    {"table/families/0/name", "\"g\"", "is there already"},
    {"table/families/0/name", "\"MANIFEST.json\"", "is reserved"},
    {"table/families/0/k_max", "-1", "k_max is not a number"},
    {"table/families/0/k_max", "4294967296", "k_max is not a number"},
    {"table/families/0/v_max", "true", "v_max is not a number"},
    {"table/families/0/rules", "7", "unknown keep_deleted_cells"},
    {"table/families/0/rules/versions", "4294967297", "versions is not a number"},
    {"table/families/0/rules/versions", "-1", "versions is not a number"},
    {"table/families/0/rules/versions", "\"all\"", "versions is neither"},
    {"table/families/0/rules/versions", "[]", "versions is neither"},
    {"table/families/0/rules/keep_deleted_cells", "\"YES\"", "unknown keep_deleted_cells"},
    {"table/partitioning/kind", "\"hash\"", "partitioning is malformed"},
    {"table/partitioning/count", "0", "partitioning is malformed"},
    {"table/partitioning/count", "-3", "count is not a number"},
    {"table/partitioning/count", "4", "partitioning is malformed"},
    {"table/partitioning/count", "8193", "partitioning is malformed"},
    {"table/partitioning/count", "4294967295", "partitioning is malformed"},
    {"table/partitioning/count", "9223372036854775807", "count is not a number"},
    {"table/partitioning/names", "[\"a\",\"b\"]", "partitioning is malformed"},
    {"table/partitioning/names", "[\"a\",null,\"b\"]", "a partition without name"},
    {"table/partitioning/names", "[\"a\",5,\"b\"]", "hex text expected"},
    {"table/partitioning/names", "[\"a\",\"b\",\"A\"]", "stands twice"},
    {"table/partitioning/bounds_hex", "[\"67\",\"70\"]", "bounds and partition count differ"},
    {"table/partitioning/bounds_hex", "[\"67\",\"6\",null]", "hex text expected"},
    {"table/partitioning/bounds_hex", "[\"70\",\"67\",null]", "does not lie above"},
    {"table/partitioning/bounds_hex", "[\"67\",null,\"70\"]", "MAXVALUE must be the last bound"},
    {"table/partitioning/bounds_hex", "[\"\",\"70\",null]", "the bound is empty"},
    {"table/partitioning/bounds_hex", "{}", "bounds and partition count differ"},
    {"ledger", "null", "a digest is malformed"},
    {"ledger/records/read", "-1", "read is not a number"},
    {"ledger/lost", "{\"places\": 1, \"cells\": -1, \"uncounted\": 0}", "cells is not a number"},
    {"ledger/records/read", "1e3", "read is not a number"},
    {"ledger/cells/in/cells", "\"1\"", "cells is not a number"},
    {"ledger/cells/in/digest", "\"00\"", "a digest is malformed"},
    {"ledger/cells/superseded", "[]", "a digest is malformed"},
    {"files/0", "7", "file entry '' is malformed"},
    {"files/0/path", "\"../g/p00001-000.hfile\"", "file entry '../g/p00001-000.hfile' is malformed"},
    {"files/0/path", "\"g/../../etc/passwd\"", "is malformed"},
    {"files/0/path", "\"g/..\"", "is malformed"},
    {"files/0/path", "\"g/\"", "is malformed"},
    {"files/0/path", "\"g\"", "is malformed"},
    {"files/0/path", "\"\"", "is malformed"},
    {"files/0/path", "\"/etc/passwd\"", "is malformed"},
    {"files/0/path", "\"f/p00001-000.hfile\"", "is malformed"}, /* another family's folder */
    {"files/0/path", "{\"hex\": \"67002f\"}", "holds a zero byte"},
    {"files/0/family", "\"h\"", "is malformed"},
    {"files/0/family", "null", "is malformed"},
    {"files/0/partition", "3", "is malformed"},
    {"files/0/partition", "-1", "partition is not a number"},
    {"files/0/partition", "4294967297", "partition is not a number"},
    {"files/0/bytes", "-5", "bytes is not a number"},
    {"files/0/bytes", "{}", "bytes is not a number"},
    {"files/0/checksum", "\"0123\"", "is malformed"},
    {"files/0/checksum", "0", "is malformed"},
    {"files/0/digest", "0", "a digest is malformed"},
    {"files/0/first_row_hex", "null", "hex text expected"},
    {"files/0/last_row_hex", "\"0x\"", "is not hex"},
    {"inputs/0", "[]", "an input without path"},
    {"inputs/0/path", "null", "an input without path"},
    {"inputs/0/records", "-1", "records is not a number"},
    {"inputs/0/digest", "\"zz\"", "a digest is malformed"},
};

static void test_refused(void **state) {
    (void)state;
    char *good = sample();
    struct manifest m;
    struct err err;
    for (size_t i = 0; i < countof(refusals); i++) {
        char *bad = changed(good, refusals[i].where, refusals[i].value);
        int rc = parse(bad, strlen(bad), &m, &err);
        if (!strstr(err.text, refusals[i].text)) fail_msg("%s: %s: '%s'", refusals[i].where, refusals[i].value, err.text);
        assert_int_equal(rc, -1);
        assert_int_equal(err.code, strstr(refusals[i].text, "schema version") ? ERR_UNSUPPORTED : ERR_INPUT);
        assert_int_equal(strncmp(err.text, "M: ", 3), 0);
        assert_int_not_equal(strncmp(err.text + 3, "M: ", 3), 0);
        manifest_free(&m); /* nothing is left in it */
        free(bad);
    }
    free(good);
}

static void test_unknown_and_absent(void **state) {
    (void)state;
    char *good = sample();
    struct manifest m;
    struct err err;
    char *more = changed(good, "settings", "{\"new\": {\"deep\": [1, 2]}}"), *minor = changed(more, "schema", "[1, 77, \"x\"]");
    char *less = changed(minor, "table/partitioning/kind", "\"key\""); /* its bounds mean nothing then */
    char *none = changed(less, "inputs", NULL), *bare = changed(none, "settings", NULL);
    assert_int_equal(parse(bare, strlen(bare), &m, &err), 0);
    assert_int_equal(m.n_inputs, 0);
    assert_null(m.table.partitioning.bounds);
    char *text = manifest_print(&m, &err); /* can be printed all the same */
    assert_string_equal(err.text, "");
    free(text);
    manifest_free(&m);
    char *all[] = {good, more, minor, less, none, bare};
    for (size_t i = 0; i < countof(all); i++) free(all[i]);
}

static void test_no_json(void **state) {
    (void)state;
    static const char *const texts[] = {"", "{", "[]", "null", "7", "\"x\"", "{\"schema\": [1, 0], \"schema\": [1, 0]}", "{}x"};
    struct manifest m;
    struct err err;
    for (size_t i = 0; i < countof(texts); i++) {
        assert_int_equal(parse(texts[i], strlen(texts[i]), &m, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_int_equal(strncmp(err.text, "M: ", 3), 0);
    }
    char *good = sample();
    size_t n = strlen(good);
    for (size_t cut = 0; cut + 1 < n; cut += 7) assert_int_equal(parse(good, cut, &m, &err), -1);
    struct buf deep = {0};
    for (int i = 0; i < 100000; i++) buf_put_byte(&deep, '[', &err);
    assert_int_equal(parse((char *)deep.p, deep.n, &m, &err), -1);
    buf_free(&deep);
    free(good);
}

/* One changed byte anywhere: no JSON any more, refused, or the seal tells. */
static void test_seal(void **state) {
    (void)state;
    char *text = sample();
    size_t n = strlen(text), parsed = 0;
    struct manifest m;
    struct err err;
    for (size_t i = 0; i < n; i++) {
        text[i] ^= 1;
        if (parse(text, n, &m, &err) == 0) {
            parsed++;
            assert_false(m.sealed);
            manifest_free(&m);
        }
        text[i] ^= 1;
    }
    assert_in_range(parsed, 100, n);
    assert_int_equal(parse(text, n, &m, &err), 0);
    assert_true(m.sealed);
    manifest_free(&m);
    free(text);
}

static void test_files_are_sorted(void **state) {
    (void)state;
    uint64_t s = 3;
    struct manifest m;
    struct err err = {0};
    do {
        random_manifest(&s, &m);
    } while (m.n_files < 8 && (manifest_free(&m), true));
    manifest_sort_files(&m);
    for (size_t i = 1; i < m.n_files; i++) {
        const struct manifest_file *a = &m.files[i - 1], *b = &m.files[i];
        uint64_t x = (uint64_t)a->family << 48 | (uint64_t)a->partition << 24 | a->number;
        uint64_t y = (uint64_t)b->family << 48 | (uint64_t)b->partition << 24 | b->number;
        assert_true(x <= y);
    }
    manifest_free(&m);
    manifest_sort_files(&m); /* none */
    assert_string_equal(err.text, "");
}

static void test_families_are_sorted(void **state) {
    (void)state;
    const char *const found[] = {"m", "b", "zz", "a"}, *const by_name[] = {"a", "b", "m", "zz"};
    struct manifest m = {0};
    struct err err = {0};
    assert_int_equal(table_handmade(&m.table, &err), 0);
    for (uint32_t f = 0; f < 4; f++) {
        struct manifest_file file = {.path = strdup(found[f]), .family = f};
        assert_false(table_add_family(&m.table, bytes_str(found[f]), &err) || manifest_add_file(&m, &file, &err));
    }
    assert_int_equal(manifest_sort_families(&m, &err), 0);
    manifest_sort_files(&m);
    for (uint32_t f = 0; f < 4; f++) {
        assert_string_equal(m.table.families[f].name, by_name[f]);
        assert_int_equal(m.files[f].family, f);
        assert_string_equal(m.files[f].path, by_name[f]);
    }
    manifest_free(&m);
}

/* ---- on disk ---- */

static void put_file(const char *dir, const char *name, const void *p, size_t n) {
    struct err err = {0};
    char *path = fs_join(dir, name, &err);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    fclose(f);
    free(path);
}

static void expect_open_fails(const char *dir, const char *text) {
    struct manifest m;
    struct err err = {0};
    assert_int_equal(dataset_open(dir, &m, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    if (!strstr(err.text, text)) assert_string_equal(err.text, text);
}

static void test_dataset_open(void **state) {
    (void)state;
    char dir[] = "/tmp/t_manifest.XXXXXX", folder[64], *good = sample(), *sized = changed(good, "files/0/bytes", "5");
    struct manifest m;
    struct err err = {0};
    assert_non_null(mkdtemp(dir));
    snprintf(folder, sizeof folder, "%s/g", dir);
    assert_int_equal(dataset_is(dir, &err), 0);
    expect_open_fails(dir, "MANIFEST.json: cannot open: No such file");
    put_file(dir, "MANIFEST.json", sized, strlen(sized));
    assert_int_equal(dataset_is(dir, &err), 1);
    expect_open_fails(dir, "g/p00001-000.hfile: listed in the manifest: No such file");
    assert_int_equal(mkdir(folder, 0700), 0);
    put_file(dir, "g/p00001-000.hfile", "1234", 4);
    expect_open_fails(dir, "g/p00001-000.hfile: 4 bytes, the manifest says 5");
    put_file(dir, "g/p00001-000.hfile", "12345", 5);
    assert_int_equal(dataset_open(dir, &m, &err), 0);
    assert_int_equal(m.n_files, 1);
    manifest_free(&m);
    assert_int_equal(fs_remove_tree(dir, &err), 0);
    assert_int_equal(dataset_is(dir, &err), 0);
    free(good);
    free(sized);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unknown_and_absent),
        cmocka_unit_test(test_no_json),
        cmocka_unit_test(test_seal),
        cmocka_unit_test(test_files_are_sorted),
        cmocka_unit_test(test_families_are_sorted),
        cmocka_unit_test(test_dataset_open),
        cmocka_unit_test(test_both_ways),
    };
    return cmocka_run_group_tests_name("manifest", tests, NULL, NULL);
}
