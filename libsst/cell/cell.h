/* Defines the common terms of all rooms: cells, the unit in which they flow (a row part, i.e. neighbouring cells of one row and
 * family; see docs/design.md), their one order, and where parts come from.
 *
 * Ownership: everything here is borrowed. What a source hands out is valid until its next call to next(). */
#ifndef CELL_CELL_H
#define CELL_CELL_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

/* KeyValue.Type codes. */
enum cell_type {
    CELL_MINIMUM = 0,
    CELL_PUT = 4,
    CELL_DELETE = 8,                 /* one version */
    CELL_DELETE_FAMILY_VERSION = 10, /* all columns at exactly this timestamp */
    CELL_DELETE_COLUMN = 12,         /* all versions of the column up to this timestamp */
    CELL_DELETE_FAMILY = 14,         /* all columns up to this timestamp */
    CELL_MAXIMUM = 255
};

/* Tag types (TagType) that mean something to us. */
enum { TAG_MOB_REFERENCE = 5, TAG_MOB_TABLE = 6, TAG_TTL = 8 };

enum {
    ROW_MAX_BYTES = 32767, /* HConstants.MAX_ROW_LENGTH */
    FAMILY_MAX_BYTES = 127,
    FAMILIES_MOST = 256, /* of one table */
    TAGS_MAX_BYTES = 65535,
    PART_MAX_CELLS = 1024,   /* a part holds at most so many cells … */
    PART_MAX_BYTES = 1 << 20 /* … or bytes, but at least one cell */
};

/* Values are copied in steps, where that is allowed. */
enum { VALUE_SPARE_BYTES = COPY64_SPARE };

struct cell {
    struct bytes qualifier, value, tags; /* tags: raw, each u16 length + type byte + value */
    int64_t ts_ms;                       /* HBase's positive milliseconds */
    uint64_t seq;                        /* sequence id (mvcc), 0 = none */
    uint64_t rank;                       /* last tie-break: higher = newer; see rank_of */
    uint8_t type;
};

/* The value of a cell whose part has `spare`, to p, where VALUE_SPARE_BYTES more may be written; the end. */
static inline uint8_t *put_spare_value(uint8_t *p, struct bytes value) {
    return copy64(p, value);
}

/* Rows from start (inclusive) to stop (exclusive); p == NULL: open. */
struct row_span {
    struct bytes start, stop;
};

struct row_part {
    struct bytes row, family;
    const struct cell *cells; /* in cell order; parts of a row from one source never overlap */
    uint32_t n_cells;         /* >= 1 */
    uint32_t shape;           /* 0, or 1 + index of an interned shape whose columns the cells follow */
    bool first;               /* the first part of this (row, family) from this source */
    bool ends;                /* it is known that no further part of it follows; false: there may be one */
    bool spare;               /* VALUE_SPARE_BYTES after each value may be read, though they mean nothing */
};

/* rank = input number, then position in the input: 20 + 44 bits. For text, later lines are newer; inside an
 * HFile the first cell is newer, so its position counts down. Where the files of a store are one input, the
 * age of the file (0 = oldest) precedes the position: 20 + 20 + 24 bits; equal cells are never in two blocks of a
 * file, so there the position counts from the start of the block. */
enum { RANK_POSITION_BITS = 44, RANK_INPUTS_MAX = 1 << 20, RANK_BLOCK_BITS = 24, RANK_FILES_MAX = 1 << 20 };
#define RANK_POSITION_MAX ((UINT64_C(1) << RANK_POSITION_BITS) - 1)
static inline uint64_t rank_of(uint32_t input, uint64_t position) {
    return (uint64_t)input << RANK_POSITION_BITS | (position & RANK_POSITION_MAX);
}
static inline uint32_t rank_input(uint64_t rank) {
    return (uint32_t)(rank >> RANK_POSITION_BITS);
}
/* Returns the age of the file of a cell whose input is a store. */
static inline uint32_t rank_file(uint64_t rank) {
    return (uint32_t)(rank >> RANK_BLOCK_BITS) & (RANK_FILES_MAX - 1);
}

/* A fixed sequence of columns that many records of a text input share, in cell order, all of one family.
 * A record of a shape stores row, timestamp, ttl and values only. Such cells are Puts with seq 0, one timestamp,
 * one rank and, when the record has a TTL, one tag (TAG_TTL); a record may leave columns out (null). */
struct shape {
    struct bytes family;
    const struct bytes *qualifiers; /* ascending; equal ones allowed, the newer column first */
    uint32_t n;
    bool repeats; /* some are equal: records are stored cell by cell then */
};

