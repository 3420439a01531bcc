/* Shared by PREFIX, DIFF and FAST_DIFF: walking an encoded block cell by cell with the cell before at hand, and tags through a
 * dictionary. Copies are made in steps of 16 bytes where there is room for them; that is why buffers keep some. */
#include "hfile/delta.h"

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/cell.h"

#include <xxhash.h>

/* ---- tags through a dictionary ---- */

enum { TAG_IS_NEW = 0xff };

static void unlink_entry(struct tag_dictionary *d, uint8_t i) {
    if (i == d->newest)
        d->newest = d->older[i];
    else
        d->older[d->newer[i]] = d->older[i];
    if (i == d->oldest)
        d->oldest = d->newer[i];
    else
        d->newer[d->older[i]] = d->newer[i];
}

static void make_newest(struct tag_dictionary *d, uint8_t i) {
    d->older[i] = d->newest;
    d->newer[d->newest] = i;
    d->newest = i;
}

static void use_tag(struct tag_dictionary *d, uint8_t i) {
    if (i == d->newest) return;
    unlink_entry(d, i);
    make_newest(d, i);
}

static uint32_t hash_of(struct bytes tag) {
    return (uint32_t)XXH3_64bits(tag.p, tag.n);
}

static void add_tag(struct tag_dictionary *d, struct bytes tag, uint32_t hash) {
    if (!tag.n) return;
    uint8_t i = d->n < TAG_DICTIONARY_ENTRIES ? (uint8_t)d->n++ : d->oldest;
    if (d->n == 1)
        d->newest = d->oldest = i;
    else if (i == d->oldest)
        use_tag(d, i);
    else
        make_newest(d, i);
    d->tags[i] = tag;
    d->hashes[i] = hash;
}

/* Returns the index of the tag, or -1. */
static int find_tag(const struct tag_dictionary *d, struct bytes tag, uint32_t hash) {
    for (unsigned i = 0; i < d->n; i++)
        if (d->hashes[i] == hash && bytes_eq(d->tags[i], tag)) return (int)i;
    return -1;
}

uint8_t *tag_dictionary_put(struct tag_dictionary *d, struct bytes tags, uint8_t *p) {
    while (tags.n >= 2) {
        struct bytes tag = bytes_of(tags.p + 2, be16(tags.p));
        if (tag.n > tags.n - 2) tag.n = tags.n - 2;
        tags = bytes_of(tag.p + tag.n, tags.n - 2 - tag.n);
        uint32_t hash = hash_of(tag);
        int i = find_tag(d, tag, hash);
        if (i >= 0) {
            use_tag(d, (uint8_t)i);
            p = put_be16(p, (uint16_t)i);
            continue;
        }
        add_tag(d, tag, hash);
        *p++ = TAG_IS_NEW;
        p += pb_varint_put(p, tag.n);
        if (tag.n) memcpy(p, tag.p, tag.n);
        p += tag.n;
    }
    return p;
}

static const char *take_new(struct tag_dictionary *d, struct bytes *in, struct bytes *tag) {
    uint64_t n;
    if (!pb_varint_take(in, &n) || n > in->n) return "a tag reaches beyond the block";
    *tag = bytes_of(in->p, (size_t)n);
    *in = bytes_of(in->p + n, in->n - (size_t)n);
    add_tag(d, *tag, 0); /* found by index only */
    return NULL;
}

static const char *take_old(struct tag_dictionary *d, uint8_t high, struct bytes *in, struct bytes *tag) {
    if (!in->n) return "a tag reaches beyond the block";
    unsigned i = (unsigned)high << 8 | in->p[0];
    *in = bytes_of(in->p + 1, in->n - 1);
    if (i >= d->n) return "a tag names an entry that its dictionary does not have";
    *tag = d->tags[i];
    use_tag(d, (uint8_t)i);
    return NULL;
}

const char *tag_dictionary_take(struct tag_dictionary *d, struct bytes *in, uint8_t *p, size_t n) {
    while (n) {
        struct bytes tag;
        if (!in->n) return "its tags reach beyond the block";
        uint8_t first = in->p[0];
        *in = bytes_of(in->p + 1, in->n - 1);
        const char *fault = first == TAG_IS_NEW ? take_new(d, in, &tag) : take_old(d, first, in, &tag);
        if (fault) return fault;
        if (n < 2 || tag.n > n - 2) return "its tags are longer than they should be";
        p = put_be16(p, (uint16_t)tag.n);
        if (tag.n) memcpy(p, tag.p, tag.n);
        p += tag.n;
        n -= 2 + tag.n;
    }
    return NULL;
}

