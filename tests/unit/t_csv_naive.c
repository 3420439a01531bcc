/* CSV and TSV against a naive parser: texts at random, with and without quotes, in chunks of any size. */
#include "formats/csv/csv_cut.h"
#include "formats/csv/csv_scan.h"
#include "recorder.h"

#include "formats/csv/csv.h"
#include "formats/text/text_input.h"
#include "tests/unit/sampled.h"

/* ---- a naive parser: one byte at a time, one state, no chunks ---- */

struct naive {
    struct buf fields[8], raw, out;
    bool quoted[8];
    size_t n, cuts; /* cuts: delimiters inside the quotes of the first field */
    uint64_t line, offset, records;
    char fault[200];
    uint64_t fault_column, quote_line;
};

static void naive_end(struct naive *x, size_t columns, bool strict, uint64_t open_lines) {
    struct err err = {0};
    const char *why = x->fault[0] ? x->fault : NULL;
    uint64_t column = x->fault_column;
    char text[300];
    if (open_lines && !why) {
        int n = snprintf(text, sizeof text, "the quote opened in line %llu is never closed", (unsigned long long)x->quote_line);
        if (open_lines > 1)
            snprintf(text + n, sizeof text - (size_t)n, ": all %llu lines to the end are in this record",
                     (unsigned long long)open_lines);
        why = text;
        column = x->n;
    }
    if (!why && x->n == 1 && x->cuts && x->cuts + 1 >= columns) {
        why = "the whole record is in one pair of quotes";
        column = 0;
    }
    if (!why && (x->n > columns || (strict && x->n < columns))) {
        snprintf(text, sizeof text, "%zu field%s, but %zu columns are mapped", x->n, x->n == 1 ? "" : "s", columns);
        why = text;
        column = x->n > columns ? columns + 1 : 0;
    }
    if (!why && x->n == 1) why = "no delimiter", column = 0;
    if (!why && !x->fields[0].n) why = "empty row key", column = 1;
    if (!x->raw.n) return;
    if (why) {
        buf_printf(&x->out, &err, "! line %llu offset %llu column %llu %s |", (unsigned long long)x->line,
                   (unsigned long long)x->offset, (unsigned long long)column, why);
        recorder_bytes(&x->out, buf_bytes(&x->raw));
        buf_put(&x->out, "|\n", 2, &err);
        return;
    }
    buf_printf(&x->out, &err, "+ <%llu> ", (unsigned long long)x->offset);
    recorder_bytes(&x->out, buf_bytes(&x->fields[0]));
    for (size_t i = 1; i < x->n; i++) {
        buf_printf(&x->out, &err, " f:%c@77=", (int)('a' + i - 1));
        recorder_bytes(&x->out, buf_bytes(&x->fields[i]));
    }
    buf_put_byte(&x->out, '\n', &err);
}

static size_t naive_line_end(const struct dialect *d, struct bytes in, size_t i) {
    if (i == in.n) return 0;
    if (in.p[i] == '\n') return 1;
    if (in.p[i] != '\r') return 0;
    return i + 1 < in.n && in.p[i + 1] == '\n' ? 2 : csv_cr_ends(d) || i + 1 == in.n;
}

/* Text follows a closing quote. here: in which line, if it is not the record's; else 0. */
static void naive_after_quote(struct naive *x, uint64_t here) {
    int n = snprintf(x->fault, sizeof x->fault, "text after the closing quote");
    if (here) snprintf(x->fault + n, sizeof x->fault - (size_t)n, ", in line %llu", (unsigned long long)here);
    x->fault_column = x->n;
}

