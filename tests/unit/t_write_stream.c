/* Bounds of regions, what --splits takes, samples of keys, writes on their way through a sorter, counts over time. */
#include "cmd/split/simulate/key_bounds.h"
#include "cmd/split/simulate/write.h"
#include "cmd/split/simulate/write_stream.h"
#include "cmd/split/simulate/write_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct bytes text(const char *s) {
    return bytes_str(s);
}

/* The bounds that a text gives, with | between them. */
static void wants_splits(const char *spec, const char *want) {
    struct key_bounds b;
    struct err err = {0};
    struct buf shown = {0};
    uint32_t sampled;
    assert_int_equal(splits_parse(spec, &b, &sampled, &err), 0);
    for (uint32_t i = 0; i < b.n; i++)
        buf_printf(&shown, &err, "%s%.*s", i ? "|" : "", (int)b.list[i].n, (const char *)b.list[i].p);
    buf_put_byte(&shown, 0, &err);
    assert_string_equal((const char *)shown.p, want);
    buf_free(&shown);
    key_bounds_free(&b);
}

static void refuses_splits(const char *spec, const char *why) {
    struct key_bounds b;
    struct err err = {0};
    uint32_t sampled;
    assert_int_equal(splits_parse(spec, &b, &sampled, &err), -1);
    assert_int_equal(err.code, ERR_USAGE);
    if (!strstr(err.text, why)) fail_msg("%s: %s", spec, err.text);
    key_bounds_free(&b);
}

static void splits_as_given(void **state) {
    struct key_bounds b;
    struct err err = {0};
    uint32_t sampled;
    (void)state;
    wants_splits("none", "");
    wants_splits("HexStringSplit:4", "40000000|80000000|c0000000");
    wants_splits("decimal:3", "33333333|66666666");
    wants_splits("hex:1", "");
    wants_splits("prefixes:4", "1|2|3");
    wants_splits("prefixes:12", "01|02|03|04|05|06|07|08|09|10|11");
    wants_splits("prefixes:3:4", "0001|0002");
    wants_splits("prefixes:1", "");
    wants_splits("keys:m,b,hex:6f70", "b|m|op");
    wants_splits("keys:a\\x42,a\\xZZ,a\\x4", "aB|a\\x4|a\\xZZ");
    assert_int_equal(splits_parse("sampled:7", &b, &sampled, &err), 0);
    assert_int_equal(sampled, 7);
    assert_int_equal(b.n, 0);
    assert_int_equal(splits_parse("longs:300", &b, &sampled, &err), 0);
    assert_memory_equal(b.list[298].p, "\0\0\0\0\0\0\1\x2b", 8);
    assert_int_equal(key_bounds_find(&b, bytes_of("\0\0\0\0\0\0\1\x2b rest", 13)), 299);
    key_bounds_free(&b);
    assert_int_equal(splits_parse("uniform:2", &b, &sampled, &err), 0);
    assert_memory_equal(b.list[0].p, "\x80\0\0\0\0\0\0\0", 8);
    key_bounds_free(&b);
}

static void wrong_splits(void **state) {
    (void)state;
    refuses_splits("", "expected none");
    refuses_splits("hex", "a number of regions");
    refuses_splits("hex:0", "a number of regions");
    refuses_splits("hex:-3", "a number of regions");
    refuses_splits("hex:8193", "a number of regions");
    refuses_splits("hex:4:8", "a number of regions");
    refuses_splits("prefixes:101:2x", "a number of regions");
    refuses_splits("prefixes:102:2", "do not fit");
    refuses_splits("keys:", "an empty key");
    refuses_splits("keys:b,a,b", "twice");
    refuses_splits("keys:hex:1", "hex digits");
}

