/* Shared by PREFIX, DIFF and FAST_DIFF (HBase's BufferedDataBlockEncoder). After the two id bytes:
 *   i32 bytes without encoding | cells, each as its difference from the cell before, then
 *     [c7 tagsLen | tags, or what the dictionary of tags makes of them] | [vlong mvcc]
 * A c7 is a varint of 7 bits a byte, least significant first. State never crosses a block. */
#ifndef HFILE_DELTA_H
#define HFILE_DELTA_H

#include "base/bytes.h"
#include "base/wire.h"
#include "hfile/encoding.h"

/* --- tags through a dictionary ---
 *
 * HBase's TagCompressionContext over an LRUDictionary of 127 entries. Each tag is either new: 0xFF, varint length, type byte and
 * value, or an entry: its index as u16. When all entries are taken, a new tag replaces the one whose last use is longest ago.
 * Cleared at every block. Entries borrow their bytes: from the block that is read, or from the cells that are written. */

enum { TAG_DICTIONARY_ENTRIES = 127 };

struct tag_dictionary {
    unsigned n; /* the only field that has to be set: 0 = empty */
    uint8_t newest, oldest;
    uint8_t newer[TAG_DICTIONARY_ENTRIES], older[TAG_DICTIONARY_ENTRIES]; /* neighbours in order of use */
    uint32_t hashes[TAG_DICTIONARY_ENTRIES];
    struct bytes tags[TAG_DICTIONARY_ENTRIES]; /* type byte + value */
};

/* Most bytes an array of n bytes takes: each tag gives its u16 length for 0xFF and a length of up to 3 bytes. */
static inline size_t tag_dictionary_bound(size_t n) {
    return 2 * n;
}
/* A valid tag array (u16 length, type byte, value each) to p; returns the end. */
uint8_t *tag_dictionary_put(struct tag_dictionary *d, struct bytes tags, uint8_t *p);
/* Takes so many tags from *in as make exactly n bytes of array at p. NULL, or what is wrong with them. */
const char *tag_dictionary_take(struct tag_dictionary *d, struct bytes *in, uint8_t *p, size_t n);

enum {
    DELTA_KEY_MIN_BYTES = 12,            /* rowLen, familyLen, timestamp, type */
    DELTA_STAMP_BYTES = 9,               /* timestamp and type: the end of every key */
    DELTA_COPY_BYTES = 16,               /* short copies of keys are made in such steps: this much room follows what is written */
    DELTA_ROOM_BYTES = 16 + COPY64_SPARE /* after a cell's value: for no tags, a short sequence id, and steps of copies */
};

/* --- decoding --- */

struct delta_decoder {
    struct bytes in; /* what is left */
    const uint8_t *start;
    const struct cell_layout *layout;
    struct buf *plain;
    size_t limit, max_bytes; /* plain may grow to limit: what the block says, at most max_bytes */
    uint32_t said;
    /* The cell before, in plain. */
    size_t key_at, key_n, value_n, row_n;
    bool any;
    struct tag_dictionary dictionary;
    struct err *err;
};

/* Sets err, saying where. -1. */
int delta_fault(const struct delta_decoder *d, const char *what);
int delta_decode_begin(struct delta_decoder *d, struct bytes encoded, const struct cell_layout *layout, size_t max_bytes,
                       struct buf *plain, struct err *err);
int delta_decode_end(const struct delta_decoder *d);
/* Makes room for n more bytes and DELTA_ROOM_BYTES. */
int delta_grow(const struct delta_decoder *d, size_t n);
/* Decodes the end of a cell, after its value: tags and sequence id. */
int delta_take_tail(struct delta_decoder *d);

static inline int delta_take_byte(struct delta_decoder *d, uint8_t *v) {
    *v = 0;
    if (!d->in.n) return delta_fault(d, "it ends too early");
    *v = *d->in.p++;
    d->in.n--;
    return 0;
}

static inline int delta_take_c7(struct delta_decoder *d, size_t *v) {
    uint64_t t;
    *v = 0;
    if (d->in.n && d->in.p[0] < 0x80) {
        *v = *d->in.p++;
        d->in.n--;
        return 0;
    }
    if (!pb_varint_take(&d->in, &t) || t > INT32_MAX) return delta_fault(d, "a length in it is malformed");
    *v = (size_t)t;
    return 0;
}

/* n bytes of the block to p; they are there. */
static inline void delta_take(struct delta_decoder *d, uint8_t *p, size_t n) {
    if (d->in.n - n >= COPY64_SPARE)
        copy64(p, bytes_of(d->in.p, n));
    else
        memcpy(p, d->in.p, n);
    d->in = bytes_of(d->in.p + n, d->in.n - n);
}

/* n bytes of the cell before: at least 8 + DELTA_KEY_MIN_BYTES before p, so that no step overlaps. Up to
 * DELTA_COPY_BYTES - 1 bytes too many are read and written. */
static inline void delta_copy(uint8_t *p, const uint8_t *from, size_t n) {
    for (size_t i = 0; i < n; i += DELTA_COPY_BYTES) memcpy(p + i, from + i, DELTA_COPY_BYTES);
}

