/* Load files and their sums: all byte values, cells that a real engine read back, and its own sums over them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/fs.h"
#include "cmd/oceanbase/cell_sums.h"
#include "table/placement.h"
#include "cmd/oceanbase/kqvt.h"
#include "table/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#define DIR "tests/data/oceanbase/load/"
enum { PARTITIONS = 7 };

static const struct cell_sums_opts strong = {.strong = true};

/* The whole of a small gzip file. */
static struct buf gzip_text(const char *path) {
    struct buf b = {0};
    struct err err = {0};
    gzFile f = gzopen(path, "rb");
    int n = -1;
    uint8_t piece[4096];
    if (!f) fail_msg("%s: cannot open", path);
    while ((n = gzread(f, piece, sizeof piece)) > 0) assert_int_equal(buf_put(&b, piece, (size_t)n, &err), 0);
    assert_int_equal(n, 0);
    gzclose(f);
    return b;
}

static struct bytes take_line(struct bytes *text, char end) {
    const uint8_t *p = memchr(text->p, end, text->n);
    struct bytes line = {text->p, p ? (size_t)(p - text->p) : text->n};
    *text = (struct bytes){line.p + line.n + (p != NULL), text->n - line.n - (p != NULL)};
    return line;
}

static void put_row(struct buf *out, const struct kqvt_row *row, bool ttl_column) {
    struct err err = {0};
    uint8_t *key = malloc(2 * row->k.n + COPY16_SPARE);
    uint8_t *end = kqvt_escape(key, row->k);
    assert_int_equal(kqvt_put(out, bytes_of(key, (size_t)(end - key)), row, ttl_column, &err), 0);
    free(key);
}

static void expect_same(const struct kqvt_row *a, const struct kqvt_row *b) {
    assert_true(bytes_eq(a->k, b->k) && bytes_eq(a->q, b->q) && bytes_eq(a->v, b->v));
    assert_true(a->t == b->t && a->has_ttl == b->has_ttl && a->ttl_ms == b->ttl_ms);
}

/* Requires a row to come back, and to be one line: nothing but its end is an LF, and fields are separated by the right number of
 * TABs. */
static void round_trip(const struct kqvt_row *row, bool ttl_column) {
    struct buf line = {0};
    struct kqvt_row got;
    put_row(&line, row, ttl_column);
    size_t tabs = 0;
    for (size_t i = 0; i < line.n; i++) {
        tabs += line.p[i] == '\t';
        assert_true((line.p[i] == '\n') == (i + 1 == line.n));
    }
    assert_int_equal(tabs, ttl_column ? 4 : 3);
    uint8_t *scratch = malloc(line.n);
    const char *why = kqvt_parse(bytes_of(line.p, line.n - 1), ttl_column, scratch, &got);
    if (why) fail_msg("%s", why);
    expect_same(row, &got);
    free(scratch);
    buf_free(&line);
}

static void test_every_byte(void **state) {
    (void)state;
    uint8_t all[256], one[50];
    for (int i = 0; i < 256; i++) all[i] = (uint8_t)i;
    round_trip(&(struct kqvt_row){bytes_of(all, 256), bytes_of(all, 256), bytes_of(all, 256), -1, false, 0, {0}}, false);
    round_trip(&(struct kqvt_row){bytes_of(all, 0), bytes_of(all, 0), bytes_of(all, 0), INT64_MIN, false, 0, {0}}, false);
    for (int c = 0; c < 256; c++) /* at every place of fields shorter and longer than a step of 16 bytes */
        for (size_t n = 1; n <= sizeof one; n++)
            for (size_t at = 0; at < n; at++) {
                memset(one, 'x', sizeof one);
                one[at] = (uint8_t)c;
                struct bytes b = {one, n};
                round_trip(&(struct kqvt_row){b, b, b, INT64_MAX - c, false, 0, {0}}, false);
                round_trip(&(struct kqvt_row){b, b, b, -c, c % 2, c % 2 ? c : 0, {0}}, true);
            }
}

