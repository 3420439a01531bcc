/* Splits delimited text into records and fields. The chunk cutter and the parser use this one state machine, so that they
 * cannot disagree about where a record ends.
 *
 * A quote opens only at the start of a field; inside, a doubled quote is one, and line ends and delimiters are content.
 * Elsewhere a quote is an ordinary byte. Records end at LF or CRLF, with cr_ends at a lone CR too. */
#ifndef FORMATS_CSV_CSV_SCAN_H
#define FORMATS_CSV_CSV_SCAN_H

#include "base/bytes.h"

struct csv_dialect {
    uint8_t delimiter;
    int quote; /* byte, -1 = none */
    bool cr_ends;
};

struct csv_field {
    const uint8_t *p; /* without the quotes around it */
    size_t n;
    bool quoted, doubled; /* doubled: holds doubled quotes, see csv_unquote */
};

enum csv_fault {
    CSV_FINE = 0,
    CSV_OPEN_QUOTE, /* the data ends inside quotes */
    CSV_AFTER_QUOTE /* bytes between a closing quote and the end of the field */
};

struct csv_record {
    struct bytes raw; /* without line end */
    size_t n_fields;  /* may be more than were stored */
    bool doubled;     /* of any field */
    bool complete;    /* its line end was seen; only the last record of the data may lack one */
    enum csv_fault fault;
    size_t fault_field;
    const uint8_t *fault_at; /* the opening quote, or the first byte too many */
};

struct csv_scan {
    const uint8_t *at, *end; /* next record */
    struct csv_dialect d;
    const uint8_t *block; /* 64 bytes that `mask` speaks about … */
    uint64_t mask;        /* … a bit for each delimiter or line end not handed out yet */
};

void csv_scan_init(struct csv_scan *s, const struct csv_dialect *d, struct bytes data);
/* One record; at most `max` fields are stored. false: no more. */
bool csv_scan_record(struct csv_scan *s, struct csv_field *fields, size_t max, struct csv_record *r);
/* Length of the whole records at the head: a text_cut, its argument is the dialect. */
size_t csv_cut(const void *dialect, struct bytes data);
/* Field content with doubled quotes made single into out (room for f->n); the length. */
size_t csv_unquote(uint8_t *out, const struct csv_field *f, uint8_t quote);

/* Bits of the first n <= 64 bytes that equal a, b or c; the plain one is the reference of the other. */
uint64_t csv_mask(const uint8_t *p, size_t n, uint8_t a, uint8_t b, uint8_t c);
uint64_t csv_mask_plain(const uint8_t *p, size_t n, uint8_t a, uint8_t b, uint8_t c);

#endif
