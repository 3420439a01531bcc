/* Expressions: every function with known answers, every refusal by its text. Values that Java people expect were printed by
 * Java 17 (UUID.nameUUIDFromBytes, String.hashCode, Arrays.hashCode, BigInteger.mod, DateTimeFormatter), murmur2 and murmur3 by
 * HBase. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "formats/mapping/expr.h"
#include "formats/mapping/expr_run.h"
#include "formats/mapping/expr_template.h"

/* The record of all tests. */
static const struct column {
    const char *name, *value; /* NULL: null */
} columns[] = {{"id", "42"},      {"name", "hello"}, {"city", "北京"},      {"none", ""},
               {"nothing", NULL}, {"bad", "x\xff"},  {"first name", "Ada"}, {"$2", "second"}};
enum { COUNTER = countof(columns) };

static int find(void *arg, struct bytes name, uint32_t *field, enum expr_type *type, struct err *err) {
    (void)arg;
    (void)err;
    *type = EXPR_TEXT;
    for (uint32_t i = 0; i < countof(columns); i++)
        if (bytes_eq(name, bytes_str(columns[i].name))) {
            *field = i;
            return 1;
        }
    if (!bytes_eq(name, bytes_str("counter"))) return 0;
    *field = COUNTER;
    *type = EXPR_NUMBER;
    return 1;
}

static void fill(struct expr_value *fields) {
    for (size_t i = 0; i < countof(columns); i++)
        fields[i] = columns[i].value ? expr_text(bytes_str(columns[i].value)) : (struct expr_value){0};
    fields[COUNTER] = expr_number(7);
}

static struct expr *compile(const char *text, enum expr_type want, struct err *err) {
    static const struct expr_names names = {.find = find};
    return expr_compile(bytes_str(text), want, &names, err);
}

/* Puts into a buffer the result, (null), or what is wrong, behind "!" and the column. */
static void answer(const char *text, enum expr_type want, struct buf *out) {
    struct expr_value fields[COUNTER + 1], v = {0};
    struct expr_scratch scratch = {0};
    struct expr_fault why = {0};
    struct err err = {0};
    struct expr *e = compile(text, want, &err);
    fill(fields);
    int rc = e ? expr_eval(e, fields, &scratch, &v, &why, &err) : -1;
    if (rc < 0)
        buf_printf(out, &err, "?%s", err.text);
    else if (rc == 0)
        buf_printf(out, &err, "!%s: %s", why.field < COUNTER ? columns[why.field].name : "-", why.text);
    else if (!v.p)
        buf_printf(out, &err, "(null)");
    else if (want == EXPR_TEXT)
        buf_put(out, v.p, v.n, &err);
    else
        buf_printf(out, &err, "%lld", (long long)v.number);
    err = (struct err){0};
    buf_put_byte(out, 0, &err);
    expr_scratch_free(&scratch);
    expr_free(e);
}

static void expect_as(const char *text, enum expr_type want, const char *wanted) {
    struct buf got = {0};
    answer(text, want, &got);
    if (strcmp((char *)got.p, wanted) != 0) fail_msg("%s\n  is     %s\n  wanted %s", text, (char *)got.p, wanted);
    buf_free(&got);
}

struct known {
    const char *text, *wanted;
};

static void expect_all(const struct known *k, size_t n) {
    for (size_t i = 0; i < n; i++) expect_as(k[i].text, EXPR_TEXT, k[i].wanted);
}
#define EXPECT(...)                                      \
    do {                                                 \
        static const struct known all[] = {__VA_ARGS__}; \
        expect_all(all, countof(all));                   \
    } while (0)

