/* Protobuf wire format: fields as the specification's examples give them, round trips, malformed input. */
#include "base/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* The encoding guide's examples: 1: 150, 2: "testing", and the fixed ones by hand. */
static void known_bytes(void **state) {
    (void)state;
    static const uint8_t m[] = {0x08, 0x96, 0x01, 0x12, 7, 't', 'e', 's', 't', 'i', 'n', 'g',  0x1d, 1, 2,
                                3,    4,    0x21, 8,    0, 0,   0,   0,   0,   0,   1,   0x82, 0x01, 0};
    struct bytes in = bytes_of(m, sizeof m);
    struct pbwire_field f;
    assert_int_equal(pbwire_next(&in, &f), 1);
    assert_int_equal(f.number, 1);
    assert_int_equal(f.value, 150);
    assert_int_equal(pbwire_next(&in, &f), 1);
    assert_int_equal(f.type, PBWIRE_BYTES);
    assert_true(bytes_eq(f.bytes, bytes_str("testing")));
    assert_int_equal(pbwire_next(&in, &f), 1);
    assert_int_equal(f.value, 0x04030201);
    assert_int_equal(pbwire_next(&in, &f), 1);
    assert_int_equal(f.number, 4);
    assert_true(f.value == 0x0100000000000008);
    assert_int_equal(pbwire_next(&in, &f), 1);
    assert_int_equal(f.number, 16);
    assert_int_equal(f.bytes.n, 0);
    assert_non_null(f.bytes.p);
    assert_int_equal(pbwire_next(&in, &f), 0);
}

static void round_trip(void **state) {
    (void)state;
    static const uint64_t values[] = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX};
    struct buf b = {0};
    struct err err = {0};
    for (size_t i = 0; i < countof(values); i++) {
        assert_int_equal(pbwire_put_uint(&b, (uint32_t)i * 1000 + 1, values[i], &err), 0);
        assert_int_equal(pbwire_put_bytes(&b, 536870911, bytes_of(values, i), &err), 0);
    }
    struct bytes in = buf_bytes(&b);
    struct pbwire_field f;
    for (size_t i = 0; i < countof(values); i++) {
        assert_int_equal(pbwire_next(&in, &f), 1);
        assert_int_equal(f.number, i * 1000 + 1);
        assert_true(f.value == values[i]);
        assert_int_equal(pbwire_next(&in, &f), 1);
        assert_int_equal(f.number, 536870911);
        assert_true(bytes_eq(f.bytes, bytes_of(values, i)));
    }
    assert_int_equal(pbwire_next(&in, &f), 0);
    buf_free(&b);
}

static void malformed(void **state) {
    (void)state;
    static const struct {
        uint8_t p[12];
        size_t n;
    } bad[] = {
        {{0x08}, 1},                                                              /* no value */
        {{0x08, 0x80}, 2},                                                        /* value cut */
        {{0x80}, 1},                                                              /* tag cut */
        {{0x00, 0x01}, 2},                                                        /* field number 0 */
        {{0x0b}, 1},                                                              /* group */
        {{0x0e, 0}, 2},                                                           /* wire type 6 */
        {{0x12, 2, 'a'}, 3},                                                      /* bytes cut */
        {{0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 11}, /* a length of 2^64 - 1 */
        {{0x09, 1, 2, 3, 4, 5, 6, 7}, 8},                                         /* fixed64 cut */
        {{0x0d, 1, 2, 3}, 4},                                                     /* fixed32 cut */
        {{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 11}, /* 65 bits */
    };
    for (size_t i = 0; i < countof(bad); i++) {
        struct pbwire_field f;
        uint8_t *exact = malloc(bad[i].n);
        memcpy(exact, bad[i].p, bad[i].n);
        struct bytes in = bytes_of(exact, bad[i].n);
        if (pbwire_next(&in, &f) != -1) fail_msg("malformed message %zu passes", i);
        free(exact);
    }
}

static void delimited(void **state) {
    (void)state;
    static const uint8_t m[] = {3, 'a', 'b', 'c', 2, 'd'};
    struct bytes in = bytes_of(m, sizeof m), out;
    assert_true(pbwire_delimited(&in, &out));
    assert_true(bytes_eq(out, bytes_str("abc")));
    assert_false(pbwire_delimited(&in, &out));
    assert_int_equal(in.n, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_bytes), cmocka_unit_test(round_trip), cmocka_unit_test(malformed),
                                       cmocka_unit_test(delimited)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
