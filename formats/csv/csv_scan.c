/* Splits delimited text into records and fields. The chunk cutter and the parser use this one state machine, so that they cannot
 * disagree about where a record ends. Delimiters and line ends are found 64 bytes at a time, as bits of a mask. */
#include "formats/csv/csv.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

uint64_t csv_mask_plain(const uint8_t *p, size_t n, uint8_t a, uint8_t b, uint8_t c) {
    uint64_t mask = 0;
    for (size_t i = 0; i < n; i++) mask |= (uint64_t)(p[i] == a || p[i] == b || p[i] == c) << i;
    return mask;
}

#if defined(__SSE2__)
static inline uint64_t mask_64(const uint8_t *p, uint8_t a, uint8_t b, uint8_t c) {
    const __m128i va = _mm_set1_epi8((char)a), vb = _mm_set1_epi8((char)b), vc = _mm_set1_epi8((char)c);
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * i));
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, va), _mm_cmpeq_epi8(v, vb)), _mm_cmpeq_epi8(v, vc));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(hit) << (16 * i);
    }
    return mask;
}
#else
static inline uint64_t mask_64(const uint8_t *p, uint8_t a, uint8_t b, uint8_t c) {
    return csv_mask_plain(p, 64, a, b, c);
}
#endif

static inline uint64_t mask_of(const uint8_t *p, size_t n, uint8_t a, uint8_t b, uint8_t c) {
    if (n >= 64) return mask_64(p, a, b, c);
    uint8_t t[64] = {0};
    if (n) memcpy(t, p, n);
    return mask_64(t, a, b, c) & ((UINT64_C(1) << n) - 1);
}

uint64_t csv_mask(const uint8_t *p, size_t n, uint8_t a, uint8_t b, uint8_t c) {
    return mask_of(p, n, a, b, c);
}

static inline void load_block(struct csv_scan *s, const uint8_t *p) {
    s->block = p;
    s->mask = mask_of(p, (size_t)(s->end - p), s->d.delimiter, '\n', s->d.cr_ends ? '\r' : '\n');
}

/* The next delimiter or line end, or the end. */
static inline const uint8_t *next_special(struct csv_scan *s) {
    while (!s->mask) {
        if (s->end - s->block <= 64) {
            s->block = s->end;
            return s->end;
        }
        load_block(s, s->block + 64);
    }
    const uint8_t *p = s->block + __builtin_ctzll(s->mask);
    s->mask &= s->mask - 1;
    return p;
}

/* Continues at p, which is not before anything already returned. */
static inline void seek(struct csv_scan *s, const uint8_t *p) {
    size_t ahead = (size_t)(p - s->block);
    if (ahead < 64)
        s->mask &= ~UINT64_C(0) << ahead;
    else
        load_block(s, p);
}

void csv_scan_init(struct csv_scan *s, const struct csv_dialect *d, struct bytes data) {
    *s = (struct csv_scan){.at = data.p, .end = data.p + data.n, .d = *d};
    load_block(s, data.p);
}

static void set_fault(struct csv_record *r, enum csv_fault fault, const uint8_t *at) {
    if (r->fault) return;
    r->fault = fault;
    r->fault_field = r->n_fields;
    r->fault_at = at;
}

/* A field that begins with a quote at p; returns where it ends (delimiter, line end or the end of data). */
static const uint8_t *take_quoted(struct csv_scan *s, const uint8_t *p, struct csv_field *f, struct csv_record *r) {
    const uint8_t *q = p + 1;
    *f = (struct csv_field){.p = q, .quoted = true};
    for (;;) {
        if (!(q = q < s->end ? memchr(q, s->d.quote, (size_t)(s->end - q)) : NULL)) {
            set_fault(r, CSV_OPEN_QUOTE, p);
            f->n = (size_t)(s->end - f->p);
            seek(s, s->end);
            return s->end;
        }
        if (q + 1 == s->end || q[1] != s->d.quote) break;
        f->doubled = r->doubled = true;
        q += 2;
    }
    f->n = (size_t)(q - f->p);
    seek(s, ++q);
    const uint8_t *e = next_special(s);
    bool crlf = e == q + 1 && *q == '\r' && (e == s->end || *e == '\n');
    if (e != q && !crlf) set_fault(r, CSV_AFTER_QUOTE, q);
    return e;
}

static inline bool is_line_end(const struct csv_scan *s, const uint8_t *e) {
    return *e == '\n' || (*e == '\r' && s->d.cr_ends);
}

/* The line end at e (or none, at the end of data): completes *r and moves on. A CR before it belongs to it. */
static inline void end_record(struct csv_scan *s, const uint8_t *e, struct csv_field *last, struct csv_record *r) {
    const uint8_t *start = s->at, *stop = e;
    bool cr = e < s->end && *e == '\r';
    s->at = e < s->end ? e + 1 : e;
    if (cr && s->at < s->end && *s->at == '\n') seek(s, ++s->at);
    /* CR as the very last byte: an LF may follow in bytes not seen yet. */
    r->complete = e < s->end && !(cr && s->at == s->end);
    bool open = last->quoted && last->p + last->n == stop; /* then a CR is content */
    if (stop > start && stop[-1] == '\r' && !open) {
        stop--;
        if (!last->quoted && last->n) last->n--;
    }
    r->raw = bytes_of(start, (size_t)(stop - start));
}

bool csv_scan_record(struct csv_scan *s, struct csv_field *fields, size_t max, struct csv_record *r) {
    const uint8_t *p = s->at;
    if (p == s->end) return false;
    *r = (struct csv_record){0};
    for (;;) {
        struct csv_field spare, *f = r->n_fields < max ? &fields[r->n_fields] : &spare;
        const uint8_t *e;
        if (p < s->end && *p == s->d.quote) {
            e = take_quoted(s, p, f, r);
        } else {
            e = next_special(s);
            *f = (struct csv_field){.p = p, .n = (size_t)(e - p)};
        }
        r->n_fields++;
        if (e == s->end || is_line_end(s, e)) {
            end_record(s, e, f, r);
            return true;
        }
        p = e + 1;
    }
}

/* The offset right after the last line end, for data without quotes. */
static size_t cut_lines(const struct csv_dialect *d, struct bytes data) {
    const uint8_t *e = data.n ? memrchr(data.p, '\n', data.n) : NULL;
    /* A CR as the last byte is left: it may be the first half of CRLF. */
    if (!e && d->cr_ends && data.n > 1) e = memrchr(data.p, '\r', data.n - 1);
    return e ? (size_t)(e + 1 - data.p) : 0;
}

size_t csv_cut(const void *dialect, struct bytes data) {
    const struct csv_dialect *d = dialect;
    const uint8_t *quote = d->quote >= 0 && data.n ? memchr(data.p, d->quote, data.n) : NULL;
    if (!quote) return cut_lines(d, data);
    size_t cut = cut_lines(d, bytes_of(data.p, (size_t)(quote - data.p)));
    struct csv_scan s;
    struct csv_record r;
    csv_scan_init(&s, d, bytes_of(data.p + cut, data.n - cut));
    while (csv_scan_record(&s, NULL, 0, &r) && r.complete) cut = (size_t)(s.at - data.p);
    return cut;
}

size_t csv_unquote(uint8_t *out, const struct csv_field *f, uint8_t quote) {
    size_t n = 0;
    const uint8_t *p = f->p, *end = p + f->n;
    while (p < end) {
        const uint8_t *q = memchr(p, quote, (size_t)(end - p));
        size_t run = (size_t)((q ? q + 1 : end) - p);
        memcpy(out + n, p, run);
        n += run;
        p += run + (q != NULL);
    }
    return n;
}
