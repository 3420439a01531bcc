/* Dialects: what people write of one, and records of dialects at random against a naive parser, in chunks of any size. Where the
 * masks read a dialect too, the general scanner must see the same records. */
#include "formats/csv/csv_cut.h"
#include "formats/csv/csv_general.h"
#include "formats/csv/csv_scan.h"
#include "formats/text/dialect_describe.h"
#include "recorder.h"

#include "formats/csv/csv.h"
#include "tests/unit/sampled.h"

#include <ctype.h>

static struct dialect dialect_from(const char *text) {
    struct dialect d = {0};
    struct err err = {0};
    dialect_parse(&d, text, &err);
    assert_string_equal(err.text, "");
    return d;
}

static void expect_description(const char *text, const char *want) {
    const struct dialect d = dialect_from(text);
    struct buf out = {0};
    struct err err = {0};
    assert_int_equal(dialect_describe(&d, &out, &err) || buf_put_byte(&out, 0, &err), 0);
    assert_string_equal((char *)out.p, want);
    buf_free(&out);
}

static void test_written(void **state) {
    (void)state;
    expect_description("csv", "csv: delimiter ',', quote '\"', no header");
    expect_description("excel,header=each", "excel: delimiter ';', quote '\"', a header, empty fields at the end are dropped");
    expect_description("mysql", "mysql: delimiter TAB, no quote, escape '\\', null '\\N', no header, lines end at LF alone");
    expect_description("hive", "hive: delimiter 0x01, no quote, null '\\N', no header, lines end at LF, CRLF or CR");
    expect_description("tpch", "tpch: delimiter '|', no quote, no header, a delimiter ends each record");
    expect_description(
        "csv,delimiter=,,quote=none,null=,null=a\\,b,skip=2,header=first,comment=#,trim",
        "csv: delimiter ',', no quote, null '' or 'a,b', 2 lines before the header, a header in the first file, no "
        "records where lines begin with '#', blanks around fields are dropped");
    expect_description("csv,delimiter=@@@", "csv: delimiter '@@@', quote '\"', no header");
    expect_description("csv,delimiter=\\t|\\001", "csv: delimiter 0x097c01, quote '\"', no header");
    expect_description("csv,delimiter=0xe282ac,lines=crlf",
                       "csv: delimiter '\xe2\x82\xac', quote '\"', no header, lines end at CRLF alone");
    expect_description("postgres,lines=lf",
                       "postgres: delimiter TAB, no quote, escape '\\', null '\\N', no header, no records where "
                       "lines begin with '\\.', lines end at LF alone");
}

static void expect_refused(const char *text, const char *want) {
    struct dialect d = {0};
    struct err err = {0};
    assert_int_equal(dialect_parse(&d, text, &err), -1);
    assert_string_equal(err.text, want);
}

static void test_refused(void **state) {
    (void)state;
    char many[400] = "csv,null=";
    expect_refused("mysqll",
                   "there is no dialect 'mysqll'; did you mean 'mysql'?: csv, excel, tsv, mysql, postgres, hive and tpch are "
                   "known");
    expect_refused("csv,delimeter=;",
                   "there is no key 'delimeter'; did you mean 'delimiter'?: delimiter, quote, escape, null, skip, "
                   "header, comment, trim, trailing and lines are");
    expect_refused("csv,delimiter=;,delimiter=|", "delimiter is given twice; give it once");
    expect_refused("csv,delimiter=123456789", "delimiter '123456789': expected 1 to 8 bytes");
    expect_refused("csv,delimiter=", "delimiter '': expected 1 to 8 bytes");
    expect_refused("csv,quote=ab", "quote 'ab': expected one byte, or none");
    expect_refused("csv,header=yes", "header 'yes': expected none, first or each");
    expect_refused("csv,trailing=all", "trailing 'all': expected no, yes or any");
    expect_refused("csv,skip=1001", "skip '1001': expected a number of lines, at most 1000");
    expect_refused("csv,skip=x", "skip 'x': expected a number of lines, at most 1000");
    expect_refused("csv,comment", "comment: expected how the lines begin that are no records");
    memset(many + 9, 'x', 300);
    expect_refused(many, "null: at most 16 texts, of 256 bytes together");
}

