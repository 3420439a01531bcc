/* Batches of rows into blocks. Only what depends on the order of all cells is left to do here: where blocks end, which chunk of a
 * bloom filter a row falls into, and that batches follow on each other. Cells are not copied: blocks refer to them. The bits of a
 * ROW filter are set by tasks. */
#include "base/outfile.h"
#include "hfile/hfile_writer.h"
#include "hfile/hfile_writer_state.h"
#include "hfile/put_rows.h"
#include "hfile/row_batch.h"

/* Cells [from, at) are not in the block yet. Rows before `counted` are in the filter, but for the bits of [row_from, counted). */
struct put_pending {
    const struct row_batch *b;
    size_t from, at;
    size_t row_from, counted;
};

static inline size_t pending_bytes(const struct put_pending *p) {
    return batch_cell_begin(p->b, p->at) - batch_cell_begin(p->b, p->from);
}

/* The last key is copied to its place in the block: what comes next is compared with it. */
static int refer_to_pending(struct hfile_writer *w, struct put_pending *p, struct err *err) {
    size_t n = pending_bytes(p);
    if (!n) return 0;
    const uint8_t *start = p->b->bytes.p + batch_cell_begin(p->b, p->from);
    struct bytes last = batch_key(p->b, p->at - 1);
    w->last_at = w->job->raw.n + (size_t)(last.p - start);
    w->last_n = last.n;
    p->from = p->at;
    if (block_job_refer(w->job, bytes_of(start, n), err)) return -1;
    memcpy(w->job->raw.p + w->last_at, last.p, last.n);
    return 0;
}

/* Sets the bits of rows [from, to). */
static void set_bits(struct bloom_bits bits, const struct batch_row *rows, size_t from, size_t to) {
    for (size_t r = from; r < to; r++) bloom_bits_set(bits, rows[r].row_hash);
}

/* Tasks that set bits in one chunk do so one after the other. */
static void set_pending_bits(struct hfile_writer *w, struct put_pending *p) {
    size_t from = p->row_from, to = p->counted;
    p->row_from = to;
    if (w->o.bloom != HFILE_BLOOM_ROW || from >= to) return;
    const struct batch_row *rows = p->b->rows;
    struct bloom_bits bits = bloom_writer_set_later(&w->blooms.general);
#pragma omp task default(none) firstprivate(bits, rows, from, to) depend(inout : bits.p[0])
    set_bits(bits, rows, from, to);
}

/* The chunk may end now. */
static inline void leave_chunk(struct hfile_writer *w, struct put_pending *p) {
    if (bloom_writer_is_full(&w->blooms.general)) set_pending_bits(w, p);
}

static int count_row(struct hfile_writer *w, struct put_pending *p, size_t r, struct bytes row, struct err *err) {
    if (w->o.bloom != HFILE_BLOOM_ROW) return bloom_set_row(&w->blooms, row, err);
    leave_chunk(w, p);
    p->counted = r + 1;
    return bloom_writer_count(&w->blooms.general, row, err);
}

static int end_block(struct hfile_writer *w, struct put_pending *p, struct err *err) {
    leave_chunk(w, p);
    return hfile_writer_end_block(w, false, err);
}

/* A cell that there is no memory for is passed over: the block's end will report it. */
static int pass_surplus(struct hfile_writer *w, struct put_pending *p, bool *passed, struct err *err) {
    size_t n = p->b->cells[p->at].end - batch_cell_begin(p->b, p->at);
    *passed = hfile_writer_surplus(w, pending_bytes(p), n);
    if (!*passed) return 0;
    if (refer_to_pending(w, p, err)) return -1;
    p->from = ++p->at;
    return 0;
}

static int put_filters(struct hfile_writer *w, const struct put_pending *p, struct bytes row, uint32_t flags, struct err *err) {
    if (flags & BATCH_FAMILY_DELETE && hfile_writer_note_family_delete(w, row, err)) return -1;
    if (w->o.bloom != HFILE_BLOOM_ROWCOL) return 0;
    struct kv_key key = {0};
    kv_key_parse(batch_key(p->b, p->at), &key);
    return bloom_set_column(&w->blooms, row, key.qualifier, err);
}

static int put_cell(struct hfile_writer *w, struct put_pending *p, struct bytes row, uint32_t flags, struct err *err) {
    bool same = flags & BATCH_SAME_KEY, passed = false;
    if (same && pass_surplus(w, p, &passed, err)) return -1;
    if (passed) return 0;
    if ((flags || w->o.bloom == HFILE_BLOOM_ROWCOL) && put_filters(w, p, row, flags, err)) return -1;
    if (!same && hfile_writer_block_full(w, pending_bytes(p)) && (refer_to_pending(w, p, err) || end_block(w, p, err))) return -1;
    if (!w->job && hfile_writer_begin_block(w, batch_key(p->b, p->at), err)) return -1;
    w->block_rows += w->new_row;
    w->new_row = false;
    p->at++;
    return 0;
}

