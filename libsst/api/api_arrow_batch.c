/* Builds batches of Arrow out of row parts, column by column, and describes them.
 *
 *   row part -> arrow_batch_add -> for each wanted column: bytes without gaps, and the end of each cell
 *   arrow_batch_take -> ArrowArray of the caller: a struct of children, each of which owns its buffers
 *
 * A consumer may take a child and release the rest (the interface allows it), so nothing is shared between children. Buffers have
 * COPY64_SPARE bytes more than they use: values are copied in steps. */
#include "api/api_arrow_batch.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN_K, COLUMN_Q, COLUMN_T, COLUMN_V, COLUMN_TYPE, COLUMN_FAMILY, COLUMN_SEQUENCE, COLUMN_TAGS };

static const struct arrow_kind {
    const char *name, *format; /* of the C data interface: z binary, l int64, C uint8, L uint64 */
    size_t width;              /* of a number; 0: bytes */
} kinds[ARROW_COLUMNS] = {
    [COLUMN_K] = {"K", "z", 0},
    [COLUMN_Q] = {"Q", "z", 0},
    [COLUMN_T] = {"T", "l", sizeof(int64_t)},
    [COLUMN_V] = {"V", "z", 0},
    [COLUMN_TYPE] = {"type", "C", sizeof(uint8_t)},
    [COLUMN_FAMILY] = {"family", "z", 0},
    [COLUMN_SEQUENCE] = {"sequence", "L", sizeof(uint64_t)},
    [COLUMN_TAGS] = {"tags", "z", 0},
};

static bool is_wanted(uint32_t wanted, int column) {
    return wanted >> column & 1;
}

/* ---- filling ----
 *
 * Most parts have a few short cells, so what is done for each part counts as much as what is done for each cell: functions of a
 * column are compiled for it, and room is made once for a part. */

#define FOR_COLUMN static inline __attribute__((always_inline))

/* The first part of a batch: room for as many cells and bytes as the batch before had. */
static int begin_column(struct arrow_batch *b, struct arrow_column *c, bool ends, struct err *err) {
    if (buf_reserve(&c->data, c->last_data + COPY64_SPARE, err)) return -1;
    if (!ends) return 0;
    if (buf_reserve(&c->ends, (b->last_n + 1) * sizeof(int32_t), err)) return -1;
    memset(c->ends.p, 0, sizeof(int32_t));
    c->ends.n = sizeof(int32_t);
    return 0;
}

static int grow_column(struct arrow_column *c, bool ends, size_t more, uint32_t cells, struct err *err) {
    if (c->data.n + more > INT32_MAX)
        return err_set(err, ERR_LIMIT, "a batch of Arrow: a column of %zu bytes is more than 2 GiB", c->data.n + more);
    return buf_reserve(&c->data, more + COPY64_SPARE, err) || (ends && buf_reserve(&c->ends, cells * sizeof(int32_t), err)) ? -1
                                                                                                                            : 0;
}

FOR_COLUMN int make_room(struct arrow_column *c, bool ends, size_t more, uint32_t cells, struct err *err) {
    bool fits = c->data.cap >= c->data.n + more + COPY64_SPARE && c->data.n + more <= INT32_MAX;
    if (fits && (!ends || c->ends.cap >= c->ends.n + cells * sizeof(int32_t))) return 0;
    return grow_column(c, ends, more, cells, err);
}

/* Where the ends of the cells of a part go. */
FOR_COLUMN int32_t *take_ends(struct arrow_column *c, uint32_t cells) {
    int32_t *ends = (int32_t *)(void *)(c->ends.p + c->ends.n);
    c->ends.n += cells * sizeof(int32_t);
    return ends;
}

/* Adds bytes that all cells share: row and family. */
FOR_COLUMN int add_same(struct arrow_column *c, struct bytes same, uint32_t cells, struct err *err) {
    if (make_room(c, true, same.n * cells, cells, err)) return -1;
    int32_t *ends = take_ends(c, cells);
    uint8_t *first = c->data.p + c->data.n, *p = copy16(first, same);
    size_t at = c->data.n += same.n;
    ends[0] = (int32_t)at;
    for (uint32_t i = 1; i < cells; i++) {
        for (size_t n = 0; n < same.n; n += 16) store16(p + n, load16(first + n)); /* in the room to spare */
        p += same.n;
        ends[i] = (int32_t)(at += same.n);
    }
    c->data.n = at;
    return 0;
}

FOR_COLUMN struct bytes bytes_in(const struct cell *c, int column) {
    return column == COLUMN_Q ? c->qualifier : column == COLUMN_V ? c->value : c->tags;
}

/* spare: bytes after each value may be read. */
FOR_COLUMN int add_each(struct arrow_column *c, const struct row_part *part, int column, bool spare, struct err *err) {
    size_t more = 0, at = c->data.n;
    for (uint32_t i = 0; i < part->n_cells; i++) more += bytes_in(&part->cells[i], column).n;
    if (make_room(c, true, more, part->n_cells, err)) return -1;
    int32_t *ends = take_ends(c, part->n_cells);
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct bytes from = bytes_in(&part->cells[i], column);
        if (spare)
            put_spare_value(c->data.p + at, from);
        else
            copy16(c->data.p + at, from);
        ends[i] = (int32_t)(at += from.n);
    }
    c->data.n = at;
    return 0;
}

FOR_COLUMN int add_numbers(struct arrow_column *c, const struct row_part *part, int column, struct err *err) {
    const size_t width = kinds[column].width;
    if (make_room(c, false, width * part->n_cells, part->n_cells, err)) return -1;
    uint8_t *p = c->data.p + c->data.n;
    for (uint32_t i = 0; i < part->n_cells; i++, p += width) {
        const struct cell *cell = &part->cells[i];
        if (column == COLUMN_T)
            memcpy(p, &cell->ts_ms, sizeof cell->ts_ms);
        else if (column == COLUMN_SEQUENCE)
            memcpy(p, &cell->seq, sizeof cell->seq);
        else
            *p = cell->type;
    }
    c->data.n += width * part->n_cells;
    return 0;
}