static void a_row_is_at_or_above_its_bound(void **state) {
    struct key_bounds b = {0};
    struct err err = {0};
    (void)state;
    assert_int_equal(key_bounds_find(&b, text("any")), 0);
    assert_int_equal(key_bounds_add(&b, text("longprefix2"), &err), 0);
    assert_int_equal(key_bounds_add(&b, text("longprefix1"), &err), 0);
    assert_int_equal(key_bounds_add(&b, bytes_of("z\0", 2), &err), 0);
    assert_int_equal(key_bounds_add(&b, text("z"), &err), 0);
    assert_int_equal(key_bounds_end(&b, &err), 0);
    assert_int_equal(key_bounds_find(&b, text("")), 0);
    assert_int_equal(key_bounds_find(&b, text("longprefix")), 0);
    assert_int_equal(key_bounds_find(&b, text("longprefix1")), 1);
    assert_int_equal(key_bounds_find(&b, text("longprefix19")), 1);
    assert_int_equal(key_bounds_find(&b, text("longprefix2")), 2);
    assert_int_equal(key_bounds_find(&b, text("z")), 3); /* equal first eight bytes, padded */
    assert_int_equal(key_bounds_find(&b, bytes_of("z\0", 2)), 4);
    key_bounds_free(&b);
}

static void sample(struct key_sample *k, uint32_t keys, uint32_t step) {
    struct err err = {0};
    char key[16];
    for (uint32_t i = 0; i < keys; i++) {
        snprintf(key, sizeof key, "%08u", i * step % keys);
        assert_int_equal(key_sample_add(k, text(key), &err), 0);
    }
    assert_int_equal(key_sample_end(k, &err), 0);
}

static void a_sample_is_cut_into_equal_shares(void **state) {
    struct key_sample k = {.limit_bytes = 1 << 20};
    struct key_bounds b = {0};
    struct err err = {0};
    uint64_t counts[4] = {0};
    (void)state;
    sample(&k, 1000, 7);
    assert_int_equal(k.kept, 1000);
    assert_int_equal(key_sample_cut(&k, 4, &b, &err), 0);
    assert_int_equal(b.n, 3);
    assert_memory_equal(b.list[1].p, "00000500", 8);
    key_sample_count(&k, &b, counts);
    for (int i = 0; i < 4; i++) assert_int_equal(counts[i], 250);
    key_bounds_free(&b);
    key_sample_free(&k);
}

static void a_sample_keeps_to_its_memory(void **state) {
    enum { KEYS = 100000, LIMIT = 64 << 10 };
    struct key_sample k = {.limit_bytes = LIMIT};
    struct key_bounds b = {0};
    struct err err = {0};
    (void)state;
    sample(&k, KEYS, 7);
    assert_int_equal(k.seen, KEYS);
    assert_true(k.halvings > 0 && k.kept < KEYS);
    assert_true(k.bytes.n + k.kept * sizeof *k.sorted <= LIMIT);
    assert_true(k.kept > LIMIT / 18 / 3); /* not far below what there is room for */
    assert_int_equal(key_sample_cut(&k, 2, &b, &err), 0);
    char digits[16] = "";
    memcpy(digits, b.list[0].p, b.list[0].n); /* bounds do not end in NUL */
    long middle = strtol(digits, NULL, 10);
    assert_true(middle > KEYS / 2 - KEYS / 20 && middle < KEYS / 2 + KEYS / 20);
    key_bounds_free(&b);
    key_sample_free(&k);
}

static void few_keys_give_few_regions(void **state) {
    struct key_sample k = {.limit_bytes = 1 << 20}, none = {.limit_bytes = 1 << 20};
    struct key_bounds b = {0};
    struct err err = {0};
    (void)state;
    for (int i = 0; i < 100; i++) assert_int_equal(key_sample_add(&k, i % 2 ? text("a") : text("b"), &err), 0);
    assert_int_equal(key_sample_end(&k, &err), 0);
    assert_int_equal(key_sample_cut(&k, 10, &b, &err), 0);
    assert_int_equal(b.n, 1);
    key_bounds_free(&b);
    assert_int_equal(key_sample_end(&none, &err), 0);
    assert_int_equal(key_sample_cut(&none, 10, &b, &err), 0);
    assert_int_equal(b.n, 0);
    key_sample_free(&none);
    key_sample_free(&k);
}

