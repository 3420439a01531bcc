/* Every form of CREATE TABLE that a real server was given (tests/data/oceanbase): what it printed is read back as the same
 * table. */
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

struct form {
    const char *stem, *table, *family, *partitioning; /* partitioning as described; NULL when refused */
    const char *refused;                              /* part of the message; of both forms, or … */
    const char *refused_print;                        /* … of the printed form only */
};

static const struct form forms[] = {
    {"01_plain_key97_tablegroup", "htable1", "family1", "KEY(K) PARTITIONS 97", NULL, NULL},
    {"02_nopart", "htable2", "cf", "not partitioned", NULL, NULL},
    {"03_kv_attributes", "htable3", "cf", "KEY(K) PARTITIONS 3", NULL, NULL},
    {"04_kv_attributes_ttl_only", "htable4", "cf", "not partitioned", NULL, NULL},
    {"05_kv_attributes_empty_hbase", "htable5", "cf", "not partitioned", NULL, NULL},
    {"06_kv_attributes_maxversions", "htable6", "cf", "not partitioned", NULL, NULL},
    {"07_longblob", "htable7", "cf", "KEY(K) PARTITIONS 7", NULL, NULL},
    {"08_mediumblob_default_null", "htable8", "cf", "KEY(K) PARTITIONS 7", NULL, NULL},
    {"09_cell_ttl_column", "htable9", "cf", "KEY(K) PARTITIONS 7", NULL, NULL},
    {"10_k_prefix_virtual", "htable10", "cf", "KEY(substring(K,1,4)) PARTITIONS 5", NULL, NULL},
    {"11_k_prefix_stored", "htable11", "cf", "KEY(substring(K,2,3)) PARTITIONS 5", NULL, NULL},
    {"12_k_prefix_two_arg", "htable12", "cf", "KEY(substring(K,-3)) PARTITIONS 2", NULL, NULL},
    {"13_k_prefix_substring_index", "htable13", "cf", "KEY(substring_index(K,'.',1)) PARTITIONS 2", NULL, NULL},
    {"14_k_prefix_from_for", "htable13b", "cf", "KEY(substring(K,1,4)) PARTITIONS 2", NULL, NULL},
    {"15_k_prefix_left", "htable13c", "cf", "KEY(substring(K,1,4)) PARTITIONS 2", NULL, NULL},
    {"16_range_text", "htable14", "cf", "RANGE COLUMNS(K) PARTITIONS 3, first below 'a', last below MAXVALUE", NULL, NULL},
    {"17_range_nomax", "htable15", "cf", "RANGE COLUMNS(K) PARTITIONS 2, first below '0', last below 'z'", NULL, NULL},
    {"18_range_special_bounds", "htable16", "cf", "RANGE COLUMNS(K) PARTITIONS 9, first below 0x00, last below MAXVALUE", NULL,
     "bound of partition p0 is empty"},
    {"20_key_named_list", "htable18", "cf", "KEY(K) PARTITIONS 3", NULL, NULL},
    {"21_key_sub_range_g", "htable19", "cf",
     "KEY(K) PARTITIONS 3; each by RANGE COLUMNS(ABS(T)) PARTITIONS 2, first below 1600000000000, last below MAXVALUE; 6 leaves",
     NULL, NULL},
    {"22_range_g_sub_key", "htable20", "cf",
     "RANGE COLUMNS(ABS(T)) PARTITIONS 2, first below 1600000000000, last below MAXVALUE; each by KEY(K) PARTITIONS 2; 4 leaves",
     NULL, NULL},
    {"23_range_k_sub_key_prefix", "htable21", "cf",
     "RANGE COLUMNS(K) PARTITIONS 2, first below 'm', last below MAXVALUE; each by KEY(substring(K,1,4)) PARTITIONS 3; 6 leaves",
     NULL, NULL},
    {"24_nontemplate_subpartitions", "htable22", "cf",
     "RANGE COLUMNS(ABS(T)) PARTITIONS 2, first below 1600000000000, last below MAXVALUE; each by KEY(K) PARTITIONS 2 and the "
     "like; 3 leaves",
     NULL, NULL},
    {"25_nontemplate_key_sub_range", "htable22b", "cf",
     "KEY(K) PARTITIONS 2; each by RANGE COLUMNS(ABS(T)) PARTITIONS 2, first below 5, last below MAXVALUE and the like; 3 leaves",
     NULL, NULL},
    {"26_range_text_quote_backslash", "htable40", "cf", "RANGE COLUMNS(K) PARTITIONS 3, first below 'a'b', last below MAXVALUE",
     NULL, "the bound 'a' is ambiguous"},
    {"27_range_text_nul", "htable41", "cf", "RANGE COLUMNS(K) PARTITIONS 2, first below 0x610062, last below MAXVALUE", NULL,
     NULL},
    {"28_list_columns", "htable23", "cf", "LIST COLUMNS(substring(K,1,1)) PARTITIONS 3, 3 values and DEFAULT", NULL, NULL},
    {"29_key_implicit", "htable24", "cf", "KEY(K,Q,T) PARTITIONS 3", NULL, NULL},
    {"30_comments_options", "htable25", "cf", "KEY(K) PARTITIONS 3", NULL, NULL},
    {"31_row_format_redundant", "htable26", "cf", "KEY(K) PARTITIONS 1", NULL, NULL},
    {"32_column_group", "htable27", "cf", "KEY(K) PARTITIONS 2", NULL, NULL},
    {"33_secondary_index", "htable28", "cf", "KEY(K) PARTITIONS 2", NULL, NULL},
    {"34_binary_columns", "htable29", "cf", "KEY(K) PARTITIONS 3, K binary(16)", NULL, NULL},
    {"35_charset_binary", "htable30", "cf", "KEY(K) PARTITIONS 3", NULL, NULL},
    {"36_lower_case_columns", "htable31", "cf", "KEY(K) PARTITIONS 3", NULL, NULL},
    {"37_namespace_name", "ns1:htable32", "cf", "KEY(K) PARTITIONS 3", NULL, NULL},
    {"38_odd_names", "we`ird \"tab'le", "c f", "KEY(K) PARTITIONS 2", NULL, NULL},
    {"39_time_series", NULL, NULL, NULL, "time-series table (K, T, S, V json): not supported", NULL},
    {"40_auto_split_size", NULL, NULL, NULL, "auto-split partitions (SIZE): not supported", NULL},
    {"43_hash_partition", NULL, NULL, NULL, "PARTITION BY HASH: not supported yet", NULL},
    {"46_tablegroup_second_family", "htable1", "family3", "KEY(K) PARTITIONS 97", NULL, NULL},
};