/* Parses one record from p; returns the bytes used, line end included. */
static size_t naive_record(struct naive *x, struct bytes in, const struct dialect *d, size_t columns, bool strict) {
    enum { START, PLAIN, QUOTED, AFTER } st = START;
    struct err err = {0};
    size_t i = 0;
    uint64_t lines = 0;
    x->n = 1;
    x->cuts = 0;
    x->fault[0] = 0;
    for (size_t k = 0; k < 8; k++) buf_clear(&x->fields[k]);
    buf_clear(&x->raw);
    for (;; i++) {
        bool end = i == in.n;
        uint8_t c = end ? 0 : in.p[i];
        struct buf *f = &x->fields[x->n <= 8 ? x->n - 1 : 7];
        if (st == QUOTED && !end) {
            x->cuts += x->n == 1 && c == d->delimiter[0];
            lines += c == '\n' || (csv_cr_ends(d) && c == '\r' && !(i + 1 < in.n && in.p[i + 1] == '\n'));
            if (c == d->quote && i + 1 < in.n && in.p[i + 1] == d->quote)
                buf_put_byte(f, c, &err), i++;
            else if (c == d->quote)
                st = AFTER;
            else
                buf_put_byte(f, c, &err);
            continue;
        }
        if (st == QUOTED) break;
        const size_t eol = naive_line_end(d, in, i);
        if (end || eol) {
            buf_copy(&x->raw, bytes_of(in.p, i), &err);
            i += eol;
            break;
        }
        if (c == d->delimiter[0]) {
            x->n++;
            st = START;
        } else if (st == START && c == d->quote) {
            st = QUOTED;
            x->quote_line = x->line + lines;
        } else if (st == AFTER) {
            if (!x->fault[0]) naive_after_quote(x, lines ? x->line + lines : 0);
            st = PLAIN;
        } else {
            if (st == START) st = PLAIN;
            buf_put_byte(f, c, &err);
        }
    }
    if (st == QUOTED) buf_copy(&x->raw, in, &err);
    const bool ends = in.n && (in.p[in.n - 1] == '\n' || (csv_cr_ends(d) && in.p[in.n - 1] == '\r'));
    naive_end(x, columns, strict, st == QUOTED ? text_count_lines(in, csv_cr_ends(d)) + !ends : 0);
    x->line += text_count_lines(bytes_of(in.p, i), csv_cr_ends(d));
    x->offset += i;
    return i;
}

static void naive_run(struct naive *x, struct bytes in, const struct dialect *d, size_t columns, bool strict) {
    *x = (struct naive){.line = 1};
    if (in.n >= 3 && !memcmp(in.p, "\xef\xbb\xbf", 3)) {
        in = bytes_of(in.p + 3, in.n - 3);
        x->offset = 3;
    }
    while (in.n) {
        size_t n = naive_record(x, in, d, columns, strict);
        in = bytes_of(in.p + n, in.n - n);
    }
}

static void naive_free(struct naive *x) {
    for (size_t k = 0; k < 8; k++) buf_free(&x->fields[k]);
    buf_free(&x->raw);
    buf_free(&x->out);
}

static void random_text(uint64_t *seed, struct buf *out) {
    static const char *const pieces[] = {
        "a",      "bc",
        ",",      ",",
        "\t",     "\"",
        "\"\"",   "\n",
        "\n",     "\r\n",
        "\r",     "r,",
        "\t",     "x,y",
        "\",\"",  "\"\n\"",
        "\"a\",", "1",
        "\"q\"",  "\xef\xbb\xbf",
        " ",      "a long piece of text that fills more than one block of sixty-four bytes, to be sure"};
    struct err err = {0};
    size_t n = test_random(seed) % 40, flavour = test_random(seed) % 3;
    buf_clear(out);
    for (size_t i = 0; i < n; i++) {
        const char *piece = pieces[test_random(seed) % countof(pieces)];
        if (flavour == 0 && strchr(piece, '"')) piece = "v,w";
        if (flavour == 1 && test_random(seed) % 2) piece = i % 3 == 2 ? "\n" : "k,";
        buf_put(out, piece, strlen(piece), &err);
    }
}

/* Leaves out what rejects guess: it follows on "; ", before the record, in which blanks are escaped. */
static void cut_guesses(struct buf *text) {
    size_t n = 0;
    for (struct bytes rest = buf_bytes(text), line; rest.n; n += line.n + 1) {
        line = text_take_line(&rest);
        uint8_t *end = memmem(line.p, line.n, " |", 2), *guess = memmem(line.p, line.n, "; ", 2);
        if (line.n && line.p[0] == '!' && end && guess && guess < end) {
            const size_t left = (size_t)(line.p + line.n - end);
            memmove(guess, end, left);
            line.n = (size_t)(guess - line.p) + left;
        }
        memmove(text->p + n, line.p, line.n);
        text->p[n + line.n] = '\n';
    }
    text->n = n;
}

