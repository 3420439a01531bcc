/* The cells of one data block after the other, in order. Exports: cell_walk
 *
 * A cell is parsed and checked in place (peek), then taken. It borrows from its block; so does the key that the next one
 * is compared with, until the block goes away: then that key is copied. peek and take run once per cell and are inline. */
#ifndef HFILE_CELL_WALK_H
#define HFILE_CELL_WALK_H

#include "base/bytes.h"
#include "base/wire.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_state.h"

/* One cell in a block. */
struct raw_cell {
    struct hfile_cell cell; /* `first` is set by who hands it out */
    struct bytes kv;        /* what the digest covers */
    struct bytes key;
    size_t prefix_n; /* of key, up to the qualifier */
    const uint8_t *end;
};

/* The cell taken last, as far as the next one depends on it. */
struct last_cell {
    bool any;
    struct bytes key, row;
    size_t prefix_n;
};

struct cell_walk {
    const struct hfile *h;
    const struct block *block;                  /* the one at hand, for messages */
    const struct hfile_disorder_sink *disorder; /* NULL: a cell that is out of order is damage */
    const uint8_t *p, *stop;                    /* what is left of the block */
    struct raw_cell ahead;                      /* parsed and in order, but not taken */
    bool has_ahead, ahead_in_row;               /* in the row of the last one */
    struct last_cell last;
    struct buf last_copy, family;
    uint64_t seen;
};

/* Continues with the current block, whose payload is plain. */
void cell_walk_block(struct cell_walk *w);
/* The current block goes away. */
int cell_walk_leave(struct cell_walk *w, struct err *err);
/* Forgets the cell before: the next block does not follow on it. */
void cell_walk_restart(struct cell_walk *w);
/* Checks that all cells of the current block are what they should be. Leaves everything as it was. 0, -1. */
int cell_walk_check(struct cell_walk *w, struct err *err);
void cell_walk_release(struct cell_walk *w);

/* The rest of parsing and checking, for peek. NULL, or what is wrong with the sequence id that the cell ends with. */
const char *cell_walk_seq(const struct cell_walk *w, struct raw_cell *c);
int cell_walk_fault(const struct cell_walk *w, const char *what, struct err *err);
/* Row and family of `ahead` against the cell before, which differ after the first `common` bytes of the key: checks the order. */
int cell_walk_new_row(struct cell_walk *w, size_t common, struct err *err);
int cell_walk_disorder(struct cell_walk *w, struct err *err);

/* NULL, or what is wrong with the cell at w->p. */
static inline const char *parse_cell(const struct cell_walk *w, struct raw_cell *c) {
    const uint8_t *p = w->p;
    size_t left = (size_t)(w->stop - p);
    if (left < 8) return "no room for its lengths";
    size_t key_n = be32(p), value_n = be32(p + 4);
    left -= 8;
    if (key_n > left || value_n > left - key_n) return "its lengths reach beyond the block";
    if (key_n < KV_KEY_FIXED_BYTES) return "its key is too short";
    const uint8_t *key = p + 8;
    size_t row_n = be16(key);
    if (row_n > ROW_MAX_BYTES || row_n > key_n - KV_KEY_FIXED_BYTES) return "its row reaches beyond its key";
    size_t family_n = key[2 + row_n];
    if (family_n > FAMILY_MAX_BYTES || family_n > key_n - KV_KEY_FIXED_BYTES - row_n) return "its family reaches beyond its key";
    c->key = bytes_of(key, key_n);
    c->prefix_n = 3 + row_n + family_n;
    const uint8_t *end = key + key_n + value_n;
    c->cell.row = bytes_of(key + 2, row_n); /* field by field: clearing the struct first would take as long */
    c->cell.family = bytes_of(key + 3 + row_n, family_n);
    c->cell.qualifier = bytes_of(key + c->prefix_n, key_n - 9 - c->prefix_n);
    c->cell.value = bytes_of(key + key_n, value_n);
    c->cell.tags = bytes_of(key, 0);
    c->cell.ts_ms = (int64_t)be64(key + key_n - 9);
    c->cell.seq = 0;
    c->cell.type = key[key_n - 1];
    c->kv = bytes_of(p, (size_t)(end - p));
    if (w->h->layout.tags) {
        if (w->stop - end < 2) return "no room for the length of its tags";
        c->cell.tags = bytes_of(end + 2, be16(end));
        if (c->cell.tags.n > (size_t)(w->stop - end) - 2) return "its tags reach beyond the block";
        end += 2 + c->cell.tags.n;
        if (c->cell.tags.n) {
            if (!tags_valid(c->cell.tags)) return "its tags are malformed";
            c->kv.n = (size_t)(end - p);
        }
    }
    c->end = end;
    if (!w->h->layout.mvcc) return NULL;
    if (w->h->info.max_mvcc || end == w->stop || *end) return cell_walk_seq(w, c);
    c->end++; /* all sequence ids are 0: HBase then takes one byte for granted */
    return NULL;
}

