/* Lists, and partitions of partitions, in CREATE TABLE: what is read, and every refusal by its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "table/partitioning.h"

#include "ddl_cases.h"

#define G_HEAD HEAD_WITH("G bigint AS (ABS(T))")
#define LIST(values) HEAD " PARTITION BY LIST COLUMNS(K) (" values ")"
#define BELOW(rest) G_HEAD " PARTITION BY KEY(K) SUBPARTITION BY RANGE COLUMNS(G) " rest

static void list_partitions(void **state) {
    (void)state;
    struct table t = parse(LIST("PARTITION a VALUES IN ('x', x'00'), PARTITION b VALUES IN ('', DEFAULT)"));
    assert_int_equal(t.partitioning.kind, PARTITION_LIST);
    assert_int_equal(t.partitioning.lists[0].n, 2);
    assert_true(bytes_eq(t.partitioning.lists[0].values[1], bytes_of("", 1)));
    assert_true(t.partitioning.lists[1].is_default && t.partitioning.lists[1].n == 1);
    table_free(&t);
    t = parse(HEAD " partition by list columns(K) (partition a values in ('it''s', 'c\\\\d'), partition b values in (default))");
    assert_true(bytes_eq(t.partitioning.lists[0].values[0], bytes_str("it's"))); /* written by hand, not printed */
    assert_true(bytes_eq(t.partitioning.lists[0].values[1], bytes_str("c\\d")));
    assert_false(warned(&t, "after a NUL"));
    table_free(&t);
    refuse(LIST("PARTITION a VALUES IN ('x'), PARTITION b VALUES IN ('x')"), "is in two lists");
    refuse(LIST("PARTITION a VALUES IN (DEFAULT), PARTITION b VALUES IN (DEFAULT)"), "DEFAULT appears twice");
    refuse(LIST("PARTITION a VALUES IN ()"), "cannot read the bound");
    refuse(LIST("PARTITION a VALUES IN (5)"), "cannot read the bound 5");
    refuse(HEAD " PARTITION BY LIST COLUMNS(K)", "LIST without a list");
    refuse(HEAD " PARTITION BY LIST(K) (PARTITION a VALUES IN ('x'))", "LIST without COLUMNS");
    refuse(G_HEAD " PARTITION BY LIST COLUMNS(G) (PARTITION a VALUES IN (5))", "LIST COLUMNS(G): not supported yet");
}

static void two_levels(void **state) {
    (void)state;
    struct table t = parse(BELOW("SUBPARTITION TEMPLATE (SUBPARTITION s0 VALUES LESS THAN (-5), SUBPARTITION s1 VALUES LESS THAN "
                                 "(9223372036854775807)) PARTITIONS 2"));
    const struct partitioning *p = &t.partitioning;
    assert_int_equal(p->count, 4);
    assert_string_equal(p->names[3], "p1ss1");
    assert_true(partitioning_take_time(p->levels[1].bounds[0]) == -5);
    assert_true(partitioning_take_time(p->levels[1].bounds[1]) == INT64_MAX);
    assert_true(partitioning_splits_rows(p));
    table_free(&t);
    t = parse(HEAD " PARTITION BY KEY(K) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 PARTITIONS 2");
    assert_string_equal(t.partitioning.names[5], "p1sp2");
    assert_false(partitioning_splits_rows(&t.partitioning));
    table_free(&t);
    refuse(BELOW("SUBPARTITIONS 3 PARTITIONS 2"), "RANGE without a list of SUBPARTITIONS");
    refuse(BELOW("(PARTITION a (SUBPARTITION x VALUES LESS THAN (5)), PARTITION b)"), "a list in every partition");
    refuse(
        BELOW("SUBPARTITION TEMPLATE (SUBPARTITION x VALUES LESS THAN (5)) (PARTITION a (SUBPARTITION y VALUES LESS THAN (5)))"),
        "a list in every partition");
    refuse(BELOW("(PARTITION a (SUBPARTITION x VALUES LESS THAN (5)), PARTITION b (SUBPARTITION X VALUES LESS THAN (5)))"),
           "appears twice");
    refuse(BELOW("(PARTITION a (SUBPARTITION x VALUES LESS THAN (9223372036854775808)))"), "at most 9223372036854775807");
    refuse(BELOW("(PARTITION a (SUBPARTITION x VALUES LESS THAN ('5')))"), "expected the bound");
    refuse(HEAD " PARTITION BY KEY(K) SUBPARTITION BY KEY(K) SUBPARTITIONS 100 PARTITIONS 82", "more than 8192");
    refuse(HEAD " PARTITION BY KEY(K) SUBPARTITIONS 3", "SUBPARTITIONS without SUBPARTITION BY");
    refuse(HEAD " PARTITION BY KEY(K) SUBPARTITION TEMPLATE (SUBPARTITION a)", "expected BY");
    refuse(HEAD " PARTITION BY KEY(K) SUBPARTITION BY HASH(K) SUBPARTITIONS 3", "HASH: not supported yet");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_partitions),
        cmocka_unit_test(two_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
