/* Reuse of blocks: a file of a base that is not linked only because an input has cells among its rows is written anew, but its
 * blocks that no such row touches are copied as they are, if there are many of them side by side.
 *
 *     file of the base:   [blocks, copied]   [new cells]   [blocks, copied]   [new cells]
 *     new file:           [as they were  ]   [merged   ]   [as they were  ]   [merged   ]
 *
 * What rules would do is known of the whole file: no cell of it drops. What the new file says of the copied cells is what the
 * base's file says of all, less what the other cells add to that, which are read for it. */
#include "engine/block_reuse.h"
#include "engine/merge_slices.h"
#include "engine/partition_merge.h"

#include "base/buf.h"
#include "engine/file_rules.h"
#include "hfile/block_copy.h"
#include "hfile/copied_cells.h"
#include "hfile/hfile_open.h"

/* Least bytes of neighbouring blocks that are copied: each copy reads the next block of both ends, and writes a bloom chunk of
 * 128 KB once more. */
enum { COPY_LEAST_BYTES = 8 << 20 };

/* ---- which ---- */

/* A file that has grown too large, or would with so many new bytes, is cut anew. */
static bool is_too_large(const struct partition_merge *s, const struct base_file *f, uint64_t new_bytes) {
    uint64_t most = s->all->output.target_file_bytes;
    return f->m->kv_bytes + new_bytes > most + most / 2;
}

static bool is_worth_it(const struct partition_merge *s, const struct base_file *f) {
    return f->verdict == REUSE_NEW_CELLS && !f->info.deletes && f->m->file_bytes >= 2 * COPY_LEAST_BYTES &&
           !is_too_large(s, f, 0);
}

/* Returns whether blocks of h may be copied: 1, 0, -1. */
static int may_copy(const struct partition_merge *s, const struct hfile *h, const struct base_file *f, struct err *err) {
    struct copied_cells all;
    if (!block_copy_fits(output_family_writer(&s->all->output, s->slot.family_name), h)) return 0;
    int rc = copied_cells_said(h, f->m->kv_bytes, &all, err);
    copied_cells_free(&all);
    return rc;
}

static int mark_inputs(const struct partition_merge *s, const struct reuse_env *env, const struct base_file *f,
                       struct block_marks *marks, struct err *err) {
    for (uint32_t i = 1; i < s->all->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++) {
            if (is_too_large(s, f, marks->new_bytes)) return 0;
            if (stop_check(s->all->o->job->stop, err)) return -1;
            if (reuse_mark_rows(env, f, marks, partition_merge_entry(s, i, k), s->files[i][k], err)) return -1;
        }
    return 0;
}

/* Finds the blocks to copy. If less than half of the file is copied, reading the rest twice does not pay. */
static int find_spans(const struct partition_merge *s, const struct reuse_env *env, const struct hfile *h, struct base_file *f,
                      struct err *err) {
    struct block_marks marks;
    int rc = block_marks_init(&marks, h, err);
    if (!rc) rc = mark_inputs(s, env, f, &marks, err);
    if (!rc && !is_too_large(s, f, marks.new_bytes)) rc = block_marks_spans(&marks, COPY_LEAST_BYTES, &f->copied, err);
    if (!rc && 2 * f->copied.bytes < f->m->file_bytes) block_spans_free(&f->copied);
    block_marks_free(&marks);
    return rc;
}

int block_reuse_find(const struct partition_merge *s, const struct reuse_env *env, struct base_file *f, struct err *err) {
    if (!is_worth_it(s, f)) return 0;
    struct hfile *h = hfile_open(f->in->path, env->block_limit, err);
    int rc = h ? may_copy(s, h, f, err) : -1;
    if (rc == 1) rc = find_spans(s, env, h, f, err);
    hfile_close(h);
    return rc;
}

/* ---- writing ---- */

struct copying {
    struct partition_merge *s;
    struct base_file *f;
    struct hfile *h;
    struct partition_writer *w;
    struct row_stretch t;       /* what is merged next */
    struct bytes row_before;    /* of the last cell that was copied */
    struct copied_cells others; /* of the file, that were merged */
};

/* Merges the rows before the next blocks that are copied, or after all of them. Where a row reaches into these blocks, no input
 * has cells of it, so both rows may be asked for. */
