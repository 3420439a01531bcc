/* Cells as CSV: that of RFC 4180, but lines end in LF. Bytes are unchanged, or in hex. Most of a line is copied: what it has in
 * common with lines before it, and fields without special characters, which are searched while they are copied. */
#include "cmd/export/export_csv.h"

#include "base/text.h"
#include "cell/cell.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum {
    NAME_MAX_BYTES = 20, /* of a type */
    SEPARATORS = 7       /* with the line's end */
};

/* ---- fields ---- */

static size_t field_bound(struct bytes b) {
    return 2 * b.n + 2;
}

/* A blank at either end: some readers would drop it. */
static inline bool ends_in_blank(struct bytes b) {
    return b.n && (b.p[0] == ' ' || b.p[b.n - 1] == ' ');
}

#ifdef __SSE2__
static inline __m128i vector_of(struct word16 w) {
    return _mm_set_epi64x((int64_t)w.high, (int64_t)w.low);
}

/* A bit for each byte that needs quotes around its field. */
static inline unsigned find_special(__m128i v) {
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\r'))));
}

/* Writes a field without quotes; false: it needs them, and what is at p is to be written anew. */
static inline bool put_unquoted(uint8_t *p, struct bytes b) {
    size_t n = b.n & ~(size_t)15;
    for (size_t i = 0; i < n; i += 16) {
        struct word16 w = load16(b.p + i);
        if (find_special(vector_of(w))) return false;
        store16(p + i, w);
    }
    struct word16 w = load16_short(b.p + n, b.n - n);
    store16(p + n, w);
    return !find_special(vector_of(w)) && !ends_in_blank(b);
}

#else
static bool needs_quotes(struct bytes b) {
    for (size_t i = 0; i < b.n; i++)
        if (b.p[i] == ',' || b.p[i] == '"' || b.p[i] == '\n' || b.p[i] == '\r') return true;
    return ends_in_blank(b);
}

static bool put_unquoted(uint8_t *p, struct bytes b) {
    if (needs_quotes(b)) return false;
    copy16(p, b);
    return true;
}
#endif

static uint8_t *put_quoted(uint8_t *p, struct bytes b) {
    *p++ = '"';
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '"') *p++ = '"';
        *p++ = b.p[i];
    }
    *p++ = '"';
    return p;
}

/* Copies in steps of 16 bytes, the last of which may read and write too many. */
static inline uint8_t *put_steps(uint8_t *p, const uint8_t *from, size_t n) {
    for (size_t i = 0; i < n; i += 16) store16(p + i, load16(from + i));
    return p + n;
}

/* Writes a field of at most field_bound bytes; COPY16_SPARE more may be overwritten. */
static inline uint8_t *put_field(uint8_t *p, struct bytes b, bool hex) {
    if (hex) return hex_write(p, b);
    return put_unquoted(p, b) ? p + b.n : put_quoted(p, b);
}

/* ---- values ----
 *
 * Where VALUE_SPARE_BYTES may be read after a value, it is copied and searched in steps of so many bytes: nothing depends on the
 * length of a short one, which the processor would have to guess. */

/* A step to p: a bit for each byte that needs quotes around the field. */
typedef uint64_t copy_fn(uint8_t *p, const uint8_t *in);
/* A bit for each quote. */
typedef uint64_t quotes_fn(const uint8_t *in);

#ifdef __SSE2__
static inline uint64_t copy_sse2(uint8_t *p, const uint8_t *in) {
    uint64_t special = 0;
    for (unsigned i = 0; i < VALUE_SPARE_BYTES; i += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(in + i));
        _mm_storeu_si128((__m128i *)(p + i), v);
        special |= (uint64_t)find_special(v) << i;
    }
    return special;
}

static inline uint64_t quotes_sse2(const uint8_t *in) {
    uint64_t quotes = 0;
    for (unsigned i = 0; i < VALUE_SPARE_BYTES; i += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(in + i));
        quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"'))) << i;
    }
    return quotes;
}

