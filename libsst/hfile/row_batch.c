/* Fills a batch of rows. Cells are serialised as the writer would do it, with the keys in order, and what the writer needs to
 * know of each row and cell is noted, so that it need not read them again. Digests and figures are those of the whole batch; if a
 * file ends within it, they are summed up again for each part. */
#include "hfile/hfile_writer.h"
#include "hfile/row_batch.h"

#include "hfile/encoding.h"

#include <stdlib.h>

enum { SHORT_CELL_BYTES = 40 /* one of a row of its own, about */ };

void row_batch_init(struct row_batch *b, const struct hfile_write_opts *o, const char *place) {
    *b = (struct row_batch){.o = *o, .place = place};
    row_batch_clear(b);
}

void row_batch_free(struct row_batch *b) {
    buf_free(&b->bytes);
    buf_free(&b->prefix);
    buf_free(&b->family);
    free(b->cells);
    free(b->rows);
    free(b->moments);
    *b = (struct row_batch){0};
}

void row_batch_clear(struct row_batch *b) {
    buf_clear(&b->bytes);
    b->n_cells = b->n_rows = b->n_moments = 0;
    b->continues = false;
    b->sums = sums_none();
    b->biggest = 0;
    b->plain = true;
}

void row_batch_restart(struct row_batch *b) {
    row_batch_clear(b);
    buf_clear(&b->prefix);
}

size_t row_batch_memory(size_t bytes) {
    size_t each = 2 * (sizeof(struct batch_cell) + sizeof(struct batch_row) + sizeof(struct batch_moment));
    return bytes + bytes / 2 + bytes / SHORT_CELL_BYTES * each;
}

/* ---- filling ---- */

static int check_part(const struct row_batch *b, const struct row_part *part, struct err *err) {
    if (part->row.n > ROW_MAX_BYTES || part->family.n > FAMILY_MAX_BYTES)
        return err_set(err, ERR_INTERNAL, "%s: a row of %zu bytes, a family of %zu", b->place, part->row.n, part->family.n);
    if (b->n_cells && !bytes_eq(part->family, buf_bytes(&b->family)))
        return err_set(err, ERR_INTERNAL, "%s: cells of family '%.*s' among those of family '%.*s'", b->place,
                       (int)part->family.n, (const char *)part->family.p, (int)b->family.n, (const char *)b->family.p);
    return 0;
}

static int begin_row(struct row_batch *b, const struct row_part *part, struct err *err) {
    if (b->n_rows == b->room_rows && grow_capacity(&b->rows, &b->room_rows, sizeof *b->rows, "rows of a batch", err)) return -1;
    if (key_prefix_put(&b->prefix, part, err)) return -1;
    struct batch_row *r = &b->rows[b->n_rows++];
    *r = (struct batch_row){
        .cell = (uint32_t)b->n_cells, .bytes_before = (uint32_t)b->sums.kv_bytes, .row_n = (uint32_t)part->row.n};
    if (b->o.bloom == HFILE_BLOOM_ROW) r->row_hash = bloom_hash_key(BLOOM_HASH_MURMUR, part->row);
    return 0;
}

/* Order of the last cell against the part's first one; begins a row when it is new. */
static int enter_part(struct row_batch *b, const struct row_part *part, int *order, struct err *err) {
    *order = -1;
    if (!b->n_cells) {
        b->continues = b->prefix.n && bytes_eq(bytes_of(b->prefix.p + 2, be16(b->prefix.p)), part->row);
        return buf_copy(&b->family, part->family, err) ? -1 : begin_row(b, part, err);
    }
    struct kv_key last;
    struct bytes key = batch_key(b, b->n_cells - 1);
    if (!kv_key_parse(key, &last)) return err_set(err, ERR_INTERNAL, "%s: a key of a batch is broken", b->place);
    *order = bytes_cmp(last.row, part->row);
    if (*order < 0) return begin_row(b, part, err);
    const struct cell c = {.qualifier = last.qualifier, .ts_ms = last.ts_ms, .type = last.type};
    if (!*order) *order = cell_key_cmp(&c, part->cells);
    return *order > 0 ? cell_put_disorder(b->place, key, part, part->cells, err) : 0;
}

static inline void note_cell(struct writer_sums *sums, size_t *biggest, size_t i, size_t kv_n, const struct cell *c,
                             size_t key_n) {
    sums_note(sums, kv_n, c, key_n);
    if (kv_n <= sums->biggest_bytes) return;
    sums->biggest_bytes = kv_n;
    *biggest = i;
}