static void test_operators(void **state) {
    (void)state;
    EXPECT({"id", "42"}, {"'a' + \"b\" + id", "ab42"}, {"`first name` + $2", "Adasecond"}, {"'it''s \\x41\\t\\\\'", "it's A\t\\"},
           {"id + 1", "421"}, {"id - 1", "41"}, {"id * 2 - 4", "80"}, {"id / 5", "8"}, {"id % 5", "2"}, {"-id % 5", "3"},
           {"'u' + Long.MAX - 1600000000000 + 'p'", "u9223370436854775807p"}, {"- -5", "5"}, {"2 - 3 - 4", "-5"},
           {"name[0:2]", "he"}, {"name[-2:]", "lo"}, {"name[:-1]", "hell"}, {"name[3:99]", "lo"}, {"name[4:2]", ""},
           {"name[1:4][1:2]", "l"}, {"12345[1:3]", "23"}, {"counter + counter", "77"}, {"counter * 3", "21"},
           {"(id + '0') - 0", "420"}, {"nothing + 'x'", "(null)"}, {"null", "(null)"}, {"none + 'x'", "x"},
           {"city + '!'", "北京!"}, {"if(id = 42, 'y', 'n')", "y"}, {"if(id = '042', 'y', 'n')", "n"},
           {"if(nothing = 'a', 1, 2)", "2"}, {"if(id > 41 and name < 'i', 'both')", "both"}, {"if(id > 50, 'x')", "(null)"},
           {"if(none = '' or bad - 1 > 3, 'lazy', '')", "lazy"}, {"if(not (id = 1 and bad - 1 = 1), 'lazy', '')", "lazy"},
           {"coalesce(nothing, none, 'x')", ""}, {"coalesce(nothing, nothing, 'x') + 'y'", "xy"},
           {"concat(if(id = 1, 'a', 'b'), 'c')", "bc"}, {"if(true, 'a', 'b') + if(false, 'c', 'd')", "ad"},
           {"if(empty(none) and empty(nothing) and not empty(id), 1, 0)", "1"}, {"if(is_null(none), 1, 0)", "0"},
           {"if(id <> 42 or id != 42 or id >= 43 or id <= 41 or id < 42, 1, 0)", "0"});
    expect_as("id = 42", EXPR_BOOL, "1");
    expect_as("nothing = 42", EXPR_BOOL, "(null)");
    expect_as("id", EXPR_NUMBER, "42");
}

static void test_text(void **state) {
    (void)state;
    EXPECT({"concat(id, '_', name)", "42_hello"}, {"join('|', id, none, name)", "42||hello"}, {"substring(name, 2)", "ello"},
           {"substring(name, 2, 3)", "ell"}, {"substring(name, -3, 2)", "ll"}, {"substring(name, 0, 2)", ""},
           {"substring(name, 9, 2)", ""}, {"substring(name, -9, 2)", ""}, {"substring(city, 2)", "京"}, {"left(city, 1)", "北"},
           {"right(city, 1)", "京"}, {"right(name, 9)", "hello"}, {"left(name, 0)", ""}, {"reverse(name)", "olleh"},
           {"reverse(city)", "京北"}, {"hex(reverse_bytes(city))", "acbae4978ce5"}, {"lower('AbZ[@')", "abz[@"},
           {"upper('abz{`é')", "ABZ{`é"}, {"'<' + trim(' \\t a b \\r\\n') + '>'", "<a b>"}, {"zeropad(id, 5)", "00042"},
           {"zeropad(-7, 4)", "-007"}, {"zeropad(name, 7)", "00hello"}, {"zeropad(id, 2)", "42"},
           {"zeropad(name, 4)", "!name: zeropad: 'hello' is wider than 4"}, {"lpad(city, 4, '.')", "..北京"},
           {"rpad(id, 4)", "42  "}, {"rpad(id, 4, '中')", "42中中"}, {"rpad(name, 4)", "!name: rpad: 'hello' is wider than 4"},
           {"split('a/b//c', '/', 2)", "b"}, {"split('a/b//c', '/', 3)", ""}, {"split('a/b//c', '/', -1)", "c"},
           {"split('a/b', '/', 3)", "(null)"}, {"split('a/b', '/', 0)", "(null)"}, {"replace('a-b-c', '-', '::')", "a::b::c"},
           {"replace('aaa', 'aa', '')", "a"}, {"replace(name, 'z', 'y')", "hello"}, {"length(city)", "2"},
           {"byte_length(city)", "6"},
           {"if(starts_with(name, 'he') and ends_with(name, 'lo') and contains(name, 'll'), 1, 0)", "1"},
           {"if(starts_with('h', name) or ends_with('o', name) or contains('ell', name), 1, 0)", "0"},
           {"reverse(bad)", "!bad: reverse: 'x\\xff' is not valid UTF-8"},
           {"left(bad, 1)", "!bad: left: 'x\\xff' is not valid UTF-8"},
           {"length(bad)", "!bad: length: 'x\\xff' is not valid UTF-8"}, {"hex(reverse_bytes(bad))", "ff78"});
}

