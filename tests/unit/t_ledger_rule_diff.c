/* Where two sets of rules differ: sums and examples do not depend on the order in which partitions are added. */
#include "flat_cells.h"

#include "rules/ledger.h"

#include <stdio.h>

static void note(struct rule_diff *d, enum rule_side keeps, enum cause why, uint64_t place, const char *row) {
    struct cell c = {.qualifier = bytes_str("q"), .ts_ms = 7, .type = CELL_PUT};
    struct row_part part = {.row = bytes_str(row), .family = bytes_str("f"), .cells = &c, .n_cells = 1};
    rule_diff_note(d, keeps, why, (struct digest){place + 1, 1}, place, &part, &c);
}

static void test_sums(void **state) {
    (void)state;
    struct rule_diff d = {0};
    note(&d, RULE_HBASE, CAUSE_DUPLICATE, 0, "a");
    note(&d, RULE_HBASE, CAUSE_DUPLICATE, 1, "b");
    note(&d, RULE_HBASE, CAUSE_VERSIONS, 1, "c");
    note(&d, RULE_OCEANBASE, CAUSE_CELL_TTL, 1, "d");
    assert_int_equal(d.only[RULE_HBASE][CAUSE_DUPLICATE].cells, 2);
    assert_int_equal(rule_diff_sum(&d, RULE_HBASE).cells, 3);
    assert_int_equal(rule_diff_sum(&d, RULE_HBASE).digest.lo, 1 + 2 + 2);
    assert_int_equal(rule_diff_sum(&d, RULE_OCEANBASE).cells, 1);
    assert_int_equal(d.n_examples[RULE_HBASE], 3);
    assert_string_equal(d.examples[RULE_OCEANBASE][0].text, "d\tf:q\t7\tPut");
}

static void test_any_order(void **state) {
    (void)state;
    struct rule_diff parts[9] = {0}, forward = {0}, backward = {0}, pairs = {0};
    for (uint64_t p = 0; p < 9; p++)
        for (int i = 0; i < 5; i++) {
            char row[16];
            snprintf(row, sizeof row, "%d-%d", (int)p, i);
            note(&parts[p], p % 2 ? RULE_HBASE : RULE_OCEANBASE, CAUSE_VERSIONS, p, row);
        }
    for (int p = 0; p < 9; p++) {
        rule_diff_add(&forward, &parts[p]);
        rule_diff_add(&backward, &parts[8 - p]);
    }
    for (int p = 0; p < 9; p += 2) {
        struct rule_diff pair = parts[p];
        if (p < 8) rule_diff_add(&pair, &parts[p + 1]);
        rule_diff_add(&pairs, &pair);
    }
    assert_memory_equal(&forward, &backward, sizeof forward);
    assert_memory_equal(&forward, &pairs, sizeof forward);
    assert_int_equal(forward.n_examples[RULE_OCEANBASE], RULE_EXAMPLES); /* of 25 */
    assert_string_equal(forward.examples[RULE_OCEANBASE][0].text, "0-0\tf:q\t7\tPut");
    assert_string_equal(forward.examples[RULE_OCEANBASE][19].text, "6-4\tf:q\t7\tPut");
    assert_int_equal(forward.n_examples[RULE_HBASE], 20);
}

/* Names of any bytes and any length: escaped, and cut. */
static void test_long_names(void **state) {
    (void)state;
    static uint8_t bytes[ROW_MAX_BYTES];
    struct rule_diff d = {0};
    memset(bytes, 0xff, sizeof bytes);
    struct cell c = {.qualifier = bytes_of(bytes, sizeof bytes), .ts_ms = INT64_MAX, .type = CELL_DELETE_FAMILY_VERSION};
    struct row_part part = {.row = bytes_of(bytes, sizeof bytes), .family = bytes_of(bytes, FAMILY_MAX_BYTES)};
    rule_diff_note(&d, RULE_HBASE, CAUSE_PURGED_DELETE_FAMILY_VERSION, (struct digest){1, 1}, 0, &part, &c);
    const char *text = d.examples[RULE_HBASE][0].text;
    assert_true(strlen(text) < RULE_EXAMPLE_BYTES);
    assert_memory_equal(text, "\\xFF\\xFF", 8);
    assert_non_null(strstr(text, "...\t"));
    assert_non_null(strstr(text, "\t9223372036854775807\tDeleteFamilyVersion"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_long_names),
    };
    return cmocka_run_group_tests_name("rule_diff", tests, NULL, NULL);
}
