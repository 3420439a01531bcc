/* Statements for OceanBase: forms by version and table, quoting, CREATE TABLE out of a definition, the manifest of an export. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/oceanbase/check_sql.h"
#include "cmd/oceanbase/create_sql.h"
#include "cmd/oceanbase/export_file.h"
#include "cmd/oceanbase/export_manifest.h"
#include "cmd/oceanbase/statements.h"
#include "table/ddl.h"

#include <glob.h>
#include <stdlib.h>

static void expect(struct buf *got, const char *want) {
    struct err err = {0};
    assert_int_equal(buf_put_byte(got, 0, &err), 0);
    assert_string_equal((char *)got->p, want);
    buf_free(got);
}

static void expect_part(struct buf *got, const char *part, bool there) {
    struct err err = {0};
    assert_int_equal(buf_put_byte(got, 0, &err), 0);
    if (!strstr((char *)got->p, part) == there) fail_msg("'%s' in: %s", part, (char *)got->p);
    got->n--;
}

#define TAIL " CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' (K, Q, V, T)"

static void test_forms(void **state) {
    (void)state;
    static const char *const names[] = {"p0", "p`1"};
    const struct load_source plain = {.table = "t$f", .partitions = names, .n_partitions = 1, .path = "/d/a"},
                             many = {.table = "t$f", .partitions = names, .n_partitions = 2, .path = "/d/a,/d/b"},
                             generated = {.table = "t$f",
                                          .partitions = names,
                                          .n_partitions = 1,
                                          .path = "/d/a",
                                          .generated = true},
                             big = {.table = "t$f", .partitions = names, .n_partitions = 1, .path = "/d/a", .big = true},
                             gz = {.table = "t$f", .path = "/d/a", .compression = LOAD_GZIP, .ttl_column = true},
                             local = {.table = "t$f", .path = "/d/a", .local = true};
    const uint32_t now = LOAD_VERSION(4, 3, 5, 3), v433 = LOAD_VERSION(4, 3, 3, 0), old = LOAD_VERSION(4, 2, 1, 0);
    const struct {
        const struct load_source *s;
        uint32_t version;
        enum on_duplicate d;
        const char *want;
    } cases[] = {
        {&plain, now, ON_DUPLICATE_ERROR,
         "LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/d/a' INTO TABLE `t$f` PARTITION (`p0`)" TAIL},
        {&plain, now, ON_DUPLICATE_REPLACE,
         "LOAD DATA /*+ direct(false, 0, 'inc_replace') parallel(4) */ INFILE '/d/a' INTO TABLE `t$f` PARTITION (`p0`)" TAIL},
        {&plain, now, ON_DUPLICATE_IGNORE,
         "LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/d/a' IGNORE INTO TABLE `t$f` PARTITION (`p0`)" TAIL},
        {&many, now, ON_DUPLICATE_ERROR,
         "LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/d/a,/d/b' INTO TABLE `t$f` PARTITION (`p0`, "
         "`p``1`)" TAIL},
        {&plain, v433, ON_DUPLICATE_ERROR,
         "LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/d/a' INTO TABLE `t$f`" TAIL},
        {&plain, old, ON_DUPLICATE_ERROR, "LOAD DATA /*+ direct(false, 0) parallel(4) */ INFILE '/d/a' INTO TABLE `t$f`" TAIL},
        {&plain, old, ON_DUPLICATE_REPLACE,
         "LOAD DATA /*+ direct(false, 0) parallel(4) */ INFILE '/d/a' REPLACE INTO TABLE `t$f`" TAIL},
        {&generated, now, ON_DUPLICATE_ERROR, "LOAD DATA INFILE '/d/a' INTO TABLE `t$f`" TAIL},
        {&generated, now, ON_DUPLICATE_REPLACE, "LOAD DATA INFILE '/d/a' REPLACE INTO TABLE `t$f`" TAIL},
        {&big, now, ON_DUPLICATE_ERROR, "LOAD DATA INFILE '/d/a' INTO TABLE `t$f`" TAIL},
        {&local, now, ON_DUPLICATE_ERROR,
         "LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ LOCAL INFILE '/d/a' INTO TABLE `t$f`" TAIL},
        {&gz, now, ON_DUPLICATE_ERROR,
         "LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/d/a' INTO TABLE `t$f` COMPRESSION = GZIP CHARACTER SET "
         "utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' (K, Q, V, TTL, T)"},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf out = {0};
        struct err err = {0};
        const struct load_target t = {cases[i].version, cases[i].d, 4};
        assert_int_equal(load_sql_put(&out, &t, cases[i].s, &err), 0);
        expect(&out, cases[i].want);
        assert_null(load_sql_obstacle(&t, cases[i].s));
    }
}

