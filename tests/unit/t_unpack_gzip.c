/* gzip by ISA-L, with zlib as the reference: what one accepts, the other does, with the same content. Input comes whole and in
 * pieces, output too; headers have every field, blocks are of every kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "given_bytes.h"
#include "sampled.h"

#include "base/buf.h"
#include "base/unpack.h"

#include <stdlib.h>
#include <zlib.h>

enum { HEAD_BYTES = 3, TRAILER_BYTES = 8, WHOLE = 1 << 20 };

static uint64_t rnd(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

/* The file comes in pieces and is read in steps. 0 or -1. */
static int unpacked(struct bytes file, size_t piece, size_t step, struct buf *out, struct err *err) {
    struct given_bytes g = {bytes_of(file.p + HEAD_BYTES, file.n - HEAD_BYTES), piece};
    struct unpack_from from = {.read = given_bytes_read, .arg = &g, .path = "f.gz"};
    struct bytes head = bytes_of(file.p, HEAD_BYTES);
    const char *kind = unpack_kind(head);
    assert_string_equal(kind, "gzip");
    struct unpack *u = unpack_open(kind, head, &from, err);
    assert_non_null(u);
    ssize_t r = 1;
    while (r > 0) {
        assert_int_equal(buf_reserve(out, step, err), 0);
        if ((r = unpack_read(u, out->p + out->n, step, err)) > 0) out->n += (size_t)r;
    }
    unpack_close(u);
    if (r == 0) assert_int_equal(g.left.n, 0);
    if (r == 0) assert_int_equal(err->code, ERR_NONE);
    if (r < 0) assert_int_equal(err->code, ERR_INPUT);
    return (int)r;
}

/* Unpacks by zlib. */
static int inflated(struct bytes file, struct buf *out) {
    struct err err = {0};
    z_stream z = {.next_in = (uint8_t *)file.p, .avail_in = (uInt)file.n};
    int rc = Z_OK;
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    while (rc == Z_OK) {
        assert_int_equal(buf_reserve(out, 65536, &err), 0);
        z.next_out = out->p + out->n;
        z.avail_out = 65536;
        rc = inflate(&z, Z_NO_FLUSH);
        out->n += 65536 - z.avail_out;
        if (rc != Z_STREAM_END) continue;
        const bool padded = z.avail_in && !*z.next_in;
        while (z.avail_in && !*z.next_in) z.next_in++, z.avail_in--;
        if (!z.avail_in || padded) break;
        inflateReset(&z);
        rc = Z_OK;
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END && !z.avail_in ? 0 : -1;
}

static void expect_content(struct bytes file, size_t piece, size_t step, struct bytes want) {
    struct buf got = {0};
    struct err err = {0};
    assert_int_equal(unpacked(file, piece, step, &got, &err), 0);
    assert_true(bytes_eq(buf_bytes(&got), want));
    buf_free(&got);
}

static void expect_damage(struct bytes file, const char *why) {
    for (size_t piece = 1; piece <= WHOLE; piece *= WHOLE) {
        struct buf got = {0};
        struct err err = {0};
        assert_int_equal(unpacked(file, piece, 1000, &got, &err), -1);
        assert_non_null(strstr(err.text, "f.gz: damaged gzip data before byte "));
        if (!strstr(err.text, why)) fail_msg("'%s' is not in '%s'", why, err.text);
        buf_free(&got);
    }
}

/* Appends a member. */
static void pack(struct bytes content, int level, int strategy, gz_header *header, struct buf *out) {
    struct err err = {0};
    z_stream z = {.next_in = (uint8_t *)content.p, .avail_in = (uInt)content.n};
    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 9, strategy), Z_OK);
    if (header) assert_int_equal(deflateSetHeader(&z, header), Z_OK);
    size_t cap = deflateBound(&z, content.n);
    assert_int_equal(buf_reserve(out, cap, &err), 0);
    z.next_out = out->p + out->n;
    z.avail_out = (uInt)cap;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->n += cap - z.avail_out;
    deflateEnd(&z);
}

static struct buf text(size_t n) {
    struct buf b = {0};
    struct err err = {0};
    uint64_t s = 88172645463325252;
    while (b.n < n) assert_int_equal(buf_printf(&b, &err, "row%llx,%zu\n", (unsigned long long)rnd(&s) % 5000, b.n), 0);
    b.n = n;
    return b;
}

