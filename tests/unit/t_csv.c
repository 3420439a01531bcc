/* CSV: dialect, mapping of values, rejects with places, the vote, and the scanner's parts. t_csv_naive.c has random texts. */
#include "formats/csv/csv_mask.h"
#include "formats/text/text_input.h"
#include "formats/text/text_number.h"
#include "recorder.h"

#include "base/text.h"

static void test_plain(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,cf:b,cf:a,-,d,HBASE_TS_KEY");
    fixture_expect(&f, "csv", "r1,1,2,3,4,5\nr2,,x,y,z,9223372036854775807\r\n\n\r\n",
                   "+ <0> r1 cf:a@5=2 cf:b@5=1 d:@5=4\n"
                   "+ <13> r2 cf:a@77=x cf:b@77= d:@77=z\n");
    assert_int_equal(f.rec.skipped, 2);
    assert_int_equal(f.table.n_families, 2);
    fixture_end(&f);
}

static void test_quotes(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,f:b");
    fixture_expect(&f, "csv",
                   "\"r1\",\"x,y\",\"a\"\"b\"\"\"\r\n"
                   "r2,in\"side,\"two\nlines\r\n\"\n"
                   "\"\"\"\",\"\",\"\"\"\"\"\"",
                   "+ <0> r1 f:a@77=x,y f:b@77=a\"b\"\n"
                   "+ <21> r2 f:a@77=in\"side f:b@77=two\\x0alines\\x0d\\x0a\n"
                   "+ <46> \" f:a@77= f:b@77=\"\"\n");
    fixture_end(&f);
}

static void test_bad_records(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,HBASE_TS_KEY,HBASE_CELL_TTL");
    fixture_expect(
        &f, "csv",
        "r,a,1\n"
        "r,a,1,2,3\n"
        "r,\"a\"x,1,2\n"
        ",a,1,2\n"
        "r,a,,2\n"
        "r,a,-1,2\n"
        "r,a,9223372036854775808,2\n"
        "r,a,\"two\nlines\",2\n"
        "r,a,1,0\n"
        "r,a,1,x\r\n"
        "r,a,+1,8\n"
        "r,a,1,\n"
        "r\n"
        "r,a,\"open\n"
        "r,a,1,2\n",
        "! line 1 offset 0 column 0 3 fields, but 4 columns are mapped |r,a,1|\n"
        "! line 2 offset 6 column 5 5 fields, but 4 columns are mapped |r,a,1,2,3|\n"
        "! line 3 offset 16 column 2 text after the closing quote; give --quote none if quotes are ordinary bytes, or "
        "escape=\\ in --dialect if backslashes escape them "
        "|r,\"a\"x,1,2|\n"
        "! line 4 offset 27 column 1 empty row key |,a,1,2|\n"
        "! line 5 offset 34 column 3 timestamp is not a whole number of 64 bits |r,a,,2|\n"
        "! line 6 offset 41 column 3 timestamp -1 is negative |r,a,-1,2|\n"
        "! line 7 offset 50 column 3 timestamp is not a whole number of 64 bits |r,a,9223372036854775808,2|\n"
        "! line 8 offset 76 column 3 timestamp is not a whole number of 64 bits |r,a,\"two\\x0alines\",2|\n"
        "! line 10 offset 94 column 4 TTL 0 is not above 0 |r,a,1,0|\n"
        "! line 11 offset 102 column 4 TTL is not a whole number of milliseconds |r,a,1,x|\n"
        "+ <111> r f:a@1=a~8\n"
        "+ <120> r f:a@1=a\n"
        "! line 14 offset 127 column 0 1 field, but 4 columns are mapped |r|\n"
        "! line 15 offset 129 column 3 the quote opened in line 15 is never closed: all 2 lines to the end are in this "
        "record |r,a,\"open\\x0ar,a,1,2\\x0a|\n");
    fixture_end(&f);
}

/* The line named is the one of the quote, not the one the record begins in. */
static void test_open_quote_line(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,f:b");
    fixture_expect(&f, "csv", "r,x,y\nr,\"1\n2\n3\",\"abc",
                   "+ <0> r f:a@77=x f:b@77=y\n"
                   "! line 2 offset 6 column 3 the quote opened in line 4 is never closed: all 3 lines to the end are in this "
                   "record |r,\"1\\x0a2\\x0a3\",\"abc|\n");
    fixture_end(&f);
}

