/* Stores row parts in memory buckets and spill runs, one compact record per part, and the shapes that records refer to.
 *
 * A shape is a fixed sequence of columns, as text inputs have: its names are stored once per run, a record keeps the row, one
 * timestamp and the values. Private to one run of one program: native byte order, no version. */
#ifndef SORT_RECORD_H
#define SORT_RECORD_H

#include "base/err.h"
#include "cell/cell.h"

/* ---- shapes: filled while inputs are opened, read by any thread after ---- */

enum { SHAPES_MAX = 0x7fff }; /* fits the field of a record */

struct shape_set {
    struct shape **shapes;
    uint32_t n;
};

/* Copies names; *id (>= 1) goes into row_part.shape. Equal shapes get equal ids. */
int shape_add(struct shape_set *s, struct bytes family, const struct bytes *qualifiers, uint32_t n, uint32_t *id,
              struct err *err);
static inline const struct shape *shape_get(const struct shape_set *s, uint32_t id) {
    return s->shapes[id - 1];
}
void shape_set_free(struct shape_set *s);

/* ---- records ----
 *
 *   u32 size | u16 shape (0x8000 = has ttl) | u16 row_n (0x8000 = first) | u64 rank | i64 ts or u64 n_cells | row | body
 *   body of a shape:   [i64 ttl] then per column: c7(length + 1) value, 0 = column absent
 *   body otherwise:    per cell: u8 what differs from the cell before | [u8 type] [i64 ts] [u64 rank] [c7 seq] |
 *                      c7 qualifier_n | c7 value_n | [c7 tags_n] | bytes
 *   Neighbours mostly are Puts of one timestamp and sequence id whose ranks count up or down: then that is one byte. */

enum { RECORD_HEAD_BYTES = 24 };

/* Upper bound of the bytes record_put writes for this part. */
size_t record_bound(const struct row_part *part, const struct shape_set *shapes);
/* Writes the part at p; returns the record's size. */
size_t record_put(uint8_t *p, const struct row_part *part, const struct shape_set *shapes);

static inline uint32_t record_size(const uint8_t *r) {
    uint32_t n;
    memcpy(&n, r, 4);
    return n;
}
static inline uint32_t record_shape(const uint8_t *r) {
    uint16_t s;
    memcpy(&s, r + 4, 2);
    return s & 0x7fff;
}
static inline bool record_has_ttl(const uint8_t *r) {
    return r[5] & 0x80;
}
static inline struct bytes record_row(const uint8_t *r) {
    uint16_t n;
    memcpy(&n, r + 6, 2);
    return bytes_of(r + RECORD_HEAD_BYTES, n & 0x7fff);
}
static inline bool record_first(const uint8_t *r) {
    return r[7] & 0x80;
}
static inline uint64_t record_rank(const uint8_t *r) {
    uint64_t v;
    memcpy(&v, r + 8, 8);
    return v;
}
/* Timestamp of a shape's record. */
static inline int64_t record_ts(const uint8_t *r) {
    int64_t v;
    memcpy(&v, r + 16, 8);
    return v;
}

/* Returns whether n bytes begin with a record of no shape, whose cells are within it, of known types, and as many as it says, at
 * most PART_MAX_CELLS: for records that another process has written. */
bool record_is_sound(const uint8_t *r, size_t n);

/* Walks the cells of a record in order. */
struct record_cells {
    const uint8_t *p, *end;
    const struct shape *shape; /* NULL: explicit cells */
    uint32_t column;
    struct cell cell; /* ts, seq, rank, tags preset for shapes */
    uint8_t ttl_tag[TTL_TAG_BYTES];
};
void record_cells_begin(struct record_cells *it, const uint8_t *record, const struct shape_set *shapes);
/* Moves to the next cell; false: there is no more. it->cell then holds the cell; its tags may point into *it. */
bool record_cells_next(struct record_cells *it);
/* The next cells, straight into out: at most n, and none after the one with which values and qualifiers reach so many bytes.
 * Returns their number; their tags may point into *it. */
uint32_t record_cells_take(struct record_cells *it, struct cell *out, uint32_t n, size_t bytes);

/* Returns whether bytes are left: of a shape they may be columns without values. */
static inline bool record_cells_left(const struct record_cells *it) {
    return it->p < it->end;
}

/* Takes a c7 number (7 bits a byte, low first); trusted data. */
static inline const uint8_t *record_take_c7(const uint8_t *p, uint64_t *v) {
    uint64_t r = *p & 0x7f;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7) r |= (uint64_t)(*p & 0x7f) << shift;
    *v = r;
    return p;
}

#endif
