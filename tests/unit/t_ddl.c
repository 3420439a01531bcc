/* CREATE TABLE as written by hand and as printed by a real server, and every refusal by its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "table/bounds.h"
#include "table/partitioning.h"
#include "table/table.h"

#include "ddl_cases.h"

#include <stdio.h>
#include <stdlib.h>

static void lengths_and_rules(void **state) {
    (void)state;
    struct table t;
    struct err err = {0};
    assert_int_equal(ddl_parse_file(DIR "03_kv_attributes.show.sql", &t, &err), 0);
    struct family *f = &t.families[0];
    assert_int_equal(f->k_max, 1024);
    assert_int_equal(f->q_max, 256);
    assert_int_equal(f->v_max, 1048576);
    assert_string_equal(f->v_type, "varbinary(1048576)");
    assert_string_equal(f->sql_table, "htable3$cf");
    assert_true(f->rules.versions_given);
    assert_int_equal(f->rules.versions, 3);
    assert_int_equal(f->rules.ttl_s, 3600);
    assert_int_equal(f->rules.keep_deleted, KEEP_DELETED_FALSE);
    assert_false(f->has_ttl_column);
    table_free(&t);
    static const struct {
        const char *file;
        uint64_t v_max;
        const char *v_type;
    } values[] = {{"07_longblob", 536870911, "longblob"},
                  {"08_mediumblob_default_null", 16777215, "mediumblob"},
                  {"34_binary_columns", 65535, "blob"}};
    for (size_t i = 0; i < countof(values); i++) {
        char path[200];
        snprintf(path, sizeof path, DIR "%s.show.sql", values[i].file);
        assert_int_equal(ddl_parse_file(path, &t, &err), 0);
        assert_int_equal(t.families[0].v_max, values[i].v_max);
        assert_string_equal(t.families[0].v_type, values[i].v_type);
        table_free(&t);
    }
}

static void attributes(void **state) {
    (void)state;
    struct table t = parse(HEAD);
    assert_true(t.families[0].rules.versions_given);
    assert_true(t.families[0].rules.versions == UINT32_MAX);
    assert_int_equal(t.families[0].rules.ttl_s, 0);
    table_free(&t);
    t = parse(HEAD " kv_attributes '{\"HBASE\": {\"timetolive\": 5, \"CreatedBy\": \"Admin\", \"State\": \"disable\"}}'");
    assert_int_equal(t.families[0].rules.ttl_s, 5);
    assert_true(t.families[0].rules.versions == UINT32_MAX);
    assert_true(warned(&t, "OB_KV_TABLE_NOT_ENABLED"));
    table_free(&t);
    t = parse(HEAD " kv_attributes='{\"Hbase\":{\"MaxVersions\":2,\"State\":\"enable\"},\"TTLScanIndex\":\"i\"}'");
    assert_int_equal(t.families[0].rules.versions, 2);
    assert_int_equal(t.warnings.n, 0);
    table_free(&t);
    t = parse(HEAD " kv_attributes=''");
    assert_true(t.families[0].rules.versions == UINT32_MAX);
    table_free(&t);
    refuse(HEAD " kv_attributes='{\"Hbase\": {\"MinVersions\": 1}}'", "unknown key MinVersions");
    refuse(HEAD " kv_attributes='{\"Hbase\": {\"TTL\": 1}}'", "unknown key TTL");
    refuse(HEAD " kv_attributes='{\"Hbase\": {\"MaxVersions\": 0}}'", "MaxVersions must be above 0");
    refuse(HEAD " kv_attributes='{\"Hbase\": {\"MaxVersions\": \"3\"}}'", "MaxVersions must be a whole number");
    refuse(HEAD " kv_attributes='{\"Hbase\": {\"TimeToLive\": 2147483648}}'", "cut it to 32 bits");
    refuse(HEAD " kv_attributes='{\"Hbase\": {\"TimeToLive\": 1, \"timetolive\": 1}}'", "TimeToLive appears twice");
    refuse(HEAD " kv_attributes='{\"Hbase\": {}, \"hbase\": {}}'", "\"Hbase\" appears twice");
    refuse(HEAD " kv_attributes='{}'", "{} without");
    refuse(HEAD " kv_attributes='{\"Redis\": {\"IsTTL\": true}}'", "model Redis");
    refuse(HEAD " kv_attributes='[1'", "not JSON");
    refuse(HEAD " kv_attributes=3", "expected a string after KV_ATTRIBUTES");
}

static void several_families(void **state) {
    (void)state;
    struct err err = {0};
    struct buf text = {0};
    size_t n;
    static const char *const files[] = {"tablegroup_htable1.show.sql", "01_plain_key97_tablegroup.show.sql",
                                        "46_tablegroup_second_family.show.sql"};
    /* Without ';' between them, as the server prints them. */
    for (size_t i = 0; i < countof(files); i++) {
        char path[200];
        snprintf(path, sizeof path, DIR "%s", files[i]);
        char *s = fs_read_text(path, 1 << 20, &n, &err);
        assert_non_null(s);
        assert_int_equal(buf_printf(&text, &err, "%s\n", s), 0);
        free(s);
    }
    assert_int_equal(buf_put_byte(&text, 0, &err), 0);
    struct table t = parse((char *)text.p);
    assert_int_equal(t.n_families, 2);
    assert_string_equal(t.name, "htable1");
    assert_string_equal(t.families[1].name, "family3");
    assert_string_equal(t.families[1].sql_table, "htable1$family3");
    assert_int_equal(table_family(&t, bytes_str("family1")), 0);
    assert_int_equal(table_family(&t, bytes_str("family3")), 1);
    assert_int_equal(table_family(&t, bytes_str("family")), -1);
    table_free(&t);
    buf_free(&text);
