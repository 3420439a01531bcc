/* Compressed inputs unpacked in pieces by several threads: members of bgzip, frames of zstd and blocks of bzip2, in all sizes,
 * mixed with what is no piece, damaged and cut short. One thread and several give the same content and the same error
 * (packed_files.h compares). */
#include "given_bytes.h"
#include "made_bgzip.h"
#include "packed_files.h"
#include "sampled.h"

#include "base/unpack_kind.h"

#include <dirent.h>

enum { SMALL_MEMORY = 1 << 20 };

static struct bytes part(const struct buf *content, size_t at, size_t n) {
    return bytes_of(content->p + at, n < content->n - at ? n : content->n - at);
}

/* As bgzip writes: an empty member ends the file. */
static void pack_bgzip(const struct buf *content, size_t member, struct buf *out) {
    for (size_t at = 0; at < content->n; at += member) pack_member(part(content, at, member), out);
    pack_member(bytes_of("", 0), out);
}

static void pack_frames(const struct buf *content, size_t frame, struct buf *out) {
    for (size_t at = 0; at < content->n; at += frame) pack("zstd", part(content, at, frame), out);
}

/* As pzstd writes: the length of a frame in a skippable one, and the header does not say how large the content is. */
static void pack_pzstd(const struct buf *content, size_t frame, struct buf *out) {
    struct err err = {0};
    for (size_t at = 0; at < content->n; at += frame) {
        struct bytes p = part(content, at, frame);
        ZSTD_CCtx *z = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0);
        ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
        put_le(out, 0x184d2a50, 4);
        put_le(out, 4, 4);
        assert_int_equal(buf_reserve(out, 4 + ZSTD_compressBound(p.n), &err), 0);
        size_t n = ZSTD_compress2(z, out->p + out->n + 4, ZSTD_compressBound(p.n), p.p, p.n);
        put_le(out, n, 4);
        out->n += n;
        ZSTD_freeCCtx(z);
    }
}

static void pack_streams(const struct buf *content, size_t stream, struct buf *out) {
    for (size_t at = 0; at < content->n; at += stream) pack_bzip2(1, part(content, at, stream), out);
}

static void test_bzip2(void **state) {
    (void)state;
    struct buf content = sample(1500000), packed = {0};
    pack_streams(&content, content.n, &packed);
    expect_content(buf_bytes(&packed), 65536, buf_bytes(&content));
    buf_clear(&packed);
    pack_streams(&content, 130000, &packed);
    expect_content(buf_bytes(&packed), 1 << 20, buf_bytes(&content));
    buf_free(&content);
    buf_free(&packed);
}

static void test_bgzip(void **state) {
    (void)state;
    struct buf content = sample(3 << 20), packed = {0};
    static const size_t members[] = {MEMBER, 40000, 777};
    for (size_t i = 0; i < countof(members); i++) {
        buf_clear(&packed);
        pack_bgzip(&content, members[i], &packed);
        expect_content(buf_bytes(&packed), 65536, buf_bytes(&content));
        expect_content(buf_bytes(&packed), 777, buf_bytes(&content));
        pack_bgzip(&content, 1 << 15, &packed); /* two files, one after the other */
        struct buf got = {0};
        struct err err = {0};
        assert_int_equal(unpacked_within(SMALL_MEMORY, buf_bytes(&packed), 1 << 20, &got, &err), 0);
        assert_int_equal(got.n, 2 * content.n);
        buf_free(&got);
    }
    buf_free(&content);
    buf_free(&packed);
}

static void test_zstd(void **state) {
    (void)state;
    struct buf content = sample(6 << 20), packed = {0};
    static const size_t frames[] = {1 << 20, 8 << 20, 100000, 600};
    for (size_t i = 0; i < countof(frames); i++) {
        buf_clear(&packed);
        (i % 2 ? pack_frames : pack_pzstd)(&content, frames[i], &packed);
        expect_content(buf_bytes(&packed), 65536, buf_bytes(&content));
        buf_clear(&packed);
        (i % 2 ? pack_pzstd : pack_frames)(&content, frames[i], &packed);
        expect_content(buf_bytes(&packed), 1 << 20, buf_bytes(&content));
    }
    buf_free(&content);
    buf_free(&packed);
}