static void test_obstacles(void **state) {
    (void)state;
    const struct load_source plain = {.table = "t$f", .path = "/d/a"},
                             generated = {.table = "t$f", .path = "/d/a", .generated = true},
                             big = {.table = "t$f", .path = "/d/a", .big = true},
                             gz = {.table = "t$f", .path = "/d/a", .compression = LOAD_GZIP, .ttl_column = true};
    const uint32_t now = LOAD_VERSION(4, 3, 5, 3), old = LOAD_VERSION(4, 2, 1, 0);
    const struct load_target ignore = {now, ON_DUPLICATE_IGNORE, 4}, before = {old, ON_DUPLICATE_ERROR, 4},
                             older = {LOAD_VERSION(3, 1, 0, 0), ON_DUPLICATE_ERROR, 4}, error = {now, ON_DUPLICATE_ERROR, 4};
    struct load_source local_generated = generated;
    local_generated.local = true;
    assert_non_null(strstr(load_sql_obstacle(&ignore, &generated), "IGNORE"));
    assert_non_null(strstr(load_sql_obstacle(&ignore, &big), "IGNORE"));
    assert_non_null(strstr(load_sql_obstacle(&before, &gz), "4.3.3"));
    assert_non_null(strstr(load_sql_obstacle(&older, &plain), "before 4.0"));
    assert_non_null(strstr(load_sql_obstacle(&error, &local_generated), "LOCAL"));
}

static void test_versions(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t version; /* 0 = none */
    } cases[] = {{"4.3.5.3", LOAD_VERSION(4, 3, 5, 3)},
                 {"4.2", LOAD_VERSION(4, 2, 0, 0)},
                 {"OceanBase 4.3.5.3 seekdb (r1.3.0.0)", LOAD_VERSION(4, 3, 5, 3)},
                 {"5.7.25-OceanBase-v4.2.1.0", LOAD_VERSION(4, 2, 1, 0)},
                 {"4", 0},
                 {"", 0},
                 {"x4.2", 0},
                 {"4.999.1", 0},
                 {"OceanBase", 0}};
    for (size_t i = 0; i < countof(cases); i++) {
        uint32_t v = 0;
        assert_int_equal(load_sql_version(cases[i].text, &v), cases[i].version ? 0 : -1);
        assert_int_equal(v, cases[i].version);
    }
}

static void test_quoting(void **state) {
    (void)state;
    struct buf out = {0};
    struct err err = {0};
    assert_int_equal(sql_put_name(&out, "a`b\"'\\", &err), 0);
    expect(&out, "`a``b\"'\\`");
    assert_int_equal(sql_put_string(&out, bytes_of("a'b\\c\n\r\t\0\x1a\xff", 11), &err), 0);
    expect(&out, "'a\\'b\\\\c\\n\\r\\t\\0\\Z\xff'");
    assert_int_equal(sql_put_hex(&out, bytes_of("\0\xff", 2), &err), 0);
    expect(&out, "x'00ff'");
}

static void create(const char *ddl, struct buf *out, enum err_code want, const char *text) {
    struct table t;
    struct err err = {0};
    if (ddl_parse("x.sql", ddl, strlen(ddl), &t, &err)) fail_msg("%s", err.text);
    assert_int_equal(create_sql_put(out, &t, &err), want ? -1 : 0);
    assert_int_equal(err.code, want);
    if (text) assert_non_null(strstr(err.text, text));
    table_free(&t);
}

#define COLUMNS \
    "K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(100) NOT NULL, PRIMARY KEY (K,Q,T)"

static void test_create(void **state) {
    (void)state;
    struct buf out = {0};
    create(
        "CREATE TABLEGROUP g; /* c */ CREATE TABLE `t$f` (" COLUMNS ", KEY i (T)) TABLEGROUP = 'g' COMMENT='TABLEGROUP=x' "
        "KV_ATTRIBUTES = '{\"Hbase\": {\"CreatedBy\": \"Admin\", \"State\": \"enable\", \"TimeToLive\": 5}}' PARTITION BY KEY(K);"
        "CREATE TABLE `t$g` (" COLUMNS ") tablegroup `g` kv_attributes='{\"Hbase\": {\"MaxVersions\": 3}}' PARTITION BY KEY(K)",
        &out, ERR_NONE, NULL);
    expect_part(&out, "CREATE TABLEGROUP IF NOT EXISTS `g` SHARDING = 'ADAPTIVE';\nCREATE TABLE `t$f`", true);
    expect_part(&out, "KV_ATTRIBUTES = '{\"Hbase\": {\"TimeToLive\": 5}}' PARTITION", true);
    expect_part(&out, "kv_attributes='{\"Hbase\": {\"MaxVersions\": 3}}'", true);
    expect_part(&out, "KEY i (T)", true);
    expect_part(&out, "IF NOT EXISTS `x`", false);
    buf_free(&out);
    create("CREATE TABLE `t$f` (" COLUMNS ") PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN (x'80'))", &out,
           ERR_USAGE, "1366");
    buf_free(&out);
}

