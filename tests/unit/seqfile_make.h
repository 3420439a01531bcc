/* SequenceFiles and their values made in memory, of every version and compression. For unit tests. */
#ifndef TESTS_UNIT_SEQFILE_MAKE_H
#define TESTS_UNIT_SEQFILE_MAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/wire.h"
#include "cell/keyvalue.h"
#include "codec/codec.h"
#include "tests/unit/all_codecs.h"

#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>

#define MAKE_KEY_CLASS "org.apache.hadoop.hbase.io.ImmutableBytesWritable"
#define MAKE_VALUE_CLASS "org.apache.hadoop.hbase.client.Result"

enum make_framing { MAKE_NONE, MAKE_ZLIB, MAKE_GZIP, MAKE_BZIP2, MAKE_ZSTD, MAKE_SNAPPY, MAKE_LZ4, MAKE_ZSTD_FRAMED };

static inline void make_ok(int rc) {
    assert_int_equal(rc, 0);
}
static inline void make_put(struct buf *b, const void *p, size_t n) {
    make_ok(buf_put(b, p, n, &(struct err){0}));
}
static inline void make_i32(struct buf *b, int32_t v) {
    make_ok(buf_put_be32(b, (uint32_t)v, &(struct err){0}));
}
static inline void make_byte(struct buf *b, uint8_t v) {
    make_put(b, &v, 1);
}
static inline void make_vint(struct buf *b, int64_t v) {
    uint8_t t[HADOOP_VLONG_MAX];
    make_put(b, t, hadoop_vlong_put(t, v));
}
static inline void make_string(struct buf *b, const char *s) {
    make_vint(b, (int64_t)strlen(s));
    make_put(b, s, strlen(s));
}

/* ---- compression ---- */

static inline void make_deflate(struct buf *out, struct bytes in, int window) {
    z_stream z = {0};
    make_ok(deflateInit2(&z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY));
    make_ok(buf_reserve(out, deflateBound(&z, in.n) + 64, &(struct err){0}));
    z.next_in = (uint8_t *)in.p;
    z.avail_in = (unsigned)in.n;
    z.next_out = out->p + out->n;
    z.avail_out = (unsigned)(out->cap - out->n);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->n += z.total_out;
    deflateEnd(&z);
}

static inline void make_by_codec(struct buf *out, struct bytes in, const struct codec *codec) {
    struct codec_ctx ctx = codec_ctx_make(codec, 0);
    size_t n;
    make_ok(buf_reserve(out, codec->bound(in.n), &(struct err){0}));
    make_ok(codec_compress(&ctx, in, out->p + out->n, &n, &(struct err){0}));
    out->n += n;
    codec_ctx_release(&ctx);
}

static inline void make_packed(struct buf *out, struct bytes in, enum make_framing f) {
    unsigned n;
    switch (f) {
    case MAKE_NONE: make_put(out, in.p, in.n); return;
    case MAKE_ZLIB: make_deflate(out, in, 15); return;
    case MAKE_GZIP: make_deflate(out, in, 31); return;
    case MAKE_SNAPPY: make_by_codec(out, in, &codec_snappy); return;
    case MAKE_LZ4: make_by_codec(out, in, &codec_lz4); return;
    case MAKE_ZSTD_FRAMED: make_by_codec(out, in, &codec_zstd); return;
    case MAKE_BZIP2:
        n = (unsigned)(in.n + in.n / 50 + 700);
        make_ok(buf_reserve(out, n, &(struct err){0}));
        assert_int_equal(
            BZ2_bzBuffToBuffCompress((char *)out->p + out->n, &n, (char *)(in.n ? in.p : out->p), (unsigned)in.n, 9, 0, 0),
            BZ_OK);
        out->n += n;
        return;
    case MAKE_ZSTD:
        make_ok(buf_reserve(out, ZSTD_compressBound(in.n), &(struct err){0}));
        out->n += ZSTD_compress(out->p + out->n, ZSTD_compressBound(in.n), in.p, in.n, 3);
        return;
    }
}

/* ---- the container ---- */

struct made {
    struct buf b;
    int version;
    bool compressed, blocks;
    const char *codec_class;
    enum make_framing framing;
    /* of the block that is being filled */
    struct buf key_lengths, keys, value_lengths, values;
    int64_t in_block;
};

static const uint8_t make_sync_bytes[16] = {0x2a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff};

static inline void made_header_of(struct made *m, const char *key_class, const char *value_class, int pairs) {
    make_put(&m->b, "SEQ", 3);
    make_byte(&m->b, (uint8_t)m->version);
    make_string(&m->b, key_class);
    make_string(&m->b, value_class);
    make_byte(&m->b, m->compressed);
    make_byte(&m->b, m->blocks);
    if (m->version >= 5 && m->compressed) make_string(&m->b, m->codec_class);
    if (m->version >= 6) make_i32(&m->b, pairs);
    for (int i = 0; m->version >= 6 && i < pairs; i++) {
        make_string(&m->b, "a name");
        make_string(&m->b, "and what it stands for");
    }
    make_put(&m->b, make_sync_bytes, sizeof make_sync_bytes);
}
static inline void made_header(struct made *m) {
    made_header_of(m, MAKE_KEY_CLASS, MAKE_VALUE_CLASS, 0);
}

