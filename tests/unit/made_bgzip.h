/* Members of gzip as bgzip writes them: an extra field says how long the member is. */
#ifndef TESTS_UNIT_MADE_BGZIP_H
#define TESTS_UNIT_MADE_BGZIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"

#include <libdeflate.h>

enum { MEMBER = 65280 /* as bgzip cuts */ };

static const uint8_t bgzip_head[16] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C', 2, 0};

static inline void put_le(struct buf *out, uint64_t v, unsigned bytes) {
    struct err err = {0};
    for (; bytes; bytes--, v >>= 8) assert_int_equal(buf_put_byte(out, (uint8_t)v, &err), 0);
}

static inline void pack_member(struct bytes content, struct buf *out) {
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
    struct err err = {0};
    uint8_t packed[MEMBER + 256];
    size_t n = libdeflate_deflate_compress(c, content.p, content.n, packed, sizeof packed);
    assert_true(n > 0);
    buf_put(out, bgzip_head, sizeof bgzip_head, &err);
    put_le(out, sizeof bgzip_head + 2 + n + 8 - 1, 2);
    buf_put(out, packed, n, &err);
    put_le(out, libdeflate_crc32(0, content.p, content.n), 4);
    put_le(out, content.n, 4);
    libdeflate_free_compressor(c);
}

#endif
