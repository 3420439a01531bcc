#include "hfile/hfile_layout.h"

#include "base/bytes.h"
#include "hfile/hfile_state.h"

const struct trailer *hfile_trailer(const struct hfile *h) {
    return &h->trailer;
}

uint64_t hfile_open_plain_bytes(const struct hfile *h) {
    return h->open_plain_bytes + h->trailer.bytes;
}

int hfile_read_raw(const struct hfile *h, void *p, size_t n, uint64_t offset, struct err *err) {
    return hfile_bytes_read(&h->src.bytes, p, n, offset, h->path, err);
}

static int read_encoding_id(struct block_reader *r, uint64_t offset, unsigned *id, struct err *err) {
    struct block b;
    if (block_reader_get(r, offset, BLOCK_ANY, &b, err)) return -1;
    if (b.payload.n < 2) return block_fault(r->src, &b, err, "is too short for its encoding's id");
    *id = be16(b.payload.p);
    return 0;
}

int hfile_blocks_walk(const struct hfile *h, hfile_block_fn *visit, void *arg, struct err *err) {
    struct block_reader r;
    int rc = 0;
    block_reader_init(&r, &h->src, h->trailer_offset, 0);
    for (uint64_t at = 0; at < h->trailer_offset && !rc;) {
        struct block b;
        struct hfile_block out = {.offset = at};
        if ((rc = block_reader_header(&h->src, at, h->trailer_offset, &b, err))) break;
        out.disk_bytes = (uint32_t)(b.next - at);
        out.header = b.header;
        if (b.header.type == BLOCK_ENCODED_DATA) rc = read_encoding_id(&r, at, &out.encoding, err);
        if (!rc) rc = visit(arg, &out, err);
        at = b.next;
    }
    block_reader_release(&r);
    return rc;
}
