/* Bytes of a log, and cells of a compressed one. Bytes are a window that moves along; lengths are believed only as far as
 * bytes have come, so a wrong one leads to the end of the log and not to a lack of memory. A compressed cell has its lengths as
 * varints; row, family and qualifier are an index of a dictionary or bytes that enter it; value and tags are plain or compressed
 * as well. It comes out as a plain log would hold it. */
#include "base/instream.h"
#include "base/wire.h"
#include "formats/wal/wal.h"
#include "formats/wal/wal_cell.h"

/* ---- the window ---- */

enum { READ_BYTES = 256 * 1024 };

uint64_t wal_offset(const struct wal_stream *s) {
    return s->offset + s->at;
}

static void drop_used(struct wal_stream *s) {
    s->window.n -= s->at;
    s->offset += s->at;
    if (s->at) memmove(s->window.p, s->window.p + s->at, s->window.n);
    s->at = 0;
}

int wal_need(struct wal_stream *s, size_t n, struct err *err) {
    if (wal_left(s) >= n) return 1;
    drop_used(s);
    while (s->window.n < n && !s->at_end) {
        size_t more = n - s->window.n < READ_BYTES ? READ_BYTES : n - s->window.n;
        if (more > s->window.n + READ_BYTES) more = s->window.n + READ_BYTES;
        if (buf_reserve(&s->window, more, err)) return -1;
        ssize_t got = instream_read(s->in, s->window.p + s->window.n, more, err);
        if (got < 0) return -1;
        s->at_end = got == 0;
        s->window.n += (size_t)got;
    }
    return s->window.n >= n;
}

int wal_take_varint(struct wal_stream *s, uint64_t most, uint64_t *out, struct err *err) {
    struct bytes in;
    if (wal_need(s, PB_VARINT_MAX, err) < 0) return -1;
    in = bytes_of(s->window.p + s->at, wal_left(s));
    if (!pb_varint_take(&in, out)) return in.n < PB_VARINT_MAX ? 0 : err_set(err, ERR_INPUT, "a length is malformed");
    if (*out > most)
        return err_set(err, ERR_INPUT, "a length of %llu bytes, at most %llu are possible", (unsigned long long)*out,
                       (unsigned long long)most);
    s->at += wal_left(s) - in.n;
    return 1;
}

int wal_take_bytes(struct wal_stream *s, size_t n, struct bytes *out, struct err *err) {
    int rc = wal_need(s, n, err);
    if (rc != 1) return rc;
    *out = bytes_of(s->window.p + s->at, n);
    s->at += n;
    return 1;
}

int wal_take_message(struct wal_stream *s, size_t most, struct bytes *out, struct err *err) {
    uint64_t n;
    int rc = wal_take_varint(s, most, &n, err);
    return rc == 1 ? wal_take_bytes(s, (size_t)n, out, err) : rc;
}

/* ---- cells ---- */

enum { KEY_FIXED_BYTES = 12, NOT_IN_DICTIONARY = 0xff, TIMESTAMP_AND_TYPE = 9 };

struct cell_lengths {
    size_t key, value, tags;
};

static int take_length(struct wal_stream *s, size_t *out, struct err *err) {
    uint64_t v = 0;
    int rc = wal_take_varint(s, INT32_MAX, &v, err);
    *out = (size_t)v;
    return rc;
}

static int unknown_entry(unsigned index, const struct wal_dict *d, struct err *err) {
    return err_set(err, ERR_INPUT, "a cell names entry %u of a dictionary of %d", index, d->n);
}

/* Bytes of at most `most`, from the dictionary or on their way into it. */
static int take_entry(struct wal_stream *s, enum wal_dict_kind kind, size_t most, struct bytes *out, struct err *err) {
    struct wal_dict *d = &s->dicts.of[kind];
    size_t n;
    int rc = wal_need(s, 2, err);
    if (rc != 1) return rc;
    if (s->window.p[s->at] != NOT_IN_DICTIONARY) {
        unsigned index = be16(s->window.p + s->at);
        s->at += 2;
        if (!wal_dict_get(d, index, out)) return unknown_entry(index, d, err);
    } else {
        s->at++;
        if ((rc = take_length(s, &n, err)) != 1) return rc;
        if (n > most) return err_set(err, ERR_INPUT, "%zu bytes in a key where at most %zu fit", n, most);
        if ((rc = wal_take_bytes(s, n, out, err)) != 1) return rc;
        if (wal_dict_add(d, *out, &s->dicts.budget, err)) return -1;
    }
    return out->n <= most ? 1 : err_set(err, ERR_INPUT, "%zu bytes in a key where at most %zu fit", out->n, most);
}

