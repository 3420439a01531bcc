/* Which regions of a table's directory are read when some were split or merged: every row once, whatever state it was left in. */
#include "hbase_tree.h"

#include <unistd.h>

#define FILE_A "00000000000000000000000000000aaa"
#define FILE_B "00000000000000000000000000000bbb"
#define FILE_C "00000000000000000000000000000ccc"

static const char *table_of(const struct tree *t) {
    return tree_path(t, "root/data/default/tab");
}

static struct tree_region put_region(const struct tree *t, const char *start, const char *end, uint64_t id) {
    return tree_put_region(table_of(t), "tab", start, end, id);
}

static void put_file(const struct tree *t, const struct tree_region *r, const char *name) {
    tree_put_text(tree_path(t, "root/data/default/tab/%s/f/%s", r->name, name), "x");
}

static void put_reference(const struct tree *t, const struct tree_region *r, const struct tree_region *parent, const char *name,
                          const char *row, bool top) {
    tree_put_reference(tree_path(t, "root/data/default/tab/%s/f/%s.%s", r->name, name, parent->name), row, top);
}

static void begin(struct tree *t) {
    tree_open(t);
    tree_put_table(table_of(t), "tab", "f");
}

/* names: of the regions that must be read, by start key; files: how many of them all. */
static struct store_files expect(const struct tree *t, const struct tree_region *const *regions, size_t n, size_t files) {
    struct store_files s;
    struct err err = {0};
    if (store_files_read(table_of(t), (struct list_room){0}, &s, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < s.n_regions && i < n; i++) assert_string_equal(s.regions[i].encoded, regions[i]->name);
    assert_int_equal(s.n_regions, n);
    assert_int_equal(s.n_files, files);
    return s;
}

static bool warns(const struct store_files *s, const char *part) {
    return s->warnings.n && memmem(s->warnings.p, s->warnings.n, part, strlen(part));
}

static void end(struct tree *t, struct store_files *s) {
    store_files_free(s);
    tree_close(t);
}

static void a_parent_referred_to_is_left_out(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = put_region(&t, "", "", 10), a = put_region(&t, "", "m", 20), b = put_region(&t, "m", "", 20);
    put_file(&t, &p, FILE_A);
    put_file(&t, &p, FILE_B);
    put_reference(&t, &a, &p, FILE_A, "m", false);
    put_reference(&t, &b, &p, FILE_A, "m", true);
    put_reference(&t, &b, &p, FILE_B, "m", true); /* all its rows are behind m: one daughter is enough */
    struct store_files s = expect(&t, (const struct tree_region *[]){&a, &b}, 2, 3);
    assert_int_equal(s.files[0].half, STORE_BOTTOM);
    assert_int_equal(s.files[1].half, STORE_TOP);
    assert_true(bytes_eq(buf_bytes(&s.files[1].split_row), bytes_str("m")));
    assert_string_equal(s.files[1].path, tree_path(&t, "root/data/default/tab/%s/f/" FILE_A, p.name));
    assert_int_equal(s.parents.files, 2);
    assert_int_equal(s.parents.bytes, 2);
    assert_true(warns(&s, "split or merged"));
    assert_false(warns(&s, "no region holds"));
    end(&t, &s);
}

static void a_parent_covered_by_newer_regions_is_left_out(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = put_region(&t, "", "", 10), a = put_region(&t, "", "m", 20), b = put_region(&t, "m", "", 20);
    put_file(&t, &p, FILE_A);
    put_file(&t, &a, FILE_B); /* after a compaction; b was left without cells, and without a file */
    struct store_files s = expect(&t, (const struct tree_region *[]){&a, &b}, 2, 1);
    end(&t, &s);
}

static void three_generations_are_read_once(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region g = put_region(&t, "", "", 1), p = put_region(&t, "", "m", 10), q = put_region(&t, "m", "", 10);
    struct tree_region a = put_region(&t, "", "c", 20), b = put_region(&t, "c", "m", 20);
    put_file(&t, &g, FILE_A);
    put_file(&t, &p, FILE_B);
    put_file(&t, &q, FILE_C);
    put_reference(&t, &a, &p, FILE_B, "c", false);
    put_reference(&t, &b, &p, FILE_B, "c", true);
    struct store_files s = expect(&t, (const struct tree_region *[]){&a, &b, &q}, 3, 3);
    assert_int_equal(s.parents.files, 2);
    end(&t, &s);
}

static void a_split_with_one_daughter_only_is_not_finished(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = put_region(&t, "", "", 10), a = put_region(&t, "", "m", 20);
    put_file(&t, &p, FILE_A);
    put_reference(&t, &a, &p, FILE_A, "m", false);
    struct store_files s = expect(&t, (const struct tree_region *[]){&p}, 1, 1);
    assert_int_equal(s.files[0].half, STORE_WHOLE);
    assert_true(warns(&s, "of an unfinished split or merge"));
    end(&t, &s);
}

static void a_split_that_lacks_a_reference_is_not_finished(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = put_region(&t, "", "", 10), a = put_region(&t, "", "m", 20), b = put_region(&t, "m", "", 20);
    put_file(&t, &p, FILE_A);
    put_file(&t, &p, FILE_B);
    put_reference(&t, &a, &p, FILE_A, "m", false);
    put_reference(&t, &b, &p, FILE_A, "m", true);
    struct store_files s = expect(&t, (const struct tree_region *[]){&p}, 1, 2);
    end(&t, &s);
}

static void a_split_without_references_yet_is_not_finished(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = put_region(&t, "", "", 10), a = put_region(&t, "", "m", 20), b = put_region(&t, "m", "", 20);
    put_file(&t, &p, FILE_A);
    struct store_files s = expect(&t, (const struct tree_region *[]){&p, &a, &b}, 3, 1);
    assert_string_equal(s.regions[s.files[0].region].encoded, p.name);
    end(&t, &s);
}

static void a_merge_of_which_half_is_referred_to_is_not_finished(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = put_region(&t, "", "m", 10), q = put_region(&t, "m", "", 12), m = put_region(&t, "", "", 13);
    put_file(&t, &p, FILE_A);
    put_file(&t, &q, FILE_B);
    put_reference(&t, &m, &p, FILE_A, "", true);
    struct store_files s = expect(&t, (const struct tree_region *[]){&p, &q}, 2, 2);
    store_files_free(&s);
    put_reference(&t, &m, &q, FILE_B, "m", true);
    s = expect(&t, (const struct tree_region *[]){&m}, 1, 2);
    end(&t, &s);
}

static void a_daughter_that_is_lost_leaves_a_hole(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = put_region(&t, "", "", 10), a = put_region(&t, "", "m", 20);
    put_file(&t, &p, FILE_A);
    put_reference(&t, &a, &p, FILE_A, "m", false);
    put_file(&t, &a, FILE_C); /* it was written to, so the split was finished */
    struct store_files s = expect(&t, (const struct tree_region *[]){&a}, 1, 2);
    assert_true(warns(&s, "no region holds the rows from 6d to the last"));
    end(&t, &s);
}

static void holes_and_overlaps_are_named(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region a = put_region(&t, "b", "f", 10), b = put_region(&t, "d", "g", 10), c = put_region(&t, "h", "", 10);
    struct store_files s = expect(&t, (const struct tree_region *[]){&a, &b, &c}, 3, 0);
    char both[200];
    snprintf(both, sizeof both, "regions %s and %s both hold the rows from 64 to 66", a.name, b.name);
    assert_true(warns(&s, both));
    assert_true(warns(&s, "no region holds the rows from the first to 62"));
    assert_true(warns(&s, "no region holds the rows from 67 to 68"));
    end(&t, &s);
}

static void without_a_region_description_references_tell(void **state) {
    struct tree t;
    (void)state;
    begin(&t);
    struct tree_region p = {"00000000000000000000000000000010"}, a = {"00000000000000000000000000000020"};
    put_file(&t, &p, FILE_A);
    put_reference(&t, &a, &p, FILE_A, "", true);
    struct store_files s = expect(&t, (const struct tree_region *[]){&a}, 1, 1);
    assert_true(warns(&s, "without a readable .regioninfo"));
    assert_false(warns(&s, "no region holds"));
    end(&t, &s);
}

/* None is covered by newer ones: the beginning of each is in no other. */
static void regions_that_all_overlap_are_read(void **state) {
    enum { REGIONS = 1000 };
    struct tree t;
    (void)state;
    begin(&t);
    for (unsigned i = 0; i < REGIONS; i++) {
        char start[16];
        snprintf(start, sizeof start, "%05u", i);
        struct tree_region r = put_region(&t, i ? start : "", "", 100 + i);
        put_file(&t, &r, FILE_A);
    }
    struct store_files s;
    struct err err = {0};
    assert_int_equal(store_files_read(table_of(&t), (struct list_room){0}, &s, &err), 0);
    assert_int_equal(s.n_regions, REGIONS);
    assert_int_equal(s.n_files, REGIONS);
    assert_true(warns(&s, "and more: 0 ranges without a region, 989 held by two"));
    end(&t, &s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_parent_referred_to_is_left_out),
        cmocka_unit_test(a_parent_covered_by_newer_regions_is_left_out),
        cmocka_unit_test(three_generations_are_read_once),
        cmocka_unit_test(a_split_with_one_daughter_only_is_not_finished),
        cmocka_unit_test(a_split_that_lacks_a_reference_is_not_finished),
        cmocka_unit_test(a_split_without_references_yet_is_not_finished),
        cmocka_unit_test(a_merge_of_which_half_is_referred_to_is_not_finished),
        cmocka_unit_test(a_daughter_that_is_lost_leaves_a_hole),
        cmocka_unit_test(holes_and_overlaps_are_named),
        cmocka_unit_test(without_a_region_description_references_tell),
        cmocka_unit_test(regions_that_all_overlap_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
