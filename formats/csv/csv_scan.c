/* Splits delimited text into records and fields. Delimiters, line ends and quotes are found 64 bytes at a time, as bits of a mask
 * (csv_mask.c). Where chunks of text end is csv_cut.c's matter. */
#include "formats/csv/csv.h"
#include "formats/csv/csv_general.h"
#include "formats/csv/csv_scan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The masks of the whole blocks from p on, as many as the window holds; of what is left at the end, one. */
static void load_window(struct csv_scan *s, const uint8_t *p) {
    const uint8_t bytes[3] = {s->delimiter, '\n', s->cr_ends ? '\r' : '\n'};
    size_t left = (size_t)(s->end - p), n = left / CSV_MASK_BYTES;
    s->window = p;
    s->n_masks = (unsigned)(n < CSV_WINDOW ? n : CSV_WINDOW);
    if (n) {
        s->find(p, s->n_masks, bytes, s->masks);
        return;
    }
    s->n_masks = 1;
    s->masks[0] = csv_mask_of(s->find, bytes_of(p, left), bytes);
}

/* Goes to the block that p is in, of the window or of a new one that begins at p. */
static inline void load_block(struct csv_scan *s, const uint8_t *p) {
    size_t i = (size_t)(p - s->window) / CSV_MASK_BYTES;
    if (i >= s->n_masks) {
        load_window(s, p);
        i = 0;
    }
    s->block = s->window + i * CSV_MASK_BYTES;
    s->mask = s->masks[i] & ~UINT64_C(0) << (p - s->block);
}

/* The next delimiter or line end, or the end. */
static inline const uint8_t *next_special(struct csv_scan *s) {
    while (!s->mask) {
        if (s->end - s->block <= CSV_MASK_BYTES) {
            s->block = s->end;
            return s->end;
        }
        load_block(s, s->block + CSV_MASK_BYTES);
    }
    const uint8_t *p = s->block + __builtin_ctzll(s->mask);
    s->mask &= s->mask - 1;
    return p;
}

/* Continues at p, which is not before anything already returned. */
static inline void seek(struct csv_scan *s, const uint8_t *p) {
    size_t ahead = (size_t)(p - s->block);
    if (ahead < CSV_MASK_BYTES)
        s->mask &= ~UINT64_C(0) << ahead;
    else
        load_block(s, p);
}

void csv_scan_by(struct csv_scan *s, const struct dialect *d, struct bytes data, csv_mask_fn *find) {
    s->at = data.p;
    s->end = data.p + data.n;
    s->delimiter = d->delimiter[0];
    s->quote = d->quote;
    s->cr_ends = csv_cr_ends(d);
    s->find = find;
    s->ends_with_delimiter = d->trailing == DIALECT_TRAILING_YES;
    s->dialect = NULL;
    if (csv_is_general(d)) {
        csv_general_init(s, d);
        return;
    }
    load_window(s, data.p);
    load_block(s, data.p);
}

void csv_scan_init(struct csv_scan *s, const struct dialect *d, struct bytes data) {
    csv_scan_by(s, d, data, csv_mask_best());
}

static void set_fault(struct csv_record *r, enum csv_fault fault, const uint8_t *at) {
    if (r->fault) return;
    r->fault = fault;
    r->fault_field = r->n_fields;
    r->fault_at = at;
}

/* The quote that closes the field whose content begins at q; NULL: none does. */
static const uint8_t *find_closing(const struct csv_scan *s, const uint8_t *q, bool *doubled) {
    const uint8_t quote = (uint8_t)s->quote, bytes[3] = {quote, quote, quote};
    while (q < s->end) {
        size_t left = (size_t)(s->end - q), skip = 0;
        uint64_t mask = csv_mask_of(s->find, bytes_of(q, left), bytes);
        for (; mask; mask &= ~(UINT64_C(3) << skip)) {
            skip = (size_t)__builtin_ctzll(mask);
            if (q + skip + 1 == s->end || q[skip + 1] != quote) return q + skip;
            *doubled = true;
        }
        if (left <= CSV_MASK_BYTES) break;
        q += skip == CSV_MASK_BYTES - 1 ? CSV_MASK_BYTES + 1 : CSV_MASK_BYTES; /* a pair may end in the next block */
    }
    return NULL;
}

/* A field that begins with a quote at p; returns where it ends (delimiter, line end or the end of data). */
static const uint8_t *take_quoted(struct csv_scan *s, const uint8_t *p, struct csv_field *f, struct csv_record *r) {
    *f = (struct csv_field){.p = p + 1, .quoted = true};
    const uint8_t *q = find_closing(s, f->p, &f->doubled);
    r->doubled |= f->doubled;
    if (!q) {
        set_fault(r, CSV_OPEN_QUOTE, p);
        f->n = (size_t)(s->end - f->p);
        seek(s, s->end);
        return s->end;
    }
    f->n = (size_t)(q - f->p);
    seek(s, ++q);
    const uint8_t *e = next_special(s);
    bool crlf = e == q + 1 && *q == '\r' && (e == s->end || *e == '\n');
    if (e != q && !crlf) set_fault(r, CSV_AFTER_QUOTE, q);
    return e;
}

static inline bool is_line_end(const struct csv_scan *s, const uint8_t *e) {
    return *e == '\n' || (*e == '\r' && s->cr_ends);
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
    if (s->dialect) return csv_general_record(s, fields, max, r);
    if (p == s->end) return false;
    *r = (struct csv_record){0};
    for (;;) {
        struct csv_field spare, *f = r->n_fields < max ? &fields[r->n_fields] : &spare;
        const uint8_t *e;
        if (p < s->end && *p == s->quote) {
            e = take_quoted(s, p, f, r);
        } else {
            e = next_special(s);
            *f = (struct csv_field){.p = p, .n = (size_t)(e - p)};
        }
        r->n_fields++;
        if (e == s->end || is_line_end(s, e)) {
            end_record(s, e, f, r);
            if (s->ends_with_delimiter) csv_end_trailing(r, f);
            return true;
        }
        p = e + 1;
    }
}

/* Sixteen bytes are copied, then the first quote of them is looked for: it stays, and the one that follows it is left out. */
size_t csv_unquote(uint8_t *out, const struct csv_field *f, uint8_t quote) {
    size_t n = 0;
    const uint8_t *p = f->p, *end = p + f->n;
#ifdef __SSE2__
    const __m128i quotes = _mm_set1_epi8((char)quote);
    while (end - p >= 16) { /* what is written is never ahead of what was read: out has room */
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        unsigned hit = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, quotes));
        _mm_storeu_si128((__m128i *)(void *)(out + n), v);
        size_t run = hit ? (size_t)__builtin_ctz(hit) + 1 : 16;
        n += run;
        p += run + (hit != 0);
    }
#endif
    while (p < end) {
        const uint8_t *q = memchr(p, quote, (size_t)(end - p));
        size_t run = (size_t)((q ? q + 1 : end) - p);
        memcpy(out + n, p, run);
        n += run;
        p += run + (q != NULL);
    }
    return n;
}