/* Row, family and qualifier, one after the other. */
static int take_key(struct wal_stream *s, const struct cell_lengths *l, struct buf *out, struct err *err) {
    struct bytes b;
    size_t rest = l->key - KEY_FIXED_BYTES;
    int rc = take_entry(s, WAL_DICT_ROW, rest < INT16_MAX ? rest : INT16_MAX, &b, err);
    if (rc != 1) return rc;
    rest -= b.n;
    put_be16(out->p + out->n, (uint16_t)b.n);
    out->n += 2;
    if (buf_put(out, b.p, b.n, err)) return -1;
    rc = take_entry(s, WAL_DICT_FAMILY, rest < INT8_MAX ? rest : INT8_MAX, &b, err);
    if (rc != 1) return rc;
    rest -= b.n;
    if (buf_put_byte(out, (uint8_t)b.n, err) || buf_put(out, b.p, b.n, err)) return -1;
    rc = take_entry(s, WAL_DICT_QUALIFIER, rest, &b, err);
    if (rc != 1) return rc;
    if (b.n != rest) return err_set(err, ERR_INPUT, "the parts of a key have %zu bytes less than the key", rest - b.n);
    if (buf_put(out, b.p, b.n, err)) return -1;
    rc = wal_take_bytes(s, TIMESTAMP_AND_TYPE, &b, err);
    return rc == 1 ? (buf_put(out, b.p, b.n, err) ? -1 : 1) : rc;
}

static int take_value(struct wal_stream *s, size_t n, struct buf *out, struct err *err) {
    struct bytes b;
    size_t packed = n;
    int rc = s->values ? take_length(s, &packed, err) : 1;
    if (rc == 1 && packed > s->limit)
        return err_set(err, ERR_LIMIT, "a value of %zu bytes, memory allows %zu; give more --memory", packed, s->limit);
    if (rc == 1) rc = wal_take_bytes(s, packed, &b, err);
    if (rc != 1) return rc;
    if (!s->values) return buf_put(out, b.p, b.n, err) ? -1 : 1;
    if (buf_reserve(out, n + 1, err) || wal_value_unpack(s->values, b, out->p + out->n, n, err)) return -1;
    out->n += n;
    return 1;
}

/* One tag after the other, until they have l->tags bytes. */
static int take_tags(struct wal_stream *s, size_t n, struct buf *out, struct err *err) {
    struct bytes b;
    int rc = 1;
    if (!s->header.tags_compressed) {
        rc = wal_take_bytes(s, n, &b, err);
        return rc == 1 ? (buf_put(out, b.p, b.n, err) ? -1 : 1) : rc;
    }
    while (n) {
        if (n < 2) return err_set(err, ERR_INPUT, "tags do not end where they should");
        rc = take_entry(s, WAL_DICT_TAG, n - 2, &b, err);
        if (rc != 1) return rc;
        uint8_t head[2];
        put_be16(head, (uint16_t)b.n);
        if (buf_put(out, head, sizeof head, err) || buf_put(out, b.p, b.n, err)) return -1;
        n -= 2 + b.n;
    }
    return 1;
}

static int take_lengths(struct wal_stream *s, struct cell_lengths *l, struct err *err) {
    int rc = take_length(s, &l->key, err);
    if (rc == 1) rc = take_length(s, &l->value, err);
    if (rc == 1) rc = take_length(s, &l->tags, err);
    if (rc != 1) return rc;
    if (l->key < KEY_FIXED_BYTES || l->tags > UINT16_MAX ||
        l->key > KEY_FIXED_BYTES + INT16_MAX + INT8_MAX + (size_t)INT32_MAX / 2)
        return err_set(err, ERR_INPUT, "a cell with a key of %zu bytes and tags of %zu is impossible", l->key, l->tags);
    if (l->key > s->limit || l->value > s->limit - l->key)
        return err_set(err, ERR_LIMIT, "a cell of %zu bytes, memory allows %zu; give more --memory", l->key + l->value, s->limit);
    return 1;
}

int wal_cell_decode(struct wal_stream *s, struct buf *out, struct err *err) {
    struct cell_lengths l;
    size_t start = out->n;
    int rc = take_lengths(s, &l, err);
    if (rc != 1) return rc;
    if (buf_put_be32(out, 0, err) || buf_put_be32(out, (uint32_t)l.key, err) || buf_put_be32(out, (uint32_t)l.value, err) ||
        buf_reserve(out, 2, err))
        return -1;
    rc = take_key(s, &l, out, err);
    if (rc == 1) rc = take_value(s, l.value, out, err);
    if (rc == 1 && l.tags) {
        if (buf_reserve(out, 2, err)) return -1;
        put_be16(out->p + out->n, (uint16_t)l.tags);
        out->n += 2;
        rc = take_tags(s, l.tags, out, err);
    }
    if (rc == 1) put_be32(out->p + start, (uint32_t)(out->n - start - 4));
    return rc;
}