static void test_decimals(void **state) {
    static const char few[] = "is not a number of at most 2 places that fits 64 bits with these marks";
    const char *const bad[] = {"1,2,3", "1.23", "12.34,5", "1.2345,6", "1234.567,8", "1,234",
                               "5,",    ",",    "",        "1e3",      " 1",         "92233720368547759,00"};
    (void)state;
    EXPECT(
        {"decimal('12.5', 2)", "1250"}, {"decimal('12,5', 2, ',')", "1250"}, {"decimal(id, 2)", "4200"},
        {"decimal('-0,07', 2, ',')", "-7"}, {"decimal('+1', 0)", "1"}, {"decimal('.5', 1)", "5"},
        {"decimal('1.234.567,89', 2, ',', '.')", "123456789"}, {"decimal('1234567,89', 2, ',', '.')", "123456789"},
        {"decimal('1''234.5', 2, '.', '''')", "123450"}, {"decimal('12,500', 1, ',')", "125"},
        {"decimal('1\\xe2\\x80\\xaf234,5', 1, ',', '\\xe2\\x80\\xaf')", "12345"}, {"decimal(nothing, 2)", "(null)"},
        {"decimal('92233720368547758,07', 2, ',')", "9223372036854775807"}, {"hex(int32(decimal('1,5', 1, ',')))", "0000000f"},
        {"decimal(name, 2)", "!name: decimal: 'hello' is not a number of at most 2 places that fits 64 bits with these marks"},
        {"decimal(id, counter - 8)", "!id: decimal: -1 places, expected 0 to 18"},
        {"decimal(id, 2, ',', ',')", "?at character 1: fraction and groups have the same mark"},
        {"decimal(id, 2, '')", "?at character 1: expected a mark such as ',', no digit and no sign"},
        {"decimal(id, 2, '0')", "?at character 1: expected a mark such as ',', no digit and no sign"},
        {"decimal(id)", "?at character 1: decimal is written decimal(text, places[, mark of the fraction[, mark of groups]])"});
    for (unsigned i = 0; i < countof(bad); i++) {
        char text[80], refused[200];
        snprintf(text, sizeof text, "decimal('%s', 2, ',', '.')", bad[i]);
        snprintf(refused, sizeof refused, "?at character 1: decimal: '%s' %s", bad[i], few);
        expect_as(text, EXPR_TEXT, refused);
    }
}

static void test_numbers(void **state) {
    (void)state;
    EXPECT(
        {"number('007') + ''", "7"}, {"number('+5') - 0", "5"}, {"abs(-5)", "5"}, {"add(id, 1, counter)", "50"},
        {"mod(id, 5)", "2"}, {"mod(-1, 10)", "9"}, {"mod(md5(name), 97)", "57"}, {"mod(md5_raw(name), 97)", "57"},
        {"mod(sha1(city), 20)", "0"}, {"mod(md5(name)[0:8], 16)", "10"}, {"salt(md5(name), 100)", "94"},
        {"salt(id, 8)",
         "?at character 8: salt takes a hash or a number, such as md5(id), murmur3(id) or number(id): salt(hash or number, n)"},
        {"salt(number(id), 1000)", "042"}, {"mod(sha1(name), 9007199254740993000)", "3615778301495213181"},
        {"mod(sha1(name)[0:7], 97)", "51"}, {"mod(sha256_raw(name)[:5], 4294967295)", "4065180299"},
        {"mod(sha1(name)[3:4], 1)", "0"}, {"salt(counter, 8)", "7"}, {"salt(counter, 11)", "07"}, {"salt(counter, 10)", "7"},
        {"hex_number('ff')", "255"}, {"hex_number(md5(name)[0:8])", "1564557354"},
        {"hex_number('fg')", "?at character 1: hex_number: 'fg' is not a hex number of 63 bits"},
        {"hex(int64(1234567890123))", "0000011f71fb04cb"}, {"hex(int64(-2))", "fffffffffffffffe"}, {"hex(int32(-5))", "fffffffb"},
        {"hex(int16(id))", "002a"}, {"hex(int64(Long.MAX - counter))", "7ffffffffffffff8"},
        {"hex(int64(mod(id, 10)))", "0000000000000002"}, {"from_bytes(int64(-2))", "-2"}, {"from_bytes(int32(id))", "42"},
        {"from_bytes(name)", "!name: from_bytes: 5 bytes, expected 4 or 8"},
        {"int32(id * 100000000)", "!id: int32: 4200000000 does not fit 4 bytes"},
        {"name * 2", "!name: number: 'hello' is not a whole number of 64 bits"},
        {"none - 1", "!none: number: '' is not a whole number of 64 bits"},
        {"number('12,50')",
         "?at character 15: number: '12,50' is not a whole number of 64 bits; decimal(x, places, mark) reads fractions"},
        {"number('1-2')", "?at character 13: number: '1-2' is not a whole number of 64 bits"},
        {"Long.MAX - -1", "?at character 14: -: 9223372036854775807 - -1 does not fit 64 bits"},
        {"id * Long.MAX", "!id: *: 42 * 9223372036854775807 does not fit 64 bits"},
        {"id / (counter - 7)", "!id: /: division by zero"}, {"mod(id, 0)", "!id: mod: modulo 0: expected a number above 0"},
        {"add(Long.MAX, id)", "!id: add: the sum does not fit 64 bits"},
        {"abs(-Long.MAX - 1)", "?at character 1: abs: the smallest number has no opposite in 64 bits"},
        {"9223372036854775808", "?at character 1: '9223372036854775808' is not a whole number of 64 bits"});
}