/* Room for a cell up to its value, its lengths written. NULL: err is set. */
static inline uint8_t *delta_begin_cell(const struct delta_decoder *d, size_t key_n, size_t value_n) {
    struct buf *b = d->plain;
    size_t n = 8 + key_n + value_n;
    if ((n > d->limit - b->n || b->cap - b->n < n + DELTA_ROOM_BYTES) && delta_grow(d, n)) return NULL;
    return put_be32(put_be32(b->p + b->n, (uint32_t)key_n), (uint32_t)value_n);
}

/* Most tails: no tags, and a sequence id of one byte. false: another one, nothing is taken. */
static inline bool delta_take_short_tail(struct delta_decoder *d) {
    size_t tags = d->layout->tags, mvcc = d->layout->mvcc, n = 2 * tags + mvcc;
    uint8_t *p = d->plain->p + d->plain->n;
    if (d->in.n < 2 || d->limit - d->plain->n < n) return false;
    if (tags && d->in.p[0]) return false;
    if (mvcc && (int8_t)d->in.p[tags] < -112) return false;
    p[0] = p[1] = 0;
    if (mvcc) p[2 * tags] = d->in.p[tags];
    d->plain->n += n;
    d->in = bytes_of(d->in.p + tags + mvcc, d->in.n - tags - mvcc);
    return true;
}

/* The cell begun is complete up to its value. */
static inline int delta_end_cell(struct delta_decoder *d, size_t key_n, size_t value_n, size_t row_n) {
    d->key_at = d->plain->n + 8;
    d->key_n = key_n;
    d->value_n = value_n;
    d->row_n = row_n;
    d->any = true;
    d->plain->n = d->key_at + key_n + value_n;
    return delta_take_short_tail(d) ? 0 : delta_take_tail(d);
}

/* --- DIFF's and FAST_DIFF's keys: the row and qualifier that differ; the block holds the family once --- */

struct delta_key {
    size_t n, common; /* of the key; bytes up to the qualifier shared with the key before, 0 for the first */
    size_t row_n;
    size_t literal; /* bytes of row length, row and qualifier that are written here */
    bool same_row;  /* then `common` covers the family too */
};

/* n and common are set: checks them, and that the bytes are there; sets the rest. */
int delta_key_check(const struct delta_decoder *d, struct bytes family, struct delta_key *k);
/* Writes all but timestamp and type; returns the end. */
uint8_t *delta_key_take(struct delta_decoder *d, struct bytes family, const struct delta_key *k, uint8_t *p);

/* --- encoding --- */

struct delta_encoder {
    struct bytes in;
    const uint8_t *start, *end;
    const struct cell_layout *layout;
    struct buf *out;
    struct plain_cell cells[2], *cell, *before; /* before == NULL: `cell` is the first */
    struct tag_dictionary dictionary;
    struct err *err;
};

/* The next cell becomes e->cell, with room in `out` for the longest form of it. 1 there, 0 end, -1 error. */
int delta_next(struct delta_encoder *e);
int delta_encode_begin(struct delta_encoder *e, struct bytes plain, const struct cell_layout *layout, struct buf *out,
                       struct err *err);
/* All cells of plain; put_cell writes e->cell. */
static inline int delta_encode(struct bytes plain, const struct cell_layout *layout, struct buf *out,
                               void (*put_cell)(struct delta_encoder *e), struct err *err) {
    struct delta_encoder e;
    int more;
    if (delta_encode_begin(&e, plain, layout, out, err)) return -1;
    while ((more = delta_next(&e)) == 1) put_cell(&e);
    return more;
}
/* Tags and sequence id of the cell to p, which ends it. */
void delta_put_tail(struct delta_encoder *e, uint8_t *p);

static inline uint8_t *delta_put_c7(uint8_t *p, size_t v) {
    if (v >= 0x80) return p + pb_varint_put(p, v);
    *p = (uint8_t)v;
    return p + 1;
}

/* n bytes of the plain block to p. */
static inline uint8_t *delta_put(const struct delta_encoder *e, uint8_t *p, const uint8_t *from, size_t n) {
    if (n <= 4 * DELTA_COPY_BYTES && e->end - from >= 5 * DELTA_COPY_BYTES)
        for (size_t i = 0; i < n; i += DELTA_COPY_BYTES) memcpy(p + i, from + i, DELTA_COPY_BYTES);
    else
        memcpy(p, from, n);
    return p + n;
}

/* Bytes of row and qualifier that the key shares with the one before it. */
size_t delta_common(const struct delta_encoder *e);
/* Row and qualifier without the first `common` bytes of the key, and without the family. */
uint8_t *delta_put_key(const struct delta_encoder *e, size_t common, uint8_t *p);

static inline const uint8_t *delta_stamp(const struct plain_cell *c) {
    return c->key.p + c->key.n - DELTA_STAMP_BYTES;
}
static inline uint8_t delta_type(const struct plain_cell *c) {
    return c->key.p[c->key.n - 1];
}

/* --- FAST_DIFF, whose encoder has a file of its own (fast_diff_encode.c) --- */

enum {
    FAST_DIFF_TS_COMMON = 0x07, /* how many of the timestamp's first bytes */
    FAST_DIFF_SAME_KEY_N = 0x08,
    FAST_DIFF_SAME_VALUE_N = 0x10,
    FAST_DIFF_SAME_TYPE = 0x20,
    FAST_DIFF_SAME_VALUE = 0x40
};

/* struct encoding's encode. */
int fast_diff_encode(struct bytes plain, const struct cell_layout *layout, struct buf *encoded, struct err *err);

#endif