static void expect_clash(const char *text, const char *want) {
    const struct dialect d = dialect_from(text);
    struct err err = {0};
    assert_int_equal(dialect_check(&d, &err), -1);
    assert_string_equal(err.text, want);
}

static void test_checked(void **state) {
    (void)state;
    expect_clash("csv,quote=\\,", "--delimiter and --quote are the same byte");
    expect_clash("csv,delimiter=|\\n", "--delimiter and --quote cannot be a line end");
    expect_clash("csv,delimiter=|\"", "--delimiter holds the quote");
    expect_clash("mysql,delimiter=\\\\|", "the delimiter holds the escape of --dialect");
    expect_clash("csv,escape=0x0a", "the escape of --dialect cannot be a line end");
}

/* ---- a naive parser: byte by byte, with fields decoded on the way ---- */

enum { FIELDS = 12 };

struct naive_record {
    struct buf fields[FIELDS];
    bool quoted[FIELDS], null[FIELDS];
    size_t n;
    bool passed, complete, fault;
};

static bool blank(const struct dialect *d, uint8_t c) {
    return (c == ' ' || c == '\t') && c != d->delimiter[0] && !memchr(d->delimiter, c, d->n_delimiter);
}

/* Bytes of the line end at p; 0: none. */
static size_t line_end(const struct dialect *d, const uint8_t *p, const uint8_t *end) {
    const bool crlf = end - p > 1 && p[0] == '\r' && p[1] == '\n';
    if (crlf && d->lines != DIALECT_LINES_LF) return 2;
    if (*p == '\n') return d->lines != DIALECT_LINES_CRLF;
    return *p == '\r' && d->lines == DIALECT_LINES_ANY;
}

static uint8_t meaning(const struct dialect *d, const uint8_t **p, const uint8_t *end) {
    const uint8_t c = *(*p)++;
    unsigned v = 0, n = 0;
    if (d->escapes == DIALECT_ESCAPES_HIVE) return c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    if (d->escapes == DIALECT_ESCAPES_MYSQL)
        return c == '0' ? 0 : c == 'b' ? 8 : c == 'n' ? 10 : c == 'r' ? 13 : c == 't' ? 9 : c == 'Z' ? 26 : c;
    if (c >= '0' && c <= '7') {
        for (v = c - '0', n = 1; n < 3 && *p < end && **p >= '0' && **p <= '7'; n++) v = v * 8 + (*(*p)++ - '0');
        return (uint8_t)v;
    }
    if (c == 'x' && *p < end && isxdigit(**p)) {
        for (; n < 2 && *p < end && isxdigit(**p); n++, ++*p)
            v = v * 16 + (unsigned)(**p <= '9' ? **p - '0' : (**p | 32) - 'a' + 10);
        return (uint8_t)v;
    }
    return c == 'b' ? 8 : c == 'f' ? 12 : c == 'n' ? 10 : c == 'r' ? 13 : c == 't' ? 9 : c == 'v' ? 11 : c;
}

static bool at_delimiter(const struct dialect *d, const uint8_t *p, const uint8_t *end) {
    return (size_t)(end - p) >= d->n_delimiter && !memcmp(p, d->delimiter, d->n_delimiter);
}

