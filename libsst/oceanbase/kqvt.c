#include "oceanbase/kqvt.h"

#include "base/decimal.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline uint8_t *put_byte(uint8_t *out, uint8_t c) {
    if (c == '\\' || c == '\t' || c == '\n') {
        *out++ = '\\';
        c = c == '\t' ? 't' : c == '\n' ? 'n' : c;
    }
    *out++ = c;
    return out;
}

#ifdef __SSE2__
/* Copies 16 bytes as they are; the number of those before the first that is to be escaped. */
static inline size_t copy_16(uint8_t *out, const uint8_t *in) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)in);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
    _mm_storeu_si128((__m128i *)(void *)out, v);
    return (size_t)__builtin_ctz((unsigned)_mm_movemask_epi8(hit) | 1u << 16);
}
#endif

uint8_t *kqvt_escape(uint8_t *out, struct bytes in) {
    const uint8_t *p = in.p, *end = in.p + in.n;
#ifdef __SSE2__
    while (end - p >= 16) {
        size_t plain = copy_16(out, p);
        p += plain;
        out += plain;
        if (plain < 16) out = put_byte(out, *p++);
    }
#endif
    while (p < end) out = put_byte(out, *p++);
    return out;
}

uint8_t *kqvt_put_t(uint8_t *out, const struct kqvt_row *row) {
    if (!row->t_text.p) return decimal_put_i64(out, row->t);
    memcpy(out, row->t_text.p, row->t_text.n);
    return out + row->t_text.n;
}

int kqvt_put(struct buf *out, struct bytes key, const struct kqvt_row *row, bool ttl_column, struct err *err) {
    if (buf_reserve(out, key.n + 2 * (row->q.n + row->v.n) + 2 * DECIMAL_I64_BYTES + 5, err)) return -1;
    uint8_t *p = out->p + out->n;
    if (key.n) memcpy(p, key.p, key.n);
    p += key.n;
    *p++ = '\t';
    p = kqvt_escape(p, row->q);
    *p++ = '\t';
    p = kqvt_escape(p, row->v);
    *p++ = '\t';
    if (ttl_column) {
        if (row->has_ttl)
            p = decimal_put_i64(p, row->ttl_ms);
        else
            p = (uint8_t *)memcpy(p, "\\N", 2) + 2;
        *p++ = '\t';
    }
    p = kqvt_put_t(p, row);
    *p++ = '\n';
    out->n = (size_t)(p - out->p);
    return 0;
}

static uint8_t unescape(uint8_t c) {
    switch (c) {
    case 't': return '\t';
    case 'n': return '\n';
    case 'r': return '\r';
    case '0': return 0;
    case 'b': return '\b';
    case 'Z': return 0x1a;
    default: return c;
    }
}

struct field {
    struct bytes value;
    bool null;
};

enum { FIELDS_MAX = 5 };

/* Decodes the fields; their number comes out, FIELDS_MAX + 1 = more than that, 0 = a lone backslash at the end. */
static size_t split(struct bytes line, uint8_t *scratch, struct field out[FIELDS_MAX]) {
    uint8_t *w = scratch, *start = scratch;
    size_t n = 0;
    bool null = false;
    for (size_t i = 0;; i++) {
        if (i == line.n || line.p[i] == '\t') {
            if (n == FIELDS_MAX) return FIELDS_MAX + 1;
            out[n++] = (struct field){{start, (size_t)(w - start)}, null && w == start + 1};
            start = w;
            null = false;
            if (i == line.n) return n;
            continue;
        }
        uint8_t c = line.p[i];
        if (c == '\\') {
            if (++i == line.n) return 0;
            c = unescape(line.p[i]);
            null = w == start && c == 'N';
        }
        *w++ = c;
    }
}

const char *kqvt_parse(struct bytes line, bool ttl_column, uint8_t *scratch, struct kqvt_row *row) {
    struct field f[FIELDS_MAX];
    size_t want = ttl_column ? 5 : 4, n = split(line, scratch, f);
    if (n == 0) return "ends inside an escape";
    if (n != want) return n < want ? "too few fields" : "too many fields";
    for (size_t i = 0; i < n; i++)
        if (f[i].null && i != 3) return "a field is NULL";
    *row = (struct kqvt_row){.k = f[0].value, .q = f[1].value, .v = f[2].value};
    if (f[n - 1].null || !decimal_parse_i64(f[n - 1].value, &row->t)) return "T is not a number";
    row->has_ttl = ttl_column && !f[3].null;
    if (row->has_ttl && !decimal_parse_i64(f[3].value, &row->ttl_ms)) return "TTL is not a number";
    return NULL;
}
