/* The notation of --partition, bounds files and dumps of the catalogue, and tables made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "table/bounds.h"
#include "table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void refuse(const char *spec, const char *part) {
    struct partitioning p;
    struct buf warnings = {0};
    struct err err = {0};
    if (partitioning_parse(spec, &p, &warnings, &err) == 0) fail_msg("'%s' accepted, wanted: %s", spec, part);
    if (!strstr(err.text, part)) fail_msg("'%s': said '%s', wanted '%s'", spec, err.text, part);
    assert_int_equal(err.code, ERR_USAGE);
    assert_int_equal(p.count, 0);
    buf_free(&warnings);
}

static void expect_described(const struct partitioning *p, const char *want) {
    struct buf text = {0};
    struct err err = {0};
    assert_int_equal(partitioning_describe(p, &text, &err), 0);
    if (text.n != strlen(want) || memcmp(text.p, want, text.n)) fail_msg("is %.*s, wanted %s", (int)text.n, (char *)text.p, want);
    buf_free(&text);
}

static void accept(const char *spec, const char *described) {
    struct partitioning p;
    struct buf warnings = {0};
    struct err err = {0};
    if (partitioning_parse(spec, &p, &warnings, &err)) fail_msg("'%s': %s", spec, err.text);
    expect_described(&p, described);
    assert_int_equal(warnings.n, 0);
    partitioning_free(&p);
    buf_free(&warnings);
}

static void notation(void **state) {
    (void)state;
    accept("none", "not partitioned");
    accept("key:97", "KEY(K) PARTITIONS 97");
    accept("key:1", "KEY(K) PARTITIONS 1");
    accept("key:8192", "KEY(K) PARTITIONS 8192");
    accept("key:97:substring(1,4)", "KEY(substring(K,1,4)) PARTITIONS 97");
    accept("key:97:SUBSTR( k , -3 )", "KEY(substring(K,-3)) PARTITIONS 97");
    accept("key:7:substring(2,-1)", "KEY(substring(K,2,-1)) PARTITIONS 7");
    accept("key:7:K,Q", "KEY(K,Q) PARTITIONS 7");
    accept("key:7: k , q,T ", "KEY(K,Q,T) PARTITIONS 7");
    accept("key:7:K", "KEY(K) PARTITIONS 7");
    refuse("key:7:", "K,Q or K,Q,T after the count");
    refuse("key:7:Q", "K,Q or K,Q,T after the count");
    refuse("key:7:K,T", "K,Q or K,Q,T after the count");
    refuse("key:7:K,Q,T,T", "K,Q or K,Q,T after the count");
    refuse("key:7:K,", "K,Q or K,Q,T after the count");
    refuse("", "write none, key:N");
    refuse("NONE", "write none, key:N");
    refuse("key", "write key:N");
    refuse("key:", "write key:N");
    refuse("key:x", "write key:N");
    refuse("key:97,", "write key:N");
    refuse("key:0", "must be 1 to 8192");
    refuse("key:-3", "must be 1 to 8192");
    refuse("key:8193", "must be 1 to 8192");
    refuse("key:99999999999999999999", "write key:N");
    refuse("key:3:left(4)", "expected substring(");
    refuse("key:3:substring", "expected substring(");
    refuse("key:3:substring()", "expected substring(");
    refuse("key:3:substring(1,4)x", "expected substring(");
    refuse("key:3:substring(1,4,5)", "expected substring(");
    refuse("key:3:substring(1,99999999999999999999)", "expected substring(");
    refuse("range:", "name of the bounds file is missing");
}

static void accept_warned(const char *spec, const char *described, const char *warning) {
    struct partitioning p;
    struct buf warnings = {0};
    struct err err = {0};
    if (partitioning_parse(spec, &p, &warnings, &err)) fail_msg("'%s': %s", spec, err.text);
    expect_described(&p, described);
    assert_int_equal(buf_put_byte(&warnings, 0, &err), 0);
    if (!strstr((char *)warnings.p, warning)) fail_msg("'%s' in: %s", warning, (char *)warnings.p);
    partitioning_free(&p);
    buf_free(&warnings);
}

static void notation_of_sql(void **state) {
    (void)state;
    accept("sql:KEY(K) PARTITIONS 7", "KEY(K) PARTITIONS 7");
    accept("sql: partition by key(k) partitions 7;", "KEY(K) PARTITIONS 7");
    accept_warned("sql:KEY(K,Q) PARTITIONS 11", "KEY(K,Q) PARTITIONS 11", "spreads the cells of a row");
    accept("sql:LIST COLUMNS(K) (PARTITION a VALUES IN ('x','y'), PARTITION b VALUES IN (DEFAULT))",
           "LIST COLUMNS(K) PARTITIONS 2, 2 values and DEFAULT");
    accept("sql:KEY(K) SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (SUBPARTITION a VALUES LESS THAN (5), "
           "SUBPARTITION b VALUES LESS THAN (MAXVALUE)) PARTITIONS 3",
           "KEY(K) PARTITIONS 3; each by RANGE COLUMNS(ABS(T)) PARTITIONS 2, first below 5, last below MAXVALUE; 6 leaves");
    accept("sql:RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 2 (PARTITION a VALUES LESS THAN (5))",
           "RANGE COLUMNS(ABS(T)) PARTITIONS 1, below 5; each by KEY(K) PARTITIONS 2; 2 leaves");
    refuse("sql:", "expected KEY, RANGE or LIST");
    refuse("sql:HASH(K) PARTITIONS 3", "HASH: not supported");
    refuse("sql:KEY(X) PARTITIONS 3", "there is no such column");
    refuse("sql:KEY(K) PARTITIONS", "--partition sql:1: the text ends, expected the number of partitions");
    refuse("sql:KEY(X)\nPARTITIONS 3", "--partition sql:1: KEY(X): there is no such column");
    refuse("sql:KEY(K)\nPARTITIONS 3 'x", "--partition sql:2: a");
    refuse("ddl:", "the name of the file with CREATE TABLE is missing");
}

static void notation_of_files(void **state) {
    (void)state;
    accept("ddl:tests/data/oceanbase/28_list_columns.in.sql",
           "LIST COLUMNS(substring(K,1,1)) PARTITIONS 3, 3 values and DEFAULT");
    accept("ddl:tests/data/oceanbase/01_plain_key97_tablegroup.in.sql", "KEY(K) PARTITIONS 97");
    accept("ddl:tests/data/oceanbase/22_range_g_sub_key.in.sql",
           "RANGE COLUMNS(ABS(T)) PARTITIONS 2, first below 1600000000000, last below MAXVALUE; each by KEY(K) PARTITIONS 2; 4 "
           "leaves");
}

static void missing_file(void **state) {
    (void)state;
    struct partitioning p;
    struct buf warnings = {0};
    struct err err = {0};
    assert_int_equal(partitioning_parse("range:tests/data/no such file", &p, &warnings, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "no such file"));
    err = (struct err){0};
    assert_int_equal(partitioning_parse("ddl:tests/data/no such file", &p, &warnings, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
}

/* ---- bounds files ---- */