/* A field from p on; where it ends. */
static const uint8_t *naive_field(const struct dialect *d, const uint8_t *p, const uint8_t *end, struct naive_record *r) {
    const size_t i = r->n < FIELDS ? r->n : FIELDS - 1;
    struct buf *f = &r->fields[i];
    struct err err = {0};
    bool closed = false;
    size_t keep = 0; /* bytes that are never cut off the end */
    buf_clear(f);
    while (d->trim && p < end && blank(d, *p)) p++;
    const uint8_t *start = p;
    r->quoted[i] = d->quote >= 0 && p < end && *p == d->quote;
    if (r->quoted[i]) {
        for (p++; p < end && !closed;) {
            const uint8_t c = *p++;
            if (c == d->escape && c != d->quote && p < end) {
                buf_put_byte(f, meaning(d, &p, end), &err);
            } else if (c == d->quote && p < end && *p == c) {
                buf_put_byte(f, c, &err);
                p++;
            } else if (c == d->quote) {
                closed = true;
            } else {
                buf_put_byte(f, c, &err);
            }
        }
        r->fault |= !closed;
        const uint8_t *rest = p;
        while (p < end && !at_delimiter(d, p, end) && !line_end(d, p, end)) p += *p == d->escape && p + 1 < end ? 2 : 1;
        while (d->trim && rest < p && blank(d, *rest)) rest++;
        if (closed && rest < p && !(p == end && rest + 1 == p && *rest == '\r' && d->lines != DIALECT_LINES_LF)) r->fault = true;
        return p;
    }
    while (p < end && !at_delimiter(d, p, end) && !line_end(d, p, end)) {
        const uint8_t c = *p++;
        if (c == d->escape && p < end) {
            buf_put_byte(f, meaning(d, &p, end), &err);
            keep = f->n;
        } else {
            buf_put_byte(f, c, &err);
        }
    }
    if (p == end && d->lines != DIALECT_LINES_LF && f->n > keep && f->p[f->n - 1] == '\r') f->n--;
    while (d->trim && f->n > keep && blank(d, f->p[f->n - 1])) f->n--;
    const size_t raw = (size_t)(p - start);
    r->null[i] = d->nulls.n && raw >= 2 && !memcmp(start, "\\N", 2) && f->n == 1 && f->p[0] == 'N' && keep == 1;
    return p;
}

static const uint8_t *naive_take(const struct dialect *d, const uint8_t *p, const uint8_t *end, struct naive_record *r) {
    const uint8_t *start = p;
    size_t n = 0;
    r->n = 0;
    r->fault = r->passed = false;
    if (dialect_begins(&d->comments, bytes_of(p, (size_t)(end - p)))) {
        while (p < end && !(n = line_end(d, p, end))) p++;
        r->passed = true;
    }
    while (!r->passed) {
        p = naive_field(d, p, end, r);
        r->n++;
        if (p == end || (n = line_end(d, p, end))) break;
        p += d->n_delimiter;
    }
    if (p == start) r->passed = true;
    if (p == end && p == start + 1 && *start == '\r' && d->lines != DIALECT_LINES_LF) r->passed = true;
    r->complete = p < end;
    return p + n;
}

static void random_dialect(uint64_t *seed, struct dialect *d) {
    static const char *const names[] = {"csv", "excel", "tsv", "mysql", "postgres", "hive", "tpch"}, *const delimiters[] = {
                                                                                                         ",",  "@@@",
                                                                                                         "||", "\xe2\x82\xac",
                                                                                                         ";",  "<>"};
    *d = dialect_from(names[test_random(seed) % countof(names)]);
    struct err err = {0};
    if (test_random(seed) % 2) dialect_set(d, "delimiter", bytes_str(delimiters[test_random(seed) % countof(delimiters)]), &err);
    if (test_random(seed) % 3 == 0) dialect_set(d, "quote", bytes_str(test_random(seed) % 3 ? "\"" : "none"), &err);
    if (test_random(seed) % 3 == 0) dialect_set(d, "escape", bytes_str(test_random(seed) % 3 ? "\\\\" : "none"), &err);
    if (test_random(seed) % 3 == 0) dialect_set(d, "trim", bytes_str("yes"), &err);
    if (test_random(seed) % 3 == 0) dialect_set(d, "comment", bytes_str("#"), &err);
    d->lines = (enum dialect_lines)(test_random(seed) % 4);
    d->trailing = DIALECT_TRAILING_NO; /* what is cut is the matter here; t_csv has the fields at the end */
    assert_string_equal(err.text, "");
}