/* Bytes that two keys share, at most the first n. Both continue for 8 bytes after these: timestamp and type end a key. */
static inline size_t cell_walk_common(const uint8_t *a, const uint8_t *b, size_t n) {
    for (size_t i = 0; i < n; i += 8) {
        uint64_t differ = le64(a + i) ^ le64(b + i);
        if (!differ) continue;
        i += (size_t)__builtin_ctzll(differ) / 8; /* little-endian: the first byte is the lowest */
        return i < n ? i : n;
    }
    return n;
}

/* Two keys of one row and family, of which the first `common` bytes are known to be the same: is a, whose head (all but
 * timestamp and type) has a_n bytes, at most b? */
static inline bool cell_walk_in_order(const uint8_t *a, size_t a_n, const uint8_t *b, size_t b_n, size_t common) {
    if (common < (a_n < b_n ? a_n : b_n)) return a[common] < b[common];
    if (a_n != b_n) return a_n < b_n;
    int64_t a_ms = (int64_t)be64(a + a_n), b_ms = (int64_t)be64(b + b_n);
    return a_ms != b_ms ? a_ms > b_ms : a[a_n + 8] >= b[b_n + 8];
}

/* Makes the next cell of this block known. 1 there, 0 the block has no more, -1 error. Always inline: out of line
 * it costs the reader of single cells 6 %. */
static inline __attribute__((always_inline)) int cell_walk_peek(struct cell_walk *w, struct err *err) {
    if (w->has_ahead) return 1;
    if (w->p == w->stop) return 0;
    struct raw_cell *c = &w->ahead;
    const char *fault = parse_cell(w, c);
    if (fault) return cell_walk_fault(w, fault, err);
    size_t head = c->key.n - 9, before = w->last.any ? w->last.key.n - 9 : 0;
    size_t common = cell_walk_common(w->last.key.p, c->key.p, head < before ? head : before);
    w->ahead_in_row = w->last.any && c->prefix_n == w->last.prefix_n && common >= c->prefix_n;
    if (w->ahead_in_row ? !cell_walk_in_order(w->last.key.p, before, c->key.p, head, common) && cell_walk_disorder(w, err)
                        : cell_walk_new_row(w, common, err))
        return -1;
    w->has_ahead = true;
    return 1;
}

static inline void cell_walk_take(struct cell_walk *w) {
    w->last = (struct last_cell){.any = true, .key = w->ahead.key, .row = w->ahead.cell.row, .prefix_n = w->ahead.prefix_n};
    w->has_ahead = false;
    w->p = w->ahead.end;
    w->seen++;
}

/* ---- most cells ----
 *
 * Cells that follow the one taken last in its row and in order, without tags and sequence id. Where they stand is kept in
 * registers: their key begins with the bytes of the one before, so row and family need not be parsed again. Whatever else there
 * is, faults too, is left to peek. */

struct quick_walk {
    const uint8_t *p, *stop;
    const uint8_t *key; /* of the cell before */
    size_t key_n, prefix_n;
    bool tags, mvcc;
};

/* Begins a quick walk, after a cell has been taken. */
static inline struct quick_walk quick_walk_begin(const struct cell_walk *w) {
    bool possible = !w->h->layout.mvcc || !w->h->info.max_mvcc;
    return (struct quick_walk){.p = w->p,
                               .stop = possible ? w->stop : w->p,
                               .key = w->last.key.p,
                               .key_n = w->last.key.n,
                               .prefix_n = w->last.prefix_n,
                               .tags = w->h->layout.tags,
                               .mvcc = w->h->layout.mvcc};
}

/* The KeyValue at q->p, which is taken if it has at most max_bytes. p == NULL: it is none for here. Its key is q->key now. */
static inline struct bytes quick_walk_take(struct quick_walk *q, size_t max_bytes) {
    const struct bytes none = {0};
    const uint8_t *p = q->p, *key = p + 8;
    size_t left = (size_t)(q->stop - p);
    if (left < 8) return none;
    size_t key_n = be32(p), value_n = be32(p + 4), n = 8 + key_n + value_n;
    if (n > left || n > max_bytes || key_n < q->prefix_n + 9) return none;
    size_t head = key_n - 9, before = q->key_n - 9;
    size_t common = cell_walk_common(q->key, key, head < before ? head : before);
    if (common < q->prefix_n || !cell_walk_in_order(q->key, before, key, head, common)) return none;
    const uint8_t *end = p + n;
    left -= n;
    if (left < 2u * q->tags + q->mvcc || (q->tags && (end[0] | end[1])) || (q->mvcc && end[2 * q->tags])) return none;
    q->p = end + 2 * q->tags + q->mvcc;
    q->key = key;
    q->key_n = key_n;
    return bytes_of(p, n);
}

/* The walk continues after n cells that were taken. */
static inline void quick_walk_end(const struct quick_walk *q, struct cell_walk *w, size_t n) {
    w->last.row.p = q->key + 2;
    w->last.key = bytes_of(q->key, q->key_n);
    w->p = q->p;
    w->seen += n;
}

#endif
