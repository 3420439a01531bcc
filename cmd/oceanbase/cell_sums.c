/* Sums of cells as the database computes them too (check_sql.c). The text of a row is kept until the next row comes, and only
 * then its CRC is taken, so that the processor works on both at once. */
#include "cmd/oceanbase/cell_sums.h"
#include "cmd/oceanbase/kqvt.h"

#include "base/bytes.h"
#include "base/text.h"

#include <libdeflate.h>
#include <md5.h>

enum {
    HEAD_MAX = 5 * (DECIMAL_I64_BYTES + 1) + MD5_DIGEST_STRING_LENGTH,
    TOGETHER = CELL_SUMS_TEXT_BYTES - HEAD_MAX - COPY16_SPARE /* bytes of K and Q */
};

/* "len(K),len(Q),T,[TTL,]"; *t: where T is. */
static uint8_t *put_lengths(uint8_t *p, const struct kqvt_row *row, bool ttl_column, struct bytes *t) {
    p = decimal_put_u64(p, row->k.n);
    *p++ = ',';
    p = decimal_put_u64(p, row->q.n);
    *p++ = ',';
    t->p = p;
    p = kqvt_put_t(p, row);
    t->n = (size_t)(p - t->p);
    *p++ = ',';
    if (!ttl_column) return p;
    if (row->has_ttl)
        p = decimal_put_i64(p, row->ttl_ms);
    else
        *p++ = 'N';
    *p++ = ',';
    return p;
}

/* x up to V's checksum. */
static uint8_t *put_front(uint8_t *p, const struct kqvt_row *row, bool ttl_column, struct bytes *t) {
    static const uint8_t nothing[1];
    uint32_t crc = libdeflate_crc32(0, row->v.n ? row->v.p : nothing, row->v.n);
    p = decimal_put_u64(put_lengths(p, row, ttl_column, t), crc);
    *p++ = ',';
    return p;
}

static void add_crc(struct cell_sums *s, uint32_t crc) {
    s->crc_sum += crc;
    s->crc_xor ^= crc;
}

static uint32_t crc_more(uint32_t crc, struct bytes b) {
    return b.n ? libdeflate_crc32(crc, b.p, b.n) : crc;
}

/* Keys that do not fit what is held of a row. */
static void add_long(struct cell_sums *s, const struct kqvt_row *row, bool ttl_column) {
    uint8_t x[HEAD_MAX];
    struct bytes t;
    uint32_t crc = libdeflate_crc32(0, x, (size_t)(put_front(x, row, ttl_column, &t) - x));
    add_crc(s, crc_more(crc_more(crc, row->k), row->q));
    s->key_sum += crc_more(crc_more(crc_more(0, row->k), row->q), t);
}

void cell_sums_end(struct cell_sums *s, struct cell_sums_ahead *a) {
    if (a->n) {
        add_crc(s, libdeflate_crc32(0, a->text[a->at], a->n));
        s->key_sum += crc_more(crc_more(0, a->key), a->t);
    }
    a->n = 0;
}

static void add_fast(struct cell_sums *s, struct cell_sums_ahead *a, const struct kqvt_row *row, bool ttl_column) {
    if (row->k.n + row->q.n > TOGETHER) {
        add_long(s, row, ttl_column);
        return;
    }
    struct bytes t;
    uint8_t *x = a->text[!a->at], *p = put_front(x, row, ttl_column, &t), *end = copy16(copy16(p, row->k), row->q);
    cell_sums_end(s, a);
    a->at = !a->at;
    a->n = (size_t)(end - x);
    a->key = bytes_of(p, (size_t)(end - p));
    a->t = t;
}

static void strong(struct cell_sums *s, const struct kqvt_row *row, bool ttl_column) {
    struct bytes t;
    uint8_t head[HEAD_MAX], sum[MD5_DIGEST_LENGTH], *p = put_lengths(head, row, ttl_column, &t);
    MD5_CTX md5;
    MD5Init(&md5);
    if (row->v.n) MD5Update(&md5, row->v.p, row->v.n);
    MD5Final(sum, &md5);
    p = hex_write(p, bytes_of(sum, sizeof sum));
    *p++ = ',';
    MD5Init(&md5);
    MD5Update(&md5, head, (size_t)(p - head));
    if (row->k.n) MD5Update(&md5, row->k.p, row->k.n);
    if (row->q.n) MD5Update(&md5, row->q.p, row->q.n);
    MD5Final(sum, &md5);
    s->md5_sum += be64(sum) >> 4;
    s->md5_xor ^= be64(sum + 8);
}

void cell_sums_put(struct cell_sums *s, struct cell_sums_ahead *a, const struct kqvt_row *row, const struct cell_sums_opts *o) {
    add_fast(s, a, row, o->ttl_column);
    s->rows++;
    s->bytes += row->k.n + row->q.n + row->v.n;
    if (o->strong) strong(s, row, o->ttl_column);
}

void cell_sums_row(struct cell_sums *s, const struct kqvt_row *row, const struct cell_sums_opts *o) {
    struct cell_sums_ahead a;
    a.n = a.at = 0;
    cell_sums_put(s, &a, row, o);
    cell_sums_end(s, &a);
}

void cell_sums_add(struct cell_sums *a, const struct cell_sums *b) {
    a->rows += b->rows;
    a->bytes += b->bytes;
    a->crc_sum += b->crc_sum;
    a->crc_xor ^= b->crc_xor;
    a->md5_sum += b->md5_sum;
    a->md5_xor ^= b->md5_xor;
    a->key_sum += b->key_sum;
}

bool cell_sums_eq(const struct cell_sums *a, const struct cell_sums *b) {
    return a->rows == b->rows && a->bytes == b->bytes && a->crc_sum == b->crc_sum && a->crc_xor == b->crc_xor &&
           a->md5_sum == b->md5_sum && a->md5_xor == b->md5_xor;
}
