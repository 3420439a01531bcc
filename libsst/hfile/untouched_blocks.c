/* Finds the data blocks of a file that no other row touches. Only the index is read, where it stands: the row of an entry is at
 * most the first of its block, and not before the last of the block before. */
#include "cell/keyvalue.h"
#include "hfile/block_span.h"
#include "hfile/data_block.h"
#include "hfile/hfile_state.h"
#include "hfile/index_reader.h"
#include "hfile/untouched_blocks.h"

#include <stdlib.h>

void block_spans_free(struct block_spans *s) {
    for (size_t i = 0; i < s->n; i++) {
        buf_free(&s->list[i].first_key);
        buf_free(&s->list[i].last_key);
    }
    free(s->list);
    *s = (struct block_spans){0};
}

int block_marks_init(struct block_marks *m, const struct hfile *h, struct err *err) {
    struct hfile_index_entry e;
    struct index_cursor *c = index_cursor_open(h, err);
    int more = c ? 0 : -1;
    *m = (struct block_marks){.h = h};
    while (c && (more = index_cursor_next(c, &e, err)) == 1) m->n++;
    index_cursor_close(c);
    if (more < 0) return -1;
    m->touched = calloc(m->n + 1, 1);
    return m->touched ? 0 : err_nomem(err, m->n, "the blocks of a file");
}

void block_marks_free(struct block_marks *m) {
    free(m->touched);
    *m = (struct block_marks){0};
}

/* ---- marking ---- */

/* The row of each index entry, in order. */
struct entry_rows {
    struct index_cursor *cursor;
    struct buf row;
    uint64_t block; /* the one before the entry at hand */
    int more;       /* 1: row is that of block + 1 */
};

static int next_row(struct entry_rows *x, const struct hfile *h, struct err *err) {
    struct hfile_index_entry e;
    struct kv_key k;
    if ((x->more = index_cursor_next(x->cursor, &e, err)) != 1) return x->more;
    if (!kv_key_parse(e.key, &k)) return x->more = err_set(err, ERR_INPUT, "%s: a key in the index is malformed", h->path);
    return buf_copy(&x->row, k.row, err) ? x->more = -1 : 1;
}

static int mark_row(struct block_marks *m, struct entry_rows *x, struct bytes row, struct err *err) {
    int order = 1;
    while (x->more == 1 && (order = bytes_cmp(buf_bytes(&x->row), row)) <= 0) {
        if (!order) m->touched[x->block] = 1;
        x->block++;
        if (next_row(x, m->h, err) < 0) return -1;
    }
    m->touched[x->block] = 1;
    return 0;
}

int block_marks_rows(struct block_marks *m, struct source *rows, struct err *err) {
    struct entry_rows x = {.cursor = index_cursor_open(m->h, err)};
    struct row_part part;
    int more = x.cursor && next_row(&x, m->h, err) >= 0 && next_row(&x, m->h, err) >= 0 ? 1 : -1;
    while (more == 1 && (more = source_next(rows, &part, err)) == 1) {
        m->new_bytes += kv_part_size(&part);
        if (mark_row(m, &x, part.row, err)) more = -1;
    }
    index_cursor_close(x.cursor);
    buf_free(&x.row);
    return more;
}

/* ---- spans ---- */

/* Untouched blocks while the index is walked. */
struct untouched_walk {
    uint64_t first, last, blocks;
};

static int take_candidate(const struct block_marks *m, const struct untouched_walk *c, uint64_t end, uint64_t least_bytes,
                          struct block_spans *out, struct err *err) {
    struct block_span s = {.first = c->first, .last = c->last, .end = end};
    if (!c->blocks || end - c->first < least_bytes) return 0;
    int rc = data_block_first_key(m->h, s.first, &s.first_key, err);
    if (!rc) rc = data_block_last_key(m->h, s.last, &s.last_key, err);
    if (!rc) rc = grow_array(&out->list, out->n, sizeof *out->list, "the spans of a file", err);
    if (!rc) {
        out->list[out->n++] = s;
        out->bytes += end - s.first;
        return 0;
    }
    buf_free(&s.first_key);
    buf_free(&s.last_key);
    return -1;
}

static int find_spans(const struct block_marks *m, struct index_cursor *cursor, uint64_t least_bytes, struct block_spans *out,
                      struct err *err) {
    struct untouched_walk c = {0};
    struct hfile_index_entry e;
    int more;
    for (uint64_t i = 0; (more = index_cursor_next(cursor, &e, err)) == 1; i++) {
        if (i < m->n && !m->touched[i]) {
            if (!c.blocks++) c.first = e.offset;
            c.last = e.offset;
            continue;
        }
        if (take_candidate(m, &c, e.offset, least_bytes, out, err)) return -1;
        c.blocks = 0;
    }
    return more ? -1 : take_candidate(m, &c, m->h->trailer.load_on_open_offset, least_bytes, out, err);
}

int block_marks_spans(const struct block_marks *m, uint64_t least_bytes, struct block_spans *out, struct err *err) {
    struct index_cursor *cursor = index_cursor_open(m->h, err);
    *out = (struct block_spans){0};
    int rc = cursor ? find_spans(m, cursor, least_bytes, out, err) : -1;
    index_cursor_close(cursor);
    if (rc) block_spans_free(out);
    return rc;
}
