/* libFuzzer target: any bytes as a compressed stream, unpacked by one thread and by three: both give the same content and end, or
 * both refuse it with the same code after the same content, as far as both gave any. Of zstd, the library's own decoder of
 * streams decides what is whole, and what its content is. The first byte chooses the memory and the size of reads, the rest is
 * the stream. */
#include "fuzz.h"
#include "tests/unit/given_bytes.h"

#include "base/instream.h"
#include "base/unpack.h"

#include <string.h>
#include <zstd.h>

enum { CONTENT_MOST = 8 << 20 };

/* 0 = all of it, or as much as this target looks at. */
static int unpack_by(unsigned threads, struct bytes stream, size_t memory, size_t step, struct buf *out, struct err *err) {
    struct given_bytes source = {.left = stream};
    struct unpack_from from = {.read = given_bytes_read, .arg = &source, .path = "fuzz", .memory_bytes = memory};
    struct instream *in = instream_over(&from, err);
    ssize_t r = in ? 1 : -1;
    if (in) instream_use_threads(in, threads);
    while (r > 0 && out->n < CONTENT_MOST) {
        require(!buf_reserve(out, step, err));
        if ((r = instream_read(in, out->p + out->n, step, err)) > 0) out->n += (size_t)r;
    }
    instream_close(in);
    require((r < 0) == (err->code != ERR_NONE));
    return r < 0 ? -1 : 0;
}

/* As the program zstd has it, with its sizes of buffers. false: the stream is refused. */
static bool decoded(struct bytes stream, size_t memory, struct buf *out) {
    enum { ROOM = 128 << 10 };
    struct err err = {0};
    ZSTD_inBuffer in = {stream.p, stream.n, 0};
    ZSTD_DStream *d = ZSTD_createDStream();
    size_t rc = 0;
    ZSTD_DCtx_setParameter(d, ZSTD_d_windowLogMax, 63 - __builtin_clzll(memory));
    for (bool full = false; !ZSTD_isError(rc) && (in.pos < in.size || full) && out->n < CONTENT_MOST;) {
        if (!rc && in.size - in.pos < 4) break;
        uint32_t magic = rc ? 0 : le32(stream.p + in.pos);
        if (!rc && magic != 0xfd2fb528 && (magic & 0xfffffff0) != 0x184d2a50) break;
        require(!buf_reserve(out, ROOM, &err));
        ZSTD_outBuffer to = {out->p + out->n, ROOM, 0};
        rc = ZSTD_decompressStream(d, &to, &in);
        out->n += to.pos;
        full = rc && to.pos == to.size;
    }
    ZSTD_freeDStream(d);
    return !rc && in.pos == in.size;
}

static void compare_with_library(struct bytes stream, size_t memory, const struct buf *content, int rc) {
    struct buf want = {0};
    bool whole = decoded(stream, memory, &want);
    if (want.n < CONTENT_MOST) {
        require(whole == !rc);
        require(rc || (want.n == content->n && (!want.n || !memcmp(want.p, content->p, want.n))));
    }
    buf_free(&want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    struct bytes stream = bytes_of(data + 1, size - 1);
    size_t memory = (size_t)1 << (19 + data[0] % 8), step = data[0] & 8 ? 777 : 100000;
    struct buf one = {0}, three = {0};
    struct err err = {0}, again = {0};
    int rc = unpack_by(1, stream, memory, step, &one, &err), by_three = unpack_by(3, stream, memory, step, &three, &again);
    size_t both = one.n < three.n ? one.n : three.n;
    bool is_cut = one.n >= CONTENT_MOST || three.n >= CONTENT_MOST;
    require(is_cut || (rc == by_three && err.code == again.code));
    require(!both || !memcmp(one.p, three.p, both));
    require(rc || is_cut || one.n == three.n);
    const char *kind = unpack_kind(bytes_of(stream.p, stream.n < UNPACK_MAGIC_BYTES ? stream.n : UNPACK_MAGIC_BYTES));
    if (kind && !strcmp(kind, "zstd") && !unpack_skippable_bytes(stream) && !is_cut && err.code != ERR_LIMIT)
        compare_with_library(stream, memory, &one, rc);
    buf_free(&one);
    buf_free(&three);
    return 0;
}