static inline bool cell_is_delete(uint8_t type) {
    return type == CELL_DELETE || type == CELL_DELETE_COLUMN || type == CELL_DELETE_FAMILY || type == CELL_DELETE_FAMILY_VERSION;
}
static inline bool cell_is_family_delete(uint8_t type) {
    return type == CELL_DELETE_FAMILY || type == CELL_DELETE_FAMILY_VERSION;
}
/* Returns whether HBase writes this code; a cell with another one is refused. */
static inline bool cell_type_known(unsigned type) {
    return type == CELL_PUT || (type <= 255 && cell_is_delete((uint8_t)type));
}

/* The first TTL tag's milliseconds. false: no such tag. Malformed tag bytes count as none (tags_valid finds them). */
bool cell_ttl_ms(struct bytes tags, int64_t *ttl_ms);
/* A tag that is neither a TTL nor of MOB: a visibility label, an access control list, or what an application has set. */
bool cell_has_other_tags(struct bytes tags);
/* Every tag's length is within the array and is at least 1. */
bool tags_valid(struct bytes tags);
/* Length of the tag array `00 09 08 <ttl>` that cell_put_ttl_tag writes. */
enum { TTL_TAG_BYTES = 11 };
void cell_put_ttl_tag(uint8_t *p, int64_t ttl_ms);

/* Returns in *type the type with a name of cell_type_name, whatever its case, with or without underscores: delete_column. false:
 * none of them. */
bool cell_type_named(struct bytes name, uint8_t *type);
const char *cell_type_name(uint8_t type); /* "Put", "DeleteColumn", … as KeyValue.Type spells them */

/* ---- the order ----
 *
 * The one order of cells: CellComparatorImpl, then sequence id, then rank (facts: HBase reference guide, KeyValue).
 * row asc, family asc, qualifier asc, timestamp desc, type desc (unsigned), seq desc, rank desc. */

/* Ways to rank equal keys of several inputs. */
enum tie_rule {
    TIE_BY_SEQUENCE, /* all inputs are files of one store: seq, then rank */
    TIE_BY_INPUT     /* inputs were loaded in turn: input number (of rank), then seq, then rank */
};

/* Inside one row and family: qualifier, timestamp, type. 0 = same key (duplicates). */
static inline int cell_key_cmp(const struct cell *a, const struct cell *b) {
    int c = bytes_cmp(a->qualifier, b->qualifier);
    if (c) return c;
    if (a->ts_ms != b->ts_ms) return a->ts_ms > b->ts_ms ? -1 : 1;
    return (int)b->type - (int)a->type;
}

/* The rest of the order: which of two cells with the same key is newer (comes first). */
static inline int cell_tie_cmp(const struct cell *a, const struct cell *b, enum tie_rule rule) {
    if (rule == TIE_BY_INPUT && rank_input(a->rank) != rank_input(b->rank)) return a->rank > b->rank ? -1 : 1;
    if (a->seq != b->seq) return a->seq > b->seq ? -1 : 1;
    if (a->rank != b->rank) return a->rank > b->rank ? -1 : 1;
    return 0;
}

static inline int cell_cmp(const struct cell *a, const struct cell *b, enum tie_rule rule) {
    int c = cell_key_cmp(a, b);
    return c ? c : cell_tie_cmp(a, b, rule);
}

/* The first 8 bytes as a number, zero padded: a < b implies prefix(a) <= prefix(b). */
static inline uint64_t bytes_prefix8(struct bytes b) {
    uint8_t t[8] = {0};
    if (b.n >= 8)
        memcpy(t, b.p, 8);
    else if (b.n)
        memcpy(t, b.p, b.n);
    uint64_t v;
    memcpy(&v, t, 8);
    return __builtin_bswap64(v);
}

/* ---- sources ----
 *
 * Where row parts come from. A stage that wraps a source owns it: closing the outermost closes all. End of data and failure are
 * different returns; nothing but 1 and 0 is success. */

struct source;
struct source_ops {
    /* 1 = *part filled (valid until the next call), 0 = end, -1 = error. Rows ascend; parts do not overlap. */
    int (*next)(struct source *, struct row_part *part, struct err *);
    void (*close)(struct source *); /* never fails, frees the source */
};
struct source {
    const struct source_ops *ops;
};

static inline int source_next(struct source *s, struct row_part *part, struct err *err) {
    return s->ops->next(s, part, err);
}
static inline void source_close(struct source *s) {
    if (s) s->ops->close(s);
}

/* ---- cells as text ----
 *
 * One cell a line,
 *   row TAB family TAB qualifier TAB timestamp TAB type code TAB sequence id TAB value TAB tags LF
 * numbers in decimal, bytes in hex, "-" for no bytes. Never abbreviated. formats/cells/ reads them back. */

/* Appends a line for each cell of the part. */
int cells_print(struct buf *out, const struct row_part *part, struct err *err);

#endif
