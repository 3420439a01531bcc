/* Records: a row part written as compact bytes and walked again, and the set of shapes that records refer to. A record is
 * trusted: mostly it never leaves the process, and runs on disk have their own checksums. Those of another process are checked
 * before they are read (record_is_sound). */
#include "sort/record.h"

#include "base/bytes.h"
#include "base/wire.h"

#include <stdlib.h>

/* Bits of the fields that are stored of a cell because they are not as expected. A record's head has the first cell's rank;
 * before it comes a Put at 0 without sequence id. */
enum { HAS_TYPE = 1, HAS_TS = 2, HAS_SEQ = 4, HAS_TAGS = 8, RANK_SHIFT = 4 };
enum rank_step { RANK_SAME, RANK_DOWN, RANK_UP, RANK_OTHER };
enum { CELL_HEAD_MAX_BYTES = 1 + 1 + 8 + 8 + 4 * PB_VARINT_MAX };

size_t record_bound(const struct row_part *part, const struct shape_set *shapes) {
    size_t n = RECORD_HEAD_BYTES + part->row.n + 8 + (part->spare ? VALUE_SPARE_BYTES : 0);
    if (part->shape) {
        n += shape_get(shapes, part->shape)->n * (size_t)PB_VARINT_MAX;
        for (uint32_t i = 0; i < part->n_cells; i++) n += part->cells[i].value.n;
        return n;
    }
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        n += CELL_HEAD_MAX_BYTES + c->qualifier.n + c->value.n + c->tags.n;
    }
    return n;
}

static uint8_t *put_c7(uint8_t *p, uint64_t v) {
    if (v < 0x80) {
        *p = (uint8_t)v;
        return p + 1;
    }
    return p + pb_varint_put(p, v);
}

static uint8_t *put_raw(uint8_t *p, struct bytes b) {
    if (b.n) memcpy(p, b.p, b.n);
    return p + b.n;
}

static uint8_t *put_u64(uint8_t *p, uint64_t v) {
    memcpy(p, &v, 8);
    return p + 8;
}

static uint8_t *put_shaped(uint8_t *p, const struct row_part *part, const struct shape *shape) {
    uint32_t i = 0;
    for (uint32_t col = 0; col < shape->n; col++) {
        if (i == part->n_cells || part->cells[i].qualifier.p != shape->qualifiers[col].p) {
            *p++ = 0;
            continue;
        }
        struct bytes v = part->cells[i++].value;
        p = put_c7(p, v.n + 1);
        p = part->spare ? put_spare_value(p, v) : put_raw(p, v);
    }
    return p;
}

static enum rank_step rank_step(uint64_t last, uint64_t rank) {
    return rank == last ? RANK_SAME : rank == last - 1 ? RANK_DOWN : rank == last + 1 ? RANK_UP : RANK_OTHER;
}

static uint8_t *put_cell(uint8_t *p, const struct cell *c, const struct cell *last, bool spare) {
    enum rank_step step = rank_step(last->rank, c->rank);
    bool type = c->type != CELL_PUT, ts = c->ts_ms != last->ts_ms, seq = c->seq != last->seq;
    *p++ = (uint8_t)((type ? HAS_TYPE : 0) | (ts ? HAS_TS : 0) | (seq ? HAS_SEQ : 0) | (c->tags.n ? HAS_TAGS : 0) |
                     step << RANK_SHIFT);
    if (type) *p++ = c->type;
    if (ts) p = put_u64(p, (uint64_t)c->ts_ms);
    if (step == RANK_OTHER) p = put_u64(p, c->rank);
    if (seq) p = put_c7(p, c->seq);
    p = put_c7(p, c->qualifier.n);
    p = put_c7(p, c->value.n);
    if (c->tags.n) p = put_c7(p, c->tags.n);
    p = spare ? copy16(p, c->qualifier) : put_raw(p, c->qualifier);
    p = spare ? put_spare_value(p, c->value) : put_raw(p, c->value);
    return put_raw(p, c->tags);
}

static uint8_t *put_cells(uint8_t *p, const struct row_part *part) {
    struct cell before = {.rank = part->cells[0].rank};
    for (uint32_t i = 0; i < part->n_cells; i++) p = put_cell(p, &part->cells[i], i ? &part->cells[i - 1] : &before, part->spare);
    return p;
}