#define ONE(name, rest) "CREATE TABLE `" name "` (" COLUMNS PRIMARY rest ";"
    refuse(ONE("a$f", "") ONE("b$g", ""), "table `b$g`: belongs to another HBase table than `a$f`");
    refuse(ONE("a$f", "PARTITION BY KEY(K) PARTITIONS 3") ONE("a$g", "PARTITION BY KEY(K) PARTITIONS 5"),
           "table `a$g`: its partitioning, KEY(K) PARTITIONS 5, differs from that of `a$f`, KEY(K) PARTITIONS 3");
    refuse(ONE("a$f", "PARTITION BY KEY(K) (PARTITION x)") ONE("a$g", "PARTITION BY KEY(K) (PARTITION y)"),
           "(other bounds or names)");
    refuse(ONE("a$f", "") ONE("a$f", ""), "family f already exists");
    t = parse(ONE("a$f", "") ONE("a$g", ""));
    assert_false(warned(&t, "in case only"));
    table_free(&t);
    t = parse(ONE("a$f", "") ONE("a$F", ""));
    assert_true(warned(&t, "table `a$F`: its family differs from f in case only"));
    table_free(&t);
}

/* K, Q, T and V, then this. */
static void refuse_beside_columns(const char *what, const char *why) {
    char sql[400];
    snprintf(sql, sizeof sql, "CREATE TABLE `t$f` (" COLUMNS ", %s" PRIMARY, what);
    refuse(sql, why);
}

static void take_beside_columns(const char *what, const char *warning) {
    char sql[400];
    snprintf(sql, sizeof sql, "CREATE TABLE `t$f` (" COLUMNS ", %s" PRIMARY, what);
    struct table t = parse(sql);
    assert_true(warned(&t, warning));
    table_free(&t);
}

/* Tests unique keys: REPLACE keeps one of two rows that agree in one. A key that holds the primary key is none in which rows
 * agree. */
static void unique_keys(void **state) {
    (void)state;
    static const char *const refused[] = {
        "UNIQUE (V(10))", "unique key u (K, Q)",      "CONSTRAINT c UNIQUE INDEX u (K, Q(3), T)",
        "X int unique",   "UNIQUE KEY u ((K), Q, T)", "UNIQUE KEY `(` (T, `v`(3), Q) GLOBAL"};
    static const char *const taken[] = {"UNIQUE KEY `u(` (K, Q, T)", "CONSTRAINT UNIQUE (V(3), t DESC, q, k) LOCAL",
                                        "KEY (V(3))"};
    for (size_t i = 0; i < countof(refused); i++) refuse_beside_columns(refused[i], "UNIQUE key that is not over K, Q and T");
    for (size_t i = 0; i < countof(taken); i++) take_beside_columns(taken[i], "it has an index");
    refuse("CREATE TABLE `t$f` (" COLUMNS ", UNIQUE KEY u", "expected '('");
    refuse("CREATE TABLE `t$f` (" COLUMNS ", UNIQUE KEY u (K, Q, T", "");
}