static struct partitioning read_text(struct bytes text, bool want_dump) {
    struct partitioning p;
    struct err err = {0};
    bool is_dump;
    if (bound_file_parse("f", text, &p, &is_dump, &err)) fail_msg("%s\n  for %.*s", err.text, (int)text.n, (char *)text.p);
    assert_int_equal(is_dump, want_dump);
    return p;
}

static void refuse_text(const char *text, const char *part) {
    struct partitioning p;
    struct err err = {0};
    bool is_dump;
    if (bound_file_parse("f", bytes_str(text), &p, &is_dump, &err) == 0) fail_msg("accepted, wanted: %s\n%s", part, text);
    if (!strstr(err.text, part)) fail_msg("said '%s', wanted '%s'", err.text, part);
    assert_int_equal(err.code, ERR_USAGE);
    assert_null(p.bounds);
}

static void plain_bounds(void **state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbf# regions\r\n\r\nhex:00\r\na b\n  \nhex:6200FF\nrow-5";
    struct partitioning p = read_text(bytes_of(text, sizeof text - 1), false);
    assert_int_equal(p.kind, PARTITION_RANGE);
    assert_int_equal(p.count, 5);
    static const struct bytes want[] = {
        {(const uint8_t *)"", 1}, {(const uint8_t *)"a b", 3}, {(const uint8_t *)"b\0\xff", 3}, {(const uint8_t *)"row-5", 5}};
    for (uint32_t i = 0; i < 4; i++) assert_true(bytes_eq(p.bounds[i], want[i]));
    assert_null(p.bounds[4].p);
    assert_string_equal(p.names[4], "p4");
    struct partitioning closed = read_text(bytes_str("hex:00\na b\nhex:6200ff\nrow-5\nMAXVALUE\n"), false);
    assert_true(partitioning_eq(&p, &closed));
    partitioning_free(&closed);
    partitioning_free(&p);
}

