/* How settings differ, in words: members at any depth, both values, no more than a reader takes in. */
#include "base/bytes.h"
#include "base/json.h"
#include "dataset/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define LONG "012345678901234567890123456789012345678901234567"

static void expect(const char *made, const char *asked, const char *want) {
    struct err err = {0};
    struct buf out = {0};
    json_t *a = json_loads(made, JSON_DECODE_ANY, NULL), *b = json_loads(asked, 0, NULL);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(manifest_put_differences(&out, a, b, &err), 0);
    assert_string_equal(out.n ? (const char *)out.p : "", want);
    buf_free(&out);
    json_decref(a);
    json_decref(b);
}

static void test_values(void **state) {
    (void)state;
    expect("{\"codec\": \"gz\", \"now\": 1}", "{\"codec\": \"gz\", \"now\": 1}", "");
    expect("{\"codec\": \"gz\"}", "{\"codec\": \"zstd\"}", "--codec gz → zstd");
    expect("{\"header\": true, \"now\": 1}", "{\"header\": false, \"now\": 2}", "--header yes → no, --now 1 → 2");
    expect("{\"null\": \"\"}", "{\"null\": null}", "--null \"\" → nothing");
    expect("{\"columns\": \"\\u0007\\u00e9\"}", "{}", "--columns \"\\u0007\\u00E9\" → nothing");
}

static void test_absent_is_null(void **state) {
    (void)state;
    expect("{}", "{\"key\": \"id\"}", "--key nothing → id");
    expect("{\"key\": \"id\"}", "{}", "--key id → nothing");
    expect("{\"key\": null}", "{}", "");
    expect("{}", "{\"key\": null}", "");
}

static void test_bytes(void **state) {
    (void)state;
    expect("{\"delimiter\": -1}", "{\"delimiter\": 59}", "--delimiter nothing → ;");
    expect("{\"quote\": 34, \"now\": 59}", "{\"quote\": -2, \"now\": -1}", "--quote \"\\\"\" → none, --now 59 → -1");
    expect("{\"delimiter\": 9}", "{\"delimiter\": 44}", "--delimiter 9 → ,");
}

static void test_deep(void **state) {
    (void)state;
    expect("{\"table\": {\"families\": [{\"name\": \"f\", \"rules\": {\"ttl_s\": 0}}, {\"name\": \"g\"}], \"ddl\": \"a\"}}",
           "{\"table\": {\"families\": [{\"name\": \"f\", \"rules\": {\"ttl_s\": 9}}, {\"name\": \"g\"}], \"ddl\": \"b\"}}",
           "ttl_s of family f 0 → 9");
    expect("{\"table\": {\"ddl\": \"a\"}}", "{\"table\": {\"ddl\": \"b\"}}", "table.ddl a → b");
    expect("{\"include\": [\"a\", \"b\"]}", "{\"include\": [\"a\", \"c\"]}", "include[1] b → c");
    expect("{\"include\": [\"a\"]}", "{\"include\": [\"a\", \"c\"]}", "include [\"a\"] → [\"a\",\"c\"]");
    expect("{\"map\": {\"sources\": []}}", "{\"map\": 1}", "--map {\"sources\":[]} → 1");
    expect("{\"table\": {\"partitioning\": {\"kind\": \"key\", \"count\": 7}}}",
           "{\"table\": {\"partitioning\": {\"kind\": \"key\", \"count\": 97}}}", "--partition key:7 → key:97");
    expect("{\"table\": {\"partitioning\": {\"kind\": \"none\", \"count\": 1}}}",
           "{\"table\": {\"partitioning\": {\"kind\": \"key\", \"count\": 1}}}", "--partition none → key:1");
    expect("null", "{\"map\": 1}", "settings nothing → {\"map\":1}");
}

static void test_no_more_than_a_few(void **state) {
    (void)state;
    expect("{\"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1, \"e\": 1}", "{\"a\": 2, \"b\": 2, \"c\": 2, \"d\": 1, \"f\": 1}",
           "a 1 → 2, b 1 → 2, c 1 → 2 and 2 more");
    expect("{\"command\": \"import\", \"a\": 1}", "{\"command\": \"compact\", \"b\": 1}", "command import → compact");
}

/* Tests that long texts are shown from where they begin to differ. */
static void test_long(void **state) {
    (void)state;
    expect("{\"columns\": \"" LONG ",a" LONG "\"}", "{\"columns\": \"" LONG ",b" LONG "\"}",
           "--columns ...9012345678901234567,a012345678901234567890123456789012345678... → "
           "...9012345678901234567,b012345678901234567890123456789012345678...");
    expect("{\"columns\": \"a" LONG LONG "\"}", "{\"columns\": \"b\"}",
           "--columns a01234567890123456789012345678901234567890123456701234567890... → b");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_absent_is_null),     cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_deep),   cmocka_unit_test(test_no_more_than_a_few), cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
