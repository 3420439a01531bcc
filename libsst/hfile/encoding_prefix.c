/* PREFIX (HBase's PrefixKeyDeltaEncoder). Per cell:
 *   c7 length of the key's end | c7 valueLen | c7 bytes shared with the key before | end of the key | value
 * The shared part may cover timestamp and type. */
#include "hfile/delta.h"

static int take_cell(struct delta_decoder *d) {
    size_t end, value_n, common;
    if (delta_take_c7(d, &end) || delta_take_c7(d, &value_n) || delta_take_c7(d, &common)) return -1;
    if (common > d->key_n) return delta_fault(d, "it shares more bytes than there are");
    if (common + end < DELTA_KEY_MIN_BYTES) return delta_fault(d, "its key is too short");
    if (end > d->in.n || value_n > d->in.n - end) return delta_fault(d, "it reaches beyond the block");
    uint8_t *p = delta_begin_cell(d, common + end, value_n);
    if (!p) return -1;
    delta_copy(p, d->plain->p + d->key_at, common);
    delta_take(d, p + common, end);
    delta_take(d, p + common + end, value_n);
    return delta_end_cell(d, common + end, value_n, 0);
}

static int decode(struct bytes encoded, const struct cell_layout *layout, size_t max_bytes, struct buf *plain, struct err *err) {
    struct delta_decoder d;
    if (delta_decode_begin(&d, encoded, layout, max_bytes, plain, err)) return -1;
    while (d.in.n)
        if (take_cell(&d)) return -1;
    return delta_decode_end(&d);
}

/* A shorter qualifier that is the beginning of the longer one ends what is shared: HBase compares part by part. */
static size_t common_of(const struct delta_encoder *e) {
    struct bytes a = e->cell->key, b = e->before->key;
    size_t n = delta_common(e), head = a.n - DELTA_STAMP_BYTES;
    if (n < head || a.n != b.n) return n;
    return n + bytes_lcp(bytes_of(a.p + n, DELTA_STAMP_BYTES), bytes_of(b.p + n, DELTA_STAMP_BYTES));
}

static void put_cell(struct delta_encoder *e) {
    const struct plain_cell *c = e->cell;
    size_t common = e->before ? common_of(e) : 0;
    uint8_t *p = delta_put_c7(e->out->p + e->out->n, c->key.n - common);
    p = delta_put_c7(delta_put_c7(p, c->value.n), common);
    p = delta_put(e, p, c->key.p + common, c->key.n - common);
    delta_put_tail(e, delta_put(e, p, c->value.p, c->value.n));
}

static int encode(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, struct err *err) {
    return delta_encode(plain, layout, encoded, put_cell, err);
}

const struct encoding encoding_prefix = {.id = HFILE_ENC_PREFIX, .name = "PREFIX", .decode = decode, .encode = encode};