/* Three members: stored, with fixed codes, with codes of its own; where each ends. */
static struct buf three_members(struct buf *content, size_t ends[3]) {
    struct buf file = {0};
    struct err err = {0};
    struct bytes all = buf_bytes(content);
    pack(bytes_of(all.p, 20), 0, Z_DEFAULT_STRATEGY, NULL, &file);
    ends[0] = file.n;
    pack(bytes_of(all.p + 20, 40), 9, Z_FIXED, NULL, &file);
    ends[1] = file.n;
    pack(bytes_of(all.p + 60, all.n - 60), 9, Z_DEFAULT_STRATEGY, NULL, &file);
    ends[2] = file.n;
    assert_int_equal(buf_put(&file, "\0\0\0\0\0", 5, &err), 0);
    assert_true((file.p[10] & 6) == 0 && (file.p[ends[0] + 10] & 6) == 2 && (file.p[ends[1] + 10] & 6) == 4);
    return file;
}

static void test_every_prefix(void **state) {
    (void)state;
    size_t ends[3];
    struct buf content = text(400), file = three_members(&content, ends);
    for (size_t n = HEAD_BYTES; n <= file.n; n++) {
        struct bytes prefix = bytes_of(file.p, n);
        size_t whole = n == ends[0] ? 20 : n == ends[1] ? 60 : n >= ends[2] ? content.n : 0;
        if (!whole) expect_damage(prefix, "the data ends in the middle");
        for (size_t piece = 1; whole && piece < 30; piece++) expect_content(prefix, piece, 3, bytes_of(content.p, whole));
    }
    buf_free(&content);
    buf_free(&file);
}

static void test_every_damaged_byte(void **state) {
    (void)state;
    static const uint8_t masks[] = {1, 2, 4, 8, 16, 32, 64, 128, 0xff, 0x55};
    size_t ends[3];
    struct buf content = text(400), file = three_members(&content, ends);
    for (size_t i = HEAD_BYTES; i < file.n; i++)
        for (size_t m = i % sampled_step(1); m < countof(masks); m += sampled_step(1)) {
            struct buf got = {0}, want = {0};
            struct err err = {0};
            file.p[i] ^= masks[m];
            int rc = unpacked(buf_bytes(&file), i % 2 ? WHOLE : 1, 100, &got, &err), zlib_rc = inflated(buf_bytes(&file), &want);
            file.p[i] ^= masks[m];
            assert_int_equal(rc, zlib_rc);
            if (rc == 0) assert_true(bytes_eq(buf_bytes(&got), buf_bytes(&content)));
            buf_free(&got);
            buf_free(&want);
        }
    buf_free(&content);
    buf_free(&file);
}

/* Any of the four fields, in all combinations, the extra one and the name longer than a buffer. */
static void test_header_fields(void **state) {
    (void)state;
    static uint8_t extra[60000], name[5000];
    struct buf content = text(100);
    memset(extra, 0xab, sizeof extra);
    memset(name, 'n', sizeof name - 1);
    for (unsigned fields = 0; fields < 32; fields += (unsigned)sampled_step(1)) {
        bool is_long = fields & 16;
        gz_header h = {.text = 1, .time = 99, .os = 7, .hcrc = fields & 1};
        struct buf file = {0};
        if (fields & 2) h.extra = extra, h.extra_len = is_long ? sizeof extra : 5;
        if (fields & 4) h.name = is_long ? name : (uint8_t *)"name";
        if (fields & 8) h.comment = (uint8_t *)"c";
        for (int i = 0; i < 2; i++) pack(bytes_of(content.p + i * 50, 50), 6, Z_DEFAULT_STRATEGY, &h, &file);
        assert_int_equal(file.p[3], 1 | (fields & 1) << 1 | (fields & 2) << 1 | (fields & 4) << 1 | (fields & 8) << 1);
        for (size_t piece = 1; piece < 30; piece++) expect_content(buf_bytes(&file), piece, 7, buf_bytes(&content));
        expect_content(buf_bytes(&file), WHOLE, 7, buf_bytes(&content));
        expect_damage(bytes_of(file.p, file.n / 2 - 50), "the data ends in the middle");
        for (size_t n = HEAD_BYTES; n < 40; n++) expect_damage(bytes_of(file.p, n), "the data ends in the middle");
        if (fields & 1) {
            file.p[4] ^= 1;
            expect_damage(buf_bytes(&file), "incorrect header checksum");
        }
        buf_free(&file);
    }
    buf_free(&content);
}

