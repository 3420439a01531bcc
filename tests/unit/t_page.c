/* Pages: results cannot end their element, the policy names the script, files appear whole. */
#include "base/fs.h"
#include "cmd/common/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void results_are_no_markup(void **state) {
    struct page p = {0};
    struct err err = {0};
    (void)state;
    assert_int_equal(page_add(&p, bytes_str("{\"a\": \"</script><!--&\"}\n\n"), &err), 0);
    assert_int_equal(page_add(&p, bytes_str("\n"), &err), 0); /* nothing */
    assert_int_equal(page_add(&p, bytes_str("{\"b\": \"\xc3\xbc\"}"), &err), 0);
    assert_int_equal(buf_put_byte(&p.results, 0, &err), 0);
    assert_string_equal((char *)p.results.p, "{\"a\": \"\\u003c/script\\u003e\\u003c!--\\u0026\"},\n{\"b\": \"\xc3\xbc\"}");
    page_free(&p);
}

static char *written(const struct page *p, const char *path) {
    struct err err = {0};
    size_t n;
    assert_int_equal(page_write(p, "obkv-x <1>", 1700000000000, path, &err), 0);
    char *text = fs_read_text(path, 1 << 20, &n, &err);
    assert_non_null(text);
    return text;
}

static void page_is_saved_whole(void **state) {
    char dir[] = "/tmp/t_page.XXXXXX";
    struct page p = {0};
    struct err err = {0};
    (void)state;
    assert_non_null(mkdtemp(dir));
    char *path = fs_join(dir, "page.html", &err);
    free(written(&p, path));
    assert_int_equal(page_add(&p, bytes_str("{\"schema\": \"x/1\"}"), &err), 0);
    char *text = written(&p, path); /* replaces */
    assert_non_null(strstr(text, "script-src 'sha256-"));
    assert_null(strstr(text, "{{SCRIPT"));
    assert_null(strstr(text, "{{RESULTS"));
    assert_non_null(strstr(text, "\"results\": [\n{\"schema\": \"x/1\"}\n]}</script>"));
    assert_non_null(strstr(text, "\"tool\": \"obkv-x \\u003c1\\u003e\""));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0); /* nothing else is left there */
    assert_int_equal(page_write(&p, "x", 0, path, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    free(text);
    free(path);
    page_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_no_markup), cmocka_unit_test(page_is_saved_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