static void test_long_row(void **state) {
    (void)state;
    struct fixture f;
    struct buf in = {0};
    for (int extra = 0; extra < 2; extra++) {
        fixture_begin(&f, "HBASE_ROW_KEY,f:a");
        buf_clear(&in);
        for (int i = 0; i < ROW_MAX_BYTES + extra; i++) buf_put_byte(&in, 'r', &f.err);
        buf_put(&in, ",v\n", 3, &f.err);
        assert_int_equal(recorder_run(&f.rec, "csv", buf_bytes(&in), &f.o, &f.err), 0);
        assert_int_equal(f.rec.accepted, !extra);
        assert_int_equal(f.rec.rejected, extra);
        fixture_end(&f);
    }
    buf_free(&in);
}

static void test_nulls(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,g:b,f:c");
    fixture_say(&f, "null", "NULL");
    fixture_expect(&f, "csv", "r,NULL,1,2\nr,\"NULL\",,NULL\nr,NULL,NULL,NULL\nNULL,1,2,3\nr,a,b,c\n",
                   "+ <0> r f:c@77=2 g:b@77=1\n"
                   "+ <11> r f:a@77=NULL g:b@77=\n"
                   "+\n"
                   "! line 4 offset 43 column 1 row key is null |NULL,1,2,3|\n"
                   "+ <54> r f:a@77=a f:c@77=c g:b@77=b\n");
    fixture_end(&f);
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,f:b,HBASE_TS_KEY,HBASE_CELL_TTL");
    f.o.text.skip_empty = true;
    fixture_say(&f, "null", "N");
    fixture_expect(&f, "csv", "r,,\"\",N,N\nr,x,,3,4\n", "+\n+ <10> r f:a@3=x~4\n");
    fixture_end(&f);
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,f:b");
    fixture_say(&f, "null", "");
    fixture_expect(&f, "csv", "r,,\"\"\n", "+ <0> r f:b@77=\n");
    fixture_end(&f);
}

static void test_dialects(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,f:b");
    fixture_say(&f, "delimiter", ";");
    fixture_say(&f, "quote", "\'");
    fixture_expect(&f, "csv", "r;'x;''y';\"z\n", "+ <0> r f:a@77=x;'y f:b@77=\"z\n");
    fixture_end(&f);
    fixture_begin(&f, "HBASE_ROW_KEY,f:a,f:b");
    fixture_say(&f, "delimiter", "0x00");
    fixture_say(&f, "quote", "none");
    fixture_expect_bytes(&f, "csv", bytes_of("r\0\"x\0y\n", 7), "+ <0> r f:a@77=\"x f:b@77=y\n");
    fixture_end(&f);
    fixture_begin(&f, "HBASE_ROW_KEY,f:a");
    fixture_say(&f, "delimiter", "\"");
    fixture_expect_error(&f, "csv", "r,a\n", ERR_USAGE, "--delimiter and --quote are the same byte");
    fixture_end(&f);
    fixture_begin(&f, "HBASE_ROW_KEY,f:a");
    fixture_say(&f, "delimiter", "\n");
    fixture_expect_error(&f, "csv", "r,a\n", ERR_USAGE, "cannot be a line end");
    fixture_end(&f);
    fixture_begin(&f, NULL);
    fixture_expect_error(&f, "csv", "r,a\n", ERR_USAGE, "say what its columns become. Its header names 2, from r to a");
    fixture_end(&f);
}

static void test_bom(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:a");
    fixture_expect(&f, "csv", "\xef\xbb\xbfr,a\nr2,\xef\xbb\xbf\n", "+ <3> r f:a@77=a\n+ <7> r2 f:a@77=\\xef\\xbb\\xbf\n");
    fixture_end(&f);
}