static void plain_refusals(void **state) {
    (void)state;
    refuse_text("", "f: holds no bound");
    refuse_text("# a\n\n", "f: holds no bound");
    refuse_text("MAXVALUE\n", "f: holds no bound");
    refuse_text("a\nMAXVALUE\nb\n", "f:3: a bound after MAXVALUE");
    refuse_text("a\nhex:\n", "f:2: the bound is empty");
    refuse_text("hex:6\n", "f:1: hex: must be followed");
    refuse_text("hex:6g\n", "f:1: hex: must be followed");
    refuse_text("b\na\n", "f:2: the bound is not above");
    refuse_text("b\nb\n", "f:2: the bound is not above");
    refuse_text("hex:80\na\n", "f:2: the bound is not above");
    refuse_text("a \n", "f:1: the bound starts or ends with a blank");
    refuse_text("a\t\n", "f:1: the bound starts or ends with a blank");
    struct buf many = {0};
    struct err err = {0};
    for (int i = 0; i < 8192; i++) assert_int_equal(buf_printf(&many, &err, "%05d\n", i), 0);
    assert_int_equal(buf_put_byte(&many, 0, &err), 0);
    refuse_text((char *)many.p, "more than 8192 partitions");
    buf_free(&many);
}

#define A "0116043FFF016100"                 /* 'a' */
#define B "0116043FFF0361006200"             /* 'a\0b' */
#define MAX "0119070000FEFFFFFFFFFFFFFFFF01" /* MAXVALUE */

static void dumps(void **state) {
    (void)state;
    static const char *const same[] = {
        "0\tx\t" A "\n1\ty y\t" B "\n2\tz\t" MAX "\n",
        "part_idx\tpart_name\tunhex(hex(b_high_bound_val))\r\n0\tx\t" A "\r\n1\ty y\t" B "\r\n2\tz\t" MAX "\r\n",
        "0\tx\t276127\t" A "\n1\ty y\t276127\t" B "\n2\tz\t4D415856414C5545\t" MAX "\n",
        "2\tz\t" MAX "\n0\tx\t" A "\n1\ty y\t" B "\n",
        "+---+-----+---+\n| part_idx | part_name | b_high_bound_val |\n+---+-----+---+\n| 0 | x   | " A " |\n| 1 | y y | " B
        " |\n| 2 | z   | " MAX " |\n+---+-----+---+\n",
        "\"part_name\",\"b_high_bound_val\"\n\"x\",\"" A "\"\n\"y y\",\"" B "\"\n\"z\",\"" MAX "\"\n",
    };
    struct partitioning first = read_text(bytes_str(same[0]), true);
    assert_int_equal(first.count, 3);
    assert_true(bytes_eq(first.bounds[1], bytes_of("a\0b", 3)));
    assert_null(first.bounds[2].p);
    assert_string_equal(first.names[1], "y y");
    for (size_t i = 1; i < countof(same); i++) {
        struct partitioning p = read_text(bytes_str(same[i]), true);
        if (!partitioning_eq(&first, &p)) fail_msg("form %zu differs", i);
        partitioning_free(&p);
    }
    partitioning_free(&first);
    /* Bounds alone; and without MAXVALUE the table is bounded. */
    first = read_text(bytes_str("0116043fff016100\n0116043fff0361006200\n"), true);
    assert_int_equal(first.count, 2);
    assert_string_equal(first.names[1], "p1");
    assert_non_null(first.bounds[1].p);
    partitioning_free(&first);
}

static void dump_refusals(void **state) {
    (void)state;
    refuse_text("0\tx\t" A "\n1\ty\tb\n", "f:2: does not end in a b_high_bound_val");
    refuse_text("part_name\tb_high_bound_val\np0\tNULL\n", "f:1: a dump's header, but no row");
    refuse_text("0\tx\t" B "\n1\ty\t" A "\n", "is not above");
    refuse_text("0\tx\t" MAX "\n1\ty\t" A "\n", "MAXVALUE must be the last");
    refuse_text("0\tx\t" A "\n1\tX\t" B "\n", "appears twice");
    refuse_text("0\tx\t0116043FFF0000\n", "is empty");
    refuse_text("0\tp0\t0105053F008080BABBC82E\n", "not of a varbinary column");
    refuse_text("0\tp0\t0116042DFF016100\n", "not of a varbinary column");
    refuse_text("0\tp\r0\t" A "\n", "control character");
    refuse_text("0\tp\x1b[2J\t" A "\n", "control character");
    refuse_text("0\tx\t" A "\ny\t" B "\n", "no part_idx");
}

