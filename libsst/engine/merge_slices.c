/* Writes what is merged of a partition: as a whole, or cut into slices of whole rows, about equal in bytes, that threads merge
 * side by side. Cuts are rows that the indexes of the files name. What is written does not depend on them, so they may follow
 * threads and memory: a partition is only cut if partitions alone would not keep all threads busy. */
#include "engine/merge_slices.h"
#include "engine/partition_merge.h"

#include "base/bytes.h"
#include "cell/keyvalue.h"
#include "engine/slice_points.h"
#include "engine/slices.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_open.h"
#include "hfile/index_reader.h"

#include <stdlib.h>

enum {
    /* KeyValue bytes of a slice. A block of each file is unpacked twice at each cut: of four files cut into slices of 2 MB, an
     * eighth of all. So slices are as large as memory allows, and as all threads need to be busy to the end. */
    SLICE_LEAST_BYTES = 2 << 20,
    SLICE_MOST_BYTES = 8 << 20,
    SLICES_FOR_THREAD = 16,
    SLICES_LEAST = 4,
    SLICES_MOST = 1 << 14,
    POINTS_PER_SLICE = 2,       /* of each input, that cuts are chosen from */
    RULES_BYTES = 32 << 20,     /* that the rules of a slice may hold of a row */
    LONG_CELL_BYTES = 256 << 10 /* a batch of rows has no share for such cells */
};

/* Rows at which a stretch is cut, ascending. */
struct row_cuts {
    struct buf rows; /* what points refer to */
    struct slice_point *points;
    size_t n; /* 0: the stretch is small, or there are enough partitions beside it, or too little memory */
    uint64_t slice_bytes;
    unsigned at_once; /* slices */
};

/* ---- points at which files can be cut ---- */

struct points {
    const struct row_stretch *stretch;
    struct buf rows;          /* one after the other */
    struct slice_point *list; /* rows: only their lengths, as long as more may come */
    size_t n, room;
    uint64_t every, since; /* KeyValue bytes between two points of a file, and since the last one */
    double factor;         /* KeyValue bytes for each byte on disk */
};

static bool lies_within(const struct row_span *span, struct bytes row) {
    return (!span->start.p || bytes_cmp(row, span->start) > 0) && (!span->stop.p || bytes_cmp(row, span->stop) < 0);
}

static int note_entry(void *arg, const struct hfile_index_entry *e, struct err *err) {
    struct points *p = arg;
    struct kv_key key;
    if (p->since >= p->every && kv_key_parse(e->key, &key) && lies_within(&p->stretch->span, key.row)) {
        if (p->n == p->room && grow_capacity(&p->list, &p->room, sizeof *p->list, "places to cut at", err)) return -1;
        p->list[p->n++] = (struct slice_point){bytes_of(NULL, key.row.n), p->since};
        if (buf_put(&p->rows, key.row.p, key.row.n, err)) return -1;
        p->since = 0;
    }
    p->since += (uint64_t)((double)e->disk_bytes * p->factor);
    return 0;
}

static bool has_long_cells(const struct hfile *h) {
    struct bytes longest = hfile_find(h, "hfile.LEN_OF_BIGGEST_CELL");
    return longest.n != 8 || be64(longest.p) > LONG_CELL_BYTES;
}

/* Notes the points of a file. 1: done, 0: a file with cells that are too long. */
static int note_file(const struct partition_merge *s, uint32_t i, size_t k, struct points *p, struct err *err) {
    const struct manifest_file *m = partition_merge_entry(s, i, k);
    struct hfile *h = hfile_open(s->files[i][k]->path, s->all->plan.block_limit, err);
    int rc = h ? !has_long_cells(h) : -1;
    p->since = 0;
    p->factor = m->file_bytes ? (double)m->kv_bytes / (double)m->file_bytes : 1;
    if (rc > 0 && hfile_index_walk(h, note_entry, p, err)) rc = -1;
    hfile_close(h);
    return rc;
}

