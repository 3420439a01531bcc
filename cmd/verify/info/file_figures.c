/* Sums over HFiles: a team takes one file after the other, walks its blocks and, on request, its cells, and adds up in sums of
 * its own, which are joined at the end. So nothing is shared while files are read. Relies on the public reader (sst/file.h)
 * only. */
#include "cmd/verify/info/file_figures.h"
#include "cmd/verify/info/info.h"

#include "cell/keyvalue.h"
#include "engine/memory_plan.h"

#include <stdlib.h>

/* ---- blocks ---- */

static int note_block(void *context, const sst_block *b) {
    struct block_sums *s = context;
    struct block_sum *t = &s->types[b->kind];
    t->blocks++;
    t->disk_bytes += b->disk_bytes;
    t->plain_bytes += b->plain_bytes;
    if (b->kind == SST_BLOCK_DATA) s->encodings[0]++;
    if (b->kind == SST_BLOCK_ENCODED_DATA)
        s->encodings[b->encoding < BLOCK_SUMS_ENCODINGS ? b->encoding : BLOCK_SUMS_ENCODINGS]++;
    return 0;
}

static int add_blocks(struct block_sums *s, const sst_file *f, struct err *err) {
    const sst_file_info *i = sst_file_get_info(f);
    sst_error error;
    s->file_bytes += i->file_bytes;
    s->trailer_bytes += i->trailer_bytes;
    if (i->codec_id < BLOCK_SUMS_CODECS) s->codecs[i->codec_id]++;
    return sst_file_walk_blocks(f, note_block, s, &error) ? info_error(err, &error) : 0;
}

static void merge_blocks(struct block_sums *to, const struct block_sums *from) {
    for (unsigned i = 0; i < SST_BLOCK_KINDS; i++) {
        to->types[i].blocks += from->types[i].blocks;
        to->types[i].disk_bytes += from->types[i].disk_bytes;
        to->types[i].plain_bytes += from->types[i].plain_bytes;
    }
    to->trailer_bytes += from->trailer_bytes;
    to->file_bytes += from->file_bytes;
    for (unsigned i = 0; i < countof(to->encodings); i++) to->encodings[i] += from->encodings[i];
    for (unsigned i = 0; i < countof(to->codecs); i++) to->codecs[i] += from->codecs[i];
}

struct block_sum block_sums_data(const struct block_sums *s) {
    const struct block_sum *a = &s->types[SST_BLOCK_DATA], *b = &s->types[SST_BLOCK_ENCODED_DATA];
    return (struct block_sum){a->blocks + b->blocks, a->disk_bytes + b->disk_bytes, a->plain_bytes + b->plain_bytes};
}

/* ---- cells ---- */

struct row_sum {
    struct buf row;
    uint64_t bytes, cells;
};

static int note_biggest(struct cell_stats *s, uint64_t bytes, struct bytes row, struct err *err) {
    bool bigger = bytes > s->biggest_row_bytes ||
                  (bytes == s->biggest_row_bytes && bytes && bytes_cmp(row, buf_bytes(&s->biggest_row)) < 0);
    if (!bigger) return 0;
    s->biggest_row_bytes = bytes;
    return buf_copy(&s->biggest_row, row, err);
}

static int end_row(struct cell_stats *s, struct row_sum *r, struct err *err) {
    if (!r->cells) return 0;
    histogram_add(&s->row_bytes, r->bytes);
    histogram_add(&s->row_cells, r->cells);
    int rc = note_biggest(s, r->bytes, buf_bytes(&r->row), err);
    r->bytes = r->cells = 0;
    return rc;
}

static void note_type(struct cell_stats *s, uint8_t type) {
    switch (type) {
    case SST_PUT: s->puts++; break;
    case SST_DELETE: s->deletes++; break;
    case SST_DELETE_FAMILY_VERSION: s->family_version_deletes++; break;
    case SST_DELETE_COLUMN: s->column_deletes++; break;
    case SST_DELETE_FAMILY: s->family_deletes++; break;
    default: s->others++;
    }
}