static void bound_codes(void **state) {
    (void)state;
    static const struct {
        const char *hex;
        enum bound_code kind;
    } cases[] = {{A, BOUND_VALUE},
                 {MAX, BOUND_MAXVALUE},
                 {"0116043FFF0000", BOUND_VALUE},
                 {"0216043FFF016100", BOUND_NOT_CODE},   /* two cells */
                 {"0116043FFF026100", BOUND_NOT_CODE},   /* cut short */
                 {"0116043FFF016101", BOUND_NOT_CODE},   /* no closing NUL */
                 {"0116043FFF01610000", BOUND_NOT_CODE}, /* something behind it */
                 {"0116043FFF01610", BOUND_NOT_CODE},    /* odd */
                 {"0119070000FDFFFFFFFFFFFFFFFF01", BOUND_NOT_CODE},
                 {"0116043FFFFFFFFFFFFFFFFFFFFF01", BOUND_NOT_CODE},
                 {"0105053F008080BABBC82E", BOUND_OTHER_TYPE},
                 {"", BOUND_NOT_CODE},
                 {"61", BOUND_NOT_CODE}};
    struct buf value = {0};
    struct err err = {0};
    for (size_t i = 0; i < countof(cases); i++) {
        enum bound_code kind;
        assert_int_equal(bound_code_decode(bytes_str(cases[i].hex), &value, &kind, &err), 0);
        if (kind != cases[i].kind) fail_msg("%s: %d, wanted %d", cases[i].hex, (int)kind, (int)cases[i].kind);
    }
    /* A length of two bytes. */
    char hex[1000] = "0116043FFFC801", *at = hex + 14;
    for (int i = 0; i < 200; i++) at += sprintf(at, "%02x", i);
    sprintf(at, "00");
    enum bound_code kind;
    assert_int_equal(bound_code_decode(bytes_str(hex), &value, &kind, &err), 0);
    assert_int_equal(kind, BOUND_VALUE);
    assert_int_equal(value.n, 200);
    assert_int_equal(value.p[199], 199);
    buf_free(&value);
}

static void warnings_of_files(void **state) {
    (void)state;
    char path[] = "/tmp/t_partitioning.XXXXXX", spec[80];
    int fd = mkstemp(path);
    struct err err = {0};
    struct buf warnings = {0};
    struct partitioning p;
    assert_true(fd >= 0);
    assert_int_equal(fs_write_full(fd, "a\nhex:80\n", 9, path, &err), 0);
    close(fd);
    snprintf(spec, sizeof spec, "range:%s", path);
    assert_int_equal(partitioning_parse(spec, &p, &warnings, &err), 0);
    assert_int_equal(unlink(path), 0);
    assert_true(partitioning_client_differs(&p));
    assert_non_null(memmem(warnings.p, warnings.n, "1 bound is not valid UTF-8", 26));
    assert_non_null(memmem(warnings.p, warnings.n, "Java clients", 12));
    expect_described(&p, "RANGE COLUMNS(K) PARTITIONS 3, first below 'a', last below MAXVALUE");
    partitioning_free(&p);
    buf_free(&warnings);
}

/* ---- comparing and copying ---- */

static struct partitioning spec_of(const char *spec) {
    struct partitioning p;
    struct buf warnings = {0};
    struct err err = {0};
    assert_int_equal(partitioning_parse(spec, &p, &warnings, &err), 0);
    buf_free(&warnings);
    return p;
}