static void test_exact_text(void **state) {
    (void)state;
    static const struct {
        const char *v, *line;
        bool ttl_column, has_ttl;
    } cases[] = {
        {"a\tb\nc\\d\r'\"", "k\tq\ta\\tb\\nc\\\\d\r'\"\t-5\n", false, false},
        {"\\N", "k\tq\t\\\\N\t-5\n", false, false},
        {"", "k\tq\t\t\\N\t-5\n", true, false},
        {"", "k\tq\t\t60000\t-5\n", true, true},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        struct buf out = {0};
        struct kqvt_row row = {bytes_str("k"), bytes_str("q"), bytes_str(cases[i].v), -5, cases[i].has_ttl, 60000, {0}};
        put_row(&out, &row, cases[i].ttl_column);
        assert_true(bytes_eq(buf_bytes(&out), bytes_str(cases[i].line)));
        buf_free(&out);
    }
}

static void test_what_servers_read(void **state) {
    (void)state;
    static const struct {
        const char *line, *v, *why;
        bool ttl_column;
    } cases[] = {
        {"k\tq\t\\0\\b\\r\\Z\\n\\t\\x\t1", NULL, NULL, false}, /* compared below: it holds a NUL */
        {"k\tq\ta\\\tb\t-7", "a\tb", NULL, false},
        {"k\tq\tv", NULL, "too few fields", false},
        {"k\tq\tv\t1\t2", NULL, "too many fields", false},
        {"k\tq\tv\t1\t2\t3", NULL, "too many fields", false},
        {"k\tq\tv\t1\t2\t3", NULL, "too many fields", true},
        {"k\tq\tv\t", NULL, "T is not a number", false},
        {"k\tq\tv\t1x", NULL, "T is not a number", false},
        {"k\tq\tv\t9223372036854775808", NULL, "T is not a number", false},
        {"k\tq\tv\t-9223372036854775809", NULL, "T is not a number", false},
        {"k\tq\tv\t\\N", NULL, "T is not a number", false},
        {"k\tq\t\\N\t1", NULL, "a field is NULL", false},
        {"k\tq\tv\ty\t1", NULL, "TTL is not a number", true},
        {"k\tq\tv\t1\\", NULL, "ends inside an escape", false},
    };
    for (size_t i = 0; i < countof(cases); i++) {
        uint8_t scratch[64];
        struct kqvt_row row;
        const char *why = kqvt_parse(bytes_str(cases[i].line), cases[i].ttl_column, scratch, &row);
        if (cases[i].why)
            assert_string_equal(why, cases[i].why);
        else
            assert_null(why);
        if (cases[i].v) assert_true(bytes_eq(row.v, bytes_str(cases[i].v)));
        if (i == 0) assert_true(bytes_eq(row.v, bytes_of("\0\b\r\x1a\n\tx", 7)));
    }
}

/* ---- what the engine said ---- */

struct set {
    struct cell_sums all, of[PARTITIONS];
};

static void add(struct set *s, const struct placement *p, const struct kqvt_row *row) {
    uint32_t i;
    assert_int_equal(placement_of(p, row->k, &i), PLACE_OK);
    cell_sums_row(&s->all, row, &strong);
    cell_sums_row(&s->of[i], row, &strong);
}

static struct set read_kqvt(const char *path, const struct placement *p) {
    struct set s = {0};
    struct buf text = gzip_text(path);
    struct bytes rest = buf_bytes(&text);
    uint8_t *scratch = malloc(text.n);
    while (rest.n) {
        struct kqvt_row row;
        const char *why = kqvt_parse(take_line(&rest, '\n'), false, scratch, &row);
        if (why) fail_msg("%s: %s", path, why);
        add(&s, p, &row);
    }
    free(scratch);
    buf_free(&text);
    return s;
}

static struct set read_cells(const char *path, const struct placement *p) {
    struct set s = {0};
    struct err err = {0};
    struct buf text = gzip_text(path), k = {0}, q = {0}, v = {0};
    for (struct bytes rest = buf_bytes(&text); rest.n;) {
        struct bytes line = take_line(&rest, '\n');
        if (line.n && line.p[0] == '#') continue;
        struct kqvt_row row = {0};
        struct buf *fields[] = {&k, &q, NULL, &v};
        for (size_t i = 0; i < 4; i++) {
            struct bytes f = take_line(&line, '\t');
            if (!fields[i]) {
                assert_true(decimal_parse_i64(f, &row.t));
                continue;
            }
            buf_clear(fields[i]);
            assert_int_equal(bound_code_unhex(f, fields[i], &err), 0);
        }
        row.k = buf_bytes(&k);
        row.q = buf_bytes(&q);
        row.v = buf_bytes(&v);
        add(&s, p, &row);
        round_trip(&row, false);
    }
    buf_free(&text);
    buf_free(&k);
    buf_free(&q);
    buf_free(&v);
    return s;
}

