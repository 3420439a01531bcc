/* Finds where a chunk of delimited text ends: after its last whole record. One thread does this for all others, so it must be
 * quick.
 *
 * Text without quotes is cut after its last line end. With quotes, a line end counts if the quotes before it are even in number.
 * That is what the scanner would say as long as each quote that opens stands at the start of a field, or is the second of a
 * pair: otherwise quotes may be ordinary bytes, and the scanner is asked instead.
 *
 * A dialect that csv_general.c reads is cut after its last line end without an escape before it if it has no quotes, and where
 * CR ends no records; otherwise the scanner is asked. */
#include "formats/csv/csv.h"
#include "formats/csv/csv_cut.h"
#include "formats/csv/csv_scan.h"

/* The offset right after the last line end, for data without quotes. */
static size_t cut_lines(const struct dialect *d, struct bytes data) {
    const uint8_t *e = data.n ? memrchr(data.p, '\n', data.n) : NULL;
    /* A CR as the last byte is left: it may be the first half of CRLF. */
    if (!e && csv_cr_ends(d) && data.n > 1) e = memrchr(data.p, '\r', data.n - 1);
    return e ? (size_t)(e + 1 - data.p) : 0;
}

static size_t cut_by_records(const struct dialect *d, struct bytes data, csv_mask_fn *find) {
    size_t cut = 0;
    struct csv_scan s;
    struct csv_record r;
    csv_scan_by(&s, d, data, find);
    while (csv_scan_record(&s, NULL, 0, &r) && r.complete) cut = (size_t)(s.at - data.p);
    return cut;
}

/* The offset right after the last line end that no escape is before: without quotes, a record ends there. */
static size_t cut_unescaped_lines(const struct dialect *d, struct bytes data) {
    for (size_t n = data.n; n;) {
        const uint8_t *e = memrchr(data.p, '\n', n);
        size_t escapes = 0;
        if (!e) return 0;
        while (d->escape >= 0 && e - escapes > data.p && e[-1 - (ptrdiff_t)escapes] == d->escape) escapes++;
        if (escapes % 2 == 0) return (size_t)(e + 1 - data.p);
        n = (size_t)(e - data.p);
    }
    return 0;
}

/* Cuts text of a dialect that csv_general.c reads. */
static size_t cut_general(const struct dialect *d, struct bytes data, csv_mask_fn *find) {
    const bool lines_end_at_lf = d->lines == DIALECT_LINES_LF || d->lines == DIALECT_LINES_AUTO;
    return d->quote < 0 && lines_end_at_lf ? cut_unescaped_lines(d, data) : cut_by_records(d, data, find);
}

/* State at the beginning of a block of CSV_MASK_BYTES. */
struct parity {
    uint64_t inside; /* all bits: the block begins inside quotes; none: it does not */
    uint64_t starts; /* 1: a quote as its first byte may open a field */
    size_t cut;
};

/* Each bit of the result: whether the bits up to it, itself included, are odd in number. */
static uint64_t parity_of(uint64_t bits) {
    for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

/* The block at `at`, of which these bytes are quotes, line ends, and bytes that a quote may follow. false: a quote opens in the
 * middle of a field. */
static bool count_block(struct parity *p, size_t at, uint64_t quotes, uint64_t ends, uint64_t before) {
    uint64_t inside = parity_of(quotes) ^ p->inside, outer_ends = ends & ~inside;
    if (quotes & inside & ~(before << 1 | p->starts)) return false;
    if (outer_ends) p->cut = at + CSV_MASK_BYTES - (size_t)__builtin_clzll(outer_ends);
    p->inside = inside >> 63 ? ~UINT64_C(0) : 0;
    p->starts = before >> 63;
    return true;
}

/* Cuts by the parity of quotes; false: only the scanner knows what the quotes are. */
static bool cut_by_parity(const struct dialect *d, struct bytes data, csv_mask_fn *find, size_t *cut) {
    const uint8_t quote = (uint8_t)d->quote, q[3] = {quote, quote, quote}, e[3] = {'\n', '\n', '\n'},
                  b[3] = {d->delimiter[0], '\n', quote};
    uint64_t quotes[CSV_WINDOW], ends[CSV_WINDOW], before[CSV_WINDOW];
    struct parity p = {.starts = 1};
    size_t at = 0;
    while (data.n - at >= CSV_MASK_BYTES) {
        size_t n = (data.n - at) / CSV_MASK_BYTES;
        if (n > CSV_WINDOW) n = CSV_WINDOW;
        find(data.p + at, n, q, quotes);
        find(data.p + at, n, e, ends);
        find(data.p + at, n, b, before);
        for (size_t i = 0; i < n; i++, at += CSV_MASK_BYTES)
            if (!count_block(&p, at, quotes[i], ends[i], before[i])) return false;
    }
    struct bytes rest = bytes_of(data.p + at, data.n - at);
    if (!count_block(&p, at, csv_mask_of(find, rest, q), csv_mask_of(find, rest, e), csv_mask_of(find, rest, b))) return false;
    *cut = p.cut;
    return true;
}

size_t csv_cut_by(const struct dialect *d, struct bytes data, csv_mask_fn *find) {
    if (csv_is_general(d)) return cut_general(d, data, find);
    const uint8_t *quote = d->quote >= 0 && data.n ? memchr(data.p, d->quote, data.n) : NULL;
    if (!quote) return cut_lines(d, data);
    size_t plain = cut_lines(d, bytes_of(data.p, (size_t)(quote - data.p))), cut;
    struct bytes quoted = bytes_of(data.p + plain, data.n - plain);
    if (csv_cr_ends(d) || !cut_by_parity(d, quoted, find, &cut)) cut = cut_by_records(d, quoted, find);
    return plain + cut;
}

size_t csv_cut(const void *dialect, struct bytes data) {
    return csv_cut_by(dialect, data, csv_mask_best());
}
