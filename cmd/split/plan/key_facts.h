/* What row keys look like: lengths, what each byte position tells, and whether they begin with a time or a counter. */
#ifndef PLAN_KEY_FACTS_H
#define PLAN_KEY_FACTS_H

#include "cmd/split/plan/weighed_row.h"

enum { KEY_POSITIONS = 32 };

/* How keys may begin so that new ones all go to one end. */
enum key_head {
    HEAD_OTHER,
    HEAD_EPOCH_TEXT,    /* 10 or 13 decimal digits: seconds or milliseconds of 2001 … 2100 */
    HEAD_REVERSED_TEXT, /* 19 decimal digits: Long.MAX - such a time */
    HEAD_DATE_TEXT,     /* yyyyMMdd or yyyy-MM-dd */
    HEAD_EPOCH_LONG,    /* 8 bytes big-endian milliseconds */
    HEAD_REVERSED_LONG, /* … or Long.MAX - such a time */
    HEAD_KINDS
};

struct key_facts { /* zero-initialise */
    uint64_t rows, cells, bytes, key_bytes;
    size_t shortest, longest;
    uint64_t of_length[KEY_POSITIONS + 1]; /* rows; the last: that and longer */
    uint64_t too_long;                     /* rows over 1,024 bytes: OceanBase's column */
    uint64_t heads[HEAD_KINDS];
    uint64_t ascending;                  /* rows that stand behind their predecessor by key in the inputs too */
    uint64_t successors;                 /* rows whose key is the predecessor's + 1: as a number in decimal digits, or bytes */
    uint64_t values[KEY_POSITIONS][257]; /* [position][byte]: rows; 256: the key ends before */
    uint64_t not_text;                   /* rows that are not valid UTF-8 */
    uint64_t last_rank;
};

/* last: the row before (p == NULL: none). */
void key_facts_add(struct key_facts *f, struct bytes last, const struct weighed_row *row);
/* Bits that a byte position tells of a row, 0 … 8.01. */
double key_facts_entropy(const struct key_facts *f, unsigned position);
/* Most keys begin like that; HEAD_OTHER = no such. */
enum key_head key_facts_head(const struct key_facts *f);
const char *key_head_text(enum key_head h); /* "milliseconds as 8 bytes", … */
enum key_head key_head_of(struct bytes key);

#endif
