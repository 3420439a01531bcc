/* Turns sorted records into row parts that ascend and never overlap. One record of a row passes as it is; several of one shape
 * are read column by column, with the sort entries as cursors; anything else is merged cell by cell from lanes, each a stream of
 * cells that are in order already. */
#include "sort/sorted.h"

#include "base/buf.h"
#include "base/heap.h"
#include "base/prefetch.h"
#include "sort/record.h"

#include <stdlib.h>

enum { ROWS_AHEAD = 16, LINES_AHEAD = 6 }; /* most records have no more */

/* A stream of cells in order out of some records of the current row. */
struct segment_lane {
    const struct shape *shape; /* column by column over e[0, n); NULL: explicit records one after the other */
    struct sort_entry *e;
    size_t n, i;
    uint32_t column;
    struct record_cells cells; /* explicit: the record e[i - 1] */
    struct cell cell;          /* the current one */
};

struct segment {
    struct source base;
    struct sort_entry *e;
    size_t n, i, row_end; /* entries [i, row_end) of a row are in lanes */
    const struct shape_set *shapes;
    struct bytes family;
    enum tie_rule tie;
    struct segment_lane *lanes;
    struct segment_lane **least; /* heap of those that are not used up, by current cell; empty = no row is being merged */
    size_t n_lanes, n_least, cap_lanes;
    struct record_cells single; /* walks a row that has one record */
    bool in_single, row_started;
    struct bytes row;
    uint8_t (*ttl_tags)[TTL_TAG_BYTES]; /* tags of the cells handed out: those of shapes are made, not stored */
    struct cell cells[PART_MAX_CELLS];
};

/* Window slots become cursors: offset of the next column's value from the record's start. */
static void cursors_begin(struct segment_lane *l) {
    for (size_t i = 0; i < l->n; i++) {
        const uint8_t *r = l->e[i].record;
        l->e[i].window = RECORD_HEAD_BYTES + record_row(r).n + (record_has_ttl(r) ? 8 : 0);
    }
}

static bool lane_next_column(struct segment_lane *l) {
    for (; l->column < l->shape->n; l->column++, l->i = 0)
        while (l->i < l->n) {
            struct sort_entry *e = &l->e[l->i++];
            uint64_t v;
            const uint8_t *p = record_take_c7(e->record + e->window, &v);
            e->window = (uint64_t)(p - e->record) + (v ? v - 1 : 0);
            if (!v) continue;
            l->cell = (struct cell){.qualifier = l->shape->qualifiers[l->column],
                                    .value = bytes_of(p, v - 1),
                                    .ts_ms = record_ts(e->record),
                                    .rank = record_rank(e->record),
                                    .type = CELL_PUT};
            if (record_has_ttl(e->record)) l->cell.tags.n = TTL_TAG_BYTES; /* bytes are made when handed out */
            return true;
        }
    return false;
}

static bool lane_next(struct segment_lane *l, const struct shape_set *shapes) {
    if (l->shape) return lane_next_column(l);
    while (!l->cells.p || !record_cells_next(&l->cells)) {
        if (l->i == l->n) return false;
        record_cells_begin(&l->cells, l->e[l->i++].record, shapes);
    }
    l->cell = l->cells.cell;
    return true;
}

/* The record a shape lane's current cell came from: for its TTL. */
static int64_t lane_ttl(const struct segment_lane *l) {
    const uint8_t *r = l->e[l->i - 1].record;
    int64_t ttl;
    memcpy(&ttl, r + RECORD_HEAD_BYTES + record_row(r).n, 8);
    return ttl;
}

static inline bool lane_before(const void *a, const void *b, const void *arg) {
    const struct segment_lane *x = *(struct segment_lane *const *)a, *y = *(struct segment_lane *const *)b;
    return cell_cmp(&x->cell, &y->cell, ((const struct segment *)arg)->tie) < 0;
}

static int grow_lanes(struct segment *s, struct err *err) {
    size_t same = s->cap_lanes;
    const char *what = "merging the records of one row";
    if (grow_capacity(&s->least, &same, sizeof(struct segment_lane *), what, err)) return -1;
    return grow_capacity(&s->lanes, &s->cap_lanes, sizeof *s->lanes, what, err);
}

static int add_lane(struct segment *s, struct sort_entry *e, size_t n, const struct shape *shape, struct err *err) {
    if (s->n_lanes == s->cap_lanes && grow_lanes(s, err)) return -1;
    struct segment_lane *l =
        &s->lanes[s->n_lanes]; /* its cells are filled as they come: rows are too short to zero them for each */
    l->shape = shape;
    l->e = e;
    l->n = n;
    l->i = l->column = 0;
    l->cells.p = NULL;
    if (shape) cursors_begin(l);
    if (lane_next(l, s->shapes)) s->n_lanes++;
    return 0;
}

/* Returns whether the last cell of record a precedes the first cell of b. Then one lane serves both. */
static bool follows(const struct segment *s, const uint8_t *a, const uint8_t *b) {
    struct record_cells ia, ib;
    record_cells_begin(&ia, a, s->shapes);
    record_cells_begin(&ib, b, s->shapes);
    while (record_cells_next(&ia)) {
    }
    record_cells_next(&ib);
    return cell_cmp(&ia.cell, &ib.cell, s->tie) <= 0;
}