size_t record_put(uint8_t *p, const struct row_part *part, const struct shape_set *shapes) {
    const struct cell *c = &part->cells[0];
    bool ttl = part->shape && c->tags.n;
    uint16_t shape = (uint16_t)(part->shape | (ttl ? 0x8000u : 0)), row_n = (uint16_t)(part->row.n | (part->first ? 0x8000u : 0));
    uint8_t *w = p + 4;
    memcpy(w, &shape, 2);
    memcpy(w + 2, &row_n, 2);
    w = put_u64(w + 4, c->rank);
    w = put_u64(w, part->shape ? (uint64_t)c->ts_ms : part->n_cells);
    w = put_raw(w, part->row);
    if (ttl) w = put_u64(w, be64(c->tags.p + 3));
    w = part->shape ? put_shaped(w, part, shape_get(shapes, part->shape)) : put_cells(w, part);
    uint32_t size = (uint32_t)(w - p);
    memcpy(p, &size, 4);
    return size;
}

void record_cells_begin(struct record_cells *it, const uint8_t *r, const struct shape_set *shapes) {
    struct bytes row = record_row(r);
    it->p = row.p + row.n;
    it->end = r + record_size(r);
    it->shape = NULL;
    it->cell = (struct cell){.rank = record_rank(r)};
    if (!record_shape(r)) return;
    it->shape = shape_get(shapes, record_shape(r));
    it->column = 0;
    it->cell = (struct cell){.ts_ms = record_ts(r), .rank = record_rank(r), .type = CELL_PUT};
    if (!record_has_ttl(r)) return;
    int64_t ttl;
    memcpy(&ttl, it->p, 8);
    it->p += 8;
    cell_put_ttl_tag(it->ttl_tag, ttl);
    it->cell.tags = bytes_of(it->ttl_tag, TTL_TAG_BYTES);
}

/* Each field is stored by itself: a copy of a cell that has just been made would wait for its parts. */
static uint32_t take_columns(struct record_cells *it, struct cell *out, uint32_t most, size_t bytes) {
    const struct bytes *qualifiers = it->shape->qualifiers, tags = it->cell.tags;
    const int64_t ts_ms = it->cell.ts_ms;
    const uint64_t rank = it->cell.rank;
    const uint8_t *p = it->p;
    uint32_t n = 0, column = it->column;
    for (size_t had = 0; p < it->end && n < most && had < bytes; column++) {
        uint64_t v;
        p = record_take_c7(p, &v);
        if (!v) continue;
        out[n++] = (struct cell){.qualifier = qualifiers[column],
                                 .value = bytes_of(p, v - 1),
                                 .tags = tags,
                                 .ts_ms = ts_ms,
                                 .rank = rank,
                                 .type = CELL_PUT};
        p += v - 1;
        had += v - 1 + qualifiers[column].n;
    }
    it->p = p;
    it->column = column;
    return n;
}

static inline uint64_t take_u64(const uint8_t **p) {
    uint64_t v;
    memcpy(&v, *p, 8);
    *p += 8;
    return v;
}

/* it->cell still is the cell before. */
bool record_cells_next(struct record_cells *it) {
    if (it->shape) return take_columns(it, &it->cell, 1, SIZE_MAX) == 1;
    if (it->p == it->end) return false;
    struct cell *c = &it->cell;
    const uint8_t *p = it->p;
    unsigned has = *p++;
    uint64_t q, v, t = 0;
    c->type = has & HAS_TYPE ? *p++ : CELL_PUT;
    if (has & HAS_TS) c->ts_ms = (int64_t)take_u64(&p);
    switch (has >> RANK_SHIFT) {
    case RANK_SAME: break;
    case RANK_DOWN: c->rank--; break;
    case RANK_UP: c->rank++; break;
    default: c->rank = take_u64(&p);
    }
    if (has & HAS_SEQ) p = record_take_c7(p, &c->seq);
    p = record_take_c7(p, &q);
    p = record_take_c7(p, &v);
    if (has & HAS_TAGS) p = record_take_c7(p, &t);
    c->qualifier = bytes_of(p, q);
    c->value = bytes_of(p + q, v);
    c->tags = bytes_of(p + q + v, t);
    it->p = p + q + v + t;
    return true;
}

uint32_t record_cells_take(struct record_cells *it, struct cell *out, uint32_t n, size_t bytes) {
    if (it->shape) return take_columns(it, out, n, bytes);
    uint32_t i = 0;
    for (size_t had = 0; i < n && had < bytes && record_cells_next(it); i++) {
        out[i] = it->cell;
        had += out[i].value.n + out[i].qualifier.n;
    }
    return i;
}

/* ---- records from elsewhere ---- */

/* *p does not pass end. */
static bool skip(const uint8_t **p, const uint8_t *end, uint64_t n) {
    if (n > (size_t)(end - *p)) return false;
    *p += n;
    return true;
}

