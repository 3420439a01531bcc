/* Does what the walk over the cells of data blocks needs less often than once per cell: rows that change, blocks that change,
 * faults. All cells must ascend and be of one family. Relies on blocks that have been verified and decoded. */
#include "hfile/cell_walk.h"

#include "hfile/hfile_keys.h"

/* ---- blocks ---- */

void cell_walk_block(struct cell_walk *w) {
    w->p = w->block->payload.p;
    w->stop = w->p + w->block->payload.n;
}

int cell_walk_leave(struct cell_walk *w, struct err *err) {
    w->p = w->stop = NULL;
    if (!w->last.any || w->last.key.p == w->last_copy.p) return 0;
    if (buf_copy(&w->last_copy, w->last.key, err)) return -1;
    w->last.key = buf_bytes(&w->last_copy);
    w->last.row = bytes_of(w->last.key.p + 2, w->last.row.n);
    return 0;
}

void cell_walk_restart(struct cell_walk *w) {
    w->p = w->stop = NULL;
    w->has_ahead = w->last.any = false;
}

int cell_walk_check(struct cell_walk *w, struct err *err) {
    struct last_cell last = w->last;
    uint64_t seen = w->seen;
    const uint8_t *p = w->p;
    int rc;
    while ((rc = cell_walk_peek(w, err)) == 1) cell_walk_take(w);
    w->last = last;
    w->seen = seen;
    w->has_ahead = false;
    w->p = p;
    return rc;
}

void cell_walk_release(struct cell_walk *w) {
    buf_free(&w->last_copy);
    buf_free(&w->family);
}

/* ---- cells ---- */

const char *cell_walk_seq(const struct cell_walk *w, struct raw_cell *c) {
    struct bytes in = bytes_of(c->end, (size_t)(w->stop - c->end));
    int64_t seq;
    if (w->h->info.max_mvcc == 0) return "a sequence id where all should be 0";
    if (!hadoop_vlong_take(&in, &seq) || seq < 0) return "malformed sequence id";
    c->cell.seq = (uint64_t)seq;
    c->end = in.p;
    return NULL;
}

/* Rows of one length that differ, or are the same, need no second look. */
static bool rows_descend(const struct cell_walk *w, size_t common) {
    const struct bytes *a = &w->last.row, *b = &w->ahead.cell.row;
    if (common < 2) return bytes_cmp(*a, *b) > 0;
    return common - 2 < a->n && a->p[common - 2] > b->p[common - 2];
}

int cell_walk_new_row(struct cell_walk *w, size_t common, struct err *err) {
    struct bytes family = w->ahead.cell.family;
    if (!w->last.any) return buf_copy(&w->family, family, err);
    if (rows_descend(w, common) && cell_walk_disorder(w, err)) return -1;
    if (!bytes_eq(family, buf_bytes(&w->family))) return block_fault(&w->h->src, w->block, err, "cells of a second family");
    return 0;
}

/* ---- faults ---- */

int cell_walk_fault(const struct cell_walk *w, const char *what, struct err *err) {
    return block_fault(&w->h->src, w->block, err, "cell at payload byte %zu: %s", (size_t)(w->p - w->block->payload.p), what);
}

/* Reports a cell out of order. If a sink takes it, the cell begins a part. */
int cell_walk_disorder(struct cell_walk *w, struct err *err) {
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    w->ahead_in_row = false;
    if (w->disorder) return w->disorder->put(w->disorder->arg, w->h->path, w->last.key, w->ahead.key, err);
    return block_fault(&w->h->src, w->block, err, "cells are not in order: key %s came before %s", key_text_hex(w->last.key, a),
                       key_text_hex(w->ahead.key, b));
}