/* Frames that are too large for the memory, or whose windows are, between others. */
static void test_zstd_within(void **state) {
    (void)state;
    struct buf content = sample(4 << 20), packed = {0}, got = {0}, small = sample(100000);
    struct err err = {0};
    pack_frames(&small, 10000, &packed);
    pack_frames(&content, content.n, &packed);
    pack_frames(&small, 10000, &packed);
    assert_int_equal(unpacked_within(4 << 20, buf_bytes(&packed), 65536, &got, &err), 0);
    assert_int_equal(got.n, content.n + 2 * small.n);
    buf_clear(&got);
    assert_int_equal(unpacked_within(SMALL_MEMORY, buf_bytes(&packed), 65536, &got, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_true(bytes_eq(buf_bytes(&got), buf_bytes(&small)));
    buf_free(&content);
    buf_free(&packed);
    buf_free(&got);
    buf_free(&small);
}

/* More of them than make a piece. */
static void test_frames_without_content(void **state) {
    (void)state;
    struct buf content = sample(600000), packed = {0}, twice = {0};
    struct err err = {0};
    buf_put(&twice, content.p, content.n, &err);
    buf_put(&twice, content.p, content.n, &err);
    for (unsigned empty = 0; empty < 3; empty++) {
        buf_clear(&packed);
        if (empty < 2)
            pack_frames(&content, 100000, &packed);
        else
            pack("zstd", bytes_of("", 0), &packed); /* by which the kind is found */
        for (unsigned i = 0; i < 100000; i++) {
            if (empty % 2)
                pack("zstd", bytes_of("", 0), &packed);
            else
                put_le(&packed, 0x184d2a50, 8);
        }
        if (empty < 2) pack_frames(&content, 300000, &packed);
        expect_content(buf_bytes(&packed), 65536, empty < 2 ? buf_bytes(&twice) : bytes_of("", 0));
    }
    buf_free(&content);
    buf_free(&packed);
    buf_free(&twice);
}

/* A member of bgzip without its field, members whose field is wrong, and zero bytes behind. */
static void test_bgzip_and_gzip(void **state) {
    (void)state;
    struct buf content = sample(300000), packed = {0}, twice = {0};
    struct err err = {0};
    buf_put(&twice, content.p, content.n, &err);
    buf_put(&twice, content.p, content.n, &err);
    pack_bgzip(&content, MEMBER, &packed);
    pack("gzip", buf_bytes(&content), &packed);
    expect_content(buf_bytes(&packed), 5000, buf_bytes(&twice));
    for (int i = 0; i < 700; i++) buf_put_byte(&packed, 0, &err);
    expect_content(buf_bytes(&packed), 5000, buf_bytes(&twice));
    buf_put_byte(&packed, 1, &err);
    expect_damage(buf_bytes(&packed), buf_bytes(&twice));
    for (int wrong = -40; wrong < 40; wrong += 13) { /* a length that is not true is no damage: gzip does not look at it */
        buf_clear(&packed);
        pack_bgzip(&content, MEMBER, &packed);
        packed.p[16] = (uint8_t)(packed.p[16] + wrong);
        expect_content(buf_bytes(&packed), 5000, buf_bytes(&content));
    }
    buf_free(&content);
    buf_free(&packed);
    buf_free(&twice);
}

/* Damage is said, or it was in a field that does not matter. */
static bool is_refused(struct bytes file, const struct buf *content) {
    struct buf got = {0};
    struct err err = {0};
    int rc = unpacked(file, 4096, &got, &err);
    if (rc) assert_int_equal(err.code, ERR_INPUT);
    if (!rc) assert_true(got.n <= content->n && !memcmp(got.p, content->p, got.n));
    buf_free(&got);
    return rc != 0;
}

static void expect_refused(void (*pack_all)(const struct buf *content, size_t each, struct buf *out), size_t each) {
    struct buf content = sample(500000), packed = {0};
    uint64_t seed = 7;
    unsigned flipped = 0, cut = 0, rounds = (unsigned)sampled_rounds(150);
    pack_all(&content, each, &packed);
    for (unsigned k = 0; k < rounds; k++) {
        size_t bit = 80 + rnd(&seed) % (packed.n * 8 - 80);
        packed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        flipped += is_refused(buf_bytes(&packed), &content);
        packed.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cut += is_refused(bytes_of(packed.p, 80 + rnd(&seed) % (packed.n - 80)), &content);
    }
    assert_true(flipped > rounds * 9 / 10 && cut > rounds * 9 / 10);
    buf_free(&content);
    buf_free(&packed);
}

static void test_damage(void **state) {
    (void)state;
    expect_refused(pack_bgzip, MEMBER);
    expect_refused(pack_bgzip, 3000);
    expect_refused(pack_frames, 50000);
    expect_refused(pack_pzstd, 300000);
    expect_refused(pack_streams, 130000);
}

/* ---- bzip2, of which t_bzip2_blocks.c has more ---- */

/* Letters whose map in the header of a block spells the magic of a block, 0x314159265359 in the lines of 0x40, 0x50 and 0x60. The
 * others make blocks larger than 512 KiB. */
static struct buf spelling_letters(size_t n) {
    static const char letters[] = "BCGIOQSTWZ]^acfgiklo"
                                  "0123456789:;<=>?"
                                  "pqrstuvwxyz{|}~"
                                  "!#$%&()*+-./\n";
    struct buf b = {0};
    struct err err = {0};
    uint64_t s = 88172645463325252;
    while (b.n < n) assert_int_equal(buf_put_byte(&b, (uint8_t)letters[rnd(&s) % (sizeof letters - 1)], &err), 0);
    return b;
}

/* A block is not damaged because there is no room for a second one, with which it is to be joined. */
static void test_bzip2_within(void **state) {
    (void)state;
    struct buf content = spelling_letters(2500000), packed = {0}, got = {0};
    pack("bzip2", buf_bytes(&content), &packed);
    for (size_t memory = 14400 << 10; memory < 15400 << 10; memory += 200 << 10) {
        struct given_bytes source = {buf_bytes(&packed), 65536}; /* as from a pipe */
        struct unpack_from from = {.read = given_bytes_read, .arg = &source, .path = "pipe", .memory_bytes = memory};
        struct err err = {0};
        struct instream *s = instream_over(&from, &err);
        ssize_t n = 1;
        assert_non_null(s);
        instream_use_threads(s, 2);
        for (buf_clear(&got); n > 0; got.n += (size_t)(n > 0 ? n : 0)) {
            assert_int_equal(buf_reserve(&got, 65536, &err), 0);
            n = instream_read(s, got.p + got.n, 65536, &err);
        }
        assert_string_equal(err.text, "");
        assert_true(n == 0 && bytes_eq(buf_bytes(&got), buf_bytes(&content)));
        instream_close(s);
    }
    buf_free(&content);
    buf_free(&packed);
    buf_free(&got);
}

/* Tests that the error names the block that is wrong, not the sum of its stream. */
static void test_bzip2_damage(void **state) {
    (void)state;
    struct buf content = sample(2500000), packed = {0}, got = {0};
    pack("bzip2", buf_bytes(&content), &packed);
    for (unsigned threads = 1; threads < 5; threads++) {
        struct err err = {0};
        buf_clear(&got);
        packed.p[100000] ^= 4;
        assert_int_equal(unpacked_by(threads, 0, buf_bytes(&packed), 65536, &got, &err), -1);
        packed.p[100000] ^= 4;
        if (!strstr(err.text, "bytes of content came out): checksum or content is wrong")) fail_msg("%s", err.text);
    }
    buf_free(&content);
    buf_free(&packed);
    buf_free(&got);
}

static unsigned threads_now(void) {
    DIR *d = opendir("/proc/self/task");
    unsigned n = 0;
    assert_non_null(d);
    while (readdir(d)) n++;
    closedir(d);
    return n - 2;
}

/* Left before its end, with pieces waiting and being unpacked. */
static void test_closed_early(void **state) {
    (void)state;
    struct buf content = sample(4 << 20), packed = {0};
    struct err err = {0};
    char path[64];
    pack_bgzip(&content, MEMBER, &packed);
    int fd = memfd_create("test", 0);
    assert_int_equal(write(fd, packed.p, packed.n), packed.n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (size_t bytes = 0; bytes < 2 << 20; bytes += 400000) {
        uint8_t *p = malloc(bytes + 1);
        unsigned before = threads_now();
        struct instream *s = instream_open(path, NULL, 0, &err);
        assert_non_null(s);
        instream_use_threads(s, 4);
        if (bytes) assert_true(instream_read(s, p, bytes, &err) > 0);
        assert_true(!bytes || threads_now() > before);
        instream_close(s);
        free(p);
    }
    close(fd);
    buf_free(&content);
    buf_free(&packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bgzip),
        cmocka_unit_test(test_bzip2),
        cmocka_unit_test(test_zstd),
        cmocka_unit_test(test_zstd_within),
        cmocka_unit_test(test_frames_without_content),
        cmocka_unit_test(test_bgzip_and_gzip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_closed_early),
        cmocka_unit_test(test_bzip2_within),
        cmocka_unit_test(test_bzip2_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