/* No block ends before the last cell of the row, and no cell needs a look of its own: all are put at once. */
static inline bool put_plain_row(struct hfile_writer *w, struct put_pending *p, size_t end) {
    size_t before_last = batch_cell_begin(p->b, end - 1) - batch_cell_begin(p->b, p->from) + w->row_bytes;
    if (!p->b->plain || w->o.bloom == HFILE_BLOOM_ROWCOL || !w->job || hfile_writer_block_full(w, before_last)) return false;
    w->block_rows += w->new_row;
    w->new_row = false;
    p->at = end;
    return true;
}

/* fresh: the row was not begun by what came before; same: its first cell has the key of the last one. */
static int put_row(struct hfile_writer *w, struct put_pending *p, size_t r, bool fresh, bool same, struct err *err) {
    struct bytes row = batch_row_key(p->b, r);
    size_t end = batch_row_end(p->b, r);
    if (fresh) {
        w->new_row = true;
        if (count_row(w, p, r, row, err)) return -1;
    } else {
        p->row_from = p->counted = r + 1;
    }
    if (!same && put_plain_row(w, p, end)) return 0;
    if (put_cell(w, p, row, p->b->cells[p->at].flags | (same ? BATCH_SAME_KEY : 0), err)) return -1;
    while (p->at < end)
        if (put_cell(w, p, row, p->b->cells[p->at].flags, err)) return -1;
    return 0;
}

/* The batch's first cell against the last one of the file. */
static int enter_batch(struct hfile_writer *w, const struct row_batch *b, size_t from, bool *fresh, bool *same, struct err *err) {
    struct bytes key = batch_key(b, b->rows[from].cell);
    struct kv_key last, first;
    *fresh = true;
    *same = false;
    if (!kv_key_parse(key, &first)) return err_set(err, ERR_INTERNAL, "%s: a key of a batch is broken", outfile_path(w->out));
    if (!w->prefix_n) return hfile_writer_first(w, first.row, first.family, err);
    kv_key_parse(hfile_writer_last_key(w), &last);
    int order = kv_key_cmp(&last, &first);
    *fresh = !bytes_eq(last.row, first.row);
    *same = order == 0;
    if (order <= 0 && bytes_eq(last.family, first.family)) return 0;
    const struct row_part part = {.row = first.row, .family = first.family};
    const struct cell c = {.qualifier = first.qualifier, .ts_ms = first.ts_ms, .type = first.type};
    return cell_put_disorder(outfile_path(w->out), hfile_writer_last_key(w), &part, &c, err);
}

/* Leaves the writer as if the batch had been put as parts, so that parts may follow. */
static int leave_batch(struct hfile_writer *w, struct bytes key, struct err *err) {
    size_t n = 3 + (size_t)be16(key.p) + w->family.n;
    buf_clear(&w->prefix);
    if (buf_reserve(&w->prefix, n + CELL_COPY_BYTES, err)) return -1;
    memcpy(w->prefix.p, key.p, n);
    memset(w->prefix.p + n, 0, CELL_COPY_BYTES);
    w->prefix.n = w->prefix_n = n;
    return 0;
}

int hfile_writer_put_rows(struct hfile_writer *w, const struct row_batch *b, size_t from, size_t to,
                          const struct writer_sums *sums, size_t biggest, struct err *err) {
    bool fresh, same;
    if (from >= to) return 0;
    struct put_pending p = {b, b->rows[from].cell, b->rows[from].cell, from, from};
    if (enter_batch(w, b, from, &fresh, &same, err)) return -1;
    for (size_t r = from; r < to; r++, fresh = true, same = false) {
        w->sums.duplicates += same;
        if (put_row(w, &p, r, fresh, same, err)) return -1;
    }
    set_pending_bits(w, &p);
    if (refer_to_pending(w, &p, err) || leave_batch(w, batch_key(b, p.at - 1), err)) return -1;
    if (sums->biggest_bytes > w->sums.biggest_bytes && buf_copy(&w->biggest_key, batch_key(b, biggest), err)) return -1;
    sums_add(&w->sums, sums);
    return 0;
}

void hfile_writer_release_batches(struct hfile_writer *w) {
    block_writer_release_pieces(w->blocks);
}