static void test_hashes(void **state) {
    (void)state;
    EXPECT({"md5(name)", "5d41402abc4b2a76b9719d911017c592"}, {"sha1(name)", "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"},
           {"sha256(name)", "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"},
           {"hex(md5_raw(name)[0:4])", "5d41402a"}, {"hex(sha1_raw(name))[0:6]", "aaf4c6"},
           {"byte_length(sha256_raw(name))", "32"}, {"md5(none)", "d41d8cd98f00b204e9800998ecf8427e"},
           {"murmur2('abc')", "324500635"}, {"murmur2('abc', 324500635)", "-211163648"},
           {"murmur2(unhex('808182'))", "1866083328"}, {"murmur3('row-0001')", "800641604"}, {"murmur3('')", "0"},
           {"murmur3('abc', -1277324294)", "514955923"}, {"crc32(name)", "907060870"}, {"java_hash(name)", "99162322"},
           {"java_hash(city)", "679541"}, {"java_hash('a😀b')", "57849694"}, {"java_hash('user000000000042')", "2028353481"},
           {"bytes_hash(city)", "4230951"}, {"bytes_hash('user000000000042')", "-913304118"}, {"bytes_hash('')", "1"},
           {"mod(abs(bytes_hash('user000000000042')), 10)", "8"},
           {"java_hash(bad)", "!bad: java_hash: 'x\\xff' is not valid UTF-8"},
           {"uuid3(name)", "5d41402a-bc4b-3a76-b971-9d911017c592"}, {"uuid3(city)", "692e9266-9c0c-3340-aff4-fdcef32896ee"},
           {"uuid3('python.org', 'dns')", "6fa459ea-ee8a-3ca4-894e-db77e160355e"},
           {"uuid5('python.org', 'dns')", "886313e1-3b8a-5372-9b90-0c9aee199e5d"},
           {"uuid5('python.org', '6ba7b810-9dad-11d1-80b4-00c04fd430c8')", "886313e1-3b8a-5372-9b90-0c9aee199e5d"},
           {"uuid5('a', 'x500')", "54a0a790-c611-5b5b-b50e-ff01490ecdfa"},
           {"hex(uuid_raw(uuid3(name)))", "5d41402abc4b3a76b9719d911017c592"},
           {"uuid_raw(name)", "!name: uuid_raw: 'hello' is not a UUID such as 123e4567-e89b-12d3-a456-426614174000"},
           {"uuid3(name, 'x')", "?at character 1: the namespace is none of 'dns', 'url', 'oid', 'x500' or a UUID"},
           {"uuid3(name, city)", "?at character 17: argument 2 of uuid3 must be a constant: uuid3(text[, namespace])"});
}

static void test_codes(void **state) {
    (void)state;
    EXPECT({"hex(city)", "e58c97e4baac"}, {"unhex('E58c97')", "北"}, {"unhex(name)", "!name: unhex: 'hello' is not hex text"},
           {"unhex('12zz')", "?at character 1: unhex: '12zz' is not hex text"}, {"base64(name)", "aGVsbG8="},
           {"base64('hell')", "aGVsbA=="}, {"base64('hel')", "aGVs"}, {"base64('')", ""}, {"unbase64('aGVsbG8=')", "hello"},
           {"unbase64('aGVsbA')", "hell"}, {"unbase64('aGVsbA==')", "hell"}, {"hex(unbase64('_-8='))", "ffef"},
           {"unbase64('')", ""}, {"unbase64('a')", "?at character 1: unbase64: 'a' is not base64 text"},
           {"unbase64('aGVsbB==')", "?at character 1: unbase64: 'aGVsbB==' is not base64 text"},
           {"unbase64('aG=sbA==')", "?at character 1: unbase64: 'aG=sbA==' is not base64 text"},
           {"unbase64('aGV=')", "?at character 1: unbase64: 'aGV=' is not base64 text"});
}

