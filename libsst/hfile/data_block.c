/* A data block without its encoding: it then holds plain cells (cell/keyvalue.h, then the sequence id), and all that
 * reads cells knows no encodings. An encoded block names its encoding in two bytes; what file info says of it is only a name. */
#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "hfile/data_block.h"
#include "hfile/hfile_state.h"
#include "hfile/encoding.h"

static int decode(const struct hfile *h, struct block *b, struct buf *decoded, struct err *err) {
    struct bytes e = b->payload;
    if (e.n < 2) return block_fault(&h->src, b, err, "is too short for its encoding's id");
    unsigned id = be16(e.p);
    const struct encoding *enc = encoding_by_id(id);
    if (!enc || !enc->decode)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: block at %llu has data block encoding %s (id %u), which is not supported; set "
                       "DATA_BLOCK_ENCODING of the family to NONE and major-compact the table",
                       h->path, (unsigned long long)b->offset, encoding_name(id) ? encoding_name(id) : "unknown", id);
    if (enc->decode(bytes_of(e.p + 2, e.n - 2), &h->layout, h->src.max_block_bytes, decoded, err))
        return err_prefix(err, "%s: block at %llu", h->path, (unsigned long long)b->offset);
    if (buf_reserve(decoded, BLOCK_SPARE_BYTES, err)) return -1;
    b->payload = buf_bytes(decoded);
    return 0;
}

int data_block_open(const struct hfile *h, struct block *b, struct buf *decoded, struct err *err) {
    if (b->header.type == BLOCK_ENCODED_DATA && decode(h, b, decoded, err)) return -1;
    return b->payload.n ? 0 : block_fault(&h->src, b, err, "holds no cells");
}

/* The key of the first or last cell in b, which is read. */
static int copy_key(const struct hfile *h, struct block *b, bool last, struct buf *decoded, struct buf *key, struct err *err) {
    if (block_chain(b->header.type) != BLOCK_DATA) return block_fault(&h->src, b, err, "is no data block");
    if (data_block_open(h, b, decoded, err)) return -1;
    struct bytes in = b->payload;
    struct plain_cell c;
    struct kv_key k;
    do {
        if (!plain_cell_take(&in, &h->layout, &c)) return block_fault(&h->src, b, err, "a cell is malformed");
    } while (last && in.n);
    if (!kv_key_parse(c.key, &k)) return block_fault(&h->src, b, err, "the key of a cell is malformed");
    return buf_copy(key, c.key, err);
}

static int read_key(const struct hfile *h, uint64_t offset, bool last, struct buf *key, struct err *err) {
    struct block_reader r;
    struct block b;
    struct buf decoded = {0};
    block_reader_init(&r, &h->src, h->trailer.load_on_open_offset, 0);
    int rc = block_reader_get(&r, offset, BLOCK_ANY, &b, err);
    if (!rc) rc = copy_key(h, &b, last, &decoded, key, err);
    buf_free(&decoded);
    block_reader_release(&r);
    return rc;
}

int data_block_first_key(const struct hfile *h, uint64_t offset, struct buf *key, struct err *err) {
    return read_key(h, offset, false, key, err);
}

int data_block_last_key(const struct hfile *h, uint64_t offset, struct buf *key, struct err *err) {
    return read_key(h, offset, true, key, err);
}
