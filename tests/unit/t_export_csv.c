/* Cells as CSV beside a form that goes byte by byte: values of all lengths around the steps in which they are searched, special
 * bytes at any place, with and without bytes after a value that may be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "cmd/export/export_csv.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CELLS = 40, VALUE_MOST = 200 };

static void naive_field(struct buf *out, struct bytes b, bool hex) {
    struct err err = {0};
    bool quotes = b.n && !hex && (b.p[0] == ' ' || b.p[b.n - 1] == ' ');
    for (size_t i = 0; i < b.n && !hex; i++) quotes |= b.p[i] && strchr(",\"\n\r", b.p[i]);
    if (quotes) assert_int_equal(buf_put_byte(out, '"', &err), 0);
    for (size_t i = 0; i < b.n; i++) {
        if (quotes && b.p[i] == '"') assert_int_equal(buf_put_byte(out, '"', &err), 0);
        assert_int_equal(hex ? buf_printf(out, &err, "%02x", b.p[i]) : buf_put_byte(out, b.p[i], &err), 0);
    }
    if (quotes) assert_int_equal(buf_put_byte(out, '"', &err), 0);
}

static void naive_part(struct buf *out, const struct row_part *part, bool hex) {
    struct err err = {0};
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        int64_t ttl_ms;
        naive_field(out, part->row, hex);
        assert_int_equal(buf_put_byte(out, ',', &err), 0);
        naive_field(out, part->family, hex);
        assert_int_equal(buf_put_byte(out, ',', &err), 0);
        naive_field(out, c->qualifier, hex);
        assert_int_equal(buf_printf(out, &err, ",%" PRId64 ",%s,", c->ts_ms, cell_type_name(c->type)), 0);
        if (cell_ttl_ms(c->tags, &ttl_ms)) assert_int_equal(buf_printf(out, &err, "%" PRId64, ttl_ms), 0);
        assert_int_equal(buf_put_byte(out, ',', &err), 0);
        naive_field(out, c->value, hex);
        assert_int_equal(buf_put_byte(out, '\n', &err), 0);
    }
}

/* Memory of its own, so that a sanitizer sees what is read beyond it. One byte of about `rare` is special. */
static struct bytes make_bytes(size_t n, size_t spare, uint64_t rare, uint64_t *random) {
    static const uint8_t special[] = {',', '"', '\n', '\r', ' ', 0xac, 0x8a};
    uint8_t *p = malloc(n + spare + 1);
    assert_non_null(p);
    for (size_t i = 0; i < n + spare; i++)
        p[i] = splitmix_next(random) % rare ? (uint8_t)splitmix_next(random) | 0x40
                                            : special[splitmix_next(random) % countof(special)];
    return (struct bytes){p, n};
}

static struct cell make_cell(size_t value_n, bool spare, uint64_t rare, uint8_t tag[TTL_TAG_BYTES], uint64_t *random) {
    static const uint8_t types[] = {CELL_PUT, CELL_DELETE_FAMILY_VERSION, CELL_DELETE};
    struct cell c = {.qualifier = make_bytes(splitmix_next(random) % 40, 0, rare, random),
                     .value = make_bytes(value_n, spare ? VALUE_SPARE_BYTES : 0, rare, random),
                     .ts_ms = (int64_t)(splitmix_next(random) % 12) - 1,
                     .type = types[splitmix_next(random) % countof(types)]};
    if (c.ts_ms > 8) c.ts_ms = INT64_MIN + c.ts_ms;
    if (splitmix_next(random) % 4 == 0) c.tags = bytes_of(tag, TTL_TAG_BYTES);
    return c;
}

static void expect_by(export_put_fn *put, const struct row_part *part, bool hex, struct bytes want) {
    struct buf got = {0};
    struct err err = {0};
    assert_int_equal(put(&got, part, hex, &err), 0);
    assert_int_equal(got.n, want.n);
    assert_memory_equal(got.p, want.p, want.n);
    buf_free(&got);
}

/* Expects a part to be written alike by all instructions that this machine has. */
static void expect_part(const struct row_part *part, bool hex) {
    struct buf want = {0};
    naive_part(&want, part, hex);
    for (unsigned v = 0; v < EXPORT_VECTORS; v++) {
        export_put_fn *put = export_csv_by((enum export_vector)v);
        if (put) expect_by(put, part, hex, buf_bytes(&want));
    }
    expect_by(export_csv.put, part, hex, buf_bytes(&want));
    buf_free(&want);
}

static void check_parts(bool spare, uint64_t rare) {
    uint64_t random = rare;
    uint8_t tag[TTL_TAG_BYTES];
    cell_put_ttl_tag(tag, 86400000);
    for (size_t first = 0; first < VALUE_MOST; first += CELLS) {
        struct cell cells[CELLS];
        struct row_part part = {.row = make_bytes(first / 5, 0, rare, &random), .family = bytes_str("cf"), .cells = cells};
        part.spare = spare;
        part.n_cells = CELLS;
        for (size_t i = 0; i < CELLS; i++) cells[i] = make_cell(first + i, spare, rare, tag, &random);
        expect_part(&part, false);
        expect_part(&part, true);
        free((void *)(uintptr_t)part.row.p);
        for (size_t i = 0; i < CELLS; i++) {
            free((void *)(uintptr_t)cells[i].qualifier.p);
            free((void *)(uintptr_t)cells[i].value.p);
        }
    }
}

static void test_as_naive(void **state) {
    (void)state;
    static const uint64_t rare[] = {2, 7, 60, 1000, 1000000};
    for (size_t i = 0; i < countof(rare); i++) {
        check_parts(false, rare[i]);
        check_parts(true, rare[i]);
    }
}

/* One special byte at every place of fields of every length. */
static void test_places(void **state) {
    (void)state;
    static const uint8_t special[] = {',', '"', '\n', '\r', ' '};
    for (size_t n = 1; n < VALUE_MOST; n += n < 70 ? 1 : 29)
        for (size_t at = 0; at < n; at++) {
            uint64_t random = n;
            struct cell c = {.type = CELL_PUT, .value = make_bytes(n, VALUE_SPARE_BYTES, UINT64_MAX, &random)};
            struct row_part part = {.row = bytes_str("r"), .family = bytes_str("f"), .cells = &c, .n_cells = 1, .spare = true};
            ((uint8_t *)(uintptr_t)c.value.p)[at] = special[(n + at) % countof(special)];
            expect_part(&part, false);
            part.spare = false;
            expect_part(&part, false);
            free((void *)(uintptr_t)c.value.p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_naive), cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