static int add_to(struct arrow_batch *b, int column, const struct row_part *part, struct err *err) {
    struct arrow_column *c = &b->columns[column];
    switch (column) {
    case COLUMN_K: return add_same(c, part->row, part->n_cells, err);
    case COLUMN_FAMILY: return add_same(c, part->family, part->n_cells, err);
    case COLUMN_Q: return add_each(c, part, COLUMN_Q, false, err);
    case COLUMN_V: return part->spare ? add_each(c, part, COLUMN_V, true, err) : add_each(c, part, COLUMN_V, false, err);
    case COLUMN_TAGS: return add_each(c, part, COLUMN_TAGS, false, err);
    case COLUMN_T: return add_numbers(c, part, COLUMN_T, err);
    case COLUMN_TYPE: return add_numbers(c, part, COLUMN_TYPE, err);
    default: return add_numbers(c, part, COLUMN_SEQUENCE, err);
    }
}

int arrow_batch_add(struct arrow_batch *b, const struct row_part *part, struct err *err) {
    for (int i = 0; i < ARROW_COLUMNS && !b->n; i++)
        if (is_wanted(b->wanted, i) && begin_column(b, &b->columns[i], !kinds[i].width, err)) return -1;
    for (uint32_t left = b->wanted; left; left &= left - 1)
        if (add_to(b, __builtin_ctz(left), part, err)) return -1;
    b->n += part->n_cells;
    return 0;
}

size_t arrow_batch_bytes(const struct arrow_batch *b) {
    size_t bytes = 0;
    for (int i = 0; i < ARROW_COLUMNS; i++) bytes += b->columns[i].data.n;
    return bytes;
}

void arrow_batch_free(struct arrow_batch *b) {
    for (int i = 0; i < ARROW_COLUMNS; i++) {
        buf_free(&b->columns[i].data);
        buf_free(&b->columns[i].ends);
    }
}

/* ---- handing over ---- */

static void release_column(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_buffers; i++) free((void *)(uintptr_t)array->buffers[i]);
    free((void *)(uintptr_t)array->buffers);
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release) array->children[i]->release(array->children[i]);
    free(array->private_data);
    array->release = NULL;
}

/* A batch and its children, in one piece. */
struct arrow_frame {
    const void *no_nulls[1];
    struct ArrowArray *pointers[ARROW_COLUMNS];
    struct ArrowArray children[ARROW_COLUMNS];
};

static void give_column(struct arrow_batch *b, int column, const void **buffers, struct ArrowArray *out) {
    struct arrow_column *c = &b->columns[column];
    bool numbers = kinds[column].width != 0;
    buffers[0] = NULL;
    buffers[1] = numbers ? c->data.p : c->ends.p;
    buffers[2] = numbers ? NULL : c->data.p;
    *out =
        (struct ArrowArray){.length = (int64_t)b->n, .n_buffers = numbers ? 2 : 3, .buffers = buffers, .release = release_column};
    *c = (struct arrow_column){.last_data = c->data.n};
}

int arrow_batch_take(struct arrow_batch *b, struct ArrowArray *out, struct err *err) {
    struct arrow_frame *frame = calloc(1, sizeof *frame);
    const void **buffers[ARROW_COLUMNS] = {0};
    bool made = frame != NULL;
    for (int i = 0; i < ARROW_COLUMNS && made; i++)
        if (is_wanted(b->wanted, i)) made = (buffers[i] = calloc(3, sizeof **buffers)) != NULL;
    if (!made) {
        for (int i = 0; i < ARROW_COLUMNS; i++) free((void *)(uintptr_t)buffers[i]);
        free(frame);
        return err_nomem(err, sizeof *frame, "a batch of Arrow");
    }
    int64_t n = 0;
    for (int i = 0; i < ARROW_COLUMNS; i++) {
        if (!is_wanted(b->wanted, i)) continue;
        give_column(b, i, buffers[i], &frame->children[n]);
        frame->pointers[n] = &frame->children[n];
        n++;
    }
    *out = (struct ArrowArray){.length = (int64_t)b->n,
                               .n_buffers = 1,
                               .n_children = n,
                               .buffers = frame->no_nulls,
                               .children = frame->pointers,
                               .release = release_batch,
                               .private_data = frame};
    b->last_n = b->n;
    b->n = 0;
    return 0;
}

/* ---- the schema ---- */

struct arrow_schema_frame {
    struct ArrowSchema *pointers[ARROW_COLUMNS];
    struct ArrowSchema children[ARROW_COLUMNS];
};

static void release_field(struct ArrowSchema *field) {
    field->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
    free(schema->private_data);
    schema->release = NULL;
}

int arrow_batch_schema(uint32_t wanted, struct ArrowSchema *out, struct err *err) {
    struct arrow_schema_frame *frame = calloc(1, sizeof *frame);
    int64_t n = 0;
    if (!frame) return err_nomem(err, sizeof *frame, "a schema of Arrow");
    for (int i = 0; i < ARROW_COLUMNS; i++) {
        if (!is_wanted(wanted, i)) continue;
        frame->children[n] = (struct ArrowSchema){.format = kinds[i].format, .name = kinds[i].name, .release = release_field};
        frame->pointers[n] = &frame->children[n];
        n++;
    }
    *out = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .n_children = n,
                                .children = frame->pointers,
                                .release = release_schema,
                                .private_data = frame};
    return 0;
}
