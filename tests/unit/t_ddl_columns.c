/* Columns and keys of a definition: each refusal with its reason, and what is accepted beside what OBKV needs. More is in
 * t_ddl.c, which came first. */
#include "ddl_cases.h"

#include <stdio.h>
#include <stdlib.h>

#define KQT "CREATE TABLE `t$f` (K varbinary(10), Q varbinary(1), T bigint, V blob, "

struct refusal {
    const char *sql, *part;
};

static void refuse_all(const struct refusal *r, size_t n) {
    for (size_t i = 0; i < n; i++) refuse(r[i].sql, r[i].part);
}

static void primary_keys(void **state) {
    (void)state;
    static const struct refusal refused[] = {
        {KQT "PRIMARY KEY (K, Q, T), PRIMARY KEY (K, Q, T))", "PRIMARY KEY appears twice"},
        {KQT "PRIMARY KEY (K, Q, T, V, A, B, C, D, E))", "PRIMARY KEY: more than K, Q, T"},
        {KQT "PRIMARY KEY (K, Q, T, V))", "the PRIMARY KEY must be (K, Q, T)"},
        {KQT "PRIMARY KEY (K(10), Q, T))", "PRIMARY KEY over a part of a column is not supported"},
        {KQT "PRIMARY KEY (K, Q, T DESC))", "PRIMARY KEY: DESC is not supported"},
        {KQT "PRIMARY KEY K, Q, T)", "expected '('"},
        {KQT "PRIMARY KEY (K, Q, T", "expected ')'"},
        {KQT "PRIMARY (K, Q, T))", "expected key"},
        {KQT "PRIMARY KEY (K, 5, T))", "a column of PRIMARY KEY"},
        {KQT "PRIMARY KEY (K, Q, T) COMMENT 'x", ""},
    };
    static const char *const taken[] = {
        KQT "PRIMARY KEY USING BTREE (K ASC, Q, T ASC))",
        KQT "PRIMARY KEY USING HASH (K, Q, T) LOCAL BLOCK_SIZE (16))",
        KQT "CONSTRAINT pk PRIMARY KEY (K, Q, T), CONSTRAINT c CHECK (T < 0), CHECK (LENGTH(K) > 0))",
        KQT "CONSTRAINT PRIMARY KEY (K, Q, T), CONSTRAINT FOREIGN KEY (K) REFERENCES x (K), FOREIGN KEY (Q) REFERENCES y (Q))",
    };
    refuse_all(refused, countof(refused));
    for (size_t i = 0; i < countof(taken); i++) {
        struct table t = parse(taken[i]);
        assert_int_equal(t.warnings.n, 0);
        assert_int_equal(t.families[0].k_max, 10);
        table_free(&t);
    }
}