/* Every row would be refused, with its place in a file as the only hint. */
static void columns_without_value(void **state) {
    (void)state;
    static const char *const refused[] = {"X int NOT NULL", "X varchar(9) not null COMMENT 'default'",
                                          "X int COMMENT 'x' NOT NULL"};
    static const char *const taken[] = {"X int NOT NULL DEFAULT '0'", "X int DEFAULT 1 NOT NULL",
                                        "X int NULL DEFAULT NULL",    "X bigint NOT NULL AUTO_INCREMENT",
                                        "X int COMMENT 'not null'",   "X int CHECK (X IS NOT NULL)"};
    for (size_t i = 0; i < countof(refused); i++) refuse_beside_columns(refused[i], "column X is NOT NULL and has no DEFAULT");
    for (size_t i = 0; i < countof(taken); i++) take_beside_columns(taken[i], "column X is not a column of OBKV-HBase");
    struct table t =
        parse(HEAD_WITH("G bigint AS (abs(T)) VIRTUAL NOT NULL, H bigint GENERATED ALWAYS AS (T + 1) STORED NOT NULL"));
    assert_int_equal(t.warnings.n, 0);
    table_free(&t);
    refuse(HEAD_WITH("TTL bigint NOT NULL DEFAULT 0"), "column TTL is NOT NULL");
}

/* HBase allows '$' in family names, not in table names. */
static void names(void **state) {
    (void)state;
    struct table t = parse(ONE("a$b$c", ""));
    assert_string_equal(t.name, "a");
    assert_string_equal(t.families[0].name, "b$c");
    table_free(&t);
    t = parse("create table if not exists db . htable1$cf (" COLUMNS PRIMARY);
    assert_string_equal(t.name, "htable1");
    table_free(&t);
    t = parse(ONE("plain", ""));
    assert_string_equal(t.name, "plain");
    assert_string_equal(t.families[0].name, "plain");
    assert_true(warned(&t, "no '$family'"));
    table_free(&t);
    refuse(ONE("$f", ""), "no HBase table name before the '$'");
    refuse(ONE("a$", ""), "a family name is empty");
    refuse(ONE("a$.b", ""), "may not start with '.'");
    refuse(ONE("a$b:c", ""), "may not hold ':'");
    refuse(ONE("a$b/c", ""), "may not hold '/'");
    refuse(ONE("a$_report", ""), "is reserved");
}

static void columns(void **state) {
    (void)state;
    refuse("CREATE TABLE `t$f` (K varchar(10), Q varbinary(1), T bigint, V blob" PRIMARY, "column K is varchar");
    refuse("CREATE TABLE `t$f` (K varbinary(10), Q char(1), T bigint, V blob" PRIMARY, "column Q is char");
    refuse("CREATE TABLE `t$f` (K varbinary(10) COLLATE utf8mb4_bin, Q varbinary(1), T bigint, V blob" PRIMARY,
           "column K is varbinary with a text collation");
    refuse("CREATE TABLE `t$f` (K varbinary, Q varbinary(1), T bigint, V blob" PRIMARY, "varbinary needs a length");
    refuse("CREATE TABLE `t$f` (K varbinary(10), Q varbinary(1), T bigint unsigned, V blob" PRIMARY, "column T is bigint");
    refuse("CREATE TABLE `t$f` (K varbinary(10), Q varbinary(1), T int, V blob" PRIMARY, "column T is int");
    refuse("CREATE TABLE `t$f` (K varbinary(10), Q varbinary(1), T bigint, V text" PRIMARY, "column V is text");
    refuse("CREATE TABLE `t$f` (K varbinary(10), Q varbinary(1), T bigint, V varbinary(1048577)" PRIMARY, "length 1048577");
    refuse("CREATE TABLE `t$f` (K varbinary(10), Q varbinary(1), T bigint" PRIMARY, "has no column V");
    refuse("CREATE TABLE `t$f` (id int PRIMARY KEY)", "PRIMARY KEY on one column");
    refuse("CREATE TABLE `t$f` (id int)", "has no column K");
    refuse("CREATE TABLE `t$f` (" COLUMNS ")", "has no PRIMARY KEY (K, Q, T)");
    refuse("CREATE TABLE `t$f` (" COLUMNS ", PRIMARY KEY (K, T, Q))", "must be (K, Q, T)");
    refuse("CREATE TABLE `t$f` (" COLUMNS ", k int" PRIMARY, "column k appears twice");
    refuse(HEAD_WITH("TTL int"), "column TTL is int");
    struct table t = parse(HEAD_WITH("`ttl` bigint DEFAULT NULL, X int, G bigint AS (abs(T)) VIRTUAL"));
    assert_true(t.families[0].has_ttl_column);
    assert_true(warned(&t, "column X is not a column of OBKV-HBase"));
    assert_false(warned(&t, "column G"));
    table_free(&t);
    t = parse("CREATE TABLE `t$f` (K varbinary(10), Q varbinary(1), T bigint, V blob(70000)" PRIMARY);
    assert_int_equal(t.families[0].v_max, 16777215);
    assert_string_equal(t.families[0].v_type, "blob(70000)");
    table_free(&t);
}