static int merge_others(struct copying *c, uint64_t end, struct bytes last_row, struct err *err) {
    struct buf stop = {0};
    c->t.blocks.end = end;
    if (c->t.blocks.offset == end) return 0;
    if (copied_cells_read(c->h, &c->t.blocks, c->row_before, &c->others, err)) return -1;
    int rc = reuse_row_after(&stop, last_row, err);
    c->t.span.stop = buf_bytes(&stop);
    if (!rc) rc = partition_merge_put(c->s, &c->t, c->w, err);
    buf_free(&stop);
    return rc;
}

static struct bytes row_of(const struct buf *key) {
    struct kv_key k = {0};
    (void)kv_key_parse(buf_bytes(key), &k); /* it was parsed before */
    return k.row;
}

static int write_rows(struct copying *c, struct err *err) {
    const struct manifest_file *m = c->f->m;
    c->t.span.start = buf_bytes(&m->first_row);
    c->t.blocks.offset = hfile_info(c->h)->first_data_offset;
    for (size_t i = 0; i < c->f->copied.n; i++) {
        const struct block_span *b = &c->f->copied.list[i];
        if (stop_check(c->s->all->o->job->stop, err) || merge_others(c, b->first, row_of(&b->first_key), err)) return -1;
        if (partition_writer_copy(c->w, c->h, b, err)) return -1;
        c->row_before = c->t.span.start = row_of(&b->last_key);
        c->t.blocks.offset = b->end;
    }
    return merge_others(c, hfile_info(c->h)->load_on_open_offset, buf_bytes(&m->last_row), err);
}

static int read_copied(struct copying *c, struct copied_cells *out, struct err *err) {
    copied_cells_init(out);
    for (size_t i = 0; i < c->f->copied.n; i++) {
        const struct block_span *b = &c->f->copied.list[i];
        const struct hfile_range blocks = {b->first, b->end};
        if (copied_cells_read(c->h, &blocks, (struct bytes){0}, out, err)) return -1;
    }
    return 0;
}

static int copied_of(struct copying *c, const struct copied_cells *all, struct copied_cells *out, struct err *err) {
    int remain = copied_cells_remain(all, &c->others, partition_writer_file(c->w), out, err);
    if (remain < 0 || (!remain && read_copied(c, out, err))) return -1;
    out->rows = all->rows - c->others.rows;
    return 0;
}

/* Counts the copied cells for the new file, and in the tally of the base's file. */
static int count_copied(struct copying *c, struct err *err) {
    struct copied_cells all, copied = {0};
    struct input *in = c->f->in;
    int rc = copied_cells_said(c->h, c->f->m->kv_bytes, &all, err);
    if (!rc) rc = err_set(err, ERR_INTERNAL, "%s: what it says of its cells has changed", in->path);
    if (rc == 1) rc = copied_of(c, &all, &copied, err);
    if (!rc) rc = partition_writer_count_copied(c->w, &copied, c->f->info.next_drop_ms, err);
    tally_add(&in->tally, copied.sums.tally);
    in->records = in->tally.cells;
    c->f->copied_cells = copied.sums.tally.cells;
    copied_cells_free(&all);
    copied_cells_free(&copied);
    return rc;
}

static int write_file(struct copying *c, const struct output_opts *o, struct err *err) {
    struct partition_merge *s = c->s;
    c->h = hfile_open(c->f->in->path, s->all->plan.block_limit, err);
    if (!c->h) return -1;
    c->w = partition_writer_open(o, &s->slot, s->number, &s->all->out->files, &s->rules.ledger.dropped[VERDICT_KEEP], err);
    if (!c->w || write_rows(c, err) || count_copied(c, err)) return -1;
    return partition_writer_finish(c->w, err);
}

int block_reuse_write(struct partition_merge *s, size_t k, struct err *err) {
    struct copying c = {.s = s, .f = &s->base[k], .t = {.first = k, .end = k + 1}};
    char hash[RULES_HASH_BYTES];
    struct output_opts o = partition_merge_output(s, hash);
    o.target_file_bytes = UINT64_MAX; /* one file becomes one */
    copied_cells_init(&c.others);
    int rc = write_file(&c, &o, err);
    if (c.w) s->number = partition_writer_close(c.w);
    hfile_close(c.h);
    block_spans_free(&c.f->copied);
    copied_cells_free(&c.others);
    return rc;
}
