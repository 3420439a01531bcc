/* bzip2 block by block: the content is that of libbz2 for all levels, streams and ways of reading; damage is refused; and blocks
 * in which a magic stands that is none. */
#include "bzip2_pieces.h"
#include "packed_files.h"
#include "sampled.h"

#include "base/bzip2_blocks.h"

static const uint64_t block_magic = 0x314159265359, end_magic = 0x177245385090;

static struct buf repeated(const char *what, size_t n) {
    struct buf b = {0};
    struct err err = {0};
    while (b.n < n) assert_int_equal(buf_put(&b, what, strlen(what), &err), 0);
    return b;
}

static bool is_bzip2(struct bytes file) {
    return unpack_kind(bytes_of(file.p, file.n < UNPACK_MAGIC_BYTES ? file.n : UNPACK_MAGIC_BYTES)) == unpack_bzip2.kind;
}

/* Expects content by pieces, plainly, and by threads, where it is no text. */
static struct piecewise expect_pieces(struct bytes file, size_t step, size_t most, struct bytes want) {
    struct piecewise w = {.source = {file, step}, .most = most};
    struct buf plain = {0};
    struct err err = {0};
    assert_int_equal(piecewise_run(&w, &err), 0);
    assert_true(bytes_eq(buf_bytes(&w.out), want));
    assert_int_equal(plainly_unpacked(file, step, &plain, &err), 0);
    assert_true(bytes_eq(buf_bytes(&plain), want));
    if (is_bzip2(file)) expect_content(file, 60000, want);
    buf_free(&w.out);
    buf_free(&plain);
    return w;
}