static void test_dates(void **state) {
    (void)state;
    EXPECT(
        {"date('2020-02-29 23:59:59', 'yyyy-MM-dd HH:mm:ss', 'Asia/Shanghai')", "1582991999000"},
        {"date('2020-02-29 23:59:59', 'yyyy-MM-dd HH:mm:ss', '+08:00')", "1582991999000"},
        {"date('2026-03-29 02:30:00', 'yyyy-MM-dd HH:mm:ss', 'Europe/Berlin')", "1774747800000"},
        {"date('2026-10-25 02:30:00', 'yyyy-MM-dd HH:mm:ss', 'Europe/Berlin')", "1792888200000"},
        {"date('2026-07-01 12:00:00', 'yyyy-MM-dd HH:mm:ss', 'America/New_York')", "1782921600000"},
        {"date('1900-01-01 00:00:00', 'yyyy-MM-dd HH:mm:ss', 'Asia/Shanghai')", "-2209017943000"},
        {"date('10/Oct/2000:13:55:36 -0700', 'dd/MMM/yyyy:HH:mm:ss Z')", "971211336000"},
        {"date('20200229235959123', 'yyyyMMddHHmmssSSS')", "1583020799123"},
        {"date('1/2/1969 3:04 PM', 'M/d/yyyy h:mm a')", "-31395360000"},
        {"date('2020-02-29T23:59:59.5Z', 'iso')", "1583020799500"}, {"date('2020-02-29T23:59:59+08:00', 'iso')", "1582991999000"},
        {"date('2020-03-01', 'iso', '+08:00')", "1582992000000"}, {"date('2020-03-01 00:00', 'iso')", "1583020800000"},
        {"date('1583020800', 'seconds')", "1583020800000"}, {"date('1583020800123456', 'micros')", "1583020800123"},
        {"date(id, 'millis')", "42"}, {"date('2020-03-01 at 5', 'yyyy-MM-dd ''at'' H')", "1583038800000"},
        {"date('12.31.99', 'MM.dd.yy')", "946598400000"}, {"if(is_null(date('', 'yyyy-MM-dd')), 1, 0)", "1"},
        {"if(is_null(date('', 'seconds')), 1, 0)", "1"},
        {"date('2021-02-29', 'yyyy-MM-dd')", "?at character 1: date: '2021-02-29' is not a date of the form yyyy-MM-dd"},
        {"date(name, 'yyyyMMdd')", "!name: date: 'hello' is not a date of the form yyyyMMdd"},
        {"date(name, 'seconds')", "!name: date: 'hello' is not a whole number of seconds"},
        {"date('24:00', 'HH:mm')", "?at character 1: date: '24:00' is not a date of the form HH:mm"},
        {"date('1', 'yyyy', 'Mars/Olympus')",
         "?at character 1: there is no time zone 'Mars/Olympus' in /usr/share/zoneinfo (package tzdata)"},
        {"date('1', 'yyyy', '../etc/passwd')",
         "?at character 1: '../etc/passwd' is not a time zone; write UTC, +08:00 or a name such as Asia/Shanghai"},
        {"date('1', 'yyyy-QQ')", "?at character 1: 'QQ' is not part of a date pattern; known are y M d H h m s S a E X Z, other "
                                 "letters go in quotes ''"},
        {"format_date(1582991999123, 'EEE yyyyMMdd-HHmmss.SSS XXX', 'Asia/Shanghai')", "Sat 20200229-235959.123 +08:00"},
        {"format_date(0, 'X XX XXX Z ZZZ')", "Z Z Z +0000 +0000"},
        {"format_date(0, 'XXXX')", "?at character 1: 'XXXX' is not part of a date pattern; known are y M d H h m s S a E X Z, "
                                   "other letters go in quotes ''"},
        {"format_date(0, 'X XX XXX Z', 'America/St_Johns')", "-03 -0330 -03:30 -0330"},
        {"format_date(1582991999123, 'iso', 'Asia/Kolkata')", "2020-02-29T21:29:59.123+05:30"},
        {"format_date(5, 'iso')", "1970-01-01T00:00:00.005Z"},
        {"format_date(5, 'millis')", "?at character 1: expected 'iso', or a pattern such as 'yyyyMMddHH'"},
        {"format_date(-1, 'EEE yyyyMMdd hh a')", "Wed 19691231 11 PM"}, {"format_date(counter, 'yyMMMd')", "70Jan1"},
        {"format_date(Long.MAX, 'yyyy')", "?at character 1: format_date: 9223372036854775807 ms is not in the years 0 to 9999"});
}