/* ---- partitions ---- */

static void generated_columns(void **state) {
    (void)state;
    static const struct {
        const char *expression, *partitioning;
    } good[] = {{"substring(K,1,4)", "KEY(substring(K,1,4)) PARTITIONS 2"},
                {"SUBSTR ( `k` , 3 )", "KEY(substring(K,3)) PARTITIONS 2"},
                {"(substr(K, -3, +2))", "KEY(substring(K,-3,2)) PARTITIONS 2"},
                {"LEFT(K, 3)", "KEY(substring(K,1,3)) PARTITIONS 2"},
                {"substring_index(K, '::', -2)", "KEY(substring_index(K,'::',-2)) PARTITIONS 2"},
                {"substring_index(K, x'01', 1)", "KEY(substring_index(K,'\1',1)) PARTITIONS 2"},
                {"substring(K FROM 2)", "KEY(substring(K,2)) PARTITIONS 2"},
                {"/* c */ substring(K /*!50000 from */ 1 for 4)", "KEY(substring(K,1,4)) PARTITIONS 2"}};
    char sql[600];
    for (size_t i = 0; i < countof(good); i++) {
        snprintf(sql, sizeof sql, HEAD_WITH("P varbinary(1024) AS (%s)") " PARTITION BY KEY(p) PARTITIONS 2", good[i].expression);
        struct table t = parse(sql);
        expect_described(sql, &t.partitioning, good[i].partitioning);
        table_free(&t);
    }
    static const struct {
        const char *expression, *part;
    } bad[] = {{"substring(Q,1,4)", "P is substring(Q,1,4): only substring(K"},
               {"substring(K,1,4) || 'x'", "P is substring(K,1,4) || 'x': only"},
               {"mid(K,1,4)", "P is mid(K,1,4)"},
               {"substring(K,1,99999999999999999999)", "only substring(K, pos[, len])"},
               {"substring(K,1,1.5)", "only substring(K, pos[, len])"},
               {"substring(K)", "only substring(K, pos[, len])"},
               {"abs(Q)", "P is abs(Q): only"},
               {"substring_index(K,'',1)", "P is substring_index(K,'',1): only"},
               {"substring_index(K,'0123456789abcdef',1)", "only substring(K"},
               {"left(K)", "P is left(K): only"},
               {"abs(T)", "to partition by time, it must be bigint"}};
    for (size_t i = 0; i < countof(bad); i++) {
        snprintf(sql, sizeof sql, HEAD_WITH("P varbinary(1024) AS (%s)") " PARTITION BY KEY(P) PARTITIONS 2", bad[i].expression);
        refuse(sql, bad[i].part);
    }
    refuse(HEAD_WITH("P varchar(4) AS (substr(K,1,4))") " PARTITION BY KEY(P)", "it must be varbinary(N)");
    struct table t = parse(HEAD_WITH("P varbinary(3) AS (substr(K,1,4))") " PARTITION BY KEY(P)");
    assert_true(warned(&t, "P holds 3 bytes"));
    table_free(&t);
}

