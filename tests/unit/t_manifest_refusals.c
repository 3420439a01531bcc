/* Manifests that are refused, by the reason; edited and cut ones; and datasets on disk whose files differ from their manifest. */
#include "dataset/dataset_open.h"
#include "flat_cells.h"

#include "base/fs.h"
#include "dataset/manifest.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- random manifests ---- */

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
    {"table/families/0/name", "\"g\"", "already exists"},
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
    {"table/partitioning/names", "[\"a\",\"b\",\"A\"]", "appears twice"},
    {"table/partitioning/bounds_hex", "[\"67\",\"70\"]", "bounds and partition count differ"},
    {"table/partitioning/bounds_hex", "[\"67\",\"6\",null]", "hex text expected"},
    {"table/partitioning/bounds_hex", "[\"70\",\"67\",null]", "is not above"},
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
    {"files/0/path", "\"f/p00001-000.hfile\"", "is malformed"}, /* another family's directory */
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

/* Returns the text with the checksum that a manifest has which is written so. */
static char *sealed(const char *text) {
    struct manifest m;
    struct err err = {0};
    assert_int_equal(parse(text, strlen(text), &m, &err), 0);
    char *printed = manifest_print(&m, &err);
    assert_non_null(printed);
    manifest_free(&m);
    return printed;
}

static void test_dataset_open(void **state) {
    (void)state;
    char dir[] = "/tmp/t_manifest.XXXXXX", directory[64], *good = sample(), *edited = changed(good, "files/0/bytes", "5"),
         *sized = sealed(edited);
    struct manifest m;
    struct err err = {0};
    assert_non_null(mkdtemp(dir));
    snprintf(directory, sizeof directory, "%s/g", dir);
    assert_int_equal(dataset_is(dir, &err), 0);
    expect_open_fails(dir, "MANIFEST.json: cannot open: No such file");
    put_file(dir, "MANIFEST.json", edited, strlen(edited));
    expect_open_fails(dir, "MANIFEST.json: edited or damaged: its checksum does not match; obkv-verify check ");
    put_file(dir, "MANIFEST.json", sized, strlen(sized));
    assert_int_equal(dataset_is(dir, &err), 1);
    expect_open_fails(dir, "g/p00001-000.hfile: listed in the manifest: No such file");
    assert_int_equal(mkdir(directory, 0700), 0);
    put_file(dir, "g/p00001-000.hfile", "1234", 4);
    expect_open_fails(dir, "g/p00001-000.hfile: 4 bytes, the manifest says 5");
    put_file(dir, "g/p00001-000.hfile", "12345", 5);
    assert_int_equal(dataset_open(dir, &m, &err), 0);
    assert_int_equal(m.n_files, 1);
    manifest_free(&m);
    assert_int_equal(fs_remove_tree(dir, &err), 0);
    assert_int_equal(dataset_is(dir, &err), 0);
    free(good);
    free(edited);
    free(sized);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_unknown_and_absent),
                                       cmocka_unit_test(test_no_json), cmocka_unit_test(test_seal),
                                       cmocka_unit_test(test_dataset_open)};
    return cmocka_run_group_tests_name("manifest refusals", tests, NULL, NULL);
}