/* No two special bytes end in the same four bits, so one of them at most has to be compared with a byte: that of its last four
 * bits. A byte of 0 or above 0x7f is compared with 1 or 0. */
__attribute__((target("avx2"))) static inline uint64_t copy_avx2(uint8_t *p, const uint8_t *in) {
    const __m256i by_low = _mm256_setr_epi8(1, 0, '"', 0, 0, 0, 0, 0, 0, 0, '\n', 0, ',', '\r', 0, 0, 1, 0, '"', 0, 0, 0, 0, 0, 0,
                                            0, '\n', 0, ',', '\r', 0, 0);
    uint64_t special = 0;
    for (unsigned i = 0; i < VALUE_SPARE_BYTES; i += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(in + i));
        const __m256i hit = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(by_low, v), v);
        _mm256_storeu_si256((__m256i *)(p + i), v);
        special |= (uint64_t)(unsigned)_mm256_movemask_epi8(hit) << i;
    }
    return special;
}

__attribute__((target("avx2"))) static inline uint64_t quotes_avx2(const uint8_t *in) {
    uint64_t quotes = 0;
    for (unsigned i = 0; i < VALUE_SPARE_BYTES; i += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(in + i));
        quotes |= (uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'))) << i;
    }
    return quotes;
}
#endif

/* Writes a value without quotes; false: it needs them, and what is at p is to be written anew. */
static ALWAYS_INLINE bool put_value_unquoted(uint8_t *p, struct bytes b, copy_fn *copy) {
    size_t i = 0;
    for (; b.n - i >= VALUE_SPARE_BYTES; i += VALUE_SPARE_BYTES)
        if (copy(p + i, b.p + i)) return false;
    return !(copy(p + i, b.p + i) & ((UINT64_C(1) << (b.n - i)) - 1)) && !ends_in_blank(b);
}

/* Writes a value from quote to quote. */
static ALWAYS_INLINE uint8_t *put_value_quoted(uint8_t *p, struct bytes b, quotes_fn *find) {
    *p++ = '"';
    for (size_t i = 0, n; i < b.n; i += n) {
        const uint8_t *from = b.p + i, *all = from;
        uint64_t quotes = find(all);
        n = VALUE_SPARE_BYTES;
        if (b.n - i < n) {
            n = b.n - i;
            quotes &= (UINT64_C(1) << n) - 1;
        }
        for (; quotes; quotes &= quotes - 1) {
            const uint8_t *end = all + __builtin_ctzll(quotes) + 1;
            p = put_steps(p, from, (size_t)(end - from));
            *p++ = '"';
            from = end;
        }
        p = put_steps(p, from, (size_t)(all + n - from));
    }
    *p++ = '"';
    return p;
}

/* Writes a value of at most field_bound bytes; VALUE_SPARE_BYTES more may be overwritten. */
static ALWAYS_INLINE uint8_t *put_value(uint8_t *p, struct bytes b, copy_fn *copy, quotes_fn *find) {
    return put_value_unquoted(p, b, copy) ? p + b.n : put_value_quoted(p, b, find);
}

/* ---- timestamps ---- */

enum { STAMP_BITS = 3, STAMPS = 1 << STAMP_BITS, STAMP_BYTES = 48 /* at most, without a TTL */ };

/* Timestamp, type and TTL, with a comma before and after each: the text between qualifier and value. Cells of a row share
 * timestamps, so the last ones are kept. */
struct stamp {
    int64_t ts_ms;
    uint8_t type, n; /* n 0: none */
    uint8_t text[STAMP_BYTES + COPY16_SPARE];
};