/* A statement a table, by its name: also where a selection has left out the family of the first. */
static void test_create_statements(void **state) {
    (void)state;
    struct table t;
    struct create_sql c;
    struct err err = {0};
    const char *ddl =
        "CREATE TABLE `t$f` (" COLUMNS ") TABLEGROUP = g COMMENT='a;b' PARTITION BY KEY(K);\n"
        "create table if not exists `t$g` (" COLUMNS
        ") TABLEGROUP = g KV_ATTRIBUTES = '{\"Hbase\": {\"State\": \"enable\", \"MaxVersions\": 7}}' PARTITION BY KEY(K)";
    assert_int_equal(ddl_parse("x.sql", ddl, strlen(ddl), &t, &err), 0);
    free(t.families[0].name);
    free(t.families[0].sql_table);
    free(t.families[0].v_type);
    t.families[0] = t.families[--t.n_families];
    assert_int_equal(create_sql_make(&c, &t, &err), 0);
    assert_int_equal(c.n, 3);
    assert_null(c.list[0].table);
    assert_string_equal(c.list[1].table, "t$f");
    assert_string_equal(c.list[2].table, "t$g");
    struct bytes group = create_sql_statement(&c, 0), last = create_sql_statement(&c, 2);
    assert_true(bytes_eq(group, bytes_str("CREATE TABLEGROUP IF NOT EXISTS `g` SHARDING = 'ADAPTIVE'")));
    assert_non_null(memmem(create_sql_statement(&c, 1).p, create_sql_statement(&c, 1).n, "'a;b'", 5));
    assert_non_null(memmem(last.p, last.n, "'{\"Hbase\": {\"MaxVersions\": 7}}'", 30));
    assert_int_equal(last.p[last.n - 1], ')');
    create_sql_free(&c);
    table_free(&t);
}

/* The definition of a form without its text: what is written for it has the same partitions. */
static bool write_again(const char *path) {
    struct table t, again;
    struct buf out = {0};
    struct err err = {0};
    if (ddl_parse_file(path, &t, &err)) return false;
    free(t.ddl);
    t.ddl = NULL;
    bool written = !create_sql_put(&out, &t, &err);
    if (!written && !strstr(err.text, "binary(")) fail_msg("%s: %s", path, err.text);
    if (written && ddl_parse("again", (char *)out.p, out.n, &again, &err))
        fail_msg("%s: %s\n%.*s", path, err.text, (int)out.n, out.p);
    if (written && !partitioning_eq(&t.partitioning, &again.partitioning)) fail_msg("%s: %.*s", path, (int)out.n, out.p);
    if (written) table_free(&again);
    table_free(&t);
    buf_free(&out);
    return written;
}