/* Leaves, in the lines "position TAB position TAB partition TAB subpartition …" before the exact bounds. */
static void expect_leaves(char *text, const struct partitioning *p) {
    char *save = NULL;
    uint32_t i = 0;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *field[4], *inner = NULL;
        if (*line == '#') continue;
        for (size_t k = 0; k < countof(field); k++) assert_non_null(field[k] = strtok_r(k ? NULL : line, "\t", &inner));
        assert_true(i < p->count);
        assert_string_equal(p->names[i++], strcmp(field[3], "NULL") ? field[3] : field[2]);
    }
    assert_true(i == p->count || i == 12 || p->kind == PARTITION_NONE); /* of long lists the fixture holds the first twelve */
}

static const struct partitioning *upper_level(const struct partitioning *p) {
    return p->kind == PARTITION_TWO_LEVEL ? &p->levels[0] : p;
}

static bool has_texts(const struct partitioning *p) {
    for (uint32_t i = 0; i < p->n_levels; i++)
        if (has_texts(&p->levels[i])) return true;
    return p->kind == PARTITION_LIST || (p->kind == PARTITION_RANGE && p->by == BY_ROW);
}

/* Compares with the catalogue: names and exact bounds of "index TAB name TAB … TAB b_high_bound_val" lines. */
static void expect_catalogue(const char *path, const struct partitioning *p, bool exact_bounds) {
    struct err err = {0};
    struct buf value = {0};
    size_t n;
    char *text = fs_read_text(path, 1 << 20, &n, &err), *at, *save = NULL;
    assert_non_null(text);
    at = strstr(text, "# __all_virtual_part");
    assert_non_null(at);
    if (p->kind != PARTITION_NONE) {
        at[-1] = 0;
        expect_leaves(text, p);
        p = upper_level(p);
    }
    uint32_t i = 0;
    strtok_r(at, "\n", &save);
    for (char *line; (line = strtok_r(NULL, "\n", &save)); i++) {
        char *name = strchr(line, '\t') + 1, *bound = strrchr(line, '\t') + 1;
        *strchr(name, '\t') = 0;
        assert_true(i < p->count);
        assert_string_equal(p->names[i], name);
        if (p->kind != PARTITION_RANGE || p->by == BY_TIME || !exact_bounds) continue;
        enum bound_code kind;
        assert_int_equal(bound_code_decode(bytes_str(bound), &value, &kind, &err), 0);
        assert_int_equal(kind, p->bounds[i].p ? BOUND_VALUE : BOUND_MAXVALUE);
        if (p->bounds[i].p) assert_true(bytes_eq(p->bounds[i], buf_bytes(&value)));
    }
    /* The fixture holds the first twelve of a long list. */
    if (p->kind != PARTITION_NONE) assert_int_equal(i, p->count < 12 ? p->count : 12);
    buf_free(&value);
    free(text);
}

static void check_form(const struct form *f, bool printed) {
    char path[200], parts[200];
    struct table t;
    struct err err = {0};
    snprintf(path, sizeof path, DIR "%s.%s.sql", f->stem, printed ? "show" : "in");
    snprintf(parts, sizeof parts, DIR "%s.parts.tsv", f->stem);
    int rc = ddl_parse_file(path, &t, &err);
    const char *refused = printed && f->refused_print ? f->refused_print : f->refused;
    if (refused) {
        expect_refusal(path, rc, &err, refused);
        return;
    }
    if (rc) fail_msg("%s: %s", path, err.text);
    bool nul = printed && !strcmp(f->stem, "27_range_text_nul");
    assert_string_equal(t.name, f->table);
    assert_int_equal(t.n_families, 1);
    assert_string_equal(t.families[0].name, f->family);
    if (!nul) expect_described(path, &t.partitioning, f->partitioning);
    expect_catalogue(parts, &t.partitioning, !nul);
    bool warns = t.warnings.n && memmem(t.warnings.p, t.warnings.n, "after a NUL", 11);
    if (warns != (printed && has_texts(&t.partitioning))) fail_msg("%s: warning about the print: %d", path, warns);
    table_free(&t);
}

static void forms_of_the_server(void **state) {
    (void)state;
    for (size_t i = 0; i < countof(forms); i++) {
        check_form(&forms[i], false);
        check_form(&forms[i], true);
    }
}

/* ---- families ---- */

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms_of_the_server)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
