/* A create statement of HBase's shell: words, escapes, settings of families and of the table, and each refusal with its line. */
#include "formats/hbase/shell_create.h"

#include "formats/hbase/descriptor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct hbase_table taken(const char *text) {
    struct hbase_table t;
    struct err err = {0};
    if (shell_create_parse(bytes_str(text), &t, &err)) fail_msg("%s\n  for %s", err.text, text);
    return t;
}

static void names(void **state) {
    (void)state;
    static const struct {
        const char *text, *ns, *name, *family;
    } cases[] = {
        {"create 't', 'f'", "default", "t", "f"},
        {"create('n:t', {NAME => 'f'})", "n", "t", "f"},
        {"# a remark\ncreate 'n:t', \\\n  {NAME => \"\\x66\\x6D\", VERSIONS => 3}; exit", "n", "t", "fm"},
        {"create 't', {NAME => \"\\x6g\\q\"}", "default", "t", "x6gq"},
        {"create 't', {NAME => 'f', SPLITS => ['a', ['b'], {x => 'y'}]}\nquit", "default", "t", "f"},
        {"create 't', {NAME => 'f'}, {SPLITS_FILE => 'x.txt'}", "default", "t", "f"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hbase_table t = taken(cases[i].text);
        assert_string_equal(t.ns, cases[i].ns);
        assert_string_equal(t.name, cases[i].name);
        assert_int_equal(t.n_families, 1);
        assert_string_equal(t.families[0].name, cases[i].family);
        hbase_table_free(&t);
    }
}

static void settings(void **state) {
    (void)state;
    struct hbase_table t =
        taken("create 't', {NAME => 'f', VERSIONS => '4', TTL => '90 DAYS', METADATA => {'A' => 'b', \"C\" => 'd'}, "
              "CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => 9}}, {NAME => 'g', TTL => FOREVER, MIN_VERSIONS => 0}, "
              "{NAME => 'h', TTL => -1, BLOCKSIZE => '65536 B (64KB)'}, 'i', DURABILITY => 'ASYNC_WAL', "
              "{MAX_FILESIZE => '1073741824 B (1GB)', CONFIGURATION => {'a.b' => 'c'}}");
    assert_int_equal(t.n_families, 4);
    assert_int_equal(t.families[0].rules.versions, 4);
    assert_int_equal(t.families[0].rules.ttl_s, 90 * 86400);
    for (int i = 1; i < 4; i++) assert_int_equal(t.families[i].rules.ttl_s, 0);
    hbase_table_free(&t);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"create 't'", "names no family"},
        {"create 't', 'f", "line 1: a string without its end"},
        {"create 't',\n\n  'f", "line 3: a string without its end"},
        {"create 't', ]", "a family"},
        {"create 't', {NAME => f}", "the family's name in quotes"},
        {"create 't', {NAME 'f'}", "'=>'"},
        {"create 't', {NAME => }", "a value"},
        {"create 't', {=> 'f'}", "an attribute such as VERSIONS"},
        {"create 't', {NAME => 'f' VERSIONS => 3}", "',' or '}'"},
        {"create 't', {NAME => 'f', SPLITS => ['a'", "']' or '}'"},
        {"create 't', {NAME => 'f', METADATA => {=> 'x'}}", "a name"},
        {"create 't', {NAME => 'f', METADATA => {'a' 'x'}}", "'=>'"},
        {"create 't', {NAME => 'f', METADATA => {'a' => ]}}", "a value"},
        {"create 't', {NAME => 'f', METADATA => {'a' => 'b' 'c'}}", "',' or '}'"},
        {"create 't', {NAME => 'f', VERSION => 3}", "no attribute is named 'VERSION'"},
        {"create 't', {NAME => 'f', TTL => 'soon'}", "TTL is 'soon', not seconds"},
        {"create('t', 'f'", "')'"},
        {"create 't', 'f' 'g'", "',' or the end of the statement"},
        {"create 't', 'f';\ncreate 'u', 'g'", "line 2: a second create; keep the statement of one table"},
        {"create 'a:b:c', 'f'", "'b:c' is not the name of a table"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hbase_table t;
        struct err err = {0};
        if (!shell_create_parse(bytes_str(cases[i].text), &t, &err)) fail_msg("accepted: %s", cases[i].text);
        if (!strstr(err.text, cases[i].part)) fail_msg("said '%s' of %s", err.text, cases[i].text);
        if (err.code != ERR_USAGE) fail_msg("code %d for %s", err.code, cases[i].text);
        assert_true(!t.families && !t.name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(settings), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