static void types(void **state) {
    (void)state;
    static const struct refusal refused[] = {
        {"CREATE TABLE `t$f` (K varbinary(10) AS (Q), Q varbinary(1), T bigint, V blob" PRIMARY, "column K is generated"},
        {"CREATE TABLE `t$f` (K varbinary(0), Q varbinary(1), T bigint, V blob" PRIMARY,
         "column K: varbinary needs a length above 0"},
        {"CREATE TABLE `t$f` (K binary(0), Q varbinary(1), T bigint, V blob" PRIMARY, "column K: binary needs a length above 0"},
        {"CREATE TABLE `t$f` (K binary(256), Q varbinary(1), T bigint, V blob" PRIMARY,
         "column K: length 256, OceanBase allows 255"},
        {"CREATE TABLE `t$f` (K varbinary(9), Q varbinary(99999999), T bigint, V blob" PRIMARY, "column Q: length 99999999"},
        {"CREATE TABLE `t$f` (K varbinary(99999999999), Q varbinary(1), T bigint, V blob" PRIMARY, "the column's length"},
        {"CREATE TABLE `t$f` (K varbinary(9), Q varbinary(1), T bigint AS (5), V blob" PRIMARY,
         "column T is bigint, generated: it must be a plain signed bigint"},
        {"CREATE TABLE `t$f` (K varbinary(9), Q varbinary(1), T bigint zerofill, V blob" PRIMARY,
         "column T is bigint unsigned: it must be a plain signed bigint"},
        {"CREATE TABLE `t$f` (K varbinary(9), Q varbinary(1), T bigint, V blob AS ('x')" PRIMARY,
         "column V is blob, generated: it must be varbinary(N) or a blob type"},
        {"CREATE TABLE `t$f` (K varbinary(9), Q varbinary(1), T bigint, V varbinary" PRIMARY,
         "column V: varbinary needs a length"},
        {"CREATE TABLE `t$f` (K varbinary(9), Q varbinary(1), T bigint, V binary(300)" PRIMARY, "column V: length 300"},
        {"CREATE TABLE `t$f` (K varbinary(9), Q varbinary(1), T bigint, V blob CHARACTER SET utf8mb4" PRIMARY,
         "column V is blob with a text collation"},
        {"CREATE TABLE `t$f` (K varbinary(9), T bigint, S bigint, V json, PRIMARY KEY (K, T, S))", "time-series table"},
    };
    refuse_all(refused, countof(refused));
    struct table t = parse("CREATE TABLE `t$f` (K binary, Q binary(3), T bigint(20), V binary CHARSET = binary" PRIMARY);
    assert_int_equal(t.families[0].k_max, 1);
    assert_int_equal(t.families[0].q_max, 3);
    assert_int_equal(t.families[0].v_max, 1);
    assert_true(t.families[0].is_padded);
    assert_true(warned(&t, "column K is binary(1)") && warned(&t, "column V is binary"));
    table_free(&t);
    t = parse("CREATE TABLE `t$f` (K varbinary(16000), Q varbinary(900), T bigint, V longblob" PRIMARY);
    assert_true(warned(&t, "K and Q together may take 16900 bytes"));
    table_free(&t);
}

static void other_columns(void **state) {
    (void)state;
    static const struct refusal refused[] = {
        {HEAD_WITH("G bigint AS T"), "expected '(' after AS"},
        {HEAD_WITH("X varchar(9) CHARACTER utf8mb4"), "expected set"},
        {HEAD_WITH("X decimal(10, (2))"), "expected ')'"},
        {HEAD_WITH("X"), "a column type"},
        {HEAD_WITH("5 int"), "a column name"},
        {"CREATE TABLE `t$f` (K varbinary(10", "expected ')'"},
        {"CREATE TABLE `t$f` (K varbinary(10) NOT NULL", "expected ',' or ')'"},
        {"CREATE TABLE `t$f` (" COLUMNS ", CHECK (T", ""},
    };
    static const char *const taken[] = {
        "X varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        "X decimal(10, 2) UNSIGNED ZEROFILL DEFAULT 1.5",
        "X enum('a', 'b') DEFAULT 'a'",
        "X datetime(6) DEFAULT NULL COMMENT 'x'",
        "X char(4) CHARSET = latin1 DEFAULT _latin1 'x'",
    };
    refuse_all(refused, countof(refused));
    for (size_t i = 0; i < countof(taken); i++) {
        char sql[400];
        snprintf(sql, sizeof sql, HEAD_WITH("%s"), taken[i]);
        struct table t = parse(sql);
        assert_true(warned(&t, "column X is not a column of OBKV-HBase"));
        assert_false(t.families[0].has_generated);
        table_free(&t);
    }
    struct table t = parse(HEAD_WITH("X datetime DEFAULT CURRENT_TIMESTAMP, Y bigint DEFAULT (T + 1)"));
    assert_true(t.families[0].has_computed && t.families[0].has_generated);
    table_free(&t);
}

static void too_many(void **state) {
    (void)state;
    struct buf sql = {0};
    struct err err = {0};
    assert_int_equal(buf_printf(&sql, &err, "CREATE TABLE `t$f` (" COLUMNS), 0);
    for (int i = 0; i < 4093; i++) assert_int_equal(buf_printf(&sql, &err, ", c%d int", i), 0);
    assert_int_equal(buf_printf(&sql, &err, PRIMARY) || buf_put_byte(&sql, 0, &err), 0);
    refuse((char *)sql.p, "more than 4096 columns");
    buf_free(&sql);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primary_keys),
        cmocka_unit_test(types),
        cmocka_unit_test(other_columns),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