/* All rows are there: *out has them now. */
static void choose_cuts(struct points *p, struct row_cuts *out) {
    const uint8_t *row = p->rows.p;
    for (size_t k = 0; k < p->n; row += p->list[k++].row.n) p->list[k].row.p = row;
    out->n = slice_points_choose(p->list, p->n, out->slice_bytes, NULL);
    out->rows = p->rows;
    out->points = p->list;
    p->rows = (struct buf){0};
    p->list = NULL;
}

static void free_cuts(struct row_cuts *cuts) {
    buf_free(&cuts->rows);
    free(cuts->points);
    *cuts = (struct row_cuts){0};
}

/* ---- whether to cut ---- */

static uint64_t bytes_of_stretch(const struct partition_merge *s, const struct row_stretch *t) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++) {
        size_t first, has = partition_merge_within(s, i, t, &first);
        for (size_t k = first; k < first + has; k++) bytes += partition_merge_entry(s, i, k)->kv_bytes;
    }
    return bytes;
}

static uint64_t memory_of(const struct dataset_merge *all, unsigned at_once, uint64_t slice_bytes) {
    return slices_memory(at_once, 2 * slice_bytes) + 2 * at_once * (all->scan_bytes + RULES_BYTES);
}

/* Workers that have no partition lend their shares. */
static uint64_t memory_left(const struct dataset_merge *all) {
    uint64_t partitions = (uint64_t)all->o->table->n_families * all->o->table->partitioning.count;
    uint64_t lent = partitions < all->plan.threads ? all->plan.threads / partitions : 1;
    return all->plan.row_bytes * lent;
}

/* Smaller slices before fewer at a time. false: not worth it, or too little memory. */
static bool choose_slices(const struct partition_merge *s, uint64_t bytes, struct row_cuts *out) {
    const struct dataset_merge *all = s->all;
    const unsigned threads = all->plan.threads;
    uint64_t least = bytes / SLICES_MOST, slice_bytes = bytes / (SLICES_FOR_THREAD * threads);
    unsigned n = 2 * threads;
    if (least < SLICE_LEAST_BYTES) least = SLICE_LEAST_BYTES;
    if (slice_bytes > SLICE_MOST_BYTES) slice_bytes = SLICE_MOST_BYTES;
    if (slice_bytes < least) slice_bytes = least;
    if (all->has_runs || all->o->width || threads < 2 || bytes < SLICES_LEAST * SLICE_LEAST_BYTES ||
        bytes < all->kv_bytes / (4 * threads))
        return false;
    while (slice_bytes / 2 >= least && memory_of(all, n, slice_bytes) > memory_left(all)) slice_bytes /= 2;
    while (n > 1 && memory_of(all, n, slice_bytes) > memory_left(all)) n--;
    out->slice_bytes = slice_bytes;
    out->at_once = n;
    return n > 1;
}

static int cut_files(const struct partition_merge *s, struct points *p, struct row_cuts *out, struct err *err) {
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++) {
        size_t first, has = partition_merge_within(s, i, p->stretch, &first);
        for (size_t k = first; k < first + has; k++) {
            int rc = note_file(s, i, k, p, err);
            if (rc <= 0) return rc;
        }
    }
    choose_cuts(p, out);
    return 0;
}

static int cut_stretch(const struct partition_merge *s, const struct row_stretch *t, struct row_cuts *out, struct err *err) {
    *out = (struct row_cuts){0};
    if (!choose_slices(s, bytes_of_stretch(s, t), out)) return 0;
    struct points p = {.stretch = t, .every = out->slice_bytes / POINTS_PER_SLICE / s->all->o->n_inputs};
    int rc = cut_files(s, &p, out, err);
    buf_free(&p.rows);
    free(p.list);
    return rc;
}

/* ---- a slice ---- */

struct cut_merge {
    struct partition_merge *s;
    const struct row_stretch *stretch;
    const struct row_cuts *cuts;
    size_t n_files;
    size_t alone_bytes; /* that the rules of a slice may hold of a row if no other slice is read */
};