static void random_text(uint64_t *seed, const struct dialect *d, struct buf *out) {
    static const char *const pieces[] = {
        "a", "bc", "\"",   "\"\"", "\n",   "\r\n",  "\r",
        " ", "\t", "\\",   "\\\\", "\\n",  "\\N",   "\\\n",
        "#", "@",  "\xe2", "|",    "\\x4", "\\101", "a long text of more than sixty-four bytes, so that blocks end"};
    struct err err = {0};
    buf_clear(out);
    for (size_t n = 1 + test_random(seed) % 30; n; n--) {
        const char *piece = pieces[test_random(seed) % countof(pieces)];
        if (test_random(seed) % 3 == 0)
            buf_put(out, d->delimiter, d->n_delimiter, &err);
        else
            buf_put(out, piece, strlen(piece), &err);
    }
}

static void compare(const struct dialect *d, struct bytes in, struct naive_record *want) {
    struct csv_scan s;
    struct csv_record r;
    struct csv_field fields[FIELDS];
    const uint8_t *p = in.p, *end = in.p + in.n;
    uint8_t out[4096];
    size_t cut = 0;
    csv_scan_init(&s, d, in);
    while (p < end) {
        p = naive_take(d, p, end, want);
        assert_true(csv_scan_record(&s, fields, FIELDS, &r));
        assert_int_equal(csv_is_passed(&r), want->passed);
        assert_ptr_equal(s.at, p);
        if (r.complete) cut = (size_t)(s.at - in.p);
        if (want->passed) continue;
        assert_int_equal(r.fault != CSV_FINE, want->fault);
        if (r.n_fields != want->n) {
            struct buf b = {0};
            struct err e = {0};
            dialect_describe(d, &b, &e);
            fail_msg("%zu fields of '%.*s' instead of %zu (%.*s)", r.n_fields, (int)r.raw.n, (const char *)r.raw.p, want->n,
                     (int)b.n, (const char *)b.p);
        }
        for (size_t i = 0; !want->fault && i < want->n && i < FIELDS - 1; i++) {
            const struct csv_field *f = &fields[i];
            struct bytes got = bytes_of(f->p, f->n);
            assert_int_equal(f->quoted, want->quoted[i]);
            if (f->escaped)
                got = bytes_of(out, csv_unescape(out, f, d));
            else if (f->doubled)
                got = bytes_of(out, csv_unquote(out, f, (uint8_t)d->quote));
            if (!bytes_eq(got, buf_bytes(&want->fields[i]))) {
                struct buf b = {0};
                struct err e = {0};
                dialect_describe(d, &b, &e);
                fail_msg("field %zu of '%.*s': '%.*s' instead of '%.*s' (%.*s)", i, (int)in.n, (const char *)in.p, (int)got.n,
                         (const char *)got.p, (int)want->fields[i].n, (const char *)want->fields[i].p, (int)b.n,
                         (const char *)b.p);
            }
            if (!f->quoted && d->nulls.n)
                assert_int_equal(dialect_has_text(&d->nulls, bytes_of(f->p, f->n)) && d->escape >= 0,
                                 want->null[i] && d->escape >= 0);
        }
    }
    assert_false(csv_scan_record(&s, fields, FIELDS, &r));
    const size_t got = csv_cut(d, in);
    assert_true(csv_cr_ends(d) || (got <= cut && (got == cut || d->comments.n))); /* a CR at the end may be half a CRLF */
}

static void test_random_dialects(void **state) {
    (void)state;
    uint64_t seed = 20260901;
    struct buf in = {0};
    struct naive_record want = {0};
    for (size_t round = 0; round < sampled_rounds(60000); round++) {
        struct dialect d;
        struct err err = {0};
        random_dialect(&seed, &d);
        if (dialect_check(&d, &err)) continue;
        random_text(&seed, &d, &in);
        compare(&d, buf_bytes(&in), &want);
    }
    buf_free(&in);
    for (size_t i = 0; i < FIELDS; i++) buf_free(&want.fields[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_written), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_checked), cmocka_unit_test(test_random_dialects)};
    return cmocka_run_group_tests_name("dialects", tests, NULL, NULL);
}
