/* bgzip: gzip whose members are of at most 64 KiB and say in an extra field how long they are (SAM specification, 4.1). So they
 * are found without unpacking them, and libdeflate, which wants whole members, unpacks them side by side. Where a member without
 * that field comes, the steps of gzip take over. */
#include "base/unpack_kind.h"
#include "base/unpack_pieces.h"

#include <libdeflate.h>

enum { MEMBER_MOST = 64 * 1024, THREAD_BYTES = 64 * 1024 };

/* RFC 1952, 2.3: magic, method, flags, time, level, system; then with EXTRA_FIELD the length of the subfields that follow. */
enum { HEADER_BYTES = 10, EXTRA_AT = HEADER_BYTES + 2, SUBFIELD_BYTES = 4, TRAILER_BYTES = 8, EXTRA_FIELD = 4 };

static unsigned le16_at(const uint8_t *p) {
    return p[0] | (unsigned)p[1] << 8;
}

/* The length of the member that b begins with. */
static enum piece_cut find_end(struct bytes b, size_t *bytes) {
    if (b.n < EXTRA_AT) return PIECE_NEEDS_MORE;
    if (memcmp(b.p, "\x1f\x8b\x08", 3) || b.p[3] != EXTRA_FIELD) return PIECE_NONE;
    size_t end = EXTRA_AT + le16_at(b.p + HEADER_BYTES);
    if (b.n < end) return PIECE_NEEDS_MORE;
    for (size_t at = EXTRA_AT; at + SUBFIELD_BYTES <= end; at += SUBFIELD_BYTES + le16_at(b.p + at + 2)) {
        if (memcmp(b.p + at, "BC\x02", 4) || at + SUBFIELD_BYTES + 2 > end) continue;
        *bytes = le16_at(b.p + at + SUBFIELD_BYTES) + (size_t)1;
        if (*bytes < end + TRAILER_BYTES) return PIECE_NONE;
        return b.n < *bytes ? PIECE_NEEDS_MORE : PIECE_CUT;
    }
    return PIECE_NONE;
}

static enum piece_cut measure_member(const struct unpack *u, struct bytes b, size_t most, struct piece_size *m) {
    (void)u;
    (void)most; /* a member is small */
    enum piece_cut cut = find_end(b, &m->bytes);
    if (cut != PIECE_CUT) return cut;
    m->content = le32(b.p + m->bytes - 4);
    return m->content > MEMBER_MOST ? PIECE_NONE : PIECE_CUT;
}

static enum piece_result unpack_members(struct unpack_piece *p) {
    struct err none = {0};
    bool has_room = !buf_reserve(&p->out, p->content + 1, &none); /* never NULL, also for a member without content */
    struct libdeflate_decompressor *d = has_room ? libdeflate_alloc_decompressor() : NULL;
    enum libdeflate_result rc = d ? LIBDEFLATE_SUCCESS : LIBDEFLATE_BAD_DATA;
    for (size_t at = 0, used, given; !rc && at < p->in.n; at += used, p->out.n += given)
        rc = libdeflate_gzip_decompress_ex(d, p->in.p + at, p->in.n - at, p->out.p + p->out.n, p->content - p->out.n, &used,
                                           &given);
    libdeflate_free_decompressor(d);
    return rc ? PIECE_FAILED : PIECE_UNPACKED;
}

const struct unpack_piece_ops unpack_bgzip = {.thread_bytes = THREAD_BYTES, .measure = measure_member, .unpack = unpack_members};
