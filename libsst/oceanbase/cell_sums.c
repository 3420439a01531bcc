#include "oceanbase/cell_sums.h"

#include "base/hex.h"
#include "base/be.h"

#include <libdeflate.h>
#include <md5.h>

enum { HEAD_MAX = 5 * (DECIMAL_I64_BYTES + 1) + MD5_DIGEST_STRING_LENGTH, TOGETHER = 512 };

/* "len(K),len(Q),T,[TTL,]" */
static uint8_t *put_head(uint8_t *p, const struct kqvt_row *row, bool ttl_column) {
    p = decimal_put_u64(p, row->k.n);
    *p++ = ',';
    p = decimal_put_u64(p, row->q.n);
    *p++ = ',';
    p = kqvt_put_t(p, row);
    *p++ = ',';
    if (!ttl_column) return p;
    if (row->has_ttl)
        p = decimal_put_i64(p, row->ttl_ms);
    else
        *p++ = 'N';
    *p++ = ',';
    return p;
}

static uint8_t *copy(uint8_t *p, struct bytes b) {
    if (b.n) memcpy(p, b.p, b.n);
    return p + b.n;
}

static uint32_t fast(const struct kqvt_row *row, bool ttl_column) {
    uint8_t x[HEAD_MAX + TOGETHER], *p = put_head(x, row, ttl_column);
    p = decimal_put_u64(p, libdeflate_crc32(0, row->v.n ? row->v.p : x, row->v.n));
    *p++ = ',';
    if (row->k.n + row->q.n <= TOGETHER) {
        p = copy(copy(p, row->k), row->q);
        return libdeflate_crc32(0, x, (size_t)(p - x));
    }
    uint32_t crc = libdeflate_crc32(0, x, (size_t)(p - x));
    if (row->k.n) crc = libdeflate_crc32(crc, row->k.p, row->k.n);
    return row->q.n ? libdeflate_crc32(crc, row->q.p, row->q.n) : crc;
}

static void strong(struct cell_sums *s, const struct kqvt_row *row, bool ttl_column) {
    uint8_t head[HEAD_MAX], sum[MD5_DIGEST_LENGTH], *p = put_head(head, row, ttl_column);
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

void cell_sums_row(struct cell_sums *s, const struct kqvt_row *row, const struct cell_sums_opts *o) {
    uint32_t c = fast(row, o->ttl_column);
    s->rows++;
    s->bytes += row->k.n + row->q.n + row->v.n;
    s->crc_sum += c;
    s->crc_xor ^= c;
    if (o->strong) strong(s, row, o->ttl_column);
}

void cell_sums_add(struct cell_sums *a, const struct cell_sums *b) {
    a->rows += b->rows;
    a->bytes += b->bytes;
    a->crc_sum += b->crc_sum;
    a->crc_xor ^= b->crc_xor;
    a->md5_sum += b->md5_sum;
    a->md5_xor ^= b->md5_xor;
}

bool cell_sums_eq(const struct cell_sums *a, const struct cell_sums *b) {
    return a->rows == b->rows && a->bytes == b->bytes && a->crc_sum == b->crc_sum && a->crc_xor == b->crc_xor &&
           a->md5_sum == b->md5_sum && a->md5_xor == b->md5_xor;
}
