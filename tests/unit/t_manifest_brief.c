/* Heads of shards are short, and come back as they were, with their members in order; what others own stays as it is; heads of
 * earlier builds, and of what is no shard, are left alone. */
#include "dataset/manifest_brief.h"
#include "flat_cells.h"

#include <stdio.h>

enum { MANY = 997 };

static json_t *partitioning(unsigned count, const char *stem) {
    json_t *names = json_array();
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s%u", stem, i);
        json_array_append_new(names, json_string(name));
    }
    return json_pack("{s:s, s:i, s:o, s:s}", "kind", "key", "count", (int)count, "names", names, "by", "row");
}

static json_t *head_of(json_t *settings, json_t *of_table) {
    return json_pack("{s:O, s:{s:n, s:o}, s:{s:i}}", "settings", settings, "table", "name", "partitioning", of_table, "shard",
                     "number", 1);
}

static char *text_of(const json_t *j) {
    return json_dumps(j, JSON_COMPACT);
}

/* bytes: most that the text may have. */
static void check_back(json_t *settings, json_t *of_table, size_t bytes) {
    struct err err = {0};
    char *settings_before = text_of(settings);
    json_t *head = head_of(settings, of_table);
    char *before = text_of(head);
    assert_int_equal(manifest_brief_put(head), 0);
    char *brief = text_of(head), *settings_after = text_of(settings);
    assert_string_equal(settings_before, settings_after);
    assert_true(strlen(brief) <= bytes);
    json_t *back = json_loads(brief, 0, NULL);
    assert_int_equal(manifest_brief_take(back, &err), 0);
    char *after = text_of(back);
    assert_string_equal(before, after);
    json_t *old = json_loads(before, 0, NULL); /* of an earlier build */
    assert_int_equal(manifest_brief_take(old, &err), 0);
    assert_true(json_equal(old, back));
    json_decref(old);
    json_decref(back);
    json_decref(head);
    json_decref(settings);
    free(settings_before);
    free(settings_after);
    free(before);
    free(brief);
    free(after);
}

static void test_back(void **state) {
    (void)state;
    check_back(json_pack("{s:{s:o, s:i}, s:i}", "table", "partitioning", partitioning(MANY, "p"), "x", 1, "now", 2),
               partitioning(MANY, "p"), 200);
    check_back(json_pack("{s:n}", "table"), partitioning(MANY, "p"), 200);
    check_back(json_pack("{}"), partitioning(MANY, "q"), 20 * MANY);
    check_back(json_pack("{s:{s:o}}", "table", "partitioning", partitioning(MANY, "q")), partitioning(MANY, "q"), 10 * MANY);
    check_back(json_pack("{s:{s:o}}", "table", "partitioning", partitioning(1, "p")), partitioning(2, "p"), 300);
    check_back(json_pack("{s:{s:s}}", "table", "name", "t"), partitioning(1, "p1"), 300);
}

static void test_others(void **state) {
    (void)state;
    static const char *const heads[] = {"{}", "{\"table\":{\"partitioning\":{\"count\":3,\"names\":null}}}",
                                        "{\"shard\":{},\"table\":{},\"settings\":{\"table\":{\"partitioning\":null}}}",
                                        "{\"shard\":{},\"table\":null,\"settings\":[]}"};
    struct err err = {0};
    for (size_t i = 0; i < countof(heads); i++) {
        json_t *head = json_loads(heads[i], 0, NULL);
        assert_int_equal(manifest_brief_take(head, &err), 0);
        char *text = text_of(head);
        assert_string_equal(text, heads[i]);
        free(text);
        json_decref(head);
    }
    json_t *many = json_loads("{\"shard\":{},\"table\":{\"partitioning\":{\"count\":9999999999,\"names\":null}}}", 0, NULL);
    assert_int_equal(manifest_brief_take(many, &err), 0);
    assert_int_equal(json_array_size(json_object_get(json_object_get(json_object_get(many, "table"), "partitioning"), "names")),
                     0);
    json_decref(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_back), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