enum { HEAD_BYTES = 4, CREDIBLE_FACTOR = 16, TAIL_BYTES = 2 + HADOOP_VLONG_MAX };

/* --- decoding --- */

int delta_fault(const struct delta_decoder *d, const char *what) {
    return err_set(d->err, ERR_INPUT, "encoded cell at byte %zu: %s", (size_t)(d->in.p - d->start), what);
}

int delta_grow(const struct delta_decoder *d, size_t n) {
    if (n <= d->limit - d->plain->n) return buf_reserve(d->plain, n + DELTA_ROOM_BYTES, d->err);
    if (d->said > d->max_bytes)
        return err_set(d->err, ERR_LIMIT, "without its encoding it takes %u bytes, the limit is %zu", d->said, d->max_bytes);
    return delta_fault(d, "the block says that its cells take fewer bytes");
}

int delta_decode_begin(struct delta_decoder *d, struct bytes encoded, const struct cell_layout *layout, size_t max_bytes,
                       struct buf *plain, struct err *err) {
    if (encoded.n < HEAD_BYTES) return err_set(err, ERR_INPUT, "too short for the size of its cells");
    d->in = bytes_of(encoded.p + HEAD_BYTES, encoded.n - HEAD_BYTES);
    d->start = encoded.p;
    d->layout = layout;
    d->plain = plain;
    d->said = be32(encoded.p);
    d->max_bytes = max_bytes;
    d->limit = d->said < max_bytes ? d->said : max_bytes;
    d->key_at = d->key_n = d->value_n = d->row_n = 0;
    d->any = false;
    d->dictionary.n = 0;
    d->err = err;
    buf_clear(plain);
    if (d->said > INT32_MAX) return err_set(err, ERR_INPUT, "the size of its cells is negative");
    size_t credible = CREDIBLE_FACTOR * encoded.n;
    return buf_reserve(plain, (d->limit < credible ? d->limit : credible) + DELTA_ROOM_BYTES, err);
}

int delta_decode_end(const struct delta_decoder *d) {
    if (d->plain->n == d->said) return 0;
    return err_set(d->err, ERR_INPUT, "its cells take %zu bytes without encoding, it says %u", d->plain->n, d->said);
}

static int take_tags(struct delta_decoder *d) {
    struct buf *b = d->plain;
    size_t n;
    if (delta_take_c7(d, &n)) return -1;
    if (n > TAGS_MAX_BYTES) return delta_fault(d, "its tags are longer than tags can be");
    if (!d->layout->tags_compressed && n > d->in.n) return delta_fault(d, "its tags reach beyond the block");
    if (delta_grow(d, 2 + n)) return -1;
    uint8_t *p = put_be16(b->p + b->n, (uint16_t)n);
    b->n += 2 + n;
    if (!n) return 0;
    if (d->layout->tags_compressed) {
        const char *fault = tag_dictionary_take(&d->dictionary, &d->in, p, n);
        return fault ? delta_fault(d, fault) : 0;
    }
    delta_take(d, p, n);
    return 0;
}

/* Unchanged: the scan decodes it. */
static int take_mvcc(struct delta_decoder *d) {
    struct bytes rest = d->in;
    int64_t v;
    if (!hadoop_vlong_take(&rest, &v)) return delta_fault(d, "its sequence id is malformed");
    size_t n = (size_t)(rest.p - d->in.p);
    if (delta_grow(d, n)) return -1;
    delta_take(d, d->plain->p + d->plain->n, n);
    d->plain->n += n;
    return 0;
}

int delta_take_tail(struct delta_decoder *d) {
    if (d->layout->tags && take_tags(d)) return -1;
    return d->layout->mvcc ? take_mvcc(d) : 0;
}

/* The row's length where the key before gives only its first `common` bytes. */
static int take_row_length(const struct delta_decoder *d, struct delta_key *k) {
    const uint8_t *before = d->plain->p + d->key_at;
    if (k->common < 2 && d->in.n < 2 - k->common) return delta_fault(d, "its row's length reaches beyond the block");
    uint8_t high = k->common > 0 ? before[0] : d->in.p[0];
    uint8_t low = k->common > 1 ? before[1] : d->in.p[1 - k->common];
    k->row_n = (size_t)high << 8 | low;
    return 0;
}

