/* CSV and TSV: scanning records (csv_scan.c), cutting text between them (csv_cut.c), the reader while it is opened (csv_reader.c)
 * and when its chunks are parsed (csv_parse.c). What the first record says about the columns: csv_header.c. Records
 * that are perhaps not meant as they are read: csv_signs.h. */
#ifndef FORMATS_CSV_CSV_H
#define FORMATS_CSV_CSV_H

#include "base/bytes.h"
#include "engine/format.h"
#include "formats/csv/csv_mask.h"
#include "formats/mapping/colmap.h"
#include "formats/mapping/record_map.h"
#include "formats/text/dialect.h"
#include "formats/text/text_input.h"

struct csv_signs_sum;

/* A quote opens only at the start of a field; inside, a doubled quote is one, and line ends and delimiters are content.
 * Elsewhere a quote is an ordinary byte. Records end at LF or CRLF, with DIALECT_LINES_ANY at a lone CR too. */

static inline bool csv_cr_ends(const struct dialect *d) {
    return d->lines == DIALECT_LINES_ANY;
}

struct csv_field {
    const uint8_t *p; /* without the quotes around it */
    size_t n;
    bool quoted, doubled; /* doubled: holds doubled quotes, see csv_unquote */
    bool escaped;         /* holds escapes, see csv_unescape */
};

enum csv_fault {
    CSV_FINE = 0,
    CSV_OPEN_QUOTE,  /* the data ends inside quotes */
    CSV_AFTER_QUOTE, /* bytes between a closing quote and the end of the field */
    CSV_NOT_ENDED    /* no delimiter ends the record, though one should */
};

struct csv_record {
    struct bytes raw; /* without line end */
    size_t n_fields;  /* may be more than were stored */
    size_t n_used;    /* with DIALECT_TRAILING_ANY: up to the last one that is not empty; else 0 */
    bool passed;      /* it is no record: a line that the dialect says is none, or nothing but delimiters */
    bool doubled;     /* of any field; or one is escaped */
    bool complete;    /* its line end was seen; only the last record of the data may lack one */
    enum csv_fault fault;
    size_t fault_field;
    const uint8_t *fault_at; /* the opening quote, or the first byte too many */
};

static inline bool csv_begins_with(struct bytes delimiter, struct bytes text) {
    return text.n >= delimiter.n && !memcmp(text.p, delimiter.p, delimiter.n);
}

/* Returns how often the delimiter is in text, wherever it is; many bytes are compared at a time if it is a single byte. */
static inline uint64_t csv_count(struct bytes delimiter, struct bytes text) {
    uint64_t n = 0;
    if (delimiter.n == 1) {
        const uint8_t byte = delimiter.p[0];
        for (size_t i = 0; i < text.n; i++) n += text.p[i] == byte;
        return n;
    }
    for (size_t i = 0; i < text.n;) {
        const bool here = csv_begins_with(delimiter, bytes_of(text.p + i, text.n - i));
        n += here;
        i += here ? delimiter.n : 1;
    }
    return n;
}

/* ---- scanning ---- */

struct csv_scan {
    const uint8_t *at, *end; /* next record */
    uint8_t delimiter;
    int quote;
    bool cr_ends;
    csv_mask_fn *find;
    const uint8_t *block;  /* CSV_MASK_BYTES that `mask` speaks about … */
    uint64_t mask;         /* … a bit for each delimiter or line end not handed out yet */
    const uint8_t *window; /* blocks whose masks are known, `block` among them */
    unsigned n_masks;
    uint64_t masks[CSV_WINDOW];
    bool ends_with_delimiter;      /* each record */
    const struct dialect *dialect; /* NULL: the masks do; else csv_general.c reads it by: */
    uint8_t kinds[256];
};

/* ---- dialects that the masks do not know (csv_general.c) ---- */

static inline bool csv_is_general(const struct dialect *d) {
    return d->n_delimiter > 1 || d->escape >= 0 || d->comments.n || d->trim || d->trailing == DIALECT_TRAILING_ANY ||
           d->lines == DIALECT_LINES_LF || d->lines == DIALECT_LINES_CRLF;
}
/* The empty field after the delimiter that ends a record is none. */
static inline void csv_end_trailing(struct csv_record *r, const struct csv_field *last) {
    if (r->n_fields > 1 && !last->n && !last->quoted) {
        r->n_fields--;
    } else if (r->raw.n && !r->fault) {
        r->fault = CSV_NOT_ENDED;
        r->fault_field = r->n_fields - 1;
    }
}
/* A blank line, or one that is no record. */
static inline bool csv_is_passed(const struct csv_record *r) {
    return !r->raw.n || r->passed;
}

/* A reader of CSV. Only read once it is open, by any number of threads; its text belongs to the one that hands out chunks. */
struct csv_reader {
    struct text_reader base;
    struct dialect dialect;
    struct colmap map; /* --columns */
    const struct mapping_source *source;
    enum time_unit unit;       /* of its timestamps */
    struct record_map *mapped; /* --map; NULL: --columns. Otherwise only n_columns and needed of map are set */
    bool strict;               /* csv: a record has exactly map.n_columns fields */
    bool open_ended;           /* it may have more */
    const char *first;         /* the file whose header it borrows; NULL: none */
    uint64_t header_end;       /* records that begin before this offset are the header */
    struct buf header;         /* unchanged, with its line end */
    uint32_t n_nulls;
    struct bytes nulls[DIALECT_TEXTS]; /* of the dialect */
    bool skip_empty;
    size_t max_result_bytes; /* what evaluating the key of a record may take */
    int64_t default_ts_ms;
    struct csv_signs_sum *signs; /* NULL: warnings are not wanted */
    struct buf *warnings;
};

/* The first record that is not blank, as names for the column map; lives while the reader is opened (csv_header.c). */
enum { CSV_HEADER_MAX_BYTES = 65536, CSV_HEADER_MAX_FIELDS = 16384 };
struct csv_header {
    struct csv_field *fields;
    struct bytes *names;
    uint8_t *unquoted;
    size_t n;
};

/* ---- what stands before the records (csv_head.c) ---- */

/* Adds to o->text.dialects, if it is wanted, the dialect, and what the beginning of the content says for and against it
 * (csv_evidence.c). Uses h->fields. */
int csv_evidence(const struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct bytes head, struct err *err);

/* reader_ops.parse */
int csv_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err);

#endif
