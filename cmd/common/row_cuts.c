/* Rows at which HFiles that are read together can be divided, so that each part has about its share of their bytes. What is known
 * of them are their block indexes: the row with which a block begins, and the bytes of the block. Blocks of a file are summed to
 * samples of equal weight, so that a region of any size takes little memory:
 *
 *     file a   |--4--|--4--|--4--|--4--|        all, by row: a half of 24 bytes ends where the 4th
 *     file b      |----4----|----4----|         sample of 6 begins
 */

#include "cell/keyvalue.h"
#include "cmd/common/row_cuts.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_reader.h"
#include "hfile/index_reader.h"

#include <stdlib.h>

enum { SAMPLES = 16384 };

struct first_row {
    struct buf row; /* the first one */
    uint64_t bytes;
};

static int add_sample(struct row_weights *w, struct bytes row, struct err *err) {
    if (grow_array(&w->samples, w->n, sizeof *w->samples, "the index of files", err)) return -1;
    w->samples[w->n] = (struct first_row){0};
    if (buf_copy(&w->samples[w->n].row, row, err)) return -1;
    w->n++;
    return 0;
}

/* Returns 0 for errors that only keep a file from being divided, damage and kinds that are not read: every run finds them. */
static int cannot_divide(const struct err *why, struct err *err) {
    if (!why->sys && (why->code == ERR_INPUT || why->code == ERR_UNSUPPORTED)) return 0;
    err_keep(err, why);
    return -1;
}

/* Adds the blocks of a file. 1 all, 0 the index cannot be read, -1. */
static int add_blocks(struct row_weights *w, const struct hfile *h, const struct row_cut_file *f, struct err *err) {
    struct hfile_range range;
    struct hfile_index_entry e;
    struct kv_key key;
    struct err why = {0};
    int more = 0;
    if (hfile_row_range(h, f->start_row, f->stop_row, &range, &why)) return cannot_divide(&why, err);
    struct index_cursor *cursor = index_cursor_open(h, &why);
    if (!cursor) return cannot_divide(&why, err);
    uint64_t step = w->list_bytes / SAMPLES, sampled = step;
    while ((more = index_cursor_next(cursor, &e, &why)) == 1) {
        if (e.offset < range.offset || e.offset >= range.end) continue;
        if (!kv_key_parse(e.key, &key)) break;
        struct bytes row = bytes_cmp(key.row, f->start_row) < 0 ? f->start_row : key.row;
        if (sampled >= step) {
            if (add_sample(w, row, err)) break;
            sampled = 0;
        }
        w->samples[w->n - 1].bytes += e.disk_bytes;
        w->bytes += e.disk_bytes;
        sampled += e.disk_bytes;
    }
    index_cursor_close(cursor);
    if (err->code) return -1;
    if (more < 0) return cannot_divide(&why, err);
    return more == 0;
}

int row_weights_add(struct row_weights *w, const struct row_cut_file *f, struct err *err) {
    struct err why = {0};
    struct hfile *h = hfile_open(f->path, w->max_block_bytes, &why);
    if (!h) return cannot_divide(&why, err);
    int rc = hfile_info(h)->cells ? add_blocks(w, h, f, err) : 1;
    hfile_close(h);
    return rc;
}

static int by_row(const void *a, const void *b) {
    return bytes_cmp(buf_bytes(&((const struct first_row *)a)->row), buf_bytes(&((const struct first_row *)b)->row));
}

void row_weights_sort(struct row_weights *w) {
    if (w->n) qsort(w->samples, w->n, sizeof *w->samples, by_row);
}

int row_weights_cut(const struct row_weights *w, uint64_t part, uint64_t of, struct row_cut *out, struct err *err) {
    uint64_t want = (uint64_t)((unsigned __int128)w->bytes * part / of), before = 0;
    size_t i = 0;
    while (i < w->n && before < want) before += w->samples[i++].bytes;
    out->place = i == w->n ? CUT_AT_END : w->samples[i].row.n ? CUT_AT_ROW : CUT_AT_BEGIN;
    return out->place == CUT_AT_ROW ? buf_copy(&out->row, buf_bytes(&w->samples[i].row), err) : 0;
}

void row_weights_free(struct row_weights *w) {
    for (size_t i = 0; i < w->n; i++) buf_free(&w->samples[i].row);
    free(w->samples);
    *w = (struct row_weights){0};
}