static void expect_line(char **f, const struct cell_sums *s) {
    char text[6][DECIMAL_U128_BYTES + 1];
    const u128 got[] = {s->rows, s->bytes, s->crc_sum, s->crc_xor, s->md5_sum, s->md5_xor};
    for (size_t i = 0; i < countof(got); i++) {
        decimal_print_u128(got[i], text[i]);
        assert_string_equal(text[i], f[3 + i]);
    }
}

/* Lines: engine, file, partition or all, rows, bytes, and the four sums. */
static size_t compare(const char *name, const struct set *s) {
    struct err err = {0};
    size_t n, lines = 0;
    char *text = fs_read_text(DIR "load_digests.tsv", 1 << 20, &n, &err), *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *f[9], *inner = NULL;
        size_t k = 0;
        if (*line == '#') continue;
        for (char *w = strtok_r(line, "\t", &inner); w && k < 9; w = strtok_r(NULL, "\t", &inner)) f[k++] = w;
        assert_int_equal(k, 9);
        if (strcmp(f[1], name) != 0) continue;
        expect_line(f, strcmp(f[2], "all") ? &s->of[atoi(f[2] + 1)] : &s->all);
        lines++;
    }
    free(text);
    return lines;
}

static void test_engine(void **state) {
    (void)state;
    static const char *const names[] = {"load_allbytes", "load_tricky"};
    struct partitioning spec;
    struct buf warnings = {0};
    struct err err = {0};
    assert_int_equal(partitioning_parse("key:7", &spec, &warnings, &err), 0);
    struct placement *p = placement_new(&spec, &err);
    for (size_t i = 0; i < countof(names); i++) {
        char path[200];
        snprintf(path, sizeof path, DIR "%s.kqvt.gz", names[i]);
        struct set a = read_kqvt(path, p);
        snprintf(path, sizeof path, DIR "%s.cells.tsv.gz", names[i]);
        struct set b = read_cells(path, p);
        assert_int_equal(compare(names[i], &a), 9);
        assert_int_equal(compare(names[i], &b), 9);
        assert_true(cell_sums_eq(&a.all, &b.all));
        struct cell_sums sum = {0};
        for (int k = 0; k < PARTITIONS; k++) cell_sums_add(&sum, &b.of[k]);
        assert_true(cell_sums_eq(&a.all, &sum));
    }
    placement_free(p);
    partitioning_free(&spec);
}

/* x = "5,1,-1700000000000,4173317878," + K + Q: CRC-32 1229906325, MD5 bb646dd4d669d6734e5816a70ad43fba. */
static void test_worked_example(void **state) {
    (void)state;
    struct kqvt_row row = {.k = bytes_of("row1\xff", 5), .q = bytes_str("c"), .v = bytes_of("\0v", 2), .t = -1700000000000};
    struct cell_sums s = {0}, with_ttl = {0};
    cell_sums_row(&s, &row, &strong);
    assert_int_equal(s.crc_xor, 1229906325);
    assert_int_equal(s.bytes, 8);
    assert_true((uint64_t)s.md5_sum == UINT64_C(0xbb646dd4d669d67));
    assert_true(s.md5_xor == UINT64_C(0x4e5816a70ad43fba));
    cell_sums_row(&with_ttl, &row, &(struct cell_sums_opts){.ttl_column = true});
    assert_int_not_equal(with_ttl.crc_xor, s.crc_xor);
    assert_true(with_ttl.md5_sum == 0);
}

/* Keys beyond what is hashed in one piece must give the same sum as shorter ones would: against CRC over the whole text. */
static void test_long_keys(void **state) {
    (void)state;
    static uint8_t text[4096];
    for (size_t n = 300; n < 530; n++) {
        int head = snprintf((char *)text, sizeof text, "%zu,%d,-9,0,", n, 3);
        memset(text + head, 'k', n);
        memcpy(text + head + n, "qqq", 3);
        struct kqvt_row row = {.k = bytes_of(text + head, n), .q = bytes_str("qqq"), .t = -9};
        struct cell_sums s = {0};
        cell_sums_row(&s, &row, &(struct cell_sums_opts){0});
        assert_int_equal(s.crc_xor, crc32(0, text, (unsigned)((size_t)head + n + 3)));
    }
}