static void test_reasons(void **state) {
    (void)state;
    struct err err = {0};
    struct buf content = text(200), file = {0};
    pack(buf_bytes(&content), 6, Z_DEFAULT_STRATEGY, NULL, &file);
    size_t n = file.n;
    for (int bit = 5; bit < 8; bit++) {
        file.p[3] = (uint8_t)(1 << bit);
        expect_damage(buf_bytes(&file), "unknown header flags");
    }
    file.p[3] = 0;
    for (size_t i = n - TRAILER_BYTES; i < n; i++) {
        file.p[i] ^= 0x10;
        expect_damage(buf_bytes(&file), "incorrect checksum or length");
        file.p[i] ^= 0x10;
    }
    file.p[10] |= 6; /* a kind of block that does not exist */
    expect_damage(buf_bytes(&file), "invalid block");
    static const char far[] = "\x1f\x8b\x08\0\0\0\0\0\0\3\x4b\x04\x12\x00\0\0\0\0\0\0\0\0"; /* five back, behind one byte */
    expect_damage(bytes_of(far, sizeof far - 1), "distance");
    file.n = 0;
    pack(buf_bytes(&content), 6, Z_DEFAULT_STRATEGY, NULL, &file);
    static const char *const behind[] = {"x", "\1", "\x1fx", "\x1fxxxxxxxxxxxxx", "garbage that is no member", "\x8b\x1f"};
    for (size_t zeros = 0; zeros < 3; zeros++)
        for (size_t i = 0; i < countof(behind); i++) {
            file.n = n;
            assert_int_equal(buf_put(&file, "\0\0\0", zeros, &err), 0);
            assert_int_equal(buf_put(&file, behind[i], strlen(behind[i]), &err), 0);
            struct buf got = {0};
            expect_damage(buf_bytes(&file), i == 2 || i == 3 ? "" : "something else follows the compressed data");
            buf_free(&got);
        }
    file.n = n;
    assert_int_equal(buf_put(&file, "\x1f\x8b\7\0\0\0\0\0\0\0\0\0", 12, &err), 0);
    expect_damage(buf_bytes(&file), "unknown compression method");
    buf_free(&content);
    buf_free(&file);
}

/* Tests zeros at the end. What follows them gzip does not read, and says so. */
static void test_zero_padding(void **state) {
    (void)state;
    static const uint8_t zeros[300000];
    static const size_t counts[] = {1, 7, 511, 131072, sizeof zeros};
    struct err err = {0};
    struct buf content = text(200);
    for (size_t i = 0; i < countof(counts); i++) {
        struct buf file = {0};
        pack(bytes_of(content.p, 90), 6, Z_DEFAULT_STRATEGY, NULL, &file);
        pack(bytes_of(content.p, 0), 6, Z_DEFAULT_STRATEGY, NULL, &file);
        pack(bytes_of(content.p + 90, 110), 6, Z_DEFAULT_STRATEGY, NULL, &file);
        assert_int_equal(buf_put(&file, zeros, counts[i], &err), 0);
        expect_content(buf_bytes(&file), 1, 50, buf_bytes(&content));
        expect_content(buf_bytes(&file), WHOLE, 50, buf_bytes(&content));
        pack(bytes_of(content.p, 90), 6, Z_DEFAULT_STRATEGY, NULL, &file);
        expect_damage(buf_bytes(&file), "something else follows the compressed data");
        buf_free(&file);
    }
    buf_free(&content);
}

/* Matches as far back and as long as deflate has them, runs, and bytes that repeat nothing. */
static struct buf far_matches(void) {
    struct buf b = text(40000);
    struct err err = {0};
    uint64_t s = 7;
    while (b.n < 1500000) {
        size_t n = rnd(&s) % 3000, back = rnd(&s) % 4 ? 32768 - rnd(&s) % 300 : 1 + rnd(&s) % 40;
        assert_int_equal(buf_reserve(&b, n + 8, &err), 0);
        for (size_t i = 0; i < n; i++, b.n++) b.p[b.n] = b.p[b.n - back];
        for (size_t i = rnd(&s) % 8; i > 0; i--) b.p[b.n++] = (uint8_t)rnd(&s);
    }
    return b;
}

