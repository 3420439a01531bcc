/* Pages: whatever comes from data is text there, charts of any figures have numbers in them, files appear whole. */
#include "base/fs.h"
#include "cmd/common/html/chart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char *written(struct page *p) {
    assert_int_equal(p->err.code, ERR_NONE);
    assert_int_equal(buf_put_byte(&p->out, 0, &p->err), 0);
    return (char *)p->out.p;
}

static void expect_text(const char *text, const char *want) {
    struct page p = {0};
    page_text(&p, text);
    assert_string_equal(written(&p), want);
    page_free(&p);
}

static void text_is_escaped(void **state) {
    (void)state;
    expect_text("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
    expect_text("gr\xc3\xbc\xc3\x9f\xe4\xb8\xad\xf0\x9f\x90\x98", "gr\xc3\xbc\xc3\x9f\xe4\xb8\xad\xf0\x9f\x90\x98");
    expect_text("\n\x7f", "\\x0A\\x7F");
    expect_text("\xc3<", "\\xC3&lt;");
    expect_text("\xc0\xbc", "\\xC0\\xBC"); /* an overlong '<' */
    expect_text("\xe0\x80\xbc", "\\xE0\\x80\\xBC");
    expect_text("\xed\xa0\x80", "\\xED\\xA0\\x80"); /* half of a surrogate pair */
    expect_text("\xe2\x80\xae"
                "x",
                "\\xE2\\x80\\xAEx"); /* from right to left */
    expect_text("\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
}

static void bytes_are_escaped(void **state) {
    uint8_t all[256], many[100];
    struct page p = {0};
    (void)state;
    for (int i = 0; i < 256; i++) all[i] = (uint8_t)i;
    memset(many, 'a', sizeof many);
    for (int i = 0; i < 256; i += 64) page_bytes(&p, bytes_of(all + i, 64));
    const char *text = written(&p);
    for (const char *c = text; *c; c++) assert_true(*c >= 0x20 && *c < 0x7f && !strchr("<>\"'", *c));
    assert_non_null(strstr(text, "&lt;=&gt;"));
    assert_non_null(strstr(text, "[\\x5C]"));
    page_free(&p);
    p = (struct page){0};
    page_bytes(&p, bytes_of(many, sizeof many));
    assert_non_null(strstr(written(&p), "a… (100 bytes)"));
    page_free(&p);
}

static const char *name(const void *arg, uint32_t i) {
    (void)i;
    return arg;
}

static const char *number(uint64_t n, char out[32]) {
    snprintf(out, 32, "%llu", (unsigned long long)n);
    return out;
}

static void check_chart(const uint64_t *values, uint32_t n, uint64_t limit, const char *want, const char *unwanted) {
    struct page p = {0};
    chart_bars(&p, &(struct chart_bars){.text = {"bars <b>", "what"},
                                        .values = values,
                                        .n = n,
                                        .name = name,
                                        .arg = "<i>",
                                        .number = number,
                                        .limit = limit,
                                        .unit = "thing"});
    const char *html = written(&p);
    assert_null(strstr(html, "nan"));
    assert_null(strstr(html, "inf"));
    assert_null(strstr(html, "<i>"));
    assert_null(strstr(html, "<b>"));
    if (want) assert_non_null(strstr(html, want));
    if (unwanted) assert_null(strstr(html, unwanted));
    page_free(&p);
}

static void bars_of_any_figures(void **state) {
    uint64_t values[5000];
    const uint64_t even[] = {10, 10}, huge[] = {UINT64_MAX, 1};
    (void)state;
    for (int i = 0; i < 5000; i++) values[i] = (uint64_t)i * 1000;
    check_chart(values, 0, 0, NULL, "<rect");
    check_chart(values, 1, 0, "mean 0", NULL);
    check_chart(even, 2, 9, "class=\"mark\"", NULL);
    check_chart(even, 2, 10, "class=\"limit\"", "class=\"mark\"");
    check_chart(even, 2, 1000, "far above", "class=\"limit\"");
    check_chart(huge, 2, UINT64_MAX, NULL, NULL);
    check_chart(values, 5000, 0, "heaviest of about 20 neighbouring things", NULL);
}

static uint32_t at(const void *arg, uint32_t row, uint32_t column) {
    const uint32_t *v = arg;
    return v[row * 2 + column];
}

static void label(struct page *p, const void *arg, uint32_t row) {
    (void)arg;
    page_raw(p, "row %u", row);
}

static void put_heat(struct page *p, const uint32_t *v, uint32_t rows) {
    chart_heat(p, &(struct chart_heat){.text = {"t", "d"},
                                       .columns = 2,
                                       .rows = rows,
                                       .at = at,
                                       .row_label = label,
                                       .arg = v,
                                       .from = "a",
                                       .to = "b",
                                       .unit = "cells"});
}

static void heat_by_levels(void **state) {
    static const uint32_t v[] = {0, 1, 64, 64}, even[] = {90, 110, 100, 96}, hot[] = {0, 0, 0, 1000};
    struct page p = {0};
    (void)state;
    put_heat(&p, v, 2);
    const char *html = written(&p);
    assert_non_null(strstr(html, "<rect class=\"h1\" x=\"1\" y=\"0\" width=\"1\""));
    assert_non_null(strstr(html, "<rect class=\"h4\" x=\"0\" y=\"1\" width=\"2\"")); /* twice the mean */
    assert_non_null(strstr(html, "50–64"));
    assert_non_null(strstr(html, "mean 32:"));
    page_free(&p);
    p = (struct page){0};
    put_heat(&p, even, 2); /* one colour */
    html = written(&p);
    assert_non_null(strstr(html, "<rect class=\"h3\" x=\"0\" y=\"0\" width=\"2\""));
    assert_non_null(strstr(html, "<rect class=\"h3\" x=\"0\" y=\"1\" width=\"2\""));
    page_free(&p);
    p = (struct page){0};
    put_heat(&p, hot, 2); /* four times the mean, and nothing else */
    html = written(&p);
    assert_non_null(strstr(html, "<rect class=\"h5\" x=\"1\" y=\"1\" width=\"1\""));
    assert_null(strstr(html, "<rect class=\"h3\""));
    page_free(&p);
}

static void many_rows_are_folded(void **state) {
    static const char *const heads[] = {"a", "#b"};
    (void)state;
    for (unsigned rows = PAGE_ROWS_SHOWN; rows <= PAGE_ROWS_SHOWN + 1; rows++) {
        for (unsigned folded = 0; folded < 2; folded++) {
            struct page p = {0};
            if (folded) page_details(&p, "more");
            page_table(&p, "t", heads, 2);
            for (unsigned i = 0; i < rows; i++) page_row(&p);
            page_table_end(&p);
            assert_int_equal(strstr(written(&p), "all 11 rows") != NULL, rows > PAGE_ROWS_SHOWN && !folded);
            page_free(&p);
        }
    }
}

static void units_stay_with_numbers(void **state) {
    struct page p = {0};
    struct err err = {0};
    (void)state;
    page_raw(&p, "<b title=\"5 s\">5 %% and 1.2 MiB in 3 steps</b><code>5 %% 7 s</code> 7 s.");
    assert_int_equal(page_close(&p, &err), 0);
    assert_non_null(strstr(written(&p), "<b title=\"5 s\">5\xc2\xa0% and 1.2\xc2\xa0MiB in 3 steps</b><code>5 % 7 s</code> "
                                        "7\xc2\xa0s."));
    page_free(&p);
}

static void copied_text_keeps_its_lines(void **state) {
    struct page p = {0};
    (void)state;
    page_copy(&p, "a <b\n  c\n");
    assert_string_equal(written(&p), "<pre class=\"copy\"><code>a &lt;b\n  c\n</code></pre>\n");
    page_free(&p);
}

static void page_is_saved_whole(void **state) {
    char dir[] = "/tmp/t_page.XXXXXX";
    struct page p;
    struct err err = {0};
    size_t n;
    (void)state;
    assert_non_null(mkdtemp(dir));
    char *path = fs_join(dir, "page.html", &err);
    page_open(&p, &(struct page_head){"t<", "s&"});
    page_section(&p, "x", "<x>", NULL);
    page_section_end(&p);
    assert_int_equal(page_close(&p, &err), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(page_save(&p, path, &err), 0);
    char *text = fs_read_text(path, 1 << 20, &n, &err);
    assert_int_equal(n, p.out.n);
    assert_non_null(strstr(text, "<title>t&lt;</title>"));
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0); /* nothing else is left there */
    assert_int_equal(page_save(&p, path, &err), -1);
    assert_int_equal(err.code, ERR_OUTPUT);
    free(text);
    free(path);
    page_free(&p);
}

static void first_error_is_kept(void **state) {
    struct page p = {0};
    struct err err = {0};
    (void)state;
    err_set(&p.err, ERR_LIMIT, "no more");
    page_text(&p, "x");
    page_raw(&p, "%d", 5);
    assert_int_equal(p.out.n, 0);
    assert_int_equal(page_close(&p, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    page_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_escaped),
                                       cmocka_unit_test(bytes_are_escaped),
                                       cmocka_unit_test(bars_of_any_figures),
                                       cmocka_unit_test(heat_by_levels),
                                       cmocka_unit_test(page_is_saved_whole),
                                       cmocka_unit_test(first_error_is_kept),
                                       cmocka_unit_test(many_rows_are_folded),
                                       cmocka_unit_test(units_stay_with_numbers),
                                       cmocka_unit_test(copied_text_keeps_its_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