static void test_decimal(void **state) {
    (void)state;
    static const char *const bad[] = {"", "-", "12x", "340282366920938463463374607431768211456", " 1", "+1"};
    char text[DECIMAL_U128_BYTES + 1];
    u128 v;
    int64_t i;
    assert_true(decimal_parse_u128(bytes_str("340282366920938463463374607431768211455"), &v));
    assert_true(v == ~(u128)0);
    decimal_print_u128(v, text);
    assert_string_equal(text, "340282366920938463463374607431768211455");
    for (size_t k = 0; k < countof(bad); k++) assert_false(decimal_parse_u128(bytes_str(bad[k]), &v));
    assert_true(decimal_parse_i64(bytes_str("-9223372036854775808"), &i) && i == INT64_MIN);
    assert_true(decimal_parse_i64(bytes_str("9223372036854775807"), &i) && i == INT64_MAX);
    assert_false(decimal_parse_i64(bytes_str("9223372036854775808"), &i));
    assert_false(decimal_parse_i64(bytes_str("-9223372036854775809"), &i));
    assert_false(decimal_parse_i64(bytes_str("--1"), &i));
}

/* Rows short and long in turns, whose sums are taken one row late. */
static void test_sums_ahead(void **state) {
    (void)state;
    uint8_t k[600];
    struct cell_sums at_once = {0}, late = {0};
    struct cell_sums_ahead ahead = {0};
    memset(k, 'k', sizeof k);
    cell_sums_end(&late, &ahead);
    assert_true(cell_sums_eq(&at_once, &late));
    for (int i = 0; i < 1000; i++) {
        struct kqvt_row row = {.k = bytes_of(k, (size_t)(i * 37 % 600)), .q = bytes_of(k, (size_t)(i % 40)), .t = -i};
        row.v = bytes_of(k, (size_t)(i % 100));
        cell_sums_row(&at_once, &row, &strong);
        cell_sums_put(&late, &ahead, &row, &strong);
        if (i % 7 == 0) cell_sums_end(&late, &ahead);
    }
    cell_sums_end(&late, &ahead);
    assert_true(cell_sums_eq(&at_once, &late));
}

static void expect_digits(uint64_t v) {
    uint8_t *out = malloc(DECIMAL_I64_BYTES);
    char want[32];
    size_t n = (size_t)(decimal_put_u64(out, v) - out);
    if (n != (size_t)snprintf(want, sizeof want, "%llu", (unsigned long long)v) || memcmp(out, want, n)) fail_msg("%s", want);
    n = (size_t)(decimal_put_i64(out, (int64_t)v) - out);
    if (n != (size_t)snprintf(want, sizeof want, "%lld", (long long)v) || memcmp(out, want, n)) fail_msg("%s", want);
    free(out);
}

/* Around each power of ten and of two, and each four-digit number as the digits at the end, in the middle and in front. */
static void test_decimal_put(void **state) {
    (void)state;
    for (uint64_t p = 1;; p *= 10) {
        for (uint64_t d = 0; d < 12; d++) expect_digits(p + d), expect_digits(p - d), expect_digits(p * 7 + d);
        if (p > UINT64_MAX / 10) break;
    }
    for (int b = 0; b < 64; b++) {
        expect_digits(UINT64_C(1) << b);
        expect_digits((UINT64_C(1) << b) - 1);
    }
    expect_digits(UINT64_MAX);
    for (uint64_t v = 0; v < 10000; v++) {
        expect_digits(v);
        expect_digits(v * 10000);
        expect_digits(v * 10001);
        expect_digits(v * UINT64_C(1000000000000));
        expect_digits(v * UINT64_C(1000100010001));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte),     cmocka_unit_test(test_exact_text), cmocka_unit_test(test_what_servers_read),
        cmocka_unit_test(test_engine),         cmocka_unit_test(test_decimal),    cmocka_unit_test(test_long_keys),
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_sums_ahead), cmocka_unit_test(test_decimal_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