static void key_partitions(void **state) {
    (void)state;
    struct table t = parse(HEAD " PARTITION BY KEY(K)");
    assert_int_equal(t.partitioning.kind, PARTITION_KEY);
    assert_int_equal(t.partitioning.count, 1);
    table_free(&t);
    t = parse(HEAD " PARTITION BY KEY(K) PARTITIONS 8192");
    assert_int_equal(t.partitioning.count, 8192);
    assert_string_equal(t.partitioning.names[8191], "p8191");
    table_free(&t);
    t = parse(HEAD " PARTITION BY KEY(K) PARTITIONS 2 (PARTITION a COMMENT 'x' ID 5, PARTITION `b``c`)");
    assert_string_equal(t.partitioning.names[1], "b`c");
    table_free(&t);
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS 1 (PARTITION `a\033[2J`)", "the name `a\\x1b[2J` holds a control character");
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS 1 (PARTITION `a\nb`)", "the name `a\\x0ab` holds a control character");
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS 1 (PARTITION `a\302\233b`)", "the name `a\\xc2\\x9bb` holds a control");
    t = parse(HEAD " /*!50100 PARTITION BY KEY (K) PARTITIONS 97 */;");
    assert_int_equal(t.partitioning.count, 97);
    table_free(&t);
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS 8193", "at most 8192");
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS 0", "PARTITIONS 0");
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS 3 (PARTITION a)", "PARTITIONS 3, but 1 are listed");
    refuse(HEAD " PARTITION BY KEY(K) (PARTITION a, PARTITION A)", "appears twice");
    refuse(HEAD " PARTITION BY KEY(Q,K) PARTITIONS 3", "KEY over several columns: only");
    refuse(HEAD_WITH("G bigint AS (ABS(T))") " PARTITION BY KEY(G) PARTITIONS 3", "KEY(G): not supported yet");
    refuse(HEAD " PARTITION BY KEY(Q) PARTITIONS 3", "KEY(Q): not supported yet");
    refuse(HEAD " PARTITION BY KEY(X) PARTITIONS 3", "KEY(X): there is no such column");
    refuse(HEAD " PARTITION BY KEY ALGORITHM=1 (K)", "MySQL's own hash");
    refuse(HEAD " PARTITION BY KEY_V2(K) PARTITIONS 3", "before 4.0");
    refuse(HEAD " PARTITION BY LINEAR KEY(K)", "PARTITION BY LINEAR: not supported yet");
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS 3 garbage", "after the partitions, found garbage");
    refuse(HEAD " DYNAMIC_PARTITION_POLICY = (ENABLE = TRUE)", "change by themselves");
}

#define RANGE(bounds) HEAD " PARTITION BY RANGE COLUMNS(K) (" bounds ")"

static void range_literals(void **state) {
    (void)state;
    struct table t = parse(RANGE("PARTITION a VALUES LESS THAN (x'00'), PARTITION b VALUES LESS THAN (0x102),"
                                 "PARTITION c VALUES LESS THAN ('a\\n\\0\\x\\\\'''), PARTITION d VALUES LESS THAN (_binary\"b\"),"
                                 "PARTITION e VALUES LESS THAN (_utf8mb4 x'c3A9'), PARTITION f VALUES LESS THAN MAXVALUE"));
    static const struct bytes want[] = {{(const uint8_t *)"", 1},
                                        {(const uint8_t *)"\x01\x02", 2},
                                        {(const uint8_t *)"a\n\0x\\'", 6},
                                        {(const uint8_t *)"b", 1},
                                        {(const uint8_t *)"\xc3\xa9", 2}};
    for (size_t i = 0; i < countof(want); i++) assert_true(bytes_eq(t.partitioning.bounds[i], want[i]));
    assert_null(t.partitioning.bounds[5].p);
    assert_true(t.client_order_differs);
    assert_true(warned(&t, "Java clients"));
    table_free(&t);
    /* Bounds that no such engine accepts in DDL, but others do and region bounds have. */
    t = parse(RANGE("PARTITION a VALUES LESS THAN (x'80')"));
    assert_true(warned(&t, "1 bound is not valid UTF-8"));
    assert_true(t.client_order_differs);
    table_free(&t);
    t = parse(RANGE("PARTITION a VALUES LESS THAN ('b')"));
    assert_false(t.client_order_differs);
    assert_int_equal(t.warnings.n, 0);
    table_free(&t);
}

