/* Cells as text: what is read back is what was printed, each bad line has its reason and column, chunks never matter. */
#include "recorder.h"

#define LINE "72\t66\t71\t5\t4\t0\t76\t-\n"

static void test_lines(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, NULL);
    f.o.table = NULL;
    fixture_expect(&f, "cells",
                   "# a comment\n"
                   "7231\t6366\t-\t9223372036854775807\t4\t0\t-\t-\n"
                   "\r\n"
                   "7231\t6366\t4A4a\t0\t12\t18446744073709551615\t0aFF\t-\r\n"
                   "\n"
                   "72\t66\t71\t5\t4\t7\t76\t0009080000000000000064",
                   "+ <12> r1 cf:@77=\n"
                   "+ <54> r1 cf:JJ@0=\\x0a\\xff#12,18446744073709551615\n"
                   "+ <104> r f:q@5=v~100#4,7\n");
    assert_int_equal(f.rec.skipped, 3);
    fixture_end(&f);
}

static void expect_reason(const char *line, uint32_t column, const char *why) {
    struct fixture f;
    struct buf want = {0}, in = {0};
    fixture_begin(&f, NULL);
    buf_printf(&in, &f.err, "%s%s\n%s", LINE, line, LINE);
    buf_printf(&want, &f.err, "+ <0> r f:q@5=v\n! line 2 offset 20 column %u %s |", column, why);
    recorder_bytes(&want, bytes_str(line));
    buf_printf(&want, &f.err, "|\n+ <%zu> r f:q@5=v\n", 21 + strlen(line));
    buf_put_byte(&want, 0, &f.err);
    fixture_expect_bytes(&f, "cells", buf_bytes(&in), (char *)want.p);
    buf_free(&want);
    buf_free(&in);
    fixture_end(&f);
}

static void test_reasons(void **state) {
    (void)state;
    assert_int_equal(strlen(LINE), 20);
    expect_reason("72", 0, "1 fields, 8 are needed");
    expect_reason("72\t66\t71\t5\t4\t0\t76", 0, "7 fields, 8 are needed");
    expect_reason("72\t66\t71\t5\t4\t0\t76\t-\t", 9, "more than 8 fields");
    expect_reason("-\t66\t71\t5\t4\t0\t76\t-", 1, "empty row key");
    expect_reason("\t66\t71\t5\t4\t0\t76\t-", 1, "row is empty: \"-\" stands for no bytes");
    expect_reason("7\t66\t71\t5\t4\t0\t76\t-", 1, "row has an odd number of hex digits");
    expect_reason("727g\t66\t71\t5\t4\t0\t76\t-", 1, "row is not hex at digit 3");
    expect_reason("72\t-\t71\t5\t4\t0\t76\t-", 2, "empty family");
    expect_reason("72\t66\tx1\t5\t4\t0\t76\t-", 3, "qualifier is not hex at digit 1");
    expect_reason("72\t66\t71\t\t4\t0\t76\t-", 4, "timestamp is not a whole number of 64 bits");
    expect_reason("72\t66\t71\t-\t4\t0\t76\t-", 4, "timestamp is not a whole number of 64 bits");
    expect_reason("72\t66\t71\t-5\t4\t0\t76\t-", 4, "timestamp -5 is negative");
    expect_reason("72\t66\t71\t5\tPut\t0\t76\t-", 5, "type is not a decimal number");
    expect_reason("72\t66\t71\t5\t5\t0\t76\t-", 5, "type 5 is not one that HBase writes (4, 8, 10, 12, 14)");
    expect_reason("72\t66\t71\t5\t260\t0\t76\t-", 5, "type 260 is not one that HBase writes (4, 8, 10, 12, 14)");
    expect_reason("72\t66\t71\t5\t4\t-1\t76\t-", 6, "sequence id is not a decimal number of 64 bits");
    expect_reason("72\t66\t71\t5\t4\t18446744073709551616\t76\t-", 6, "sequence id is not a decimal number of 64 bits");
    expect_reason("72\t66\t71\t5\t4\t0\tsha256:00ff\t-", 7,
                  "value is only a checksum (sha256:…): the bytes themselves are needed");
    expect_reason("72\t66\t71\t5\t4\t0\t76\t00", 8, "tags are malformed: each is u16 length, type byte, value");
    expect_reason("72\t66\t71\t5\t4\t0\t76\t000908", 8, "tags are malformed: each is u16 length, type byte, value");
}

static void put_repeated(struct buf *out, const char *what, size_t n) {
    for (size_t i = 0; i < n; i++) assert_int_equal(buf_put(out, what, strlen(what), &(struct err){0}), 0);
}

static void test_lengths(void **state) {
    (void)state;
    static const struct {
        size_t row, family;
        bool ok;
    } cases[] = {{ROW_MAX_BYTES, FAMILY_MAX_BYTES, true}, {ROW_MAX_BYTES + 1, 1, false}, {1, FAMILY_MAX_BYTES + 1, false}};
    for (size_t i = 0; i < countof(cases); i++) {
        struct fixture f;
        struct buf in = {0};
        fixture_begin(&f, NULL);
        put_repeated(&in, "ab", cases[i].row);
        put_repeated(&in, "\t", 1);
        put_repeated(&in, "63", cases[i].family);
        put_repeated(&in, "\t-\t1\t4\t0\t-\t-\n", 1);
        assert_int_equal(recorder_run(&f.rec, "cells", buf_bytes(&in), &f.o, &f.err), 0);
        assert_int_equal(f.rec.accepted, cases[i].ok);
        assert_int_equal(f.rec.rejected, !cases[i].ok);
        buf_free(&in);
        fixture_end(&f);
    }
}

