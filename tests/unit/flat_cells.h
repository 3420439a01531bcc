/* Test support for the stages of flow/: random row parts, a source over an array of parts, and the naive model that all
 * stages are held against: a flat list of (row, cell), sorted by the plain order of cells. */
#ifndef TESTS_UNIT_FLAT_CELLS_H
#define TESTS_UNIT_FLAT_CELLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cell/cell.h"
#include "sort/record.h"

#include <stdlib.h>

/* xorshift64: the same seed gives the same data. */
static inline uint64_t flat_random(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}
static inline size_t flat_below(uint64_t *s, size_t n) {
    return (size_t)(flat_random(s) >> 11) % n;
}

/* Everything allocated by one test, freed together. Each block has its exact size, so that a sanitizer sees overruns. */
struct flat_pool {
    void **p;
    size_t n, cap;
};
static inline void *flat_alloc(struct flat_pool *a, size_t n) {
    if (a->n == a->cap) {
        a->cap = a->cap ? a->cap * 2 : 64;
        a->p = realloc(a->p, a->cap * sizeof *a->p);
        assert_non_null(a->p);
    }
    void *p = calloc(1, n + !n);
    assert_non_null(p);
    return a->p[a->n++] = p;
}
static inline struct bytes flat_copy(struct flat_pool *a, struct bytes b) {
    uint8_t *p = flat_alloc(a, b.n);
    if (b.n) memcpy(p, b.p, b.n);
    return bytes_of(p, b.n);
}
static inline void flat_pool_free(struct flat_pool *a) {
    for (size_t i = 0; i < a->n; i++) free(a->p[i]);
    free(a->p);
    *a = (struct flat_pool){0};
}

/* ---- the model ---- */

struct flat_cell {
    struct bytes row;
    struct cell cell;
    size_t at; /* order in which it came: cells of one record may tie in everything (shapes that repeat) */
};
struct flat_cells {
    struct flat_cell *c;
    size_t n, cap;
    struct flat_pool *pool;
};

static inline void flat_add(struct flat_cells *f, const struct row_part *part) {
    struct bytes row = flat_copy(f->pool, part->row);
    for (uint32_t i = 0; i < part->n_cells; i++) {
        if (f->n == f->cap) {
            f->cap = f->cap ? f->cap * 2 : 64;
            f->c = realloc(f->c, f->cap * sizeof *f->c);
            assert_non_null(f->c);
        }
        struct cell c = part->cells[i];
        c.qualifier = flat_copy(f->pool, c.qualifier);
        c.value = flat_copy(f->pool, c.value);
        c.tags = flat_copy(f->pool, c.tags);
        f->c[f->n] = (struct flat_cell){row, c, f->n};
        f->n++;
    }
}

static inline int flat_cmp(const struct flat_cell *a, const struct flat_cell *b, enum tie_rule tie) {
    int c = bytes_cmp(a->row, b->row);
    return c ? c : cell_cmp(&a->cell, &b->cell, tie);
}
static inline int flat_cmp_stable(const struct flat_cell *a, const struct flat_cell *b, enum tie_rule tie) {
    int c = flat_cmp(a, b, tie);
    return c ? c : (a->at > b->at) - (a->at < b->at);
}
static inline int flat_cmp_sequence(const void *a, const void *b) {
    return flat_cmp_stable(a, b, TIE_BY_SEQUENCE);
}
static inline int flat_cmp_input(const void *a, const void *b) {
    return flat_cmp_stable(a, b, TIE_BY_INPUT);
}
static inline void flat_sort(struct flat_cells *f, enum tie_rule tie) {
    if (f->n) qsort(f->c, f->n, sizeof *f->c, tie == TIE_BY_INPUT ? flat_cmp_input : flat_cmp_sequence);
}
static inline void flat_free(struct flat_cells *f) {
    free(f->c);
    *f = (struct flat_cells){0};
}

static inline void flat_expect_cell(const struct cell *got, const struct cell *want) {
    assert_true(bytes_eq(got->qualifier, want->qualifier));
    assert_true(bytes_eq(got->value, want->value));
    assert_true(bytes_eq(got->tags, want->tags));
    assert_true(got->ts_ms == want->ts_ms && got->seq == want->seq && got->rank == want->rank);
    assert_int_equal(got->type, want->type);
}
static inline void flat_expect_equal(const struct flat_cells *got, const struct flat_cells *want) {
    assert_int_equal(got->n, want->n);
    for (size_t i = 0; i < got->n; i++) {
        assert_true(bytes_eq(got->c[i].row, want->c[i].row));
        flat_expect_cell(&got->c[i].cell, &want->c[i].cell);
    }
}

