/* Signs that records are not what their owner means, though they parse: each record is searched as it passes (csv_look.c), and
 * when its input has ended, what was counted is judged (csv_signs.c). */
#ifndef FORMATS_CSV_CSV_SIGNS_H
#define FORMATS_CSV_CSV_SIGNS_H

#include "formats/csv/csv.h"
#include "formats/csv/csv_look.h"

#include <pthread.h>

enum csv_sign {
    CSV_SIGN_HEADER,    /* the record is equal to the header */
    CSV_SIGN_BOM,       /* it begins with a byte order mark */
    CSV_SIGN_CR,        /* a field of it ends in CR */
    CSV_SIGN_JOINED,    /* a quoted field of it holds records, as they look */
    CSV_SIGN_NULL,      /* a field is \N */
    CSV_SIGN_NULL_WORD, /* a field is NULL; of the sample */
    CSV_SIGN_ESCAPE,    /* a field holds backslash escapes */
    CSV_SIGN_QUOTES,    /* all its text is in quotes that are kept */
    CSV_SIGN_DELIMITER, /* it was cut at a byte that need not be the delimiter */
    CSV_SIGN_WRAPPED,   /* all of it is in one pair of quotes */
    CSV_SIGN_WIDE,      /* every second byte is NUL */
    CSV_SIGN_SKIPPED,   /* a date is in an hour that a change of the clock skips */
    CSV_SIGN_REPEATED,  /* ... or repeats */
    CSV_SIGNS
};

struct csv_sign_count {
    uint64_t n, at, line; /* records; where the first one begins in the content, and its line: 0 = not known */
};

enum { CSV_RIVALS = 3 };

struct csv_signs {
    struct csv_sign_count of[CSV_SIGNS];
    uint64_t spans;                      /* quoted fields with line ends inside */
    uint64_t joined_lines, joined_marks; /* of the first CSV_SIGN_JOINED: its lines, its delimiters */
    uint64_t joined_most;                /* delimiters in whole lines of one such field */
    uint64_t other_escapes;              /* backslashes before anything that is not escaped */
    uint8_t escape, quote; /* of the first CSV_SIGN_ESCAPE and CSV_SIGN_QUOTES: the byte after the backslash, the quote */
    bool quote_after_blank, surely_quoted;
    /* Counts over the sampled records: */
    uint64_t sampled, plain,
        in_quotes; /* the header included; plain: with text that is in no quotes; in_quotes: with quoted fields */
    uint64_t cuts_least, cuts_most; /* delimiters in a CSV_SIGN_WRAPPED */
    struct csv_rival {
        uint64_t least, most; /* of this byte in a record */
        uint64_t apart;       /* records that have it in several fields */
    } rivals[CSV_RIVALS];
    uint64_t headers;  /* of the sampled */
    uint64_t decimals; /* records all of whose delimiters stand between digits */
};

/* Bytes that may be the delimiter of a text that is cut at commas. */
extern const uint8_t csv_rival_bytes[CSV_RIVALS];

/* The signs that all calls of parse have seen. */
struct csv_signs_sum {
    pthread_mutex_t lock;
    struct csv_signs signs;
};

struct csv_signs_sum *csv_signs_new(struct err *err);
void csv_signs_free(struct csv_signs_sum *s); /* NULL is fine */
void csv_signs_clear(struct csv_signs *s);
/* Adds the signs seen in a chunk. */
void csv_signs_add(struct csv_signs_sum *sum, const struct csv_signs *s, const struct chunk *c, bool cr_ends);

/* One call of parse. */
struct csv_look {
    const struct csv_reader *r;
    const uint8_t *begin, *end, *backslash; /* of the chunk; the next backslash in it, or its end */
    uint64_t offset;
    bool is_on, has_cr, has_quote;
    bool quote_is_open;      /* a field of an earlier record begins with a quote that nothing has closed */
    struct csv_field header; /* its first field; p == NULL: there is none */
    struct csv_signs signs;
};
/* The beginning of the content, and some of every MiB of it: the same records, whatever the chunks. */
static inline bool csv_look_samples(uint64_t at) {
    enum { HEAD_BYTES = 65536, STRIDE = 1 << 20, SOME_BYTES = 8192 };
    return at < HEAD_BYTES || at % STRIDE < SOME_BYTES;
}

/* Returns whether the first field of a record is that of the header. */
static inline bool csv_look_begins_alike(const struct csv_look *l, const struct csv_field *fields) {
    return l->header.p && fields->n == l->header.n && !memcmp(fields->p, l->header.p, fields->n);
}

static inline void csv_look_record(struct csv_look *l, const struct csv_record *rec, const struct csv_field *fields,
                                   size_t stored) {
    const uint8_t *p = rec->raw.p;
    const bool sample = csv_look_samples(l->offset + (uint64_t)(p - l->begin));
    if (!l->is_on) return;
    if (sample || l->has_cr || l->has_quote || *p == 0xef || p + rec->raw.n > l->backslash || csv_look_begins_alike(l, fields))
        csv_look_closely(l, rec, fields, stored, sample);
}

/* Dates of a record that was accepted. */
static inline void csv_look_dates(struct csv_look *l, const struct csv_record *rec, const struct expr_scratch *s) {
    const bool has[] = {s->hour_skipped, s->hour_repeated};
    for (int i = 0; i < 2; i++) {
        struct csv_sign_count *c = &l->signs.of[CSV_SIGN_SKIPPED + i];
        if (has[i] && l->is_on && !c->n++) c->at = l->offset + (uint64_t)(rec->raw.p - l->begin);
    }
}

/* Warnings about what was seen in an input, when it has been parsed. */
int csv_signs_judge(const struct csv_reader *r, struct err *err);

#endif