static int begin_lanes(struct segment *s, struct err *err) {
    s->n_lanes = 0;
    for (size_t i = s->i, j; i < s->row_end; i = j) {
        uint32_t shape = record_shape(s->e[i].record);
        for (j = i + 1; j < s->row_end && record_shape(s->e[j].record) == shape; j++)
            if (!shape && !follows(s, s->e[j - 1].record, s->e[j].record)) break;
        if (add_lane(s, s->e + i, j - i, shape ? shape_get(s->shapes, shape) : NULL, err)) return -1;
    }
    s->n_least = s->n_lanes;
    for (size_t i = 0; i < s->n_lanes; i++) s->least[i] = &s->lanes[i];
    heap_make(s->least, s->n_least, sizeof(struct segment_lane *), lane_before, s);
    return 0;
}

static size_t find_row_end(const struct segment *s) {
    struct bytes row = record_row(s->e[s->i].record);
    size_t j = s->i + 1;
    /* Neighbours differ in their windows nearly always; windows are still unused here. */
    while (j < s->n && s->e[j].window == s->e[s->i].window && bytes_eq(record_row(s->e[j].record), row)) j++;
    return j;
}

/* Cells handed out keep their own copy of a TTL tag: records store the number only. */
static int keep_tag(struct segment *s, uint32_t i, int64_t ttl, struct err *err) {
    if (!s->ttl_tags) {
        s->ttl_tags = malloc(sizeof *s->ttl_tags * PART_MAX_CELLS);
        if (!s->ttl_tags) return err_nomem(err, sizeof *s->ttl_tags * PART_MAX_CELLS, "tags");
    }
    cell_put_ttl_tag(s->ttl_tags[i], ttl);
    s->cells[i].tags = bytes_of(s->ttl_tags[i], TTL_TAG_BYTES);
    return 0;
}

static int fill_from_lanes(struct segment *s, uint32_t *n, struct err *err) {
    size_t bytes = 0;
    while (s->n_least && *n < PART_MAX_CELLS && bytes < PART_MAX_BYTES) {
        struct segment_lane *l = s->least[0];
        s->cells[*n] = l->cell;
        if (l->shape && l->cell.tags.n && keep_tag(s, *n, lane_ttl(l), err)) return -1;
        bytes += l->cell.value.n + l->cell.qualifier.n;
        ++*n;
        if (!lane_next(l, s->shapes)) s->least[0] = s->least[--s->n_least];
        if (s->n_least > 1) heap_sink(s->least, s->n_least, sizeof(struct segment_lane *), 0, lane_before, s);
    }
    return 0;
}

static uint32_t fill_from_single(struct segment *s) {
    uint32_t n = record_cells_take(&s->single, s->cells, PART_MAX_CELLS, PART_MAX_BYTES);
    s->in_single = record_cells_left(&s->single);
    return n;
}

static int begin_row(struct segment *s, struct err *err) {
    /* Records are where they came in: the next rows' are asked for while this one is worked on. */
    if (s->i + ROWS_AHEAD < s->n) prefetch_to_read(s->e[s->i + ROWS_AHEAD].record, LINES_AHEAD);
    s->row_end = find_row_end(s);
    s->row = record_row(s->e[s->i].record);
    s->row_started = false;
    if (s->row_end == s->i + 1) {
        record_cells_begin(&s->single, s->e[s->i].record, s->shapes);
        s->in_single = true;
    } else if (begin_lanes(s, err)) {
        return -1;
    }
    s->i = s->row_end;
    return 0;
}

static int segment_next(struct source *base, struct row_part *part, struct err *err) {
    struct segment *s = (struct segment *)base;
    for (;;) {
        uint32_t n = 0, shape = 0;
        if (s->in_single) {
            n = fill_from_single(s);
            if (!s->in_single && !s->row_started && n) shape = record_shape(s->e[s->i - 1].record);
        } else if (s->n_least && fill_from_lanes(s, &n, err)) {
            return -1;
        }
        if (n) {
            *part = (struct row_part){.row = s->row,
                                      .family = s->family,
                                      .cells = s->cells,
                                      .n_cells = n,
                                      .shape = shape,
                                      .first = !s->row_started,
                                      .spare = true};
            s->row_started = true;
            return 1;
        }
        if (s->i == s->n) return 0;
        if (begin_row(s, err)) return -1;
    }
}

static void segment_close(struct source *base) {
    struct segment *s = (struct segment *)base;
    free(s->lanes);
    free(s->least);
    free(s->ttl_tags);
    free(s);
}

static const struct source_ops segment_ops = {segment_next, segment_close};

struct source *segment_open(struct sort_entry *entries, size_t n, const struct shape_set *shapes, struct bytes family,
                            enum tie_rule tie, struct err *err) {
    struct segment *s = malloc(sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "a sorted bucket");
        return NULL;
    }
    memset(s, 0, offsetof(struct segment, cells));
    s->base.ops = &segment_ops;
    s->e = entries;
    s->n = n;
    s->shapes = shapes;
    s->family = family;
    s->tie = tie;
    return &s->base;
}