static void expect_refused(struct bytes file, const char *why) {
    struct piecewise w = {.source = {file, 1000}, .most = 1 << 20};
    struct buf plain = {0};
    struct err err = {0}, plain_err = {0};
    assert_int_equal(piecewise_run(&w, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    if (!strstr(err.text, why)) fail_msg("%s: not in: %s", why, err.text);
    assert_int_equal(plainly_unpacked(file, 1000, &plain, &plain_err), -1);
    assert_int_equal(plain_err.code, ERR_INPUT);
    buf_free(&w.out);
    buf_free(&plain);
}

/* ---- content ---- */

static void test_levels_and_steps(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 10, 5000, 90000, 110000, 250000, 1850000};
    for (size_t i = 0; i < countof(sizes); i++)
        for (int level = 1; level <= 9; level += 4) {
            struct buf content = sample(sizes[i]), file = {0};
            content.n = sizes[i];
            pack_bzip2(level, buf_bytes(&content), &file);
            struct piecewise w = expect_pieces(buf_bytes(&file), 131072, 10 << 20, buf_bytes(&content));
            size_t block = (size_t)level * 100000;
            assert_int_equal(w.pieces, (content.n + block - 1) / block);
            assert_int_equal(w.joins, 0);
            if (sizes[i] < 300000) expect_pieces(buf_bytes(&file), 7, 10 << 20, buf_bytes(&content));
            if (sizes[i] < 100000) expect_pieces(buf_bytes(&file), 1, 10 << 20, buf_bytes(&content));
            buf_free(&content);
            buf_free(&file);
        }
}

static void test_streams(void **state) {
    (void)state;
    struct buf file = {0}, all = {0}, content = sample(300000);
    struct err err = {0};
    for (int level = 1; level <= 9; level++) {
        size_t n = content.n / (size_t)level;
        pack_bzip2(level, bytes_of(content.p, n), &file);
        buf_put(&all, content.p, n, &err);
        for (int i = 0; i < level % 4; i++) pack_bzip2(level, bytes_of("", 0), &file);
    }
    static const size_t steps[] = {1, 7, 4096, 131072, 10 << 20};
    for (size_t i = 0; i < countof(steps); i++) expect_pieces(buf_bytes(&file), steps[i], 10 << 20, buf_bytes(&all));
    buf_clear(&file);
    for (int i = 0; i < 5; i++) pack_bzip2(9, bytes_of("", 0), &file);
    struct piecewise w = expect_pieces(buf_bytes(&file), 3, 1, bytes_of("", 0));
    assert_int_equal(w.pieces, 0);
    buf_free(&content);
    buf_free(&file);
    buf_free(&all);
}

static void test_large_content(void **state) {
    (void)state;
    struct buf content = {0}, file = {0};
    struct err err = {0};
    enum { RUN_BYTES = 45000000 };
    assert_int_equal(buf_reserve(&content, RUN_BYTES, &err), 0);
    memset(content.p, 'r', content.n = RUN_BYTES);
    pack_bzip2(9, buf_bytes(&content), &file);
    struct piecewise w = expect_pieces(buf_bytes(&file), 131072, RUN_BYTES - 1, buf_bytes(&content));
    assert_true(w.pieces == 1 && w.large == 1);
    w = expect_pieces(buf_bytes(&file), 131072, RUN_BYTES, buf_bytes(&content));
    assert_true(w.pieces == 1 && w.large == 0);
    w = expect_pieces(buf_bytes(&file), 131072, 0, buf_bytes(&content));
    assert_true(w.large == 1);
    buf_free(&content);
    buf_free(&file);
    content = sample(5000);
    pack_bzip2(1, buf_bytes(&content), &file);
    for (size_t most = content.n - 2; most < content.n + 3; most++) {
        w = expect_pieces(buf_bytes(&file), 131072, most, buf_bytes(&content));
        assert_int_equal(w.large, most < content.n);
    }
    buf_free(&content);
    buf_free(&file);
}

/* ---- damage ---- */

/* Two blocks, then a stream without any, then one more: in a few hundred bytes. */
static struct buf small_file(struct buf *content) {
    struct buf file = {0};
    struct err err = {0};
    *content = repeated("the same words again, ", 110000);
    pack_bzip2(1, buf_bytes(content), &file);
    pack_bzip2(5, bytes_of("", 0), &file);
    pack_bzip2(2, bytes_str("and a second one, of no more than this"), &file);
    assert_int_equal(buf_put(content, "and a second one, of no more than this", 38, &err), 0);
    assert_true(file.n < 600);
    return file;
}

/* Expects the verdict of libbz2 and, where it is good, its content. */
static bool same_verdict(struct bytes file) {
    struct piecewise w = {.source = {file, 100}, .most = 1 << 20};
    struct buf want = {0};
    struct err err = {0};
    int rc = piecewise_run(&w, &err), library = unpacked_by_library(file, &want);
    assert_int_equal(rc, library);
    assert_int_equal(err.code, rc ? ERR_INPUT : ERR_NONE);
    if (rc == 0) assert_true(bytes_eq(buf_bytes(&w.out), buf_bytes(&want)));
    buf_free(&w.out);
    buf_free(&want);
    return rc == 0;
}

static void test_cut_short_anywhere(void **state) {
    (void)state;
    struct buf content, file = small_file(&content);
    unsigned whole = 0;
    size_t step = sampled_step(1);
    for (size_t n = 1; n < file.n; n += step) whole += same_verdict(bytes_of(file.p, n));
    assert_true(same_verdict(buf_bytes(&file)));
    assert_true(step > 1 || whole == 2); /* behind the streams before the last one */
    buf_free(&content);
    buf_free(&file);
}

static void test_any_byte_damaged(void **state) {
    (void)state;
    struct buf content, file = small_file(&content);
    unsigned harmless = 0;
    for (size_t i = 0; i < file.n; i += sampled_step(1))
        for (unsigned k = 0; k < 3; k++) {
            uint8_t was = file.p[i];
            file.p[i] ^= (uint8_t)(k < 2 ? 1 << (i + 4 * k) % 8 : 255);
            harmless += same_verdict(buf_bytes(&file));
            file.p[i] = was;
        }
    assert_true(harmless < 20); /* a level, padding, tables that no symbol uses */
    buf_free(&content);
    buf_free(&file);
}

static void test_bytes_behind(void **state) {
    (void)state;
    static const char *const behind[] = {"x", "garbage", "BZg91AY&SY", "BZh0", "some more bytes that are no bzip2 data at all"};
    struct buf content, file = small_file(&content);
    struct err err = {0};
    size_t n = file.n;
    char why[100];
    snprintf(why, sizeof why, "the file: bytes that are not bzip2 follow the bzip2 data, from about byte %zu", n);
    for (size_t i = 0; i < countof(behind); i++) {
        file.n = n;
        buf_put(&file, behind[i], strlen(behind[i]), &err);
        expect_refused(buf_bytes(&file), why);
    }
    file.n = n;
    buf_put(&file, "BZh91AY&", 8, &err);
    expect_refused(buf_bytes(&file), "the data ends in the middle");
    file.n = n;
    buf_put(&file, "BZh91AY&SX and so on", 20, &err);
    expect_refused(buf_bytes(&file), "neither a block nor the end of a stream follows");
    buf_free(&content);
    buf_free(&file);
}

static void test_wrong_sums(void **state) {
    (void)state;
    struct buf file = {0}, content = sample(250000);
    content.n = 250000;
    pack_bzip2(1, buf_bytes(&content), &file);
    file.p[file.n - 2] ^= 1;
    expect_refused(buf_bytes(&file), "before byte");
    expect_refused(buf_bytes(&file), "(250000 bytes of content came out): the CRC of the whole stream is wrong");
    buf_clear(&file);
    pack_bzip2(1, bytes_of("", 0), &file);
    file.p[file.n - 1] ^= 1;
    expect_refused(buf_bytes(&file), "the CRC of the whole stream is wrong");
    buf_free(&content);
    buf_free(&file);
}

static void test_no_end(void **state) {
    (void)state;
    struct buf file = {0};
    struct err err = {0};
    uint64_t s = 1;
    buf_put(&file, "BZh11AY&SY", 10, &err);
    for (int i = 0; i < 100000; i++) assert_int_equal(buf_put_be64(&file, rnd(&s), &err), 0);
    expect_refused(buf_bytes(&file), "a block has no end");
    buf_free(&file);
}

/* ---- magics that are none ----
 *
 * Behind the selectors that a block needs it may have more, which the library passes over. Each is up to five ones and a zero, so
 * they spell both magics. */

struct bits {
    char *p; /* a '0' or '1' each */
    size_t n;
};

static void add_bits(struct bits *b, uint64_t v, unsigned n) {
    b->p = realloc(b->p, b->n + n + 1);
    assert_non_null(b->p);
    while (n) b->p[b->n++] = (char)('0' + (v >> --n & 1));
}

static uint64_t number_at(const struct bits *b, size_t at, unsigned n) {
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) v = v << 1 | (uint64_t)(b->p[at + i] - '0');
    return v;
}