static void test_create_forms(void **state) {
    (void)state;
    glob_t g;
    size_t written = 0;
    assert_int_equal(glob("tests/data/oceanbase/*.in.sql", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) written += write_again(g.gl_pathv[i]);
    globfree(&g);
    if (written < 36) fail_msg("only %zu forms", written);
}

static void test_create_handmade(void **state) {
    (void)state;
    struct table t;
    struct buf out = {0};
    struct err err = {0};
    assert_int_equal(table_handmade(&t, &err), 0);
    assert_int_equal(table_add_family(&t, bytes_str("f"), &err), 0);
    partitioning_free(&t.partitioning);
    assert_int_equal(partitioning_parse("key:3:substring(2,4)", &t.partitioning, &t.warnings, &err), 0);
    assert_int_equal(create_sql_put(&out, &t, &err), -1);
    assert_non_null(strstr(err.text, "--name NAME"));
    err = (struct err){0};
    t.name = strdup("n:t");
    t.families[0].sql_table = strdup("n:t$f");
    t.families[0].v_type = strdup("longblob");
    t.families[0].rules = (struct family_rules){.versions_given = true, .versions = 2, .ttl_s = 9};
    assert_int_equal(create_sql_put(&out, &t, &err), 0);
    expect_part(&out, "V longblob NOT NULL", true);
    expect_part(&out, "K_PREFIX varbinary(32767) GENERATED ALWAYS AS (substring(K, 2, 4)),", true);
    expect_part(&out, "TABLEGROUP = `n:t` KV_ATTRIBUTES = '{\"Hbase\": {\"TimeToLive\": 9, \"MaxVersions\": 2}}'", true);
    expect_part(&out, "PARTITION BY KEY(K_PREFIX) PARTITIONS 3;", true);
    struct table again; /* what we write we read, and mean the same */
    if (ddl_parse("ours", (char *)out.p, out.n, &again, &err)) fail_msg("%s", err.text);
    assert_true(partitioning_eq(&t.partitioning, &again.partitioning));
    table_free(&again);
    table_free(&t);
    buf_free(&out);
}

static void test_check_script(void **state) {
    (void)state;
    struct check_want want[130] = {{0}};
    struct buf out = {0};
    struct err err = {0};
    const struct cell_sums_opts strong = {.strong = true, .ttl_column = true};
    for (size_t i = 0; i < countof(want); i++) want[i].partition = "it's";
    assert_int_equal(check_sql_put_script(&out, "t$f", want, countof(want), &strong, &err), 0);
    expect_part(&out, "SELECT 'it\\'s' AS part, 0 AS want_rows", true);
    expect_part(&out, "IFNULL(TTL,'N')", true);
    expect_part(&out, "checked 130 partitions of ", true);
    size_t queries = 0;
    for (const char *p = (char *)out.p; (p = strstr(p, "AS differs_in")); p++) queries++;
    assert_int_equal(queries, 3);
    buf_free(&out);
    assert_int_equal(check_sql_put_query(&out, &(struct check_query){.table = "t", .parallel = 2}, &err), 0);
    expect_part(&out, "SELECT /*+ parallel(2) */ COUNT(*) AS row_count", true);
    expect_part(&out, " FROM `t`", true);
    expect_part(&out, "PARTITION", false);
    buf_free(&out);
}

/* Two partitions of two families, one with a file for long lines, largest numbers. */
static void test_manifest(void **state) {
    (void)state;
    struct err err = {0};
    struct export_manifest m = {
        .settings = json_object(), .strong = true, .target = {LOAD_VERSION(4, 3, 5, 3), ON_DUPLICATE_REPLACE, 4}};
    static const char ddl[] = "CREATE TABLE `t$f` (" COLUMNS ") PARTITION BY KEY(K) PARTITIONS 2; CREATE TABLE `t$g` (" COLUMNS
                              ") PARTITION BY KEY(K) PARTITIONS 2;";
    assert_int_equal(ddl_parse("x", ddl, strlen(ddl), &m.table, &err), 0);
    m.server_dir = strdup("/s");
    for (uint32_t i = 0; i < 4; i++) {
        struct export_file f = {.family = 1 - i / 3, .partition = 1, .number = i == 1, .big = i == 2};
        f.path = strdup(f.big ? "big/a" : "data/a");
        f.sums = (struct cell_sums){i + 1, INT64_MAX / 8, ~(u128)0 >> 4, UINT32_MAX, ~(u128)0 >> 4, UINT64_MAX, 5};
        strcpy(f.checksum, "0123456789abcdef");
        assert_int_equal(buf_put(&f.first_key, "\0k", 2, &err), 0);
        assert_int_equal(export_manifest_add(&m, &f, &err), 0);
    }
    export_manifest_sort(&m);
    assert_true(m.files[0].family == 0 && m.files[3].big && m.files[2].number == 1);
    struct cell_sums sums = export_partition_sums(&m, 1, 1), none = export_partition_sums(&m, 1, 0);
    assert_true(sums.rows == 6 && sums.crc_sum == 3 * (~(u128)0 >> 4) && sums.crc_xor == UINT32_MAX && none.rows == 0);
    char *text = export_manifest_print(&m, &err);
    struct export_manifest back;
    if (export_manifest_parse("m", text, strlen(text), &back, &err)) fail_msg("%s", err.text);
    assert_true(back.sealed && back.n_files == 4 && back.target.on_duplicate == ON_DUPLICATE_REPLACE);
    for (size_t i = 0; i < 4; i++) assert_true(cell_sums_eq(&m.files[i].sums, &back.files[i].sums));
    char *again = export_manifest_print(&back, &err);
    assert_string_equal(text, again);
    char *edit = strstr(text, "\"rows\": 1");
    edit[8] = '2';
    export_manifest_free(&back);
    assert_int_equal(export_manifest_parse("m", text, strlen(text), &back, &err), 0);
    assert_false(back.sealed);
    export_manifest_free(&back);
    memcpy(strstr(text, "data/a"), "../x/a", 6);
    assert_int_equal(export_manifest_parse("m", text, strlen(text), &back, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    free(text);
    free(again);
    export_manifest_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),           cmocka_unit_test(test_obstacles),    cmocka_unit_test(test_versions),
        cmocka_unit_test(test_quoting),         cmocka_unit_test(test_create),       cmocka_unit_test(test_create_statements),
        cmocka_unit_test(test_create_handmade), cmocka_unit_test(test_create_forms), cmocka_unit_test(test_check_script),
        cmocka_unit_test(test_manifest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