static void test_header(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "id=HBASE_ROW_KEY, the name = f:n ,\x6e=f:q");
    fixture_say(&f, "header", "each");
    f.o.memory.chunk = 2;
    fixture_expect(&f, "csv", "\xef\xbb\xbf\n\"n\",x,\"the name\",id\n1,2,3,r\n", "+ <24> r f:n@77=3 f:q@77=1\n");
    assert_int_equal(f.rec.skipped, 2);
    fixture_end(&f);
    fixture_begin(&f, "HBASE_ROW_KEY,f:a");
    fixture_say(&f, "header", "each");
    fixture_expect(&f, "csv", "id,\"a\nb\"\nr,1\nr\n",
                   "+ <9> r f:a@77=1\n! line 4 offset 13 column 0 1 field, but 2 columns are mapped |r|\n");
    assert_int_equal(f.rec.skipped, 1);
    fixture_end(&f);
    fixture_begin(&f, "HBASE_ROW_KEY,f:a");
    fixture_say(&f, "header", "each");
    fixture_expect_error(&f, "csv", "id,a,b\nr,1,2\n", ERR_USAGE, "--columns has 2 items, but the header has 3 columns");
    fixture_end(&f);
    fixture_begin(&f, "id=HBASE_ROW_KEY,nam=f:a");
    fixture_say(&f, "header", "each");
    fixture_expect_error(&f, "csv", "id,name\nr,1\n", ERR_USAGE, " has no column \"nam\"; it has: id, name");
    fixture_end(&f);
}

static void test_huge_header(void **state) {
    (void)state;
    struct fixture f;
    struct buf in = {0};
    fixture_begin(&f, "a=HBASE_ROW_KEY,b=f:a");
    fixture_say(&f, "header", "each");
    while (in.n < 70000) buf_put(&in, "a,b,", 4, &f.err);
    buf_put_byte(&in, 0, &f.err);
    fixture_expect_error(&f, "csv", (char *)in.p, ERR_LIMIT, "no header within 65536 bytes and 16384 columns");
    buf_free(&in);
    fixture_end(&f);
}

static void test_empty(void **state) {
    (void)state;
    const char *inputs[] = {"", "\n", "\xef\xbb\xbf", "\r\n\r\n"};
    for (size_t i = 0; i < countof(inputs); i++)
        for (int header = 0; header < 2; header++) {
            struct fixture f;
            fixture_begin(&f, header ? "id=HBASE_ROW_KEY,x=f:a" : "HBASE_ROW_KEY,f:a");
            if (header) fixture_say(&f, "header", "each");
            fixture_expect(&f, "csv", inputs[i], "");
            assert_int_equal(f.rec.accepted + f.rec.rejected, 0);
            assert_int_equal(f.table.n_families, 1);
            fixture_end(&f);
        }
}

static void test_refused_by_pipeline(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, "HBASE_ROW_KEY,f:a");
    f.rec.refuse_row = "bad";
    fixture_expect(&f, "csv", "ok,1\nbad,2\nok,3\n",
                   "+ <0> ok f:a@77=1\n! line 2 offset 5 column 0 refused by the test |bad,2|\n+ <11> ok f:a@77=3\n");
    fixture_end(&f);
}

static void test_record_limit(void **state) {
    (void)state;
    struct fixture f;
    struct buf in = {0};
    fixture_begin(&f, "HBASE_ROW_KEY,f:a");
    f.o.memory.max_cell = 1000;
    f.o.memory.chunk = 100;
    buf_put(&in, "r,1\nr,\"", 7, &f.err);
    while (in.n < 200000) buf_put(&in, "line\n", 5, &f.err);
    buf_put_byte(&in, 0, &f.err);
    fixture_expect_error(&f, "csv", (char *)in.p, ERR_LIMIT, "record that begins at line 2, byte 4, is longer than 66536 bytes");
    assert_int_equal(f.rec.accepted, 1);
    fixture_end(&f);
    buf_free(&in);
}

/* Every way to find bytes against the plain one, and masks against what they stand for. */
static void test_masks(void **state) {
    (void)state;
    enum { BLOCKS = 3 };
    uint64_t seed = 5, want[BLOCKS], got[BLOCKS];
    uint8_t text[BLOCKS * CSV_MASK_BYTES + 1];
    unsigned ways = 0;
    for (int round = 0; round < 5000; round++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (uint8_t)(test_random(&seed) % 5 ? test_random(&seed) % 6 : (uint64_t)(0x80 | round));
        size_t n = 1 + test_random(&seed) % BLOCKS, odd = round & 1, bit = test_random(&seed) % CSV_MASK_BYTES;
        const uint8_t bytes[3] = {(uint8_t)(test_random(&seed) % 6), (uint8_t)(0x80 | round), (uint8_t)(test_random(&seed) % 4)};
        csv_mask_by(CSV_PLAIN)(text + odd, n, bytes, want);
        assert_true((want[n - 1] >> bit & 1) == (memchr(bytes, text[odd + (n - 1) * CSV_MASK_BYTES + bit], 3) != NULL));
        for (unsigned v = CSV_PLAIN + 1; v < CSV_VECTORS; v++) {
            csv_mask_fn *find = csv_mask_by((enum csv_vector)v);
            if (!find) continue;
            find(text + odd, n, bytes, got);
            assert_memory_equal(got, want, n * sizeof *want);
            ways++;
        }
    }
#if defined(__x86_64__) || defined(__aarch64__)
    assert_true(ways >= 5000 && csv_mask_best() != csv_mask_by(CSV_PLAIN));
#endif
}