static void range_refusals(void **state) {
    (void)state;
    refuse(RANGE("PARTITION a VALUES LESS THAN ('')"), "bound of partition a is empty");
    refuse(RANGE("PARTITION a VALUES LESS THAN (x'')"), "bound of partition a is empty");
    refuse(RANGE("PARTITION a VALUES LESS THAN ('b'), PARTITION b VALUES LESS THAN ('b')"), "is not above");
    refuse(RANGE("PARTITION a VALUES LESS THAN (x'80'), PARTITION b VALUES LESS THAN ('b')"), "is not above");
    refuse(RANGE("PARTITION a VALUES LESS THAN (MAXVALUE), PARTITION b VALUES LESS THAN ('b')"), "MAXVALUE must be the last");
    refuse(RANGE("PARTITION a VALUES LESS THAN (x'6')"), "is ambiguous");
    refuse(RANGE("PARTITION a VALUES LESS THAN ('a\\%')"), "is ambiguous");
    refuse(RANGE("PARTITION a VALUES LESS THAN ('a' 'b')"), "is ambiguous");
    refuse(RANGE("PARTITION a VALUES LESS THAN (_gbk x'80')"), "is ambiguous");
    refuse(RANGE("PARTITION a VALUES LESS THAN (unhex('61'))"), "cannot read the bound unhex");
    refuse(RANGE("PARTITION a VALUES LESS THAN (5)"), "cannot read the bound 5");
    refuse(RANGE("PARTITION a VALUES LESS THAN ('a', 'b')"), "a bound of several columns");
    refuse(RANGE("PARTITION a VALUES LESS THAN ('a') (SUBPARTITION x)"), "no SUBPARTITION BY");
    refuse(HEAD " PARTITION BY RANGE COLUMNS(K)", "RANGE without a list");
    refuse(HEAD " PARTITION BY RANGE(K) (PARTITION a VALUES LESS THAN (5))", "RANGE without COLUMNS");
    refuse(HEAD " PARTITION BY RANGE() SIZE('auto') PARTITIONS AUTO", "auto-split partitions (SIZE)");
    refuse(HEAD " PARTITION BY KEY(K) PARTITIONS AUTO", "expected the number of partitions, found AUTO");
    refuse(HEAD " PARTITION BY RANGE COLUMNS(Q) (PARTITION a VALUES LESS THAN ('5'))", "RANGE COLUMNS(Q): not supported yet");
    refuse(HEAD " PARTITION BY RANGE COLUMNS(K) INTERVAL(1) (PARTITION a VALUES LESS THAN ('5'))", "INTERVAL partitions");
}

/* Tests printed bounds: a quote or backslash may stand for itself or for what SQL makes of it. */
static void printed_bounds(void **state) {
    (void)state;
#define PRINT(bound) HEAD " partition by range columns(K)\n(partition `p0` values less than (" bound "))"
    struct table t = parse(PRINT("'a'"));
    assert_true(warned(&t, "after a NUL"));
    table_free(&t);
    t = parse(PRINT("x'612762'"));
    assert_false(warned(&t, "after a NUL"));
    table_free(&t);
    refuse(PRINT("'a\\\\b'"), "prints unescaped");
    refuse(PRINT("'a''b'"), "prints unescaped");
    refuse(PRINT("'a'b'"), "is ambiguous");
    refuse(PRINT("''"), "SHOW CREATE TABLE cut it at a NUL");
}

/* ---- text around it ---- */