static void test_refused(void **state) {
    (void)state;
    EXPECT({"", "?at character 1: expected a column, a 'constant' or a function, but the text ends"},
           {"id +", "?at character 5: expected a column, a 'constant' or a function, but the text ends"},
           {"城 + 1", "?at character 1: there is no column '城'"}, {"'北' + nope", "?at character 7: there is no column 'nope'"},
           {"frob(id)", "?at character 1: there is no function 'frob' (man obkv-mapping lists them)"},
           {"md5()", "?at character 1: md5(text)"}, {"md5(id, id)", "?at character 9: too many arguments: md5(text)"},
           {"mod(id)", "?at character 1: mod is written mod(number or digest, n)"},
           {"md5(id", "?at character 7: expected ')', but the text ends"},
           {"id name", "?at character 4: expected an operator or the end, not 'name'"},
           {"'abc", "?at character 1: the quote ' that opens here is never closed"},
           {"id & 1", "?at character 4: '&' has no meaning here"},
           {"'\\q'", "?at character 1: \\ is followed by none of n t r 0 \\ ' \" or xNN"},
           {"id = 1", "?at character 7: a condition gives no value; write if(condition, 'yes', 'no')"},
           {"if(id, 1, 2)", "?at character 6: expected a condition, such as city = 'Berlin' or not empty(city)"},
           {"md5(id) - 1", "?at character 9: a digest is not a decimal number; use mod(…, n) or hex_number(…[0:8])"},
           {"name[a:2]", "?at character 6: a slice is written [from:to] with whole numbers, either may be missing"});
}

/* Depth, width and length are bounded, and memory for results is. */
static void test_limits(void **state) {
    (void)state;
    struct buf text = {0}, got = {0};
    struct err err = {0};
    for (int i = 0; i < 100; i++) buf_printf(&text, &err, "(");
    buf_put_byte(&text, 0, &err);
    expect_as((char *)text.p, EXPR_TEXT, "?at character 65: nested more than 64 deep");
    buf_clear(&text);
    for (int i = 0; i < 40; i++) buf_printf(&text, &err, "id + ");
    buf_put_byte(&text, 0, &err);
    answer((char *)text.p, EXPR_TEXT, &got);
    assert_non_null(strstr((char *)got.p, "more than 32 parts in one sum"));
    buf_clear(&text);
    for (int i = 0; i < 30; i++) buf_printf(&text, &err, "hex(");
    buf_printf(&text, &err, "name%.30s", "))))))))))))))))))))))))))))))");
    buf_put_byte(&text, 0, &err);
    expect_as((char *)text.p, EXPR_TEXT, "!-: the results take more than 67108864 bytes");
    buf_free(&text);
    buf_free(&got);
}

/* Tests expressions that are not evaluated: a constant and a field. A slice of a constant is a constant. */
static void test_shortcuts(void **state) {
    (void)state;
    struct err err = {0};
    struct expr_value v;
    uint32_t field;
    struct expr *e = compile("upper('abc')[1:] + 5", EXPR_TEXT, &err);
    assert_true(expr_is_constant(e, &v) && v.n == 3 && !memcmp(v.p, "BC5", 3) && !expr_is_field(e, &field));
    expr_free(e);
    e = compile("(name)", EXPR_TEXT, &err);
    assert_true(expr_is_field(e, &field) && field == 1 && !expr_is_constant(e, &v));
    expr_free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_numbers),   cmocka_unit_test(test_decimals),
                                       cmocka_unit_test(test_hashes),    cmocka_unit_test(test_codes),
                                       cmocka_unit_test(test_dates),     cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_limits),    cmocka_unit_test(test_shortcuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
