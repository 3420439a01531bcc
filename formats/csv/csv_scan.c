/* Splits delimited text into records and fields. The chunk cutter and the parser use this one state machine, so that they cannot
 * disagree about where a record ends. Delimiters and line ends are found 64 bytes at a time, as bits of a mask (csv_mask.c). */
#include "formats/csv/csv.h"

/* The masks of the whole blocks from p on, as many as the window holds; of what is left at the end, one. */
static void load_window(struct csv_scan *s, const uint8_t *p) {
    const uint8_t bytes[3] = {s->d.delimiter, '\n', s->d.cr_ends ? '\r' : '\n'};
    size_t left = (size_t)(s->end - p), n = left / CSV_MASK_BYTES;
    s->window = p;
    s->n_masks = (unsigned)(n < CSV_WINDOW ? n : CSV_WINDOW);
    if (n) {
        s->find(p, s->n_masks, bytes, s->masks);
        return;
    }
    uint8_t t[CSV_MASK_BYTES] = {0};
    if (left) memcpy(t, p, left);
    s->n_masks = 1;
    s->find(t, 1, bytes, s->masks);
    s->masks[0] &= (UINT64_C(1) << left) - 1;
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

void csv_scan_by(struct csv_scan *s, const struct csv_dialect *d, struct bytes data, csv_mask_fn *find) {
    s->at = data.p;
    s->end = data.p + data.n;
    s->d = *d;
    s->find = find;
    load_window(s, data.p);
    load_block(s, data.p);
}

void csv_scan_init(struct csv_scan *s, const struct csv_dialect *d, struct bytes data) {
    csv_scan_by(s, d, data, csv_mask_best());
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
