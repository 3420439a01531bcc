/* Mappings: what records become, and every refusal with its line and path. Expressions themselves are in t_expr.c. */
#include "formats/mapping/mapping_parse.h"
#include "recorder.h"

#include "base/json.h"
#include "formats/mapping/mapping.h"

static struct mapping *parse(const char *json, struct err *err) {
    const struct mapping_defaults d = {0};
    return mapping_parse("m.json", bytes_str(json), &d, err);
}

/* Records of content under the mapping; the table has the families of the handmade one. */
static void expect_records(const char *json, const char *format, const char *content, const char *want) {
    struct fixture f;
    fixture_begin(&f, NULL);
    struct mapping *m = parse(json, &f.err);
    if (!m) fail_msg("%s", f.err.text);
    f.o.text.mapping = m;
    fixture_expect(&f, format, content, want);
    fixture_end(&f);
    mapping_free(m);
}

static void expect_refused(const char *json, const char *want) {
    struct err err = {0};
    struct mapping *m = parse(json, &err);
    assert_null(m);
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.text, want);
}

/* Expects an error that only a file's header shows. */
static void expect_unopened(const char *json, const char *content, const char *want) {
    struct fixture f;
    fixture_begin(&f, NULL);
    struct mapping *m = parse(json, &f.err);
    assert_non_null(m);
    f.o.text.mapping = m;
    f.o.open_families = false;
    assert_int_equal(table_add_family(&f.table, bytes_str("f"), &f.err), 0);
    assert_int_equal(recorder_run(&f.rec, "csv", bytes_str(content), &f.o, &f.err), -1);
    assert_int_equal(f.err.code, ERR_USAGE);
    if (!strstr(f.err.text, want)) fail_msg("%s", f.err.text);
    fixture_end(&f);
    mapping_free(m);
}

static void test_shape(void **state) {
    (void)state;
    expect_records(
        "{\"row\": \"'u' + id\", \"timestamp\": \"t\", \"ttl\": \"ttl\", \"cells\": {\"g:b\": \"name\", \"f:z\": \"upper(name)\","
        " \"f:a\": {\"value\": \"id\", \"when\": \"id > 1\"}, \"f\": \"'c'\"}}",
        "csv", "id,name,t,ttl\n1,ada,5,\n2,bob,6,70\n3,,9223372036854775807,1\n",
        "! line 2 offset 14 column 4 TTL: number: '' is not a whole number of 64 bits |1,ada,5,|\n"
        "+ <23> u2 f:@6=c~70 f:a@6=2~70 f:z@6=BOB~70 g:b@6=bob~70\n"
        "+ <34> u3 f:@77=c~1 f:a@77=3~1 f:z@77=~1 g:b@77=~1\n");
}

/* Qualifiers, families and timestamps from data: sorted, of equal ones the later rule first. */
static void test_loose(void **state) {
    (void)state;
    expect_records(
        "{\"row\": \"$1\", \"timestamp\": 9, \"cells\": ["
        "{\"column\": \"f:{$2}\", \"value\": \"'1'\"}, {\"column\": \"f:{$3}\", \"value\": \"'2'\", \"timestamp\": \"$4\"},"
        "{\"family\": \"$5\", \"qualifier\": \"'q'\", \"value\": \"$2\"}, {\"column\": \"f:b\", \"value\": \"'3'\"}]}",
        "csv", "r,x,a,5,g\nr,b,b,8,f\nr,b,b,9,f\nr,x,a,,f\nr,x,a,1,\n",
        "+ <0> r f:a@5=2 f:b@9=3 f:x@9=1 g:q@9=x\n"
        "+ <10> r f:b@9=3 f:b@9=1 f:b@8=2 f:q@9=b\n"
        "+ <20> r f:b@9=3 f:b@9=2 f:b@9=1 f:q@9=b\n"
        "! line 4 offset 30 column 4 timestamp: number: '' is not a whole number of 64 bits |r,x,a,,f|\n"
        "! line 5 offset 39 column 5 cell: a family name of 0 bytes, 1 to 127 are possible |r,x,a,1,|\n");
}

/* One record, two rows; each with its own condition. */
static void test_rows(void **state) {
    (void)state;
    expect_records("{\"columns\": [\"a\", \"b\", \"t\"], \"rows\": ["
                   "{\"row\": \"a\", \"when\": \"t != 0\", \"cells\": {\"f:{b}\": \"t\"}},"
                   "{\"row\": \"b\", \"when\": \"t > 1\", \"timestamp\": 3, \"cells\": {\"g:x\": \"a\"}}]}",
                   "csv", "1,2,1\n1,2,2\n1,2,0\n,2,5\n1,,2\n",
                   "+ <0> 1 f:2@77=1\n"
                   "+ <6> 1 f:2@77=2 & <7> 2 g:x@3=1\n"
                   "! line 4 offset 18 column 1 empty row key |,2,5|\n"
                   "! line 5 offset 23 column 2 empty row key |1,,2|\n");
}