static void equality(void **state) {
    (void)state;
    static const char *const different[] = {
        "none", "key:1", "key:2", "key:2:substr(1)", "key:2:substr(1,1)", "key:2:substr(2,1)", "key:2:substr(1,2)"};
    for (size_t i = 0; i < countof(different); i++)
        for (size_t k = 0; k < countof(different); k++) {
            struct partitioning a = spec_of(different[i]), b = spec_of(different[k]);
            assert_int_equal(partitioning_eq(&a, &b), i == k);
            partitioning_free(&a);
            partitioning_free(&b);
        }
    static const char *const lists[] = {"'x','y','z'", "'z','x','y'", "'x','y','q'",
                                        "'x','y'"}; /* the first two in their order */
    for (size_t i = 0; i < countof(lists); i++) {
        char text[100];
        snprintf(text, sizeof text, "sql:LIST COLUMNS(K) (PARTITION a VALUES IN (%s), PARTITION b VALUES IN (DEFAULT))",
                 lists[i]);
        struct partitioning a = spec_of(
                                "sql:LIST COLUMNS(K) (PARTITION a VALUES IN ('x','y','z'), PARTITION b VALUES IN (DEFAULT))"),
                            b = spec_of(text);
        assert_int_equal(partitioning_eq(&a, &b), i < 2);
        partitioning_free(&a);
        partitioning_free(&b);
    }
    static const char *const ranges[] = {"a\nb\n", "a\nc\n", "a\n", "a\nhex:6200\n", A "\n" B "\n"};
    for (size_t i = 0; i < countof(ranges); i++)
        for (size_t k = 0; k < countof(ranges); k++) {
            struct partitioning a = read_text(bytes_str(ranges[i]), i == 4), b = read_text(bytes_str(ranges[k]), k == 4), c;
            struct err err = {0};
            assert_int_equal(partitioning_eq(&a, &b), i == k);
            assert_int_equal(partitioning_copy(&a, &c, &err), 0);
            assert_true(partitioning_eq(&a, &c));
            assert_ptr_not_equal(a.bounds[0].p, c.bounds[0].p);
            c.k_pad = 16;
            assert_false(partitioning_eq(&a, &c));
            partitioning_free(&a);
            partitioning_free(&b);
            partitioning_free(&c);
        }
}

/* ---- tables by hand ---- */

static void refuse_family(struct table *t, struct bytes name, const char *part) {
    struct err err = {0};
    uint32_t before = t->n_families;
    assert_int_equal(table_add_family(t, name, &err), -1);
    if (!strstr(err.text, part)) fail_msg("said '%s', wanted '%s'", err.text, part);
    assert_int_equal(err.code, ERR_USAGE);
    assert_int_equal(t->n_families, before);
}

static void handmade(void **state) {
    (void)state;
    struct table t;
    struct err err = {0};
    char longest[128];
    memset(longest, 'x', sizeof longest);
    assert_int_equal(table_handmade(&t, &err), 0);
    assert_int_equal(t.partitioning.kind, PARTITION_NONE);
    assert_int_equal(t.partitioning.count, 1);
    assert_int_equal(table_add_family(&t, bytes_str("cf"), &err), 0);
    assert_int_equal(table_add_family(&t, bytes_str("a$b c\xc3\xa9."), &err), 0);
    assert_int_equal(table_add_family(&t, bytes_of(longest, 127), &err), 0);
    assert_int_equal(t.n_families, 3);
    assert_string_equal(t.families[0].name, "cf");
    assert_int_equal(t.families[0].k_max, 32767);
    assert_int_equal(t.families[0].q_max, 32767);
    assert_true(t.families[0].v_max > 1 << 30);
    assert_false(t.families[0].rules.versions_given);
    assert_null(t.name);
    assert_null(t.ddl);
    refuse_family(&t, bytes_of(longest, 128), "128 bytes, HBase allows 127");
    refuse_family(&t, bytes_str(""), "is empty");
    refuse_family(&t, bytes_str("cf"), "already exists");
    refuse_family(&t, bytes_str(".cf"), "may not start with '.'");
    refuse_family(&t, bytes_str("a/b"), "may not hold '/'");
    refuse_family(&t, bytes_str("a:b"), "may not hold ':'");
    refuse_family(&t, bytes_str("a\\b"), "may not hold '\\'");
    refuse_family(&t, bytes_of("a\0b", 3), "control character 0x00 at byte 1");
    refuse_family(&t, bytes_str("a\x7f"), "control character 0x7f at byte 1");
    refuse_family(&t, bytes_str("recovered.edits"), "is reserved");
    refuse_family(&t, bytes_str("MANIFEST.json"), "is reserved");
    table_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notation),
        cmocka_unit_test(notation_of_sql),
        cmocka_unit_test(notation_of_files),
        cmocka_unit_test(missing_file),
        cmocka_unit_test(plain_bounds),
        cmocka_unit_test(plain_refusals),
        cmocka_unit_test(dumps),
        cmocka_unit_test(dump_refusals),
        cmocka_unit_test(bound_codes),
        cmocka_unit_test(warnings_of_files),
        cmocka_unit_test(equality),
        cmocka_unit_test(handmade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