/* *late: the cell before it; this one afterwards. */
static int append_cell(struct row_batch *b, const struct cell *c, int order, bool spare, struct late_cell *late,
                       struct err *err) {
    if (cell_is_odd(&b->o, c) && cell_put_check(&b->o, b->place, c, err)) return -1;
    size_t key_n = b->prefix.n + c->qualifier.n + CELL_STAMP_BYTES, room = cell_put_room(key_n, c), kv_n;
    uint32_t flags = (order ? 0u : BATCH_SAME_KEY) | (cell_is_family_delete(c->type) ? BATCH_FAMILY_DELETE : 0u);
    if (b->bytes.cap - b->bytes.n < room && buf_reserve(&b->bytes, room, err)) return -1;
    if (b->n_cells == b->room_cells && grow_capacity(&b->cells, &b->room_cells, sizeof *b->cells, "cells of a batch", err))
        return -1;
    uint8_t *start = b->bytes.p + b->bytes.n;
    b->bytes.n = (size_t)(cell_put(start, &b->o, buf_bytes(&b->prefix), c, spare, &kv_n) - b->bytes.p);
    if (b->bytes.n > UINT32_MAX) return err_set(err, ERR_INTERNAL, "%s: a batch of rows of more than 4 GiB", b->place);
    sums_digest_late(&b->sums, &b->bytes, late);
    *late = (struct late_cell){(size_t)(start - b->bytes.p), kv_n};
    note_cell(&b->sums, &b->biggest, b->n_cells, kv_n, c, key_n);
    b->sums.duplicates += flags & BATCH_SAME_KEY;
    b->plain &= !flags;
    b->cells[b->n_cells++] = (struct batch_cell){(uint32_t)b->bytes.n, flags};
    return 0;
}

int row_batch_put(struct row_batch *b, const struct row_part *part, struct err *err) {
    int order;
    struct late_cell late = {0};
    if (!part->n_cells) return 0;
    if (check_part(b, part, err) || enter_part(b, part, &order, err) ||
        append_cell(b, part->cells, order, part->spare, &late, err))
        return -1;
    for (const struct cell *c = part->cells + 1, *end = part->cells + part->n_cells; c < end; c++) {
        order = cell_key_cmp(c - 1, c);
        if (order > 0) return cell_put_disorder(b->place, batch_key(b, b->n_cells - 1), part, c, err);
        if (append_cell(b, c, order, part->spare, &late, err)) return -1;
    }
    sums_digest_late(&b->sums, &b->bytes, &late);
    return 0;
}

int row_batch_put_moment(struct row_batch *b, size_t first_cell, int64_t ms, struct err *err) {
    if (b->n_moments == b->room_moments &&
        grow_capacity(&b->moments, &b->room_moments, sizeof *b->moments, "moments of expiry", err))
        return -1;
    b->moments[b->n_moments++] = (struct batch_moment){(uint32_t)first_cell, ms};
    return 0;
}

/* ---- figures ---- */

/* The cell at the head of *in; *kv: what its digest covers. */
static bool take_cell(struct bytes *in, const struct cell_layout *layout, struct cell *c, struct bytes *kv, size_t *key_n) {
    struct plain_cell p;
    const uint8_t *start = in->p;
    if (!plain_cell_take(in, layout, &p)) return false;
    int64_t seq = 0;
    struct bytes vlong = p.mvcc;
    if (vlong.n && !hadoop_vlong_take(&vlong, &seq)) return false;
    const uint8_t *stamp = p.key.p + p.key.n - CELL_STAMP_BYTES;
    *c = (struct cell){.value = p.value, .tags = p.tags, .ts_ms = (int64_t)be64(stamp), .seq = (uint64_t)seq, .type = stamp[8]};
    const uint8_t *end = p.tags.n ? p.tags.p + p.tags.n : p.value.p + p.value.n;
    *kv = bytes_of(start, (size_t)(end - start));
    *key_n = p.key.n;
    return true;
}

int row_batch_sum(const struct row_batch *b, size_t from, size_t to, struct writer_sums *out, size_t *biggest, struct err *err) {
    const struct cell_layout layout = {.tags = b->o.tags, .mvcc = b->o.mvcc};
    struct writer_sums sums = sums_none();
    size_t first = from < to ? b->rows[from].cell : 0, last = from < to ? batch_row_end(b, to - 1) : 0;
    uint32_t start = batch_cell_begin(b, first);
    struct bytes in = bytes_of(b->bytes.p + start, batch_cell_begin(b, last) - start);
    *biggest = first;
    for (size_t i = first; i < last; i++) {
        struct cell c;
        struct bytes kv;
        size_t key_n;
        if (!take_cell(&in, &layout, &c, &kv, &key_n)) return err_set(err, ERR_INTERNAL, "%s: a batch is broken", b->place);
        note_cell(&sums, biggest, i, kv.n, &c, key_n);
        sums_digest(&sums, kv.p, kv.n);
        sums.duplicates += b->cells[i].flags & BATCH_SAME_KEY;
    }
    *out = sums;
    return 0;
}
