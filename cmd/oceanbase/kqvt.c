/* Lines of load files. Escaping checks 16 bytes at a time and copies them whole, so a line without special bytes costs little
 * more than its copy; parsing decodes into memory of the caller. */
#include "cmd/oceanbase/kqvt.h"

#include "base/bytes.h"
#include "base/text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool is_special(uint8_t c) {
    return c == '\\' || c == '\t' || c == '\n';
}

static inline uint8_t *put_special(uint8_t *out, uint8_t c) {
    *out++ = '\\';
    *out++ = c == '\t' ? 't' : c == '\n' ? 'n' : c;
    return out;
}

#ifdef __SSE2__
/* A bit for each byte that is to be escaped. */
static inline unsigned find_special(struct word16 w) {
    __m128i v = _mm_set_epi64x((int64_t)w.high, (int64_t)w.low);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
    return (unsigned)_mm_movemask_epi8(hit);
}

/* All but the last 15 bytes at most: *in and the result are where it ended. */
static inline uint8_t *escape_16s(uint8_t *out, const uint8_t **in, const uint8_t *end) {
    const uint8_t *p = *in;
    while (end - p >= 16) {
        struct word16 w = load16(p);
        unsigned special = find_special(w);
        store16(out, w);
        size_t plain = 16;
        if (__builtin_expect(special != 0, 0)) plain = (size_t)__builtin_ctz(special);
        p += plain;
        out += plain;
        if (special) out = put_special(out, *p++);
    }
    *in = p;
    return out;
}

/* The last bytes, when none of them is special. Of the 16 that end the field those before p are in front of out already: they are
 * not special either. */
static inline bool put_plain_end(uint8_t *out, const uint8_t *p, struct bytes field) {
    size_t left = (size_t)(field.p + field.n - p), back = field.n >= 16 ? 16 - left : 0;
    struct word16 w = back ? load16(p - back) : load16_short(p, left);
    if (find_special(w)) return false;
    store16(out - back, w);
    return true;
}
#endif

uint8_t *kqvt_escape(uint8_t *out, struct bytes in) {
    const uint8_t *p = in.p, *end = in.p + in.n;
#ifdef __SSE2__
    out = escape_16s(out, &p, end);
    if (put_plain_end(out, p, in)) return out + (end - p);
#endif
    for (; p < end; p++) {
        if (is_special(*p))
            out = put_special(out, *p);
        else
            *out++ = *p;
    }
    return out;
}

uint8_t *kqvt_put_t(uint8_t *out, const struct kqvt_row *row) {
    if (!row->t_text.p) return decimal_put_i64(out, row->t);
    memcpy(out, row->t_text.p, DECIMAL_I64_BYTES);
    return out + row->t_text.n;
}

int kqvt_put(struct buf *out, struct bytes key, const struct kqvt_row *row, bool ttl_column, struct err *err) {
    if (buf_reserve(out, key.n + 2 * (row->q.n + row->v.n) + COPY16_SPARE + 2 * DECIMAL_I64_BYTES + 5, err)) return -1;
    uint8_t *p = out->p + out->n;
    p = copy16(p, key);
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
static size_t split_fields(struct bytes line, uint8_t *scratch, struct field out[FIELDS_MAX]) {
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
    size_t want = ttl_column ? 5 : 4, n = split_fields(line, scratch, f);
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