static void other_statements(void **state) {
    (void)state;
    struct table t = parse("\xef\xbb\xbf-- dump of OceanBase 4.2.1\n# x\nSET NAMES utf8mb4; USE `a;b`; DROP TABLE `t$f`;\n"
                           "SHOW CREATE TABLE `t$g` ; CREATE TABLE x LIKE y;\n/* CREATE TABLE `no$no` ( */\n"
                           "CREATE TABLEGROUP tg SHARDING = 'ADAPTIVE';INSERT INTO z VALUES ('; CREATE TABLE `q$q` (');\n" HEAD
                           " COMMENT 'it''s \\' ; x' -- end\n;\nINSERT INTO `t$f` VALUES (1);");
    assert_int_equal(t.n_families, 1);
    assert_string_equal(t.ddl, HEAD " COMMENT 'it''s \\' ; x';\n");
    table_free(&t);
    t = parse("create   table `t$f`\t(  /* c */\r\n    K varbinary(9),Q varbinary(9) ,  \n\tT bigint, V blob,"
              " primary key(K,Q,T)) ");
    assert_string_equal(t.ddl, "create table `t$f` (\n    K varbinary(9),Q varbinary(9) ,\n\tT bigint, V blob,"
                               " primary key(K,Q,T));\n");
    table_free(&t);
    refuse("", "no CREATE TABLE");
    refuse("DROP TABLE x;", "no CREATE TABLE");
    refuse("DROP TABLE x;\nCREATE TABLE IF NOT EXISTS \"t$f\" (" COLUMNS PRIMARY, "x.sql:2: the table's name stands in quotes");
    refuse(HEAD "; 'abc", "x.sql:1: a string is not closed");
    refuse(HEAD ";\n\n/* abc", "x.sql:3: a comment is not closed");
    refuse("CREATE TABLE `t$f` (" COLUMNS, "the text ends, expected");
    refuse("CREATE TABLE `t$f` (K varbinary(1024), \n Q varbinary(256) DEFAULT (1", "x.sql:2: table `t$f`: this '(' is not");
    struct err err = {0};
    assert_int_equal(ddl_parse("x.sql", "a\0b", 3, &t, &err), -1);
    assert_non_null(strstr(err.text, "NUL byte"));
}

static void versions(void **state) {
    (void)state;
    refuse("-- OceanBase 3.1.4 (r1)\n" HEAD, "before 4.0");
    refuse("/* Server 5.7.25-OceanBase-v2.2.77 */" HEAD, "x.sql:1: a comment says");
    struct table t = parse("-- from OceanBase 3.2.3 to OceanBase CE 4.3.5\n" HEAD);
    table_free(&t);
}

/* As written by clients: -e into a file, vertically, and in a frame. */
static void client_output(void **state) {
    (void)state;
    struct table t = parse("Table\tCreate Table\nt$f\tCREATE TABLE `t$f` (\\n  `K` varbinary(9) COMMENT 'a\\\\'b\\tc',\\n"
                           "  `Q` varbinary(9),\\n  `T` bigint(20),\\n  `V` blob,\\n  PRIMARY KEY (`K`, `Q`, `T`)\\n)\\n"
                           " partition by key(k)\\n(partition `p0`,\\npartition `p1`)\n");
    assert_int_equal(t.partitioning.count, 2);
    assert_non_null(strstr(t.ddl, "COMMENT 'a\\'b\tc'"));
    table_free(&t);
    t = parse("*************************** 1. row ***************************\n       Table: t$f\nCreate Table: " HEAD
              " partition by key(k)\n(partition `p0`)\n1 row in set (0.01 sec)\n\nmysql> exit");
    assert_int_equal(t.partitioning.count, 1);
    table_free(&t);
    t = parse("+-----+----+\n| Table | Create Table |\n+-----+----+\n| t$f | " HEAD " PCTFREE = 0 |\n+-----+----+\n1 row in set");
    assert_int_equal(t.n_families, 1);
    table_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {

        cmocka_unit_test(lengths_and_rules),
        cmocka_unit_test(attributes),
        cmocka_unit_test(several_families),
        cmocka_unit_test(unique_keys),
        cmocka_unit_test(columns_without_value),
        cmocka_unit_test(names),
        cmocka_unit_test(columns),
        cmocka_unit_test(generated_columns),
        cmocka_unit_test(key_partitions),
        cmocka_unit_test(range_literals),
        cmocka_unit_test(range_refusals),
        cmocka_unit_test(printed_bounds),
        cmocka_unit_test(other_statements),
        cmocka_unit_test(versions),
        cmocka_unit_test(client_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