/* Parts of a shape: its columns, each by the shape's own pointer, and what shapes promise of cells. */
static inline void flat_check_shape(const struct row_part *p, const struct shape_set *shapes) {
    const struct shape *s = shape_get(shapes, p->shape);
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->n_cells; i++, at++) {
        while (at < s->n && s->qualifiers[at].p != p->cells[i].qualifier.p) at++;
        assert_true(at < s->n);
        assert_true(p->cells[i].type == CELL_PUT && p->cells[i].seq == 0 && p->cells[i].rank == p->cells[0].rank);
        assert_true(p->cells[i].ts_ms == p->cells[0].ts_ms);
    }
}

/* Reads a source to its end into *out and holds every part against the contract of cell/cell.h. */
static inline void flat_drain(struct source *s, struct bytes family, const struct shape_set *shapes, enum tie_rule tie,
                              struct flat_cells *out) {
    struct err err = {0};
    struct row_part p;
    int more;
    while ((more = source_next(s, &p, &err)) == 1) {
        assert_in_range(p.n_cells, 1, PART_MAX_CELLS);
        assert_true(bytes_eq(p.family, family));
        if (p.shape) flat_check_shape(&p, shapes);
        size_t before = out->n, bytes = 0;
        flat_add(out, &p);
        bool same_row = before && bytes_eq(out->c[before - 1].row, p.row);
        assert_int_equal(p.first, !same_row);
        for (size_t i = before ? before : 1; i < out->n; i++) assert_true(flat_cmp(&out->c[i - 1], &out->c[i], tie) <= 0);
        for (uint32_t i = 0; i + 1 < p.n_cells; i++) bytes += p.cells[i].value.n + p.cells[i].qualifier.n;
        assert_true(bytes <= PART_MAX_BYTES);
    }
    assert_string_equal(err.text, "");
    assert_int_equal(more, 0);
}

/* ---- a source over an array ---- */

struct array_source {
    struct source base;
    const struct row_part *parts;
    size_t n, i;
    size_t fail_at; /* next() fails at this part; SIZE_MAX = never */
    struct row_part handed;
    int *closed;
};
static inline int array_next(struct source *base, struct row_part *part, struct err *err) {
    struct array_source *a = (struct array_source *)base;
    if (a->i == a->fail_at) return err_set(err, ERR_INPUT, "planted");
    if (a->i == a->n) return 0;
    *part = a->parts[a->i++];
    return 1;
}
static inline void array_close(struct source *base) {
    struct array_source *a = (struct array_source *)base;
    if (a->closed) ++*a->closed;
    free(a);
}
static inline struct source *array_open(const struct row_part *parts, size_t n, size_t fail_at, int *closed) {
    static const struct source_ops ops = {array_next, array_close};
    struct array_source *a = calloc(1, sizeof *a);
    assert_non_null(a);
    *a = (struct array_source){.base.ops = &ops, .parts = parts, .n = n, .fail_at = fail_at, .closed = closed};
    return &a->base;
}

/* ---- random parts ---- */

/* A maker of random records of one family "f". Ranks never repeat, so that the order of cells is total. */
struct part_maker {
    uint64_t seed, counter;
    struct flat_pool *pool;
    struct shape_set *shapes;
    struct bytes family;
    enum tie_rule tie;
    uint32_t inputs; /* rank_input is below this */
    size_t value_max;
    unsigned explicit_percent;
    uint32_t cells_max; /* of an explicit record */
};

static inline struct bytes maker_word(struct part_maker *m, size_t max) {
    static const uint8_t letters[] = {0x00, 'a', 'b', 0x7f, 0x80, 0xff};
    uint8_t t[64];
    size_t n = flat_below(&m->seed, max + 1);
    for (size_t i = 0; i < n; i++) t[i] = letters[flat_below(&m->seed, sizeof letters)];
    return flat_copy(m->pool, bytes_of(t, n));
}
static inline struct bytes maker_value(struct part_maker *m) {
    size_t n = flat_below(&m->seed, m->value_max + 1);
    uint8_t *p = flat_alloc(m->pool, n);
    for (size_t i = 0; i < n; i++) p[i] = (uint8_t)flat_random(&m->seed);
    return bytes_of(p, n);
}
static inline uint64_t maker_rank(struct part_maker *m) {
    uint64_t at = m->counter++;
    if (flat_below(&m->seed, 4) == 0) at = RANK_POSITION_MAX - at; /* as of an HFile, where positions count down */
    return rank_of((uint32_t)flat_below(&m->seed, m->inputs), at);
}
static inline struct bytes maker_ttl(struct part_maker *m) {
    uint8_t *p = flat_alloc(m->pool, TTL_TAG_BYTES);
    cell_put_ttl_tag(p, (int64_t)flat_below(&m->seed, 1 << 30));
    return bytes_of(p, TTL_TAG_BYTES);
}