static inline void made_sync(struct made *m) {
    make_i32(&m->b, -1);
    make_put(&m->b, make_sync_bytes, sizeof make_sync_bytes);
}

static inline void made_record(struct made *m, const char *row, struct bytes value) {
    struct buf packed = {0};
    size_t row_n = strlen(row);
    make_packed(&packed, value, m->framing);
    make_i32(&m->b, (int32_t)(4 + row_n + packed.n));
    make_i32(&m->b, (int32_t)(4 + row_n));
    make_i32(&m->b, (int32_t)row_n);
    make_put(&m->b, row, row_n);
    make_put(&m->b, packed.p, packed.n);
    buf_free(&packed);
}

/* Puts a record into the block, which made_block then writes. */
static inline void made_in_block(struct made *m, const char *row, struct bytes value) {
    size_t row_n = strlen(row);
    make_vint(&m->key_lengths, (int64_t)(4 + row_n));
    make_i32(&m->keys, (int32_t)row_n);
    make_put(&m->keys, row, row_n);
    make_vint(&m->value_lengths, (int64_t)value.n);
    make_put(&m->values, value.p, value.n);
    m->in_block++;
}

static inline void made_block(struct made *m) {
    struct buf *const all[] = {&m->key_lengths, &m->keys, &m->value_lengths, &m->values};
    made_sync(m);
    make_vint(&m->b, m->in_block);
    for (size_t i = 0; i < countof(all); i++) {
        struct buf packed = {0};
        make_packed(&packed, buf_bytes(all[i]), m->framing);
        make_vint(&m->b, (int64_t)packed.n);
        make_put(&m->b, packed.p, packed.n);
        buf_free(&packed);
        buf_clear(all[i]);
    }
    m->in_block = 0;
}

static inline void made_put(struct made *m, const char *row, struct bytes value) {
    if (m->blocks)
        made_in_block(m, row, value);
    else
        made_record(m, row, value);
}

static inline void made_free(struct made *m) {
    struct buf *const all[] = {&m->b, &m->key_lengths, &m->keys, &m->value_lengths, &m->values};
    for (size_t i = 0; i < countof(all); i++) buf_free(all[i]);
    *m = (struct made){0};
}

/* ---- values: cells are gathered into b, then closed ---- */

struct make_cell {
    const char *row, *family, *qualifier, *value;
    int64_t ts_ms;
    uint64_t type;
    struct bytes tags;
};

static inline void make_pb_cell(struct buf *b, struct make_cell c) {
    struct buf m = {0};
    struct err err = {0};
    if (c.row) make_ok(pbwire_put_bytes(&m, 1, bytes_str(c.row), &err));
    if (c.family) make_ok(pbwire_put_bytes(&m, 2, bytes_str(c.family), &err));
    if (c.qualifier) make_ok(pbwire_put_bytes(&m, 3, bytes_str(c.qualifier), &err));
    make_ok(pbwire_put_uint(&m, 4, (uint64_t)c.ts_ms, &err));
    make_ok(pbwire_put_uint(&m, 5, c.type, &err));
    if (c.value) make_ok(pbwire_put_bytes(&m, 6, bytes_str(c.value), &err));
    if (c.tags.n) make_ok(pbwire_put_bytes(&m, 7, c.tags, &err));
    make_ok(pbwire_put_bytes(b, 1, buf_bytes(&m), &err));
    buf_free(&m);
}

static inline void make_94_cell(struct buf *b, struct make_cell c) {
    struct row_part part = {.row = bytes_str(c.row), .family = bytes_str(c.family)};
    struct cell cell = {
        .qualifier = bytes_str(c.qualifier), .value = bytes_str(c.value), .ts_ms = c.ts_ms, .type = (uint8_t)c.type};
    size_t n = kv_size(&part, &cell, false);
    make_i32(b, (int32_t)n);
    make_ok(buf_reserve(b, n, &(struct err){0}));
    kv_put(b->p + b->n, &part, &cell, false);
    b->n += n;
}

/* The gathered cells as a value; *value replaces what it held. */
static inline struct bytes make_value(struct buf *value, const struct buf *cells, bool writable) {
    buf_clear(value);
    if (writable)
        make_i32(value, (int32_t)cells->n);
    else
        make_ok(pbwire_put_varint(value, cells->n, &(struct err){0}));
    make_put(value, cells->p, cells->n);
    return buf_bytes(value);
}

#endif