static void expect_as_naive(struct fixture *f, const char *name, struct bytes in, const char *want) {
    assert_int_equal(recorder_run(&f->rec, name, in, &f->o, &f->err), 0);
    cut_guesses(&f->rec.text);
    assert_int_equal(buf_put_byte(&f->rec.text, 0, &f->err), 0);
    assert_string_equal((char *)f->rec.text.p, want);
}

static void check_random(const char *name, struct dialect d, bool strict, uint64_t seed) {
    static const size_t chunks[] = {1, 2, 3, 7, 64, 1 << 20};
    struct buf in = {0};
    for (size_t round = 0; round < sampled_rounds(700); round++) {
        struct naive want;
        random_text(&seed, &in);
        naive_run(&want, buf_bytes(&in), &d, 3, strict);
        buf_put_byte(&want.out, 0, &(struct err){0});
        for (size_t i = 0; i < countof(chunks); i++) {
            struct fixture f;
            fixture_begin(&f, "HBASE_ROW_KEY,f:a,f:b");
            const uint8_t quote = (uint8_t)d.quote;
            fixture_say_bytes(&f, "delimiter", dialect_delimiter(&d));
            fixture_say_bytes(&f, "quote", d.quote < 0 ? bytes_str("none") : bytes_of(&quote, 1));
            f.o.memory.chunk = chunks[i];
            expect_as_naive(&f, name, buf_bytes(&in), (char *)want.out.p);
            fixture_end(&f);
        }
        naive_free(&want);
    }
    buf_free(&in);
}

static void test_random_csv(void **state) {
    (void)state;
    check_random("csv", (struct dialect){.delimiter = ",", .n_delimiter = 1, .escape = -1, .quote = '"'}, true, 1234567);
    check_random("csv", (struct dialect){.delimiter = ",", .n_delimiter = 1, .escape = -1, .quote = -1}, true, 7654321);
}

static void test_random_tsv(void **state) {
    (void)state;
    check_random("tsv",
                 (struct dialect){.delimiter = "\t", .n_delimiter = 1, .escape = -1, .quote = -1, .lines = DIALECT_LINES_ANY},
                 false, 99);
    check_random("tsv",
                 (struct dialect){.delimiter = ",", .n_delimiter = 1, .escape = -1, .quote = '"', .lines = DIALECT_LINES_ANY},
                 false, 100);
}

/* Returns where the scanner sees the last whole record end. */
static size_t naive_cut(const struct dialect *d, struct bytes in) {
    struct csv_scan s;
    struct csv_record r;
    size_t cut = 0;
    csv_scan_by(&s, d, in, csv_mask_by(CSV_PLAIN));
    while (csv_scan_record(&s, NULL, 0, &r) && r.complete) cut = (size_t)(s.at - in.p);
    return cut;
}

/* Several texts in a row fill some blocks; a third of all has its quotes around whole fields only. */
static void test_cuts(void **state) {
    (void)state;
    const struct dialect d = {.delimiter = ",", .n_delimiter = 1, .escape = -1, .quote = '"'};
    uint64_t seed = 4711;
    struct buf in = {0}, more = {0};
    struct err err = {0};
    unsigned cuts = 0;
    for (size_t round = 0; round < sampled_rounds(20000); round++) {
        buf_clear(&in);
        for (size_t texts = test_random(&seed) % 4; in.n < 3000 && texts != 3; texts = test_random(&seed) % 16) {
            random_text(&seed, &more);
            buf_put(&in, more.p, more.n, &err);
            for (size_t i = 0; round % 3 == 0 && i < 20; i++) {
                static const char *const fields[] = {"\"a\"\"b\",", "\"\",", "\"c,\n\"\n", "d\n", "\"\"\"\"\r\n", "plain text,"};
                const char *field = fields[test_random(&seed) % countof(fields)];
                buf_put(&in, field, strlen(field), &err);
            }
        }
        size_t want = naive_cut(&d, buf_bytes(&in));
        for (unsigned v = CSV_PLAIN; v < CSV_VECTORS; v++)
            if (csv_mask_by((enum csv_vector)v))
                assert_int_equal(csv_cut_by(&d, buf_bytes(&in), csv_mask_by((enum csv_vector)v)), want);
        cuts += want > 0;
    }
    assert_true(cuts > sampled_rounds(20000) / 4);
    buf_free(&in);
    buf_free(&more);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_csv),
        cmocka_unit_test(test_random_tsv),
        cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests_name("csv naive", tests, NULL, NULL);
}