static bool take_sound_c7(const uint8_t **p, const uint8_t *end, uint64_t *v) {
    const uint8_t *q = *p;
    while (q < end && q - *p < PB_VARINT_MAX && *q & 0x80) q++;
    if (q == end || q - *p == PB_VARINT_MAX) return false;
    *p = record_take_c7(*p, v);
    return true;
}

static bool skip_sound_cell(const uint8_t **p, const uint8_t *end) {
    uint64_t seq, q, v, t = 0;
    if (*p == end) return false;
    unsigned has = *(*p)++;
    if (has >> (RANK_SHIFT + 2)) return false;
    if (has & HAS_TYPE && (*p == end || !cell_type_known(*(*p)++))) return false;
    if (has & HAS_TS && !skip(p, end, 8)) return false;
    if (has >> RANK_SHIFT == RANK_OTHER && !skip(p, end, 8)) return false;
    if (has & HAS_SEQ && !take_sound_c7(p, end, &seq)) return false;
    if (!take_sound_c7(p, end, &q) || !take_sound_c7(p, end, &v)) return false;
    if (has & HAS_TAGS && !take_sound_c7(p, end, &t)) return false;
    if (!skip(p, end, q) || !skip(p, end, v)) return false;
    const uint8_t *tags = *p;
    return skip(p, end, t) && tags_valid(bytes_of(tags, t));
}

bool record_is_sound(const uint8_t *r, size_t n) {
    if (n < RECORD_HEAD_BYTES || record_size(r) > n || record_size(r) < RECORD_HEAD_BYTES) return false;
    const uint8_t *p = r + RECORD_HEAD_BYTES, *end = r + record_size(r);
    uint64_t cells = (uint64_t)record_ts(r);
    if (record_shape(r) || record_has_ttl(r) || !cells || cells > PART_MAX_CELLS || !skip(&p, end, record_row(r).n)) return false;
    while (cells--)
        if (!skip_sound_cell(&p, end)) return false;
    return p == end;
}

/* ---- shapes ---- */

static bool same(const struct shape *a, struct bytes family, const struct bytes *qualifiers, uint32_t n) {
    if (a->n != n || !bytes_eq(a->family, family)) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!bytes_eq(a->qualifiers[i], qualifiers[i])) return false;
    return true;
}

/* A spare byte after each name keeps the pointers of empty and equal qualifiers distinct: cells are matched by pointer. */
static struct bytes keep_name(uint8_t **p, struct bytes name) {
    struct bytes kept = {*p, name.n};
    if (name.n) memcpy(*p, name.p, name.n);
    *p += name.n + 1;
    return kept;
}

static struct shape *shape_new(struct bytes family, const struct bytes *qualifiers, uint32_t n, struct err *err) {
    size_t size = sizeof(struct shape) + n * sizeof(struct bytes) + family.n + 1;
    for (uint32_t i = 0; i < n; i++) size += qualifiers[i].n + 1;
    struct shape *s = calloc(1, size);
    if (!s) {
        err_nomem(err, size, "a record shape");
        return NULL;
    }
    struct bytes *names = (struct bytes *)(s + 1);
    uint8_t *p = (uint8_t *)(names + n);
    s->family = keep_name(&p, family);
    for (uint32_t i = 0; i < n; i++) names[i] = keep_name(&p, qualifiers[i]);
    for (uint32_t i = 1; i < n; i++) s->repeats |= bytes_eq(names[i - 1], names[i]);
    s->qualifiers = names;
    s->n = n;
    return s;
}

/* The list never moves: other threads read it while an input is opened. */
static int reserve_shapes(struct shape_set *s, struct err *err) {
    if (s->n == SHAPES_MAX) return err_set(err, ERR_LIMIT, "more than %d different column sequences in one run", SHAPES_MAX);
    if (s->shapes) return 0;
    s->shapes = calloc(SHAPES_MAX, sizeof(struct shape *));
    return s->shapes ? 0 : err_nomem(err, SHAPES_MAX * sizeof(struct shape *), "record shapes");
}

int shape_add(struct shape_set *s, struct bytes family, const struct bytes *qualifiers, uint32_t n, uint32_t *id,
              struct err *err) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!same(s->shapes[i], family, qualifiers, n)) continue;
        *id = i + 1;
        return 0;
    }
    if (reserve_shapes(s, err)) return -1;
    struct shape *added = shape_new(family, qualifiers, n, err);
    if (!added) return -1;
    s->shapes[s->n++] = added;
    *id = s->n;
    return 0;
}

void shape_set_free(struct shape_set *s) {
    for (uint32_t i = 0; i < s->n; i++) free(s->shapes[i]);
    free(s->shapes);
    *s = (struct shape_set){0};
}