/* A stream of one block with more selectors, which spell `more` as far as they can. */
static struct buf with_selectors(struct bytes file, const struct bits *more) {
    enum { MAPS_AT = 32 + 48 + 32 + 1 + 24 };
    struct bits was = {0}, is = {0};
    struct buf out = {0};
    struct err err = {0};
    for (size_t i = 0; i < file.n; i++) add_bits(&was, file.p[i], 8);
    size_t end = was.n, at = MAPS_AT + 16 + 16 * (size_t)__builtin_popcount((unsigned)number_at(&was, MAPS_AT, 16));
    while (number_at(&was, end - 80, 48) != end_magic) end--;
    assert_int_equal(number_at(&was, at, 3), 6);
    uint64_t n = number_at(&was, at + 3, 15), added = 0;
    size_t counted = at + 3;
    at += 18;
    for (uint64_t zeros = 0; zeros < n; at++) zeros += was.p[at] == '0';
    for (size_t i = 0; i < more->n; i++) added += more->p[i] == '0';
    for (size_t i = 0; i < counted; i++) add_bits(&is, number_at(&was, i, 1), 1);
    add_bits(&is, n + added, 15);
    for (size_t i = counted + 15; i < at; i++) add_bits(&is, number_at(&was, i, 1), 1);
    for (size_t i = 0; i < more->n; i++) add_bits(&is, number_at(more, i, 1), 1);
    for (size_t i = at; i < end; i++) add_bits(&is, number_at(&was, i, 1), 1);
    while (is.n % 8) add_bits(&is, 0, 1);
    for (size_t i = 0; i < is.n; i += 8) assert_int_equal(buf_put_byte(&out, (uint8_t)number_at(&is, i, 8), &err), 0);
    free(was.p);
    free(is.p);
    return out;
}

