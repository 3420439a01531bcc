/* CSV and TSV: scanning records (csv_scan.c), cutting text between them (csv_cut.c), the reader while it is opened (csv_reader.c)
 * and when its chunks are parsed (csv_parse.c). What the first record says about the columns: csv_header.c. Records
 * that are perhaps not meant as they are read: csv_signs.h. */
#ifndef FORMATS_CSV_CSV_H
#define FORMATS_CSV_CSV_H

#include "base/bytes.h"
#include "base/warning.h"
#include "engine/format.h"
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

/* How often the delimiter is in it, wherever it is; many bytes are counted at a time if it is one. */
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

/* ---- where bytes are (csv_mask.c) ---- */

enum { CSV_MASK_BYTES = 64, CSV_WINDOW = 16 };

/* The later, the faster. */
enum csv_vector { CSV_PLAIN, CSV_SSE2, CSV_AVX2, CSV_NEON, CSV_VECTORS };

/* Of n blocks of CSV_MASK_BYTES from p on, a mask each: a bit for each byte that is one of the three, the first byte lowest. */
typedef void csv_mask_fn(const uint8_t *p, size_t n, const uint8_t bytes[3], uint64_t *masks);

/* NULL: not on this machine. */
csv_mask_fn *csv_mask_by(enum csv_vector v);
csv_mask_fn *csv_mask_best(void);
/* The mask of the first CSV_MASK_BYTES of the data, which may be fewer. */
uint64_t csv_mask_of(csv_mask_fn *find, struct bytes data, const uint8_t bytes[3]);

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

void csv_scan_init(struct csv_scan *s, const struct dialect *d, struct bytes data);
/* With a csv_mask_fn of one's own choice. */
void csv_scan_by(struct csv_scan *s, const struct dialect *d, struct bytes data, csv_mask_fn *find);
/* One record; at most `max` fields are stored. false: no more. */
bool csv_scan_record(struct csv_scan *s, struct csv_field *fields, size_t max, struct csv_record *r);
/* Length of the whole records at the head, as csv_scan_record would say: a text_cut, its argument is the dialect. Where a lone CR
 * ends records, it may leave more than the last one. */
size_t csv_cut(const void *dialect, struct bytes data);
/* With a csv_mask_fn of one's own choice. */
size_t csv_cut_by(const struct dialect *d, struct bytes data, csv_mask_fn *find);
/* Field content with doubled quotes made single into out (room for f->n); the length. */
size_t csv_unquote(uint8_t *out, const struct csv_field *f, uint8_t quote);

/* ---- dialects that the masks do not know (csv_general.c) ---- */

void csv_general_init(struct csv_scan *s, const struct dialect *d);
bool csv_general_record(struct csv_scan *s, struct csv_field *fields, size_t max, struct csv_record *r);
/* Content of a field with escapes, and of quotes with doubled ones, decoded into out (room for f->n); the length. */
size_t csv_unescape(uint8_t *out, const struct csv_field *f, const struct dialect *d);
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

/* Only read once it is open, by any number of threads; its text belongs to the one that hands out chunks. */
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

int csv_header_alloc(struct csv_header *h, struct err *err);
void csv_header_free(struct csv_header *h);
/* Of the head of the content; n stays 0 when there is nothing but blank lines. */
int csv_header_take(struct csv_header *h, struct csv_reader *r, struct bytes head, struct err *err);
/* The first record was not said to be a header, but may be one: a warning. Once, though an input may be opened twice. */
int csv_header_doubt(struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct bytes head, struct err *err);
/* What is there to doubt in a header that was said to be there, or in its being all there is: warnings. */
int csv_header_check(const struct csv_reader *r, const struct read_opts *o, const struct csv_header *h, struct bytes head,
                     struct err *err);
/* As k00001 and k00002, or two hashes: but for their digits, of which there are some, they are equal. */
bool csv_header_alike(struct bytes a, struct bytes b);

/* ---- what stands before the records (csv_head.c) ---- */

/* With header=first: whose header it is. Before the input is read. */
int csv_head_find(struct csv_reader *r, const struct read_opts *o, struct err *err);
/* Lines that are skipped, and sep=; of Excel. */
int csv_head_pass(struct csv_reader *r, struct err *err);
/* The header of r->first; what h names belongs to `from` until csv_head_return, which is called in any case. */
int csv_head_borrow(struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct csv_reader *from,
                    struct err *err);
void csv_head_return(struct csv_reader *from);

/* To o->text.dialects, if it is wanted: the dialect, and what the beginning of the content says for and against it
 * (csv_evidence.c). Uses h->fields. */
int csv_evidence(const struct csv_reader *r, const struct read_opts *o, struct csv_header *h, struct bytes head, struct err *err);

/* name: of the dialect that holds where options and a mapping say nothing. */
struct reader *csv_open_dialect(struct instream *in, const struct read_opts *o, const char *name, struct err *err);
/* format.sniff of text with a delimiter, in files that are called so. */
int csv_sniff_text(struct bytes head, const char *path, uint8_t delimiter, const char *ending, const char *other);

/* Has the record the fields that are mapped? */
bool csv_shape_fits(const struct csv_reader *r, struct csv_record *rec);
/* Why one that does not fit is refused: returns false. line: of the record, 0 = not known. */
bool csv_shape_why(const struct csv_reader *r, const struct csv_record *rec, const struct csv_field *fields, uint64_t line,
                   struct reason *why);

/* reader_ops.parse */
int csv_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err);

#endif