/* The memory of one slice. */
struct merge_slice {
    struct row_stretch stretch;
    struct tally tallies[]; /* of all files */
};

static struct source *open_slice(void *arg, size_t i, bool alone, struct slice *slice, struct err *err) {
    const struct cut_merge *c = arg;
    struct merge_slice *m = calloc(1, sizeof *m + c->n_files * sizeof *m->tallies);
    if (!m) {
        err_nomem(err, sizeof *m, "a slice of a partition");
        return NULL;
    }
    m->stretch = *c->stretch;
    slice_points_narrow(c->cuts->points, c->cuts->n, i, &m->stretch.span);
    slice->own = m;
    if (c->s->all->o->keeps_all) slice->next_drop_ms = NULL;
    return partition_merge_open(c->s, &m->stretch, &slice->rules, alone ? c->alone_bytes : RULES_BYTES, m->tallies, err);
}

static void count_slice(void *arg, const struct slice *slice) {
    const struct cut_merge *c = arg;
    const struct merge_slice *m = slice->own;
    struct partition_merge *s = c->s;
    const struct tally *t = m->tallies;
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++)
        for (size_t k = 0; k < s->n_files[i]; k++, t++) {
            tally_add(&s->files[i][k]->tally, *t);
            s->files[i][k]->records = s->files[i][k]->tally.cells;
        }
}

static int write_slices(struct partition_merge *s, const struct row_stretch *t, const struct row_cuts *cuts,
                        struct partition_writer *w, struct err *err) {
    struct cut_merge c = {.s = s, .stretch = t, .cuts = cuts};
    const struct sliced_source from = {.n = cuts->n + 1,
                                       .at_once = cuts->at_once,
                                       .batch_bytes = 2 * cuts->slice_bytes,
                                       .rules = &s->rules,
                                       .retries = true,
                                       .open_at = open_slice,
                                       .ended = count_slice,
                                       .arg = &c};
    c.alone_bytes =
        memory_left(s->all) - memory_of(s->all, cuts->at_once, cuts->slice_bytes) + RULES_BYTES; /* choose_slices: there is */
    for (uint32_t i = 0; i < s->all->o->n_inputs; i++) c.n_files += s->n_files[i];
    return partition_writer_put_slices(w, &from, err);
}

/* ---- a stretch ---- */

int partition_merge_put(struct partition_merge *s, const struct row_stretch *t, struct partition_writer *w, struct err *err) {
    s->rules.next_drop_ms = INT64_MAX;
    struct source *src = partition_merge_open(s, t, &s->rules, s->all->plan.row_bytes, NULL, err);
    int rc = src ? partition_writer_put(w, src, s->all->o->keeps_all ? NULL : &s->rules.next_drop_ms, err) : -1;
    source_close(src);
    return rc;
}

struct output_opts partition_merge_output(const struct partition_merge *s, char rules_hash[RULES_HASH_BYTES]) {
    struct output_opts o = s->all->output;
    rules_text_hash(&s->family->rules, s->all->o->kind, rules_hash);
    o.rules_hash = s->all->o->keeps_all ? NULL : rules_hash;
    return o;
}

int partition_merge_write(struct partition_merge *s, const struct row_stretch *t, struct err *err) {
    char hash[RULES_HASH_BYTES];
    struct output_opts o = partition_merge_output(s, hash);
    struct row_cuts cuts;
    if (cut_stretch(s, t, &cuts, err)) return -1;
    struct partition_writer *w =
        partition_writer_open(&o, &s->slot, s->number, &s->all->out->files, &s->rules.ledger.dropped[VERDICT_KEEP], err);
    int rc = !w ? -1 : cuts.n ? write_slices(s, t, &cuts, w, err) : partition_merge_put(s, t, w, err);
    if (!rc) rc = partition_writer_finish(w, err);
    if (w) s->number = partition_writer_close(w);
    free_cuts(&cuts);
    return rc;
}
