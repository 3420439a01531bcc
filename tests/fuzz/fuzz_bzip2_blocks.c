/* bzip2 data unpacked block by block, plainly, and by libbz2 alone: all refuse it, or have the same content. First byte: how much
 * is read at a time; the next one: how large a piece's content may be, and whether the rest is such data or what it is to be made
 * of: content that is packed, bytes that are put in, bits that are turned. */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/bzip2_pieces.h"

enum { CONTENT_MOST = 130000 }; /* of all streams that are packed: at level 1, two blocks */

static const uint8_t *put_stream(const uint8_t *p, const uint8_t *end, struct buf *file, size_t *left) {
    struct err err = {0};
    struct buf content = {0};
    int level = 1 + *p % 3;
    size_t n = (size_t)(end - p - 2) < p[1] ? (size_t)(end - p - 2) : p[1], times = n ? (size_t)(*p / 3) * 64 + 1 : 0;
    for (size_t i = 0; i < times && content.n + n <= *left; i++) require(!buf_put(&content, p + 2, n, &err));
    *left -= content.n;
    unsigned room = (unsigned)content.n * 2 + 1000;
    require(!buf_reserve(file, room, &err));
    char *from = (char *)(content.p ? content.p : file->p);
    require(BZ2_bzBuffToBuffCompress((char *)file->p + file->n, &room, from, (unsigned)content.n, level, 0, 0) == BZ_OK);
    file->n += room;
    buf_free(&content);
    return p + 2 + n;
}

/* Instructions of three bytes and more. */
static void make_file(const uint8_t *p, const uint8_t *end, struct buf *file) {
    struct err err = {0};
    size_t left = CONTENT_MOST;
    while (end - p >= 3) {
        unsigned what = *p++ % 4;
        if (what < 2) {
            p = put_stream(p, end, file, &left);
        } else if (what == 2) {
            size_t n = *p++ % 16;
            if (n > (size_t)(end - p)) n = (size_t)(end - p);
            require(!buf_put(file, p, n, &err));
            p += n;
        } else {
            size_t bit = be16(p);
            if (bit / 8 < file->n) file->p[file->n - 1 - bit / 8] ^= (uint8_t)(1 << bit % 8);
            p += 2;
        }
    }
}

static void compare(struct bytes file, size_t step, size_t most) {
    if (!file.n) return; /* is of no kind */
    struct piecewise w = {.source = {file, step}, .most = most};
    struct buf plain = {0}, library = {0};
    struct err err = {0}, plain_err = {0};
    bool known = unpack_kind(bytes_of(file.p, file.n < UNPACK_MAGIC_BYTES ? file.n : UNPACK_MAGIC_BYTES)) == unpack_bzip2.kind;
    int want = unpacked_by_library(file, &library), rc = piecewise_run(&w, &err);
    require(rc == want && err.code == (rc ? ERR_INPUT : ERR_NONE));
    if (rc == 0) require(bytes_eq(buf_bytes(&w.out), buf_bytes(&library)));
    if (known) {
        require(plainly_unpacked(file, step, &plain, &plain_err) == want && plain_err.code == err.code);
        require(bytes_eq(buf_bytes(&plain), buf_bytes(&library)) || rc);
    }
    buf_free(&w.out);
    buf_free(&plain);
    buf_free(&library);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    size_t step = 1 + (size_t)data[0] * data[0], most = (size_t)(data[1] >> 1) << 12;
    if (data[1] & 1) {
        struct buf file = {0};
        make_file(data + 2, data + size, &file);
        compare(buf_bytes(&file), step, most);
        buf_free(&file);
    } else {
        compare(bytes_of(data + 2, size - 2), step, most);
    }
    return 0;
}