static void a_write_comes_back(void **state) {
    const struct cell cells[] = {{.qualifier = text("q1"), .value = text("value"), .ts_ms = 9, .type = CELL_PUT},
                                 {.qualifier = text("q2"), .tags = bytes_of("\0\1x", 3), .ts_ms = 7, .type = CELL_DELETE}};
    const struct row_part part = {.row = text("old"), .family = text("cf"), .cells = cells, .n_cells = 2};
    struct buf packed = {0};
    struct err err = {0};
    struct write w;
    struct write_cell c;
    (void)state;
    assert_int_equal(write_pack(&part, 0, 2, text("newer"), 3, WRITE_NOWHERE, &packed, &err), 0);
    const struct cell carried = {.qualifier = text("newer"), .value = buf_bytes(&packed), .ts_ms = 9};
    write_unpack(&carried, &w);
    assert_true(bytes_eq(w.row, text("newer")));
    assert_int_equal(w.ts_ms, 9);
    assert_int_equal(w.family, 3);
    assert_int_equal(w.partition, WRITE_NOWHERE);
    assert_int_equal(w.n_cells, 2);
    /* 8 of lengths, 2 + 1 of lengths, row, family, qualifier, 9 of timestamp and type, value; 2 + 3 of tags */
    assert_int_equal(w.bytes, (8 + 3 + 5 + 2 + 2 + 9 + 5) + (8 + 3 + 5 + 2 + 2 + 9 + 0 + 5));
    assert_true(write_cell_next(&w.cells, &c));
    assert_int_equal(c.type, CELL_PUT);
    assert_int_equal(c.value_bytes, 5);
    assert_true(write_cell_next(&w.cells, &c));
    assert_int_equal(c.type, CELL_DELETE);
    assert_int_equal(c.tags_bytes, 3);
    assert_false(write_cell_next(&w.cells, &c));
    buf_free(&packed);
}

static void counts_over_time(void **state) {
    struct write_history c, other;
    struct write_history_figures f;
    struct err err = {0};
    (void)state;
    assert_int_equal(write_history_init(&c, 4, 10, 100, 1100, &err), 0);
    assert_int_equal(write_history_init(&other, 4, 10, 100, 1100, &err), 0);
    assert_int_equal(c.slices, 10);
    for (uint64_t t = 100; t < 1100; t++) write_history_add(t % 2 ? &c : &other, t < 600 ? 0 : t % 4, t, 2, 10);
    write_history_merge(&c, &other);
    assert_int_equal(write_history_figures_make(&c, &f, &err), 0);
    assert_int_equal(c.sums[0].writes, 500 + 125);
    assert_int_equal(c.sums[1].bytes, 1250);
    assert_int_equal(f.busy_slices, 10);
    assert_int_equal(f.slices[0].writes, 100);
    assert_int_equal(f.slices[0].most, 100);
    assert_int_equal(f.slices[9].most, 25);
    assert_true(f.hottest_most == 1.0);
    assert_true(f.hottest_mean > 0.6249 && f.hottest_mean < 0.6251);
    assert_int_equal(f.hottest_places, 1);
    write_history_free(&c);
    write_history_free(&other);
}

static void a_course_of_nothing(void **state) {
    struct write_history c;
    struct write_history_figures f;
    struct err err = {0};
    (void)state;
    assert_int_equal(write_history_init(&c, 1, 8, 5, 5, &err), 0);
    assert_int_equal(c.slices, 1);
    assert_int_equal(write_history_figures_make(&c, &f, &err), 0);
    assert_int_equal(f.busy_slices, 0);
    write_history_add(&c, 0, UINT64_MAX, 1, 1); /* beyond the end: in the last slice */
    assert_int_equal(c.writes[0], 1);
    write_history_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(splits_as_given),
                                       cmocka_unit_test(wrong_splits),
                                       cmocka_unit_test(a_row_is_at_or_above_its_bound),
                                       cmocka_unit_test(a_sample_is_cut_into_equal_shares),
                                       cmocka_unit_test(a_sample_keeps_to_its_memory),
                                       cmocka_unit_test(few_keys_give_few_regions),
                                       cmocka_unit_test(a_write_comes_back),
                                       cmocka_unit_test(counts_over_time),
                                       cmocka_unit_test(a_course_of_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