static void test_refused_by_pipeline(void **state) {
    (void)state;
    struct fixture f;
    fixture_begin(&f, NULL);
    f.rec.refuse_row = "r";
    fixture_expect(&f, "cells", LINE "73\t66\t71\t5\t4\t0\t76\t-\n",
                   "! line 1 offset 0 column 0 refused by the test |72\\x0966\\x0971\\x095\\x094\\x090\\x0976\\x09-|\n"
                   "+ <20> s f:q@5=v\n");
    fixture_end(&f);
}

/* An emit that keeps the bytes of all cells in printed form again. */
struct reprint {
    struct emit base;
    struct buf text;
};

static int reprint_record(struct emit *e, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    (void)why;
    assert_int_equal(n, 1);
    return cells_print(&((struct reprint *)e)->text, parts, err) ? -1 : 1;
}

static int reprint_reject(struct emit *e, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why,
                          struct err *err) {
    (void)e, (void)raw, (void)line, (void)offset;
    return err_set(err, ERR_INTERNAL, "rejected: %s", why->text);
}

static void random_bytes(uint64_t *seed, uint8_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (uint8_t)test_random(seed);
}

static void print_random(struct buf *out, uint64_t *seed) {
    static const uint8_t types[] = {4, 8, 10, 12, 14};
    uint8_t row[40], family[10], q[3][20], v[3][60], tag[TTL_TAG_BYTES];
    struct cell cells[3];
    size_t row_n = 1 + test_random(seed) % sizeof row, family_n = 1 + test_random(seed) % sizeof family;
    struct row_part part = {.row = {row, row_n}, .family = {family, family_n}, .cells = cells};
    random_bytes(seed, row, sizeof row);
    random_bytes(seed, family, sizeof family);
    cell_put_ttl_tag(tag, (int64_t)(test_random(seed) >> 1));
    for (part.n_cells = 0; part.n_cells < 3; part.n_cells++) {
        uint32_t i = part.n_cells;
        random_bytes(seed, q[i], sizeof q[i]);
        random_bytes(seed, v[i], sizeof v[i]);
        cells[i] = (struct cell){.qualifier = {q[i], test_random(seed) % sizeof q[i]},
                                 .value = {v[i], test_random(seed) % sizeof v[i]},
                                 .tags = {tag, test_random(seed) % 2 ? sizeof tag : 0},
                                 .ts_ms = (int64_t)(test_random(seed) >> (1 + test_random(seed) % 63)),
                                 .seq = test_random(seed) >> test_random(seed) % 64,
                                 .type = types[test_random(seed) % countof(types)]};
    }
    assert_int_equal(cells_print(out, &part, &(struct err){0}), 0);
}

static void test_round_trip_in_any_chunks(void **state) {
    (void)state;
    static const size_t chunks[] = {1, 2, 3, 7, 100, 1000, 1 << 20};
    static const struct emit_ops ops = {.record = reprint_record, .reject = reprint_reject};
    struct buf text = {0};
    uint64_t seed = 4711;
    for (int i = 0; i < 300; i++) print_random(&text, &seed);
    for (size_t i = 0; i < countof(chunks); i++) {
        struct fixture f;
        struct reprint again = {.base.ops = &ops};
        struct chunk c = {0};
        char path[64];
        int fd, rc;
        fixture_begin(&f, NULL);
        f.o.memory.chunk = chunks[i];
        struct reader *r = format_open(recorder_file(buf_bytes(&text), &fd, path), NULL, &f.o, NULL, &f.err);
        assert_non_null(r);
        while ((rc = r->ops->next(r, &c, &f.err)) > 0) assert_int_equal(r->ops->parse(r, &c, 0, &again.base, &f.err), 0);
        assert_int_equal(rc, 0);
        assert_true(bytes_eq(buf_bytes(&again.text), buf_bytes(&text)));
        r->ops->close(r);
        close(fd);
        buf_free(&c.data);
        buf_free(&again.text);
        fixture_end(&f);
    }
    buf_free(&text);
}

static void test_extreme_numbers(void **state) {
    (void)state;
    struct buf out = {0};
    struct err err = {0};
    struct cell cells[] = {{.ts_ms = INT64_MIN, .seq = UINT64_MAX, .type = 255}, {.ts_ms = INT64_MAX, .type = 0}};
    struct row_part part = {.row = bytes_str("\x01\xfe"), .family = bytes_str("f"), .cells = cells, .n_cells = 2};
    assert_int_equal(cells_print(&out, &part, &err), 0);
    buf_put_byte(&out, 0, &err);
    assert_string_equal((char *)out.p, "01fe\t66\t-\t-9223372036854775808\t255\t18446744073709551615\t-\t-\n"
                                       "01fe\t66\t-\t9223372036854775807\t0\t0\t-\t-\n");
    buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_refused_by_pipeline),
        cmocka_unit_test(test_round_trip_in_any_chunks),
        cmocka_unit_test(test_extreme_numbers),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