/* One Put per column of the shape, some left out but never all. */
static inline struct row_part maker_shaped(struct part_maker *m, struct bytes row, uint32_t id) {
    const struct shape *s = shape_get(m->shapes, id);
    struct cell *c = flat_alloc(m->pool, s->n * sizeof *c);
    struct cell like = {.ts_ms = (int64_t)flat_below(&m->seed, 5), .rank = maker_rank(m), .type = CELL_PUT};
    if (flat_below(&m->seed, 4) == 0) like.tags = maker_ttl(m);
    bool nulls = flat_below(&m->seed, 2);
    uint32_t n = 0, keep = (uint32_t)flat_below(&m->seed, s->n);
    for (uint32_t col = 0; col < s->n; col++) {
        if (nulls && col != keep && flat_below(&m->seed, 3) == 0) continue;
        c[n] = like;
        c[n].qualifier = s->qualifiers[col];
        c[n++].value = maker_value(m);
    }
    return (struct row_part){.row = row, .family = m->family, .cells = c, .n_cells = n, .shape = id, .first = true};
}

static inline int maker_cmp_sequence(const void *a, const void *b) {
    return cell_cmp(a, b, TIE_BY_SEQUENCE);
}
static inline int maker_cmp_input(const void *a, const void *b) {
    return cell_cmp(a, b, TIE_BY_INPUT);
}

/* Cells of all types with tags and sequence ids, in cell order; qualifiers repeat, so that parts of one row overlap. */
static inline struct row_part maker_explicit(struct part_maker *m, struct bytes row, uint32_t n) {
    static const uint8_t types[] = {
        CELL_PUT, CELL_PUT, CELL_PUT, CELL_DELETE_COLUMN, CELL_DELETE_FAMILY, CELL_DELETE_FAMILY_VERSION, CELL_DELETE};
    struct cell *c = flat_alloc(m->pool, n * sizeof *c);
    for (uint32_t i = 0; i < n; i++) {
        c[i] = (struct cell){.qualifier = maker_word(m, 3), .value = maker_value(m), .rank = maker_rank(m)};
        c[i].ts_ms = (int64_t)flat_below(&m->seed, 6) - 2;
        c[i].type = types[flat_below(&m->seed, sizeof types)];
        if (flat_below(&m->seed, 2)) c[i].seq = flat_random(&m->seed) >> flat_below(&m->seed, 64);
        if (flat_below(&m->seed, 5) == 0) c[i].tags = maker_ttl(m);
    }
    qsort(c, n, sizeof *c, m->tie == TIE_BY_INPUT ? maker_cmp_input : maker_cmp_sequence);
    return (struct row_part){.row = row, .family = m->family, .cells = c, .n_cells = n, .first = true};
}

static inline struct row_part maker_part(struct part_maker *m, struct bytes row) {
    if (flat_below(&m->seed, 100) < m->explicit_percent || !m->shapes->n)
        return maker_explicit(m, row, 1 + (uint32_t)flat_below(&m->seed, m->cells_max));
    return maker_shaped(m, row, 1 + (uint32_t)flat_below(&m->seed, m->shapes->n));
}

/* Shapes a,b,c – b – "",b,zz – c,c (which repeats). */
static inline void maker_add_shapes(struct part_maker *m, bool with_repeats) {
    struct bytes one[] = {bytes_str("a"), bytes_str("b"), bytes_str("c")}, two[] = {bytes_str("b")};
    struct bytes three[] = {bytes_str(""), bytes_str("b"), bytes_str("zz")}, four[] = {bytes_str("c"), bytes_str("c")};
    struct err err = {0};
    uint32_t id;
    assert_int_equal(shape_add(m->shapes, m->family, one, 3, &id, &err), 0);
    assert_int_equal(shape_add(m->shapes, m->family, two, 1, &id, &err), 0);
    assert_int_equal(shape_add(m->shapes, m->family, three, 3, &id, &err), 0);
    if (with_repeats) assert_int_equal(shape_add(m->shapes, m->family, four, 2, &id, &err), 0);
}

#endif