/* The smallest pieces and steps with the best packed only: each call of ISA-L copies up to 32 KiB of history. */
static void test_large(void **state) {
    (void)state;
    static const size_t pieces[] = {1, 13, 4096, 65536, WHOLE}, steps[] = {1, 7, 258, 5000, 32768, 65536, 100000, 4 << 20};
    static const int levels[] = {0, 1, 9};
    struct buf content = far_matches();
    for (size_t l = 0; l < countof(levels) * 2; l++) {
        struct buf file = {0};
        pack(buf_bytes(&content), levels[l / 2], l % 2 ? Z_FIXED : Z_DEFAULT_STRATEGY, NULL, &file);
        for (size_t i = l == 4 ? 0 : 2; i < countof(pieces); i++)
            expect_content(buf_bytes(&file), pieces[i], steps[countof(steps) - 1 - (l + i) % 4], buf_bytes(&content));
        for (size_t i = l == 4 ? 0 : 2; i < countof(steps); i++)
            expect_content(buf_bytes(&file), WHOLE, steps[i], buf_bytes(&content));
        buf_free(&file);
    }
    buf_free(&content);
}

/* One to three changes: a bit, a byte, some bytes lost or doubled. */
static struct buf mutated(struct bytes file, uint64_t *s) {
    struct buf b = {0};
    struct err err = {0};
    assert_int_equal(buf_put(&b, file.p, file.n, &err) || buf_reserve(&b, 64, &err), 0);
    for (uint64_t times = 1 + rnd(s) % 3; times > 0; times--) {
        size_t at = HEAD_BYTES + rnd(s) % (b.n - HEAD_BYTES), n = 1 + rnd(s) % 4;
        if (rnd(s) % 2) at = at < 100 ? at : HEAD_BYTES + at % 97; /* headers are where most can be wrong */
        if (n > b.n - at) n = b.n - at;
        switch (rnd(s) % 4) {
        case 0: b.p[at] ^= (uint8_t)(1 << rnd(s) % 8); break;
        case 1: b.p[at] = (uint8_t)rnd(s); break;
        case 2: memmove(b.p + at, b.p + at + n, (b.n -= n) - at); break;
        default: memmove(b.p + at + n, b.p + at, b.n - at), b.n += n;
        }
    }
    return b;
}

/* Compares the content that comes out, also before damage is found, with zlib's. zlib alone refuses code tables that do not use
 * every code: if nothing else is wrong, the checksum and the length of the content have to be right. */
static void compare(struct bytes file, size_t piece, size_t step, size_t accepted[2]) {
    struct buf got = {0}, want = {0};
    struct err err = {0};
    int rc = unpacked(file, piece, step, &got, &err), zlib_rc = inflated(file, &want);
    size_t both = got.n < want.n ? got.n : want.n;
    assert_true(!both || !memcmp(got.p, want.p, both));
    if (zlib_rc == 0) assert_int_equal(rc, 0);
    if (zlib_rc == 0) assert_int_equal(got.n, want.n);
    if (rc == 0 && zlib_rc) {
        assert_int_equal(le32(file.p + file.n - 8), crc32(0, got.p, (uInt)got.n));
        assert_int_equal(le32(file.p + file.n - 4), got.n);
    }
    accepted[0] += rc == 0;
    accepted[1] += zlib_rc == 0;
    buf_free(&got);
    buf_free(&want);
}

static void test_mutations(void **state) {
    (void)state;
    static const size_t sizes[] = {60, 900, 20000, 150000};
    const char *many = getenv("GZIP_MUTATIONS");
    uint64_t s = 20261129;
    size_t times = many ? strtoull(many, NULL, 10) : sampled_rounds(200), accepted[2] = {0};
    for (size_t i = 0; i < countof(sizes); i++)
        for (int kind = 0; kind < 4; kind++) {
            struct buf content = text(sizes[i]), file = {0};
            gz_header h = {.hcrc = 1, .name = (uint8_t *)"a name"};
            pack(buf_bytes(&content), kind ? 6 : 0,
                 kind == 1   ? Z_FIXED
                 : kind == 2 ? Z_HUFFMAN_ONLY
                             : Z_DEFAULT_STRATEGY,
                 kind == 3 ? &h : NULL, &file);
            for (size_t k = 0; k < times; k++) {
                struct buf changed = mutated(buf_bytes(&file), &s);
                compare(buf_bytes(&changed), rnd(&s) % 2 ? WHOLE : 1 + rnd(&s) % 300, 1 + rnd(&s) % 70000, accepted);
                buf_free(&changed);
            }
            buf_free(&content);
            buf_free(&file);
        }
    assert_true(accepted[1] > times / 10 && accepted[0] >= accepted[1]); /* changed names and times do not matter */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_prefix), cmocka_unit_test(test_every_damaged_byte), cmocka_unit_test(test_header_fields),
        cmocka_unit_test(test_reasons),      cmocka_unit_test(test_zero_padding),       cmocka_unit_test(test_large),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests_name("unpack_gzip", tests, NULL, NULL);
}
