/* Printed definitions with lossy bounds, as a real engine printed them, made exact by what its catalogue says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "cmd/oceanbase/connection.h"
#include "cmd/oceanbase/exact_bounds.h"
#include "cmd/oceanbase/login.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIR "tests/data/oceanbase/"

/* Rows "name TAB code" of the second half of a fixture's .parts.tsv. */
static void take_dump(const char *path, struct buf *out) {
    struct err err = {0};
    size_t n;
    char *text = fs_read_text(path, 1 << 20, &n, &err), *save, *at = strstr(text, "# __all_virtual_part");
    for (char *line = strtok_r(at, "\n", &save); (line = strtok_r(NULL, "\n", &save));) {
        char *name = strchr(line, '\t') + 1, *code = strrchr(line, '\t') + 1;
        assert_int_equal(buf_printf(out, &err, "%.*s\t%s\n", (int)(strchr(name, '\t') - name), name, code), 0);
    }
    free(text);
}

static void expect_bounds(const char *fixture, const char *const *bounds, size_t n_bounds) {
    struct err err = {0};
    struct buf dump = {0}, out = {0};
    size_t n;
    char path[200];
    snprintf(path, sizeof path, DIR "%s.show.sql", fixture);
    char *ddl = fs_read_text(path, 1 << 20, &n, &err);
    assert_non_null(ddl);
    assert_true(exact_bounds_needed(ddl));
    snprintf(path, sizeof path, DIR "%s.parts.tsv", fixture);
    take_dump(path, &dump);
    assert_int_equal(exact_bounds_put(&out, ddl, buf_bytes(&dump), &err), 0);
    assert_int_equal(buf_put_byte(&out, 0, &err), 0);
    const char *rest = (char *)out.p;
    for (size_t i = 0; i < n_bounds; i++) {
        rest = strstr(rest, bounds[i]);
        if (!rest) print_message("%s: %s is not in %s\n", fixture, bounds[i], (char *)out.p);
        assert_non_null(rest);
        rest += strlen(bounds[i]);
    }
    free(ddl);
    buf_free(&dump);
    buf_free(&out);
}

static void test_fixtures(void **state) {
    (void)state;
    expect_bounds("16_range_text", (const char *[]){"(x'61'),\npartition `P-1`", "(x'726f772d30303035'),\n", "(MAXVALUE))"}, 3);
    expect_bounds("26_range_text_quote_backslash", (const char *[]){"(x'612762'),\n", "(x'615c62'),\npartition `pm`"}, 2);
    expect_bounds("27_range_text_nul", (const char *[]){"(x'610062'),\npartition `pm` values less than (MAXVALUE))"}, 1);
    expect_bounds("18_range_special_bounds",
                  (const char *[]){"(x'00'),", "(x'610062'),", "(x'610a622c63'),", "(x'612762'),", "(x'615c62'),", "(x'620000'),",
                                   "(x'c3a9'),", "(x'f09f9880'),\npartition `pm` values less than (MAXVALUE))"},
                  8);
    expect_bounds("23_range_k_sub_key_prefix", (const char *[]){"(x'6d'),\n", "(MAXVALUE))"}, 2);
}

static void test_other_tables_are_left_alone(void **state) {
    (void)state;
    const char *plain = "CREATE TABLE `t` (\n  `K` varbinary(8)\n) COMMENT = 'x partition by range columns(K)'\n partition by "
                        "key(k)\n(partition `p0`)";
    struct buf out = {0};
    struct err err = {0};
    assert_false(exact_bounds_needed(plain));
    assert_int_equal(exact_bounds_put(&out, plain, (struct bytes){0}, &err), 0);
    assert_int_equal(out.n, strlen(plain));
    assert_memory_equal(out.p, plain, out.n);
    buf_free(&out);
}

static void test_another_print_is_refused(void **state) {
    (void)state;
    struct buf out = {0};
    struct err err = {0};
    const char *ddl =
        "CREATE TABLE `t` (\n  `K` varbinary(8)\n)\n partition by range columns(K)\n(partition `p0` values less than ('a'))";
    assert_int_equal(exact_bounds_put(&out, ddl, bytes_str("p1\t0116043FFF016200\n"), &err), -1);
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    buf_free(&out);
}

static void test_addresses(void **state) {
    (void)state;
    struct address a;
    struct err err = {0};
    assert_int_equal(address_parse("db.example:2881/shop", &a, &err), 0);
    assert_string_equal(a.host, "db.example");
    assert_int_equal(a.port, 2881);
    assert_string_equal(a.database, "shop");
    assert_int_equal(address_parse("[fe80::1]:65535/a/b", &a, &err), 0);
    assert_string_equal(a.host, "fe80::1");
    assert_string_equal(a.database, "a/b");
    static const char *const bad[] = {"",      ":",         "h",      "h:",     "h:1",    "h:1/",
                                      "h:0/d", "h:65536/d", "h:-1/d", "h:1x/d", "[::1/d", "[::1]/d"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err own = {0};
        assert_int_equal(address_parse(bad[i], &a, &own), -1);
        assert_int_equal(own.code, ERR_USAGE);
    }
}

static void test_faults(void **state) {
    (void)state;
    assert_int_equal(server_error_of(2013).action, SERVER_ERROR_UNKNOWN);
    assert_int_equal(server_error_of(1205).action, SERVER_ERROR_RETRY);
    assert_int_equal(server_error_of(5307).action, SERVER_ERROR_RETRY);
    assert_int_equal(server_error_of(1062).action, SERVER_ERROR_STOP);
    assert_int_equal(server_error_of(1045).code, ERR_USAGE);
    assert_int_equal(server_error_of(4184).code, ERR_LIMIT);
    assert_int_equal(server_error_of(9999).action, SERVER_ERROR_STOP); /* what is not known is not repeated */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures),
        cmocka_unit_test(test_other_tables_are_left_alone),
        cmocka_unit_test(test_another_print_is_refused),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
