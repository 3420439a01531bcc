/* Test support: the whole of a small gzip file. */
#ifndef TESTS_GZIP_TEXT_H
#define TESTS_GZIP_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"

#include <zlib.h>

static inline struct buf gzip_text(const char *path) {
    struct buf b = {0};
    struct err err = {0};
    gzFile f = gzopen(path, "rb");
    int n = -1;
    uint8_t piece[4096];
    if (!f) fail_msg("%s: cannot open", path);
    while ((n = gzread(f, piece, sizeof piece)) > 0) assert_int_equal(buf_put(&b, piece, (size_t)n, &err), 0);
    assert_int_equal(n, 0);
    gzclose(f);
    return b;
}

#endif
