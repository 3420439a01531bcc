/* Merges sorted sources into one: a heap over the rows that the inputs are at, and cell by cell only where two inputs hold the
 * same row. Most rows come from one input; their parts pass through as they are. Equal cells are ordered by rank. */
#include "sort/sorted.h"

#include "base/buf.h"
#include "base/heap.h"

#include <stdlib.h>

struct merge_source {
    struct source *source;
    struct row_part part;
    uint64_t prefix; /* of part.row, after what all rows share */
    uint32_t cell;   /* current one while its row is being merged */
};

struct merge {
    struct source base;
    enum tie_rule tie;
    size_t n;
    struct merge_source *inputs;
    struct merge_source **rows; /* heap by row of inputs that are not in `same` */
    size_t n_rows;
    struct merge_source **same; /* inputs that hold the current row: heap by current cell */
    size_t n_same;
    struct buf shared;            /* all rows so far begin with these bytes, which need no comparison */
    struct merge_source *passed;  /* first of `rows`, whose part was handed out as it is: to be advanced */
    struct merge_source *drained; /* input whose part was used up by the last cells handed out */
    bool row_started, primed;
    struct cell cells[PART_MAX_CELLS];
};

static int row_cmp(const struct merge_source *a, const struct merge_source *b) {
    if (a->prefix != b->prefix) return a->prefix < b->prefix ? -1 : 1;
    return bytes_cmp(a->part.row, b->part.row);
}

static inline bool row_before(const void *a, const void *b, const void *arg) {
    (void)arg;
    return row_cmp(*(struct merge_source *const *)a, *(struct merge_source *const *)b) < 0;
}

static inline bool cell_before(const void *pa, const void *pb, const void *arg) {
    const struct merge_source *a = *(struct merge_source *const *)pa, *b = *(struct merge_source *const *)pb;
    return cell_cmp(&a->part.cells[a->cell], &b->part.cells[b->cell], ((const struct merge *)arg)->tie) < 0;
}

static void rows_push(struct merge *m, struct merge_source *in) {
    heap_push(m->rows, m->n_rows++, sizeof(struct merge_source *), &in, row_before, NULL);
}

static struct merge_source *rows_pop(struct merge *m) {
    struct merge_source *in;
    heap_pop(m->rows, m->n_rows--, sizeof in, &in, row_before, NULL);
    return in;
}

/* No other input is at the row of the first one: of the others, the next is one of its two children. */
static bool is_alone(const struct merge *m) {
    for (size_t i = 1; i < m->n_rows && i < 3; i++)
        if (row_cmp(m->rows[i], m->rows[0]) == 0) return false;
    return true;
}

static void same_push(struct merge *m, struct merge_source *in) {
    in->cell = 0;
    heap_push(m->same, m->n_same++, sizeof(struct merge_source *), &in, cell_before, m);
}

static uint64_t prefix_of(const struct merge *m, struct bytes row) {
    return bytes_prefix8(bytes_of(row.p + m->shared.n, row.n - m->shared.n));
}

/* The order of the heap stays: what is compared now was the same in all of them. Inputs in `same` are compared again only with
 * their next part. */
static void share_less(struct merge *m, struct bytes row) {
    m->shared.n = bytes_lcp(row, buf_bytes(&m->shared));
    for (size_t i = 0; i < m->n_rows; i++) m->rows[i]->prefix = prefix_of(m, m->rows[i]->part.row);
}

/* Takes the next part of an input. 1 = there is one, 0 = this input is at its end. */
static int next_part(struct merge *m, struct merge_source *in, struct err *err) {
    int more = source_next(in->source, &in->part, err);
    if (more != 1) return more;
    const struct bytes row = in->part.row;
    if (row.n < m->shared.n || (m->shared.n && memcmp(row.p, m->shared.p, m->shared.n) != 0)) share_less(m, row);
    in->prefix = prefix_of(m, row);
    return 1;
}