int delta_key_check(const struct delta_decoder *d, struct bytes family, struct delta_key *k) {
    if (k->n < DELTA_KEY_MIN_BYTES + family.n) return delta_fault(d, "its key is too short");
    size_t head = k->n - DELTA_STAMP_BYTES;
    if (k->common > head || (d->any ? k->common > d->key_n - DELTA_STAMP_BYTES : k->common > 0))
        return delta_fault(d, "it shares more bytes than there are");
    k->same_row = d->any && k->common >= 2 + d->row_n;
    if (k->same_row) {
        k->row_n = d->row_n;
        k->literal = head - k->common;
        if (k->common < 3 + k->row_n + family.n) return delta_fault(d, "it shares a part of its family");
    } else {
        if (take_row_length(d, k)) return -1;
        size_t prefix = 2 + k->row_n + 1 + family.n;
        if (prefix > head || k->common > 2 + k->row_n) return delta_fault(d, "its row reaches beyond its key");
        k->literal = head - k->common - 1 - family.n;
    }
    return k->literal > d->in.n ? delta_fault(d, "its key reaches beyond the block") : 0;
}

uint8_t *delta_key_take(struct delta_decoder *d, struct bytes family, const struct delta_key *k, uint8_t *p) {
    size_t literal = k->literal;
    delta_copy(p, d->plain->p + d->key_at, k->common);
    p += k->common;
    if (!k->same_row) {
        size_t row = 2 + k->row_n - k->common;
        delta_take(d, p, row);
        p += row;
        literal -= row;
        *p++ = (uint8_t)family.n;
        memcpy(p, family.p, family.n);
        p += family.n;
    }
    delta_take(d, p, literal);
    return p + literal;
}

/* --- encoding --- */

int delta_encode_begin(struct delta_encoder *e, struct bytes plain, const struct cell_layout *layout, struct buf *out,
                       struct err *err) {
    e->in = plain;
    e->start = plain.p;
    e->end = plain.p + plain.n;
    e->layout = layout;
    e->out = out;
    e->cell = e->before = NULL;
    e->dictionary.n = 0;
    e->err = err;
    if (plain.n > INT32_MAX) return err_set(err, ERR_LIMIT, "cells of %zu bytes in one block", plain.n);
    return buf_put_be32(out, (uint32_t)plain.n, err);
}

int delta_next(struct delta_encoder *e) {
    enum { LENGTHS_BYTES = 5 * PB_VARINT_MAX + 16 };
    if (!e->in.n) return 0;
    e->before = e->cell;
    struct plain_cell *c = e->cell = &e->cells[e->cell == e->cells];
    size_t at = (size_t)(e->in.p - e->start);
    if (!plain_cell_take(&e->in, e->layout, c)) return err_set(e->err, ERR_INTERNAL, "malformed cell at payload byte %zu", at);
    size_t most = c->key.n + c->value.n + LENGTHS_BYTES + c->mvcc.n;
    if (e->layout->tags) most += tag_dictionary_bound(c->tags.n);
    return e->out->cap - e->out->n < most && buf_reserve(e->out, most, e->err) ? -1 : 1;
}

void delta_put_tail(struct delta_encoder *e, uint8_t *p) {
    const struct plain_cell *c = e->cell;
    if (e->layout->tags) {
        p = delta_put_c7(p, c->tags.n);
        p = e->layout->tags_compressed ? tag_dictionary_put(&e->dictionary, c->tags, p) : delta_put(e, p, c->tags.p, c->tags.n);
    }
    p = delta_put(e, p, c->mvcc.p, c->mvcc.n);
    e->out->n = (size_t)(p - e->out->p);
}

size_t delta_common(const struct delta_encoder *e) {
    struct bytes a = e->cell->key, b = e->before->key;
    a.n -= DELTA_STAMP_BYTES;
    b.n -= DELTA_STAMP_BYTES;
    return bytes_lcp(a, b);
}

uint8_t *delta_put_key(const struct delta_encoder *e, size_t common, uint8_t *p) {
    const struct plain_cell *c = e->cell;
    if (common < c->qualifier_at) {
        if (common < c->family_at) p = delta_put(e, p, c->key.p + common, c->family_at - common);
        common = c->qualifier_at;
    }
    return delta_put(e, p, c->key.p + common, c->key.n - DELTA_STAMP_BYTES - common);
}