/* `times` magics, far enough from each other for a block to lie between, and `gap` bits more; then a stream that is as usual. */
static void with_false_magics(uint64_t magic, unsigned times, unsigned gap, struct buf *file, struct buf *content) {
    struct bits more = {0};
    struct err err = {0};
    struct buf plain = {0};
    *content = sample(20000);
    pack_bzip2(9, buf_bytes(content), &plain);
    for (unsigned i = 0; i < times; i++) {
        for (unsigned k = 0; k < gap + 32; k++) add_bits(&more, 0, 1);
        add_bits(&more, magic, 48);
        add_bits(&more, 0, 1);
    }
    *file = with_selectors(buf_bytes(&plain), &more);
    struct buf got = {0};
    assert_int_equal(unpacked_by_library(buf_bytes(file), &got), 0);
    assert_true(bytes_eq(buf_bytes(&got), buf_bytes(content)));
    pack_bzip2(1, bytes_str("behind"), file);
    assert_int_equal(buf_put(content, "behind", 6, &err), 0);
    buf_free(&plain);
    buf_free(&got);
    free(more.p);
}

static void test_false_block_magics(void **state) {
    (void)state;
    for (unsigned times = 1; times <= 16; times += 5)
        for (unsigned gap = 0; gap < 9; gap += (unsigned)sampled_step(1)) {
            struct buf file, content;
            with_false_magics(block_magic, times, gap, &file, &content);
            for (size_t step = 1; step < 500; step += sampled_step(99)) {
                struct piecewise w = expect_pieces(buf_bytes(&file), step, 1 << 20, buf_bytes(&content));
                assert_int_equal(w.joins, times);
                assert_int_equal(w.pieces, times + 2);
            }
            buf_free(&file);
            buf_free(&content);
        }
}

static void test_false_end_magics(void **state) {
    (void)state;
    for (unsigned times = 1; times <= 16; times += 5)
        for (unsigned gap = 0; gap < 9; gap += (unsigned)sampled_step(1)) {
            struct buf file, content;
            with_false_magics(end_magic, times, gap, &file, &content);
            for (size_t step = 1; step < 500; step += sampled_step(99)) {
                struct piecewise w = expect_pieces(buf_bytes(&file), step, 1 << 20, buf_bytes(&content));
                assert_int_equal(w.joins, 0);
                assert_int_equal(w.pieces, 2);
            }
            buf_free(&file);
            buf_free(&content);
        }
}

/* Nobody has that by chance: a forger would have a block unpacked once for each. */
static void test_many_false_magics(void **state) {
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        struct buf file, content;
        struct err err = {0};
        with_false_magics(ends ? end_magic : block_magic, 17, 3, &file, &content);
        struct piecewise w = {.source = {buf_bytes(&file), 1000}, .most = 1 << 20};
        assert_int_equal(piecewise_run(&w, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        buf_free(&w.out);
        buf_free(&file);
        buf_free(&content);
    }
}

/* ---- the search ---- */

static void test_search(void **state) {
    (void)state;
    struct bzip2_blocks b;
    uint64_t s = 7, bit;
    uint8_t p[64];
    bzip2_blocks_init(&b);
    for (size_t round = 0; round < sampled_rounds(200000); round++) {
        size_t n = 6 + rnd(&s) % 30;
        uint64_t at = rnd(&s) % (8 * n - 47), from = rnd(&s) % (8 * n), magic = round % 2 ? block_magic : end_magic;
        for (size_t i = 0; i < n; i++) p[i] = (uint8_t)rnd(&s);
        for (unsigned i = 0; i < 48; i++) {
            uint8_t mask = (uint8_t)(0x80 >> (at + i) % 8), *to = &p[(at + i) / 8];
            *to = (uint8_t)(magic >> (47 - i) & 1 ? *to | mask : *to & ~mask);
        }
        uint8_t *exact = malloc(n);
        memcpy(exact, p, n);
        assert_int_equal(bzip2_blocks_find(&b, bytes_of(exact, n), from, &bit), from <= at);
        if (from <= at) assert_int_equal(bit, at);
        assert_false(bzip2_blocks_find(&b, bytes_of(exact, (size_t)(at + 47) / 8), 0, &bit));
        free(exact);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_and_steps),   cmocka_unit_test(test_streams),
        cmocka_unit_test(test_large_content),      cmocka_unit_test(test_cut_short_anywhere),
        cmocka_unit_test(test_any_byte_damaged),   cmocka_unit_test(test_bytes_behind),
        cmocka_unit_test(test_wrong_sums),         cmocka_unit_test(test_no_end),
        cmocka_unit_test(test_false_block_magics), cmocka_unit_test(test_false_end_magics),
        cmocka_unit_test(test_many_false_magics),  cmocka_unit_test(test_search),
    };
    return cmocka_run_group_tests_name("bzip2_blocks", tests, NULL, NULL);
}