static void test_null_and_empty(void **state) {
    (void)state;
    const char *json = "{\"null\": \"N\", \"skip_empty\": true, \"columns\": [\"k\", \"a\", \"b\"], \"row\": \"k\","
                       "\"cells\": {\"f:a\": \"a\", \"f:b\": {\"value\": \"b\", \"skip_empty\": false}, \"f:c\": \"a + b\","
                       "\"f:{b}\": \"'x'\"}}";
    expect_records(json, "csv", "1,,\n2,N,\"N\"\nN,1,2\n",
                   "+ <0> 1 f:@77=x f:b@77=\n"
                   "+ <4> 2 f:N@77=x f:b@77=N\n"
                   "! line 3 offset 12 column 1 row key is null |N,1,2|\n");
    expect_records(json, "tsv", "1\ta\n", "+ <0> 1 f:a@77=a\n");
}

static void test_dialect(void **state) {
    (void)state;
    expect_records("{\"delimiter\": \";\", \"quote\": \"'\", \"header\": true, \"columns\": [\"k\", \"v\"], \"row\": \"k\", "
                   "\"cells\": {\"f:v\": \"v\"}}",
                   "csv", "x;y\n1;'a;b'\n2;it''s\n'3';'it''s'\n4\n",
                   "+ <4> 1 f:v@77=a;b\n+ <12> 2 f:v@77=it''s\n+ <20> 3 f:v@77=it's\n"
                   "! line 5 offset 32 column 0 1 field, but 2 columns are mapped |4|\n");
    expect_records("{\"quote\": null, \"row\": \"$1\", \"cells\": {\"f:v\": \"$3\"}}", "csv", "1,2,\"3,4\n5,6\n",
                   "+ <0> 1 f:v@77=\"3\n! line 2 offset 9 column 0 2 fields, but 3 columns are mapped |5,6|\n");
    expect_records("{\"row\": \"md5($1)[0:2]\", \"cells\": {\"f:v\": \"$1\"}}", "csv", "hello\n", "+ <0> 5d f:v@77=hello\n");
}

static void test_refused(void **state) {
    (void)state;
    expect_refused("{", "m.json:1: column 1: string or '}' expected near end of file");
    expect_refused("{\"row\": \"a\",\n \"row\": \"b\"}", "m.json:2: column 6: duplicate object key near '\"row\"'");
    expect_refused("[]", "m.json:1: $: expected an object");
    expect_refused("{}", "m.json:1: $: \"row\" is missing: the expression of the row key");
    expect_refused("{\"row\": \"$1\"}", "m.json:1: $: \"cells\" is missing");
    expect_refused("{\"row\": \"$1\",\n\"cells\": []}", "m.json:2: $.cells: 0 cells, expected 1 to 4096");
    expect_refused(
        "{\"sources\": [\n{\"row\": \"$1\", \"cell\": 1}]}",
        "m.json:2: $.sources[0].cell: there is no such key here; known keys: description files format dialect header delimiter "
        "quote null skip_empty columns rows row timestamp ttl when cells");
    expect_refused("{\"sources\": [],\n \"row\": \"$1\"}",
                   "m.json:2: $.row: there is no such key here; known keys: $schema description sources tables");
    expect_refused("{\"row\":\n \"md5(\",\n \"cells\": {\"f:a\": \"$1\"}}",
                   "m.json:2: $.row: at character 5: expected a column, a 'constant' or a function, but the text ends");
    expect_refused("{\"row\": \"$1\",\n \"cells\": {\"f:a\": \"$1\",\n  \"f:{$2\": \"$1\"}}",
                   "m.json:3: $.cells[\"f:{$2\"]: at character 3: the brace that opens here is never closed");
    expect_refused("{\"columns\": [\"a\"], \"row\": \"b\", \"cells\": {\"f:a\": \"a\"}}",
                   "m.json:1: $.row: at character 1: there is no column 'b'");
    expect_refused("{\"header\": false,\n\"row\": \"b\", \"cells\": {\"f:a\": \"$1\"}}",
                   "m.json:2: $.row: column 'b' by name: without a header, \"columns\" must list the names");
    expect_refused("{\"columns\": [\"a\",\n\"a\"], \"row\": \"a\", \"cells\": {\"f:a\": \"a\"}}",
                   "m.json:2: $.columns[1]: the name appears twice");
    expect_refused("{\"row\": \"$1\", \"cells\": [{\"value\": \"$1\"}]}",
                   "m.json:1: $.cells[0]: \"column\" is missing (or \"family\" and \"qualifier\")");
    expect_refused("{\"row\": \"$1\", \"cells\": [{\"column\": \"f:a\", \"family\": \"'f'\", \"value\": \"$1\"}]}",
                   "m.json:1: $.cells[0]: \"column\" gives family and qualifier; leave out \"family\" and \"qualifier\"");
    expect_refused("{\"row\": \"$1\", \"cells\": {\":a\": \"$1\"}}",
                   "m.json:1: $.cells[\":a\"]: a column is written family:qualifier");
    expect_refused("{\"row\": \"$1\", \"cells\": {\"f:a\": {\"when\": \"true\"}}}",
                   "m.json:1: $.cells[\"f:a\"]: \"value\" is missing");
    expect_refused(
        "{\"row\": \"$1\", \"cells\": {\"f:a\": {\"value\": \"$1\", \"when\": \"$1\"}}}",
        "m.json:1: $.cells[\"f:a\"].when: at character 3: expected a condition, such as city = 'Berlin' or not empty(city)");
    expect_refused("{\"delimiter\": \"ab cd ef g\", \"row\": \"$1\", \"cells\": {\"f:a\": \"$1\"}}",
                   "m.json:1: $.delimiter: delimiter 'ab cd ef g': expected 1 to 8 bytes");
    expect_refused("{\"format\": \"xml\", \"row\": \"$1\", \"cells\": {\"f:a\": \"$1\"}}",
                   "m.json:1: $.format: expected csv, tsv or jsonl");
    expect_refused("{\"files\": [], \"row\": \"$1\", \"cells\": {\"f:a\": \"$1\"}}",
                   "m.json:1: $.files: the list is empty; to mean all files, leave out \"files\"");
    expect_refused("{\"rows\": [{\"row\": \"$1\", \"cells\": {\"f:a\": 1.5}}]}",
                   "m.json:1: $.rows[0].cells[\"f:a\"]: expected an expression, as text");
    expect_refused("{\"rows\": [{\"row\": \"$1\", \"cells\": {\"f:a\": \"$1\"}}], \"row\": \"$1\"}",
                   "m.json:1: $: give \"row\" and \"cells\" in each of \"rows\", or leave out \"rows\"");
}