static int prime(struct merge *m, struct err *err) {
    m->primed = true;
    for (size_t i = 0; i < m->n; i++) {
        int more = next_part(m, &m->inputs[i], err);
        if (more < 0) return -1;
        if (more) rows_push(m, &m->inputs[i]);
    }
    if (m->n_rows && buf_copy(&m->shared, m->rows[0]->part.row, err)) return -1;
    for (size_t i = 0; i < m->n_rows; i++) m->shared.n = bytes_lcp(m->rows[i]->part.row, buf_bytes(&m->shared));
    if (m->n_rows) share_less(m, m->rows[0]->part.row);
    return 0;
}

/* The input handed out last goes back to where its next part belongs. */
static int return_last(struct merge *m, struct err *err) {
    if (m->passed) {
        struct merge_source *in = m->passed;
        m->passed = NULL;
        int more = next_part(m, in, err);
        if (more < 0) return -1;
        if (more)
            heap_sink(m->rows, m->n_rows, sizeof in, 0, row_before, NULL);
        else
            rows_pop(m);
        return 0;
    }
    if (!m->drained) return 0;
    struct merge_source *in = m->drained;
    m->drained = NULL;
    int more = next_part(m, in, err);
    if (more < 0) return -1;
    if (!more) return 0;
    if (!in->part.first)
        same_push(m, in);
    else
        rows_push(m, in);
    return 0;
}

/* Hands out cells of the current row until the part is full or an input runs dry (its memory goes with its next part). */
static void fill_cells(struct merge *m, struct row_part *part) {
    uint32_t n = 0;
    size_t bytes = 0;
    struct row_part head = m->same[0]->part;
    while (n < PART_MAX_CELLS && bytes < PART_MAX_BYTES) {
        struct merge_source *in = m->same[0];
        const struct cell *c = &in->part.cells[in->cell++];
        m->cells[n++] = *c;
        bytes += c->value.n + c->qualifier.n;
        if (in->cell == in->part.n_cells) {
            m->same[0] = m->same[--m->n_same];
            m->drained = in;
        }
        if (m->n_same > 1) heap_sink(m->same, m->n_same, sizeof(struct merge_source *), 0, cell_before, m);
        if (m->drained) break;
    }
    *part = (struct row_part){.row = head.row, .family = head.family, .cells = m->cells, .n_cells = n, .first = !m->row_started};
    m->row_started = true;
}

static int merge_next(struct source *base, struct row_part *part, struct err *err) {
    struct merge *m = (struct merge *)base;
    if (!m->primed && prime(m, err)) return -1;
    if (return_last(m, err)) return -1;
    if (!m->n_same) {
        if (!m->n_rows) return 0;
        struct merge_source *top = m->rows[0];
        if (is_alone(m)) {
            *part = top->part;
            m->passed = top;
            return 1;
        }
        m->row_started = false;
        same_push(m, rows_pop(m));
        while (m->n_rows && row_cmp(m->rows[0], top) == 0) same_push(m, rows_pop(m));
    }
    fill_cells(m, part);
    return 1;
}

static void merge_close(struct source *base) {
    struct merge *m = (struct merge *)base;
    for (size_t i = 0; i < m->n; i++) source_close(m->inputs[i].source);
    free(m->inputs);
    free(m->rows);
    free(m->same);
    buf_free(&m->shared);
    free(m);
}

static const struct source_ops merge_ops = {merge_next, merge_close};

struct source *merge_open(struct source **inputs, size_t n, enum tie_rule tie, struct err *err) {
    if (n == 1) return inputs[0];
    struct merge *m = malloc(sizeof *m);
    if (m) {
        memset(m, 0, offsetof(struct merge, cells));
        m->inputs = calloc(n + 1, sizeof *m->inputs);
        m->rows = calloc(n + 1, sizeof *m->rows);
        m->same = calloc(n + 1, sizeof *m->same);
    }
    if (!m || !m->inputs || !m->rows || !m->same) {
        for (size_t i = 0; i < n; i++) source_close(inputs[i]);
        if (m) merge_close(&m->base);
        err_nomem(err, sizeof *m, "a merge");
        return NULL;
    }
    m->base.ops = &merge_ops;
    m->tie = tie;
    m->n = n;
    for (size_t i = 0; i < n; i++) m->inputs[i].source = inputs[i];
    return &m->base;
}