/* Compares numbers of any length, with a byte in them that may be no digit, with parsing one digit at a time. */
static void test_random_numbers(void) {
    uint64_t seed = 77;
    unsigned numbers = 0;
    for (int round = 0; round < 200000; round++) {
        uint8_t text[24];
        size_t n = 1 + test_random(&seed) % sizeof text, odd = test_random(&seed) % (2 * sizeof text);
        for (size_t i = 0; i < n; i++) text[i] = (uint8_t)('0' + test_random(&seed) % 10);
        for (size_t i = 0; i + 10 < n && round % 2; i++) text[i] = '0';
        if (odd < n) text[odd] = (uint8_t)test_random(&seed);
        u128 want = 0;
        bool ok = true;
        for (size_t i = 0; i < n && ok; i++) {
            ok = text[i] >= '0' && text[i] <= '9';
            want = want * 10 + text[i] - '0';
        }
        uint64_t got;
        assert_int_equal(text_u64(bytes_of(text, n), &got), ok && want <= UINT64_MAX);
        if (ok && want <= UINT64_MAX) assert_true(got == (uint64_t)want);
        numbers += ok;
    }
    assert_in_range(numbers, 50000, 180000);
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t v;
    } cases[] = {{"0", true, 0},
                 {"-0", true, 0},
                 {"+7", true, 7},
                 {"9223372036854775807", true, INT64_MAX},
                 {"", false, 0},
                 {"-", false, 0},
                 {"+", false, 0},
                 {"-9223372036854775808", true, INT64_MIN},
                 {" 1", false, 0},
                 {"1 ", false, 0},
                 {"1e3", false, 0},
                 {"9223372036854775808", false, 0},
                 {"0x1", false, 0},
                 {"--1", false, 0},
                 {"007", true, 7},
                 {"-9223372036854775809", false, 0},
                 {"99999999999999999999999", false, 0}};
    for (size_t i = 0; i < countof(cases); i++) {
        int64_t v = 0;
        assert_int_equal(text_i64(bytes_str(cases[i].text), &v), cases[i].ok);
        assert_true(v == cases[i].v);
    }
    test_random_numbers();
    uint64_t u;
    assert_true(text_u64(bytes_str("18446744073709551615"), &u) && u == UINT64_MAX);
    assert_false(text_u64(bytes_str("18446744073709551616"), &u) || text_u64(bytes_str("-1"), &u));
}

static void test_count_lines(void **state) {
    (void)state;
    uint64_t seed = 11;
    static uint8_t text[20000];
    for (int round = 0; round < 20; round++) {
        size_t n = test_random(&seed) % sizeof text;
        uint64_t lf = 0, any = 0;
        for (size_t i = 0; i < n; i++) text[i] = "\n\r,a"[test_random(&seed) % (round % 2 ? 4 : 2)];
        for (size_t i = 0; i < n; i++) {
            lf += text[i] == '\n';
            any += text[i] == '\n' || (text[i] == '\r' && (i + 1 == n || text[i + 1] != '\n'));
        }
        assert_int_equal(text_count_lines(bytes_of(text, n), false), lf);
        assert_int_equal(text_count_lines(bytes_of(text, n), true), any);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),           cmocka_unit_test(test_quotes),   cmocka_unit_test(test_bad_records),
        cmocka_unit_test(test_open_quote_line), cmocka_unit_test(test_long_row), cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_dialects),        cmocka_unit_test(test_bom),      cmocka_unit_test(test_header),
        cmocka_unit_test(test_huge_header),     cmocka_unit_test(test_empty),    cmocka_unit_test(test_refused_by_pipeline),
        cmocka_unit_test(test_record_limit),    cmocka_unit_test(test_masks),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_count_lines),
    };
    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