static void test_unopened(void **state) {
    (void)state;
    expect_unopened("{\"row\": \"a\",\n\"cells\": {\"f:a\": \"c\"}}", "a,b\n", ": $.cells[\"f:a\"]: /proc/self/fd/");
    expect_unopened("{\"row\": \"a\",\n\"cells\": {\"f:a\": \"c\"}}", "a,b\n", " has no column 'c'; its header has: a, b");
    expect_unopened("{\"row\": \"a\", \"cells\": {\"f:a\": \"$3\"}}", "a,b\n", "the header has 2 columns, the mapping uses $3");
    expect_unopened("{\"row\": \"a\", \"cells\": {\"f:a\": \"b\"}}", "a,b,a\n", "has two columns 'a' (1 and 3); write $1 or $3");
    expect_unopened("{\"row\": \"$1\", \"cells\": {\"g:a\": \"$1\"}}", "a,b\n",
                    "the mapping names the family \"g\", which the table lacks; its families are: f");
    expect_unopened("{\"files\": \"x.csv\", \"row\": \"$1\", \"cells\": {\"f:a\": \"$1\"}}", "a,b\n",
                    "no source of m.json has a pattern in \"files\" that matches this name");
}

static void test_files(void **state) {
    (void)state;
    struct err err = {0};
    struct mapping *m =
        parse("{\"sources\": [{\"files\": [\"user*.csv\", \"b.txt\"], \"row\": \"$1\", \"cells\": {\"f:a\": \"$1\"}},"
              "{\"files\": \"in/*.tsv\", \"row\": \"$1\", \"cells\": {\"f:a\": \"$1\"}}]}",
              &err);
    const struct {
        const char *path;
        int source;
    } all[] = {{"user.csv", 0},
               {"/a/b/users1.csv", 0},
               {"d/user.csv.gz", 0},
               {"x.tar!d/user.csv", 0},
               {"x.tar!user.csv", 0},
               {"b.txt.zst", 0},
               {"b.txt.zip", -1},
               {"abuser.csv", -1},
               {"in/x.tsv", 1},
               {"/p/in/x.tsv.xz", 1},
               {"pin/x.tsv", -1},
               {"in/d/x.tsv", -1},
               {"-", -1}};
    assert_non_null(m);
    for (size_t i = 0; i < countof(all); i++) {
        const struct mapping_source *s = mapping_source_of(m, all[i].path);
        if ((s ? (int)(s - m->sources) : -1) != all[i].source) fail_msg("%s", all[i].path);
    }
    mapping_free(m);
}

static void test_places(void **state) {
    (void)state;
    const char *text = "{ \"a\\\"b\": [1, {\"x\": \"}]\",\n \"y\"\n :\n [[], {}, \"z\"] }],\n\"c\": 2}";
    struct json_place top = {0}, a = json_place_key(&top, "a\\\"b"), one = json_place_item(&a, 1), y = json_place_key(&one, "y");
    struct json_place z = json_place_item(&y, 2), c = json_place_key(&top, "c"), none = json_place_key(&c, "d");
    assert_int_equal(json_place_line(bytes_str(text), &top), 1);
    assert_int_equal(json_place_line(bytes_str(text), &one), 1);
    assert_int_equal(json_place_line(bytes_str(text), &z), 4);
    assert_int_equal(json_place_line(bytes_str(text), &c), 5);
    assert_int_equal(json_place_line(bytes_str(text), &none), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),          cmocka_unit_test(test_loose),   cmocka_unit_test(test_rows),
        cmocka_unit_test(test_null_and_empty), cmocka_unit_test(test_dialect), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unopened),       cmocka_unit_test(test_files),   cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