static uint8_t *put_stamp(uint8_t *p, const struct cell *c) {
    int64_t ttl_ms;
    *p++ = ',';
    p = decimal_put_i64(p, c->ts_ms);
    *p++ = ',';
    p = copy16(p, bytes_str(cell_type_name(c->type)));
    *p++ = ',';
    if (c->tags.n && cell_ttl_ms(c->tags, &ttl_ms)) p = decimal_put_i64(p, ttl_ms);
    *p++ = ',';
    return p;
}

static inline uint8_t *put_known_stamp(uint8_t *p, const struct cell *c, struct stamp stamps[STAMPS]) {
    struct stamp *s = &stamps[(uint64_t)c->ts_ms * UINT64_C(0x9e3779b97f4a7c15) >> (64 - STAMP_BITS)];
    if (c->tags.n) return put_stamp(p, c);
    if (!s->n || s->ts_ms != c->ts_ms || s->type != c->type) {
        s->ts_ms = c->ts_ms;
        s->type = c->type;
        s->n = (uint8_t)(put_stamp(s->text, c) - s->text);
    }
    memcpy(p, s->text, STAMP_BYTES);
    return p + s->n;
}

/* ---- lines ---- */

static uint8_t *put_key(uint8_t *p, const struct row_part *part, bool hex) {
    p = put_field(p, part->row, hex);
    *p++ = ',';
    p = put_field(p, part->family, hex);
    *p++ = ',';
    return p;
}

/* copy: NULL, or how values are searched, where bytes after them may be read. */
static ALWAYS_INLINE int put_lines(struct buf *out, const struct row_part *part, bool hex, copy_fn *copy, quotes_fn *find,
                                   struct err *err) {
    size_t fixed = field_bound(part->row) + field_bound(part->family) + 2 * DECIMAL_I64_BYTES + NAME_MAX_BYTES + SEPARATORS +
                   VALUE_SPARE_BYTES;
    struct stamp stamps[STAMPS];
    size_t first = out->n, key_n = 0;
    for (size_t i = 0; i < STAMPS; i++) stamps[i].n = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        size_t most = fixed + field_bound(c->qualifier) + field_bound(c->value);
        if (out->cap - out->n < most && buf_reserve(out, most, err)) return -1;
        uint8_t *line = out->p + out->n, *p = line;
        if (i) {
            p = put_steps(p, out->p + first, key_n);
        } else {
            p = put_key(p, part, hex);
            key_n = (size_t)(p - line);
        }
        p = put_field(p, c->qualifier, hex);
        p = put_known_stamp(p, c, stamps);
        p = copy ? put_value(p, c->value, copy, find) : put_field(p, c->value, hex);
        *p++ = '\n';
        out->n = (size_t)(p - out->p);
    }
    return 0;
}

static int put_plain(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    return put_lines(out, part, hex, NULL, NULL, err);
}

#ifdef __SSE2__
static int put_sse2(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    if (hex || !part->spare) return put_plain(out, part, hex, err);
    return put_lines(out, part, false, copy_sse2, quotes_sse2, err);
}

__attribute__((target("avx2,bmi"))) static int put_avx2(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    if (hex || !part->spare) return put_plain(out, part, hex, err);
    return put_lines(out, part, false, copy_avx2, quotes_avx2, err);
}
#endif

export_put_fn *export_csv_by(enum export_vector v) {
#ifdef __SSE2__
    if (v == EXPORT_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? put_avx2 : NULL;
    if (v == EXPORT_SSE2) return put_sse2;
#endif
    return v == EXPORT_PLAIN ? put_plain : NULL;
}

static int put_csv(struct buf *out, const struct row_part *part, bool hex, struct err *err) {
    export_put_fn *best = NULL;
    for (unsigned v = EXPORT_VECTORS; !best && v-- > 0;) best = export_csv_by((enum export_vector)v);
    return best(out, part, hex, err);
}

const struct export_form export_csv = {
    .name = "csv", .head = "row,family,qualifier,ts,type,ttl_ms,value\n", .put = put_csv, .has_hex = true};