static void note_cell(struct cell_stats *s, const sst_part *p, const sst_part_cell *c, struct row_sum *r) {
    size_t key = kv_key_size(p->row.size, p->family.size, c->qualifier.size);
    histogram_add(&s->key_length, key);
    histogram_add(&s->value_length, c->value.size);
    note_type(s, c->type);
    s->tagged += c->tags.size > 0;
    s->tag_bytes += c->tags.size;
    r->bytes += 8 + key + c->value.size + (c->tags.size ? 2 + c->tags.size : 0);
    r->cells++;
}

static int add_cells(struct cell_stats *s, const sst_file *f, const struct stop *stop, struct err *err) {
    enum { PARTS_PER_LOOK = 4096 };
    sst_error error;
    sst_scan *scan = sst_scan_open(f, NULL, &error);
    struct row_sum row = {0};
    const sst_part *p;
    int more = -1;
    for (uint64_t n = 0; scan && (more = sst_scan_next_part(scan, &p, &error)) == 1; n++) {
        if (n % PARTS_PER_LOOK == 0 && (more = stop_check(stop, err))) break;
        if (p->row_starts && ((more = end_row(s, &row, err)) || (more = buf_copy(&row.row, info_bytes(p->row), err)))) break;
        for (size_t i = 0; i < p->n; i++) note_cell(s, p, &p->cells[i], &row);
    }
    if (more < 0 && !err->code) info_error(err, &error);
    if (more == 0) more = end_row(s, &row, err);
    sst_scan_close(scan);
    buf_free(&row.row);
    return more;
}

static int merge_cells(struct cell_stats *to, const struct cell_stats *from, struct err *err) {
    histogram_merge(&to->key_length, &from->key_length);
    histogram_merge(&to->value_length, &from->value_length);
    histogram_merge(&to->row_bytes, &from->row_bytes);
    histogram_merge(&to->row_cells, &from->row_cells);
    to->puts += from->puts;
    to->deletes += from->deletes;
    to->family_version_deletes += from->family_version_deletes;
    to->column_deletes += from->column_deletes;
    to->family_deletes += from->family_deletes;
    to->others += from->others;
    to->tagged += from->tagged;
    to->tag_bytes += from->tag_bytes;
    return note_biggest(to, from->biggest_row_bytes, buf_bytes(&from->biggest_row), err);
}

/* ---- files, side by side ---- */

struct figures_worker {
    struct block_sums blocks;
    struct cell_stats cells;
};

static int read_file(const struct file_figures *s, struct figures_file *f, struct figures_worker *w, struct err *err) {
    sst_file_options o = {sizeof o, job_block_limit(s->job, job_readers(s->job))};
    sst_error error;
    sst_file *h = sst_file_open(f->path, &o, &error);
    struct block_sums mine = {0};
    int rc = h ? add_blocks(&mine, h, err) : info_error(err, &error);
    if (!rc) {
        f->data = block_sums_data(&mine);
        f->cells = sst_file_get_info(h)->cells;
        f->file_bytes = sst_file_get_info(h)->file_bytes;
        merge_blocks(&w->blocks, &mine);
    }
    if (!rc && s->read_cells) rc = add_cells(&w->cells, h, s->job->stop, err);
    sst_file_close(h);
    return rc;
}

static void read_files(struct file_figures *s, struct err *err) {
    struct err mine = {0};
    struct figures_worker *w = calloc(1, sizeof *w);
    if (!w) err_nomem(&mine, sizeof *w, "sums over files");
#pragma omp for schedule(dynamic, 1)
    for (size_t i = 0; i < s->n; i++) {
        bool failed;
#pragma omp atomic read
        failed = s->failed;
        if (failed || mine.code || (stop_check(s->job->stop, &mine) == 0 && read_file(s, &s->files[i], w, &mine) == 0)) continue;
#pragma omp atomic write
        s->failed = true;
    }
#pragma omp critical(figures_merge)
    {
        err_keep(err, &mine);
        if (w) merge_blocks(&s->blocks, &w->blocks);
        if (w && merge_cells(&s->cells, &w->cells, &mine)) err_keep(err, &mine);
    }
    if (w) buf_free(&w->cells.biggest_row);
    free(w);
}

int file_figures_run(struct file_figures *s, struct err *err) {
    struct err first = {0};
#pragma omp parallel num_threads(job_readers(s->job))
    read_files(s, &first);
    err_keep(err, &first);
    return first.code ? -1 : 0;
}

void file_figures_free(struct file_figures *s) {
    buf_free(&s->cells.biggest_row);
}
