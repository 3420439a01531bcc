/* Compressed files made in memory, and what comes out of an input stream over them. */
#ifndef TESTS_UNIT_PACKED_FILES_H
#define TESTS_UNIT_PACKED_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/instream.h"

#include <archive.h>
#include <archive_entry.h>
#include <bzlib.h>
#include <lz4frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

static uint64_t rnd(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static struct buf sample(size_t n) {
    struct buf b = {0};
    struct err err = {0};
    uint64_t s = 88172645463325252;
    while (b.n < n) assert_int_equal(buf_printf(&b, &err, "row%llx,%zu\n", (unsigned long long)rnd(&s), b.n), 0);
    return b;
}

static int add_filter(struct archive *a, const char *kind) {
    if (!strcmp(kind, "gzip")) return archive_write_add_filter_gzip(a);
    if (!strcmp(kind, "bzip2")) return archive_write_add_filter_bzip2(a);
    return archive_write_add_filter_xz(a);
}

/* libarchive writes no checksum into zstd, and its lz4 writer crashes without content. */
static size_t pack_frame(const char *kind, struct bytes content, uint8_t *out, size_t cap) {
    if (!strcmp(kind, "lz4")) {
        LZ4F_preferences_t prefs = {.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled};
        return LZ4F_compressFrame(out, cap, content.p, content.n, &prefs);
    }
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    size_t n = ZSTD_compress2(z, out, cap, content.p, content.n);
    ZSTD_freeCCtx(z);
    return n;
}

static inline void pack(const char *kind, struct bytes content, struct buf *out) {
    struct err err = {0};
    size_t cap = content.n * 2 + 4096, used = 0;
    assert_int_equal(buf_reserve(out, cap, &err), 0);
    if (!strcmp(kind, "zstd") || !strcmp(kind, "lz4")) {
        used = pack_frame(kind, content, out->p + out->n, cap);
        assert_true(used > 0 && used <= cap);
        out->n += used;
        return;
    }
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    assert_int_equal(add_filter(a, kind), ARCHIVE_OK);
    archive_write_set_format_raw(a);
    archive_write_set_bytes_per_block(a, 0);
    assert_int_equal(archive_write_open_memory(a, out->p + out->n, cap, &used), ARCHIVE_OK);
    archive_entry_set_filetype(e, AE_IFREG);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, content.p, content.n), content.n);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    archive_entry_free(e);
    out->n += used;
}

/* One stream of blocks of `level` times 100 KB. */
static inline void pack_bzip2(int level, struct bytes content, struct buf *out) {
    struct err err = {0};
    unsigned n = (unsigned)(content.n + content.n / 50 + 1000);
    assert_int_equal(buf_reserve(out, n, &err), 0);
    char *from = (char *)(content.p ? content.p : out->p);
    assert_int_equal(BZ2_bzBuffToBuffCompress((char *)out->p + out->n, &n, from, (unsigned)content.n, level, 0, 0), BZ_OK);
    out->n += n;
}

/* The content of a file with these bytes, unpacked by so many threads with windows of up to `memory` bytes. 0 or -1. */
static int unpacked_by(unsigned threads, size_t memory, struct bytes file, size_t step, struct buf *out, struct err *err) {
    char path[64];
    int fd = memfd_create("test", 0);
    assert_int_equal(write(fd, file.p, file.n), file.n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct instream *s = instream_open(path, NULL, memory, err);
    ssize_t r = s ? 1 : -1;
    if (s) instream_use_threads(s, threads);
    while (r > 0) {
        assert_int_equal(buf_reserve(out, step, err), 0);
        if ((r = instream_read(s, out->p + out->n, step, err)) > 0) out->n += (size_t)r;
    }
    if (r == 0) assert_int_equal(instream_input_bytes(s), file.n);
    instream_close(s);
    close(fd);
    return (int)r;
}

/* Unpacks with one thread and with several: the content, or the error, is the same. How much of what is damaged comes out before
 * an error may differ, and so may the place. */
static int unpacked_within(size_t memory, struct bytes file, size_t step, struct buf *out, struct err *err) {
    struct buf again = {0};
    struct err other = {0};
    bool is_bzip2 = file.n > 3 && !memcmp(file.p, "BZh", 3);
    int rc = unpacked_by(1, memory, file, step, out, err);
    assert_int_equal(unpacked_by(3, memory, file, step, &again, &other), rc);
    assert_int_equal(other.code, err->code);
    size_t least = rc && again.n < out->n ? again.n : out->n;
    if (rc && !is_bzip2) assert_string_equal(strrchr(other.text, ':'), strrchr(err->text, ':'));
    assert_memory_equal(again.p, out->p, least);
    assert_true(rc || again.n == out->n);
    buf_free(&again);
    return rc;
}

static int unpacked(struct bytes file, size_t step, struct buf *out, struct err *err) {
    return unpacked_within(0, file, step, out, err);
}

static inline void expect_content(struct bytes file, size_t step, struct bytes want) {
    struct buf got = {0};
    struct err err = {0};
    assert_int_equal(unpacked(file, step, &got, &err), 0);
    assert_string_equal(err.text, "");
    assert_true(bytes_eq(buf_bytes(&got), want));
    buf_free(&got);
}

/* Never an end: an input error, and what came out before is right. */
static inline void expect_damage(struct bytes file, struct bytes content) {
    struct buf got = {0};
    struct err err = {0};
    assert_int_equal(unpacked(file, 5000, &got, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "/proc/self/fd/"));
    assert_non_null(strstr(err.text, "byte "));
    assert_true(got.n <= content.n && bytes_eq(buf_bytes(&got), bytes_of(content.p, got.n)));
    buf_free(&got);
}

#endif
