#include "engine/file_chain.h"

#include "hfile/hfile_reader.h"

#include <stdlib.h>

struct file_chain {
    struct source base;
    size_t n, i, block_limit;
    struct row_span span;
    struct hfile *file;
    struct source *scan;
    struct buf last_row; /* of the file before: files must not overlap */
    bool fresh;          /* the next part is the first of its file */
    struct load_input *files[];
};

static void close_file(struct file_chain *c) {
    source_close(c->scan);
    hfile_close(c->file);
    c->scan = NULL;
    c->file = NULL;
}

static int open_file(struct file_chain *c, struct err *err) {
    struct load_input *in = c->files[c->i];
    struct hfile_scan_opts o = {.tally = &in->tally, .input = in->group, .start_row = c->span.start, .stop_row = c->span.stop};
    c->file = hfile_open(in->path, c->block_limit, err);
    if (c->file) c->scan = hfile_scan_open(c->file, &o, err);
    c->fresh = true;
    return c->scan ? 0 : -1;
}

static int check_row(struct file_chain *c, const struct row_part *part, struct err *err) {
    if (c->fresh && c->i && bytes_cmp(part->row, buf_bytes(&c->last_row)) <= 0)
        return err_set(err, ERR_INPUT, "%s: overlaps the file before it", c->files[c->i]->path);
    c->fresh = false;
    return c->i + 1 < c->n ? buf_copy(&c->last_row, part->row, err) : 0;
}

static int chain_next(struct source *base, struct row_part *part, struct err *err) {
    struct file_chain *c = (struct file_chain *)base;
    for (; c->i < c->n; c->i++) {
        if (!c->scan && open_file(c, err)) return -1;
        int more = source_next(c->scan, part, err);
        if (more < 0) return -1;
        if (more) return check_row(c, part, err) ? -1 : 1;
        c->files[c->i]->records = c->files[c->i]->tally.cells;
        close_file(c);
    }
    return 0;
}

static void chain_close(struct source *base) {
    struct file_chain *c = (struct file_chain *)base;
    close_file(c);
    buf_free(&c->last_row);
    free(c);
}

static const struct source_ops chain_ops = {chain_next, chain_close};

struct source *file_chain_open(struct load_input *const *files, size_t n, const struct row_span *span, size_t block_limit,
                               struct err *err) {
    struct file_chain *c = calloc(1, sizeof *c + n * sizeof *files);
    if (!c) return err_nomem(err, n * sizeof *files, "the list of files"), NULL;
    c->base.ops = &chain_ops;
    c->n = n;
    if (span) c->span = *span;
    c->block_limit = block_limit;
    memcpy(c->files, files, n * sizeof *files);
    return &c->base;
}
