/* Data block encodings against payloads by HBase's own encoders, in both directions and byte for byte; and against
 * payloads that are cut off, too large, or lie about themselves. */
#include "base/bytes.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "hfile/encoding.h"
#include "tests/unit/all_codecs.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#define VECTORS "tests/data/vectors/encoding_vectors.jsonl.gz"

enum { VECTORS_MAX_BYTES = 4 << 20, PLAIN_MAX_BYTES = 1 << 24 };

struct vector {
    struct bytes plain, payload; /* payload with the encoding's id */
    const struct encoding *encoding;
    struct cell_layout layout;
};

static uint8_t nibble(char c) {
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void put_hex(struct buf *b, const json_t *object, const char *key) {
    struct err err = {0};
    const char *s = json_string_value(json_object_get(object, key));
    assert_non_null(s);
    for (; *s; s += 2) assert_int_equal(buf_put_byte(b, (uint8_t)(nibble(s[0]) << 4 | nibble(s[1])), &err), 0);
}

static struct bytes hex_of(struct buf *b, const json_t *object, const char *key) {
    buf_clear(b);
    put_hex(b, object, key);
    return buf_bytes(b);
}

static void put_plain(struct buf *plain, const json_t *c, const struct cell_layout *layout) {
    struct buf part[5] = {0};
    struct err err = {0};
    struct row_part row = {.row = hex_of(&part[0], c, "row"), .family = hex_of(&part[1], c, "f")};
    struct cell cell = {.qualifier = hex_of(&part[2], c, "q"),
                        .value = hex_of(&part[3], c, "val"),
                        .tags = hex_of(&part[4], c, "tags"),
                        .ts_ms = json_integer_value(json_object_get(c, "ts")),
                        .type = (uint8_t)json_integer_value(json_object_get(c, "type"))};
    size_t n = kv_size(&row, &cell, layout->tags);
    assert_int_equal(buf_reserve(plain, n + HADOOP_VLONG_MAX, &err), 0);
    kv_put(plain->p + plain->n, &row, &cell, layout->tags);
    plain->n += n;
    if (layout->mvcc) plain->n += hadoop_vlong_put(plain->p + plain->n, json_integer_value(json_object_get(c, "seq")));
    for (size_t i = 0; i < countof(part); i++) buf_free(&part[i]);
}

/* Calls `check` for every vector; returns how many there are. */
static size_t each_vector(void (*check)(const struct vector *v)) {
    gzFile f = gzopen(VECTORS, "r");
    char *line = malloc(VECTORS_MAX_BYTES);
    json_t *cells = NULL;
    struct buf plain = {0}, payload = {0};
    size_t n = 0;
    assert_non_null(f);
    assert_non_null(line);
    while (gzgets(f, line, VECTORS_MAX_BYTES)) {
        json_t *j = json_loads(line, 0, NULL);
        assert_non_null(j);
        if (json_object_get(j, "cells")) {
            json_decref(cells);
            cells = json_incref(json_object_get(j, "cells"));
        } else {
            struct vector v = {.layout = {.tags = json_is_true(json_object_get(j, "includes_tags")),
                                          .tags_compressed = json_is_true(json_object_get(j, "compress_tags")),
                                          .mvcc = json_is_true(json_object_get(j, "includes_mvcc"))}};
            size_t i;
            json_t *c;
            buf_clear(&plain);
            json_array_foreach(cells, i, c) put_plain(&plain, c, &v.layout);
            v.plain = buf_bytes(&plain);
            v.payload = hex_of(&payload, j, "payload");
            v.encoding = encoding_by_name(bytes_str(json_string_value(json_object_get(j, "encoding"))));
            assert_non_null(v.encoding);
            check(&v);
            n++;
        }
        json_decref(j);
    }
    json_decref(cells);
    buf_free(&plain);
    buf_free(&payload);
    free(line);
    gzclose(f);
    return n;
}

/* A copy of exact size, so that ASan sees a read behind the end. */
static uint8_t *copy_of(struct bytes b, size_t n) {
    uint8_t *p = malloc(n + !n);
    assert_non_null(p);
    memcpy(p, b.p, n);
    return p;
}

static struct bytes behind_id(const struct vector *v) {
    return bytes_of(v->payload.p + 2, v->payload.n - 2);
}

static void assert_same(const struct vector *v, const char *what, struct bytes got, struct bytes want) {
    for (size_t i = 0; i < got.n && i < want.n; i++)
        if (got.p[i] != want.p[i])
            fail_msg("%s tags %d/%d mvcc %d: %s differs first at %zu of %zu (%zu): %02x, not %02x", v->encoding->name,
                     v->layout.tags, v->layout.tags_compressed, v->layout.mvcc, what, i, want.n, got.n, got.p[i], want.p[i]);
    assert_int_equal(got.n, want.n);
}

static void both_directions(const struct vector *v) {
    struct err err = {0};
    struct buf out = {0};
    if (v->encoding->id == HFILE_ENC_NONE) {
        assert_same(v, "plain", v->plain, v->payload);
        return;
    }
    assert_int_equal(be16(v->payload.p), v->encoding->id);
    struct bytes e = behind_id(v);
    uint8_t *exact = copy_of(e, e.n);
    if (v->encoding->decode(bytes_of(exact, e.n), &v->layout, PLAIN_MAX_BYTES, &out, &err)) fail_msg("%s", err.text);
    assert_same(v, "plain", buf_bytes(&out), v->plain);
    buf_clear(&out);
    if (v->encoding->encode(v->plain, &v->layout, &out, &err)) fail_msg("%s", err.text);
    assert_same(v, "payload", buf_bytes(&out), e);
    buf_free(&out);
    free(exact);
}

static void vectors_of_hbase(void **state) {
    (void)state;
    assert_int_equal(each_vector(both_directions), 212);
}

/* Whatever is left of a payload, it is refused, and so is one byte more. */
static void cut(const struct vector *v) {
    if (v->encoding->id == HFILE_ENC_NONE || v->payload.n > 4000) return;
    struct bytes e = behind_id(v);
    struct buf out = {0};
    for (size_t n = 0; n < e.n; n++) {
        struct err err = {0};
        uint8_t *exact = copy_of(e, n);
        assert_int_equal(v->encoding->decode(bytes_of(exact, n), &v->layout, PLAIN_MAX_BYTES, &out, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        free(exact);
    }
    struct err err = {0};
    uint8_t *more = malloc(e.n + 1);
    assert_non_null(more);
    memcpy(more, e.p, e.n);
    more[e.n] = 0;
    assert_int_equal(v->encoding->decode(bytes_of(more, e.n + 1), &v->layout, PLAIN_MAX_BYTES, &out, &err), -1);
    free(more);
    buf_free(&out);
}

static void cut_payloads(void **state) {
    (void)state;
    each_vector(cut);
}

/* Every byte in turn is made another: nothing may be read or written outside (ASan), and what comes out is never more
 * than what was allowed. */
static void flipped(const struct vector *v) {
    if (v->encoding->id == HFILE_ENC_NONE || v->payload.n > 1500) return;
    static const uint8_t flips[] = {0x01, 0x10, 0x80, 0xff};
    struct bytes e = behind_id(v);
    struct buf out = {0};
    uint8_t *p = copy_of(e, e.n);
    for (size_t i = 0; i < e.n; i++)
        for (size_t k = 0; k < countof(flips); k++) {
            struct err err = {0};
            p[i] ^= flips[k];
            if (v->encoding->decode(bytes_of(p, e.n), &v->layout, 3 * v->plain.n, &out, &err))
                assert_true(err.code == ERR_INPUT || err.code == ERR_LIMIT);
            else
                assert_true(out.n <= 3 * v->plain.n);
            p[i] ^= flips[k];
        }
    free(p);
    buf_free(&out);
}

static void flipped_bytes(void **state) {
    (void)state;
    each_vector(flipped);
}

/* --- limits --- */

static void limited(const struct vector *v) {
    struct err err = {0};
    struct buf out = {0};
    if (v->encoding->id == HFILE_ENC_NONE) return;
    assert_int_equal(v->encoding->decode(behind_id(v), &v->layout, v->plain.n, &out, &err), 0);
    assert_int_equal(v->encoding->decode(behind_id(v), &v->layout, v->plain.n - 1, &out, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    char limit[40];
    snprintf(limit, sizeof limit, "%zu", v->plain.n - 1);
    if (!strstr(err.text, limit)) fail_msg("%s", err.text);
    buf_free(&out);
}

static void limits(void **state) {
    (void)state;
    each_vector(limited);
}

/* One cell with a value of 4,000 bytes, then cells of three bytes that say "the same again": what comes out is bounded
 * by what the block says it is, not by what it could become. */
static void small_block_large_cells(void **state) {
    (void)state;
    enum { VALUE = 4000, REPEATS = 100000 };
    struct row_part row = {.row = bytes_str("r"), .family = bytes_str("f")};
    uint8_t value[VALUE] = {0};
    struct cell c = {.qualifier = bytes_str("q"), .value = bytes_of(value, VALUE), .ts_ms = 1, .type = CELL_PUT};
    struct buf plain = {0}, encoded = {0}, out = {0};
    struct err err = {0};
    struct cell_layout layout = {0};
    size_t n = kv_size(&row, &c, false);
    assert_int_equal(buf_reserve(&plain, n, &err), 0);
    kv_put(plain.p, &row, &c, false);
    plain.n = n;
    assert_int_equal(encoding_fast_diff.encode(buf_bytes(&plain), &layout, &encoded, &err), 0);
    const uint8_t again[] = {0x7f, 6, 1}; /* all but the last byte of the timestamp */
    for (int i = 0; i < REPEATS; i++) assert_int_equal(buf_put(&encoded, again, sizeof again, &err), 0);
    assert_int_equal(encoding_fast_diff.decode(buf_bytes(&encoded), &layout, SIZE_MAX, &out, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_true(out.cap < 2 * sizeof again * REPEATS * 16);
    put_be32(encoded.p, (uint32_t)(n * (REPEATS + 1)));
    err.code = ERR_NONE;
    assert_int_equal(encoding_fast_diff.decode(buf_bytes(&encoded), &layout, PLAIN_MAX_BYTES, &out, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_true(out.cap <= PLAIN_MAX_BYTES + PLAIN_MAX_BYTES / 2);
    err.code = ERR_NONE;
    assert_int_equal(encoding_fast_diff.decode(buf_bytes(&encoded), &layout, SIZE_MAX, &out, &err), 0);
    assert_int_equal(out.n, n * (REPEATS + 1));
    for (int i = 0; i <= REPEATS; i += 1000) assert_memory_equal(out.p + (size_t)i * n, plain.p, n);
    buf_free(&plain);
    buf_free(&encoded);
    buf_free(&out);
}

/* Most cells of a real block are short and follow one of the same row, and decoders take them faster than the rest: so cells of
 * every length, with and without what makes them slow, stand next to each other here. */
static void put_random(struct buf *plain, const struct cell_layout *layout, uint64_t *r, struct row_part *row, int64_t *ts) {
    static uint8_t text[40000]; /* of the row, and of all else */
    static uint8_t row_bytes[400];
    struct err err = {0};
    uint64_t dice = splitmix_next(r);
    if (!row->row.n || dice % 4 == 0) {
        if (dice % 64 == 0 || !row->row.n) row->row.n = 1 + splitmix_next(r) % (dice % 128 ? 20 : sizeof row_bytes - 1);
        row->row.p = memset(row_bytes, 'r', row->row.n);
        row_bytes[row->row.n - 1 - splitmix_next(r) % row->row.n % 8] = (uint8_t)splitmix_next(r);
    }
    for (size_t i = 0; i < 64; i += 8) put_le64(text + i, splitmix_next(r));
    if (dice >> 8 & 3) *ts = (int64_t)(splitmix_next(r) >> (splitmix_next(r) % 64));
    struct cell c = {.qualifier = bytes_of(text, (dice >> 16) % ((dice >> 20) % 32 ? 12 : 200)),
                     .value = bytes_of(text, (dice >> 24) % ((dice >> 32) % 32 ? 140 : sizeof text)),
                     .ts_ms = *ts,
                     .type = (dice >> 40) % 8 ? CELL_PUT : CELL_DELETE_COLUMN};
    uint8_t tag[TTL_TAG_BYTES];
    if (layout->tags && (dice >> 44) % 16 == 0) {
        cell_put_ttl_tag(tag, (int64_t)(dice >> 48) % 3);
        c.tags = bytes_of(tag, sizeof tag);
    }
    size_t n = kv_size(row, &c, layout->tags);
    assert_int_equal(buf_reserve(plain, n + HADOOP_VLONG_MAX, &err), 0);
    kv_put(plain->p + plain->n, row, &c, layout->tags);
    plain->n += n;
    if (layout->mvcc) plain->n += hadoop_vlong_put(plain->p + plain->n, (dice >> 52) % 16 ? 0 : (int64_t)(dice >> 52));
}

static void random_cells(void **state) {
    (void)state;
    const struct encoding *all[] = {&encoding_prefix, &encoding_diff, &encoding_fast_diff, &encoding_row_index};
    struct buf plain = {0}, encoded = {0}, out = {0};
    struct err err = {0};
    uint64_t r = 20261123;
    for (unsigned round = 0; round < 64; round++) {
        const struct cell_layout layout = {.tags = round & 1, .mvcc = round & 2, .tags_compressed = (round & 5) == 5};
        struct row_part row = {.family = bytes_of("family", round % 7)};
        int64_t ts = 0;
        buf_clear(&plain);
        for (unsigned i = 0; i < 4 * round; i++) put_random(&plain, &layout, &r, &row, &ts);
        for (size_t k = 0; plain.n && k < countof(all); k++) {
            buf_clear(&encoded);
            assert_int_equal(all[k]->encode(buf_bytes(&plain), &layout, &encoded, &err), 0);
            uint8_t *exact = copy_of(buf_bytes(&encoded), encoded.n); /* so that ASan sees a byte too many */
            buf_free(&out);
            assert_int_equal(all[k]->decode(bytes_of(exact, encoded.n), &layout, plain.n, &out, &err), 0);
            assert_int_equal(out.n, plain.n);
            assert_memory_equal(out.p, plain.p, plain.n);
            free(exact);
        }
    }
    buf_free(&plain);
    buf_free(&encoded);
    buf_free(&out);
}

/* FAST_DIFF's short way needs room after a cell, so the last cells of a block take the other one: a block that is cut short must
 * become the beginning of what the whole one becomes. */
static void short_ways(void **state) {
    (void)state;
    struct buf plain = {0}, encoded[64] = {0};
    struct err err = {0};
    uint64_t r = 20261124;
    for (unsigned round = 0; round < 32; round++) {
        const struct cell_layout layout = {.tags = round & 1, .mvcc = round & 2};
        struct row_part row = {.family = bytes_of("family", round % 7)};
        int64_t ts = 0;
        buf_clear(&plain);
        for (unsigned i = 0; i < countof(encoded); i++) {
            put_random(&plain, &layout, &r, &row, &ts);
            uint8_t *exact = copy_of(buf_bytes(&plain), plain.n);
            buf_clear(&encoded[i]);
            assert_int_equal(encoding_fast_diff.encode(bytes_of(exact, plain.n), &layout, &encoded[i], &err), 0);
            free(exact);
        }
        for (unsigned i = 1; i < countof(encoded); i++)
            assert_memory_equal(encoded[i].p + 4, encoded[i - 1].p + 4, encoded[i - 1].n - 4);
    }
    buf_free(&plain);
    for (unsigned i = 0; i < countof(encoded); i++) buf_free(&encoded[i]);
}
static void refused(const struct encoding *enc, const void *p, size_t n, const char *word) {
    struct err err = {0};
    struct buf out = {0};
    struct cell_layout layout = {.tags = true, .tags_compressed = true};
    uint8_t *exact = copy_of(bytes_of(p, n), n);
    assert_int_equal(enc->decode(bytes_of(exact, n), &layout, PLAIN_MAX_BYTES, &out, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    if (!strstr(err.text, word)) fail_msg("'%s' is not in: %s", word, err.text);
    buf_free(&out);
    free(exact);
}

#define REFUSED(enc, word, ...)                  \
    do {                                         \
        const uint8_t bytes[] = {__VA_ARGS__};   \
        refused(enc, bytes, sizeof bytes, word); \
    } while (0)

/* Each lie by its name. */
static void lies(void **state) {
    (void)state;
    REFUSED(&encoding_prefix, "negative", 0x80, 0, 0, 0);
    REFUSED(&encoding_prefix, "shares more", 0, 0, 0, 99, 12, 0, 1, 0);
    REFUSED(&encoding_prefix, "beyond the block", 0, 0, 0, 99, 12, 0, 0, 0);
    REFUSED(&encoding_prefix, "too short", 0, 0, 0, 99, 2, 0, 0, 0, 1);
    REFUSED(&encoding_prefix, "malformed", 0, 0, 0, 99, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
    REFUSED(&encoding_diff, "family", 0, 0, 0, 99, 3, 'f');
    REFUSED(&encoding_diff, "one before", 0, 0, 0, 99, 1, 'f', 0x01);
    REFUSED(&encoding_diff, "one before", 0, 0, 0, 99, 1, 'f', 0x08);
    REFUSED(&encoding_diff, "too short", 0, 0, 0, 99, 1, 'f', 0, 12, 0, 0);
    REFUSED(&encoding_diff, "row reaches", 0, 0, 0, 99, 1, 'f', 0, 14, 0, 0, 0, 2, 'r', 1, 4);
    REFUSED(&encoding_fast_diff, "one before", 0, 0, 0, 99, 0x20, 14, 0, 0);
    REFUSED(&encoding_fast_diff, "too short", 0, 0, 0, 99, 0, 2, 0, 0, 1, 1);
    REFUSED(&encoding_fast_diff, "beyond", 0, 0, 0, 99, 0, 14, 0, 0, 0, 1, 'r', 1);
    REFUSED(&encoding_fast_diff, "family reaches", 0, 0, 0, 99, 0, 13, 0, 0, 0, 1, 'r', 9, 0, 0, 0, 0, 0, 0, 0, 1, 4);
    REFUSED(&encoding_fast_diff, "dictionary", 0, 0, 0, 99, 0, 13, 0, 0, 0, 1, 'r', 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 3, 0, 5);
    REFUSED(&encoding_fast_diff, "longer than they", 0, 0, 0, 99, 0, 13, 0, 0, 0, 1, 'r', 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 3, 0xff,
            2, 1, 1);
    REFUSED(&encoding_fast_diff, "tag reaches", 0, 0, 0, 99, 0, 13, 0, 0, 0, 1, 'r', 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 3, 0xff, 9);
    REFUSED(&encoding_row_index, "too few", 0, 0, 0, 0);
    REFUSED(&encoding_row_index, "cells", 0, 0, 0, 0, 0, 0, 0, 9);
    REFUSED(&encoding_row_index, "offsets", 1, 2, 0, 0, 0, 1, 0, 0, 0, 2);
    REFUSED(&encoding_row_index, "begins at 2", 1, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2);
}

static void names_and_ids(void **state) {
    (void)state;
    for (unsigned id = 0; id < 10; id++) {
        const struct encoding *e = encoding_by_id(id);
        assert_int_equal(!e, id == 1 || id == 5 || id == 6 || id > 7);
        if (e) assert_true(!strcmp(e->name, encoding_name(id)) && e == encoding_by_name(bytes_str(e->name)));
    }
    assert_true(!encoding_by_name(bytes_str("PREFIX_TREE")) && !encoding_by_name(bytes_str("PREF")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_hbase), cmocka_unit_test(cut_payloads), cmocka_unit_test(flipped_bytes),
        cmocka_unit_test(limits),           cmocka_unit_test(lies),         cmocka_unit_test(small_block_large_cells),
        cmocka_unit_test(names_and_ids),    cmocka_unit_test(random_cells), cmocka_unit_test(short_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
