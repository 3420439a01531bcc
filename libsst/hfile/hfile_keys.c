/* Keys in messages, and keys between keys: an index entry need not be a key of the file, only no larger than its block's first
 * and larger than the last before it. HBase shortens them part by part (CellComparator.getMidpoint), and so do we. */
#include "hfile/hfile_keys.h"

#include "base/text.h"
#include "cell/keyvalue.h"

#include <stdint.h>

const char *key_text_hex(struct bytes b, char out[KEY_TEXT_BYTES]) {
    char *p = (char *)hex_write((uint8_t *)out, bytes_of(b.p, b.n < KEY_TEXT_SHOWN ? b.n : KEY_TEXT_SHOWN));
    if (b.n > KEY_TEXT_SHOWN) {
        memcpy(p, "...", 3);
        p += 3;
    }
    *p = 0;
    return out;
}

/* ---- between two keys ---- */

/* The shortest bytes between left (exclusive) and right (inclusive) as HBase picks them: the common prefix and
 * left's next byte plus one; or left and a zero byte. p == NULL: they are equal. */
static int key_between(struct bytes left, struct bytes right, struct buf *scratch, struct bytes *out, struct err *err) {
    *out = (struct bytes){0};
    if (bytes_eq(left, right)) return 0;
    size_t n = bytes_lcp(left, right);
    buf_clear(scratch);
    if (buf_put(scratch, left.p, n, err)) return -1;
    if (buf_put_byte(scratch, n < left.n ? (uint8_t)(left.p[n] + 1) : 0, err)) return -1;
    *out = buf_bytes(scratch);
    return 0;
}

static int put_key(struct buf *out, struct bytes row, struct bytes family, struct bytes qualifier, struct err *err) {
    buf_clear(out);
    size_t n = kv_key_size(row.n, family.n, qualifier.n);
    if (buf_reserve(out, n, err)) return -1;
    kv_put_key(out->p, row, family, qualifier, INT64_MAX, CELL_MAXIMUM);
    out->n = n;
    return 0;
}

static int put_between(struct buf *out, const struct kv_key *l, const struct kv_key *r, struct bytes first, struct buf *scratch,
                       struct err *err) {
    const struct bytes none = {0};
    struct bytes mid;
    if (key_between(l->row, r->row, scratch, &mid, err)) return -1;
    if (mid.p) return put_key(out, mid, none, none, err);
    if (key_between(l->family, r->family, scratch, &mid, err)) return -1;
    if (mid.p) return put_key(out, r->row, mid, none, err);
    if (key_between(l->qualifier, r->qualifier, scratch, &mid, err)) return -1;
    if (mid.p) return put_key(out, r->row, r->family, mid, err);
    return buf_copy(out, first, err);
}

int separator_put(struct buf *out, struct bytes last, struct bytes first, struct err *err) {
    struct kv_key l, r;
    if (!last.n || !kv_key_parse(last, &l) || !kv_key_parse(first, &r)) return buf_copy(out, first, err);
    struct buf scratch = {0};
    int rc = put_between(out, &l, &r, first, &scratch, err);
    buf_free(&scratch);
    return rc;
}
