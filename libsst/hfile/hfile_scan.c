/* Scans of HFiles: row parts, or single cells, of a whole file, a range of blocks or a range of rows. Which blocks are walked is
 * decided by block_walk.h, which cells they hold by cell_walk.h; here cells get ranks, are cut into parts and counted, and a scan
 * of a whole file compares the counts with the trailer. */
#include "base/bytes.h"
#include "base/wire.h"
#include "hfile/block_walk.h"
#include "hfile/cell_walk.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_layout.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "hfile/hfile_state.h"
#include "hfile/index_reader.h"

#include <stdlib.h>

enum { READ_AHEAD_BYTES = 128 << 10 };

_Static_assert((int)BLOCK_SPARE_BYTES >= (int)VALUE_SPARE_BYTES, "parts of a scan have `spare`");

/* The ranks of the cells handed out: see rank_of. */
struct ranks {
    uint64_t base, mask, top;
    uint64_t position; /* counted from the block's offset, never falling; in a store file from 0 in each block */
    bool by_block;
};

struct hfile_scan {
    struct source base;
    const struct hfile *h;
    struct hfile_scan_opts o;
    struct block_walk blocks;
    struct cell_walk cells;
    struct ranks ranks;
    struct buf first_key, seek_row;
    uint64_t handed_out; /* cells */
    bool whole;          /* the whole file: totals must hold at the end */
    bool unlimited;      /* all cells from here on are wanted */
    bool done;
    struct err fault; /* of hfile_scan_next_cell; empty between calls */
    struct cell part[PART_MAX_CELLS];
};

static struct hfile_scan *scan_of(struct source *s) {
    return (struct hfile_scan *)s;
}

/* ---- ranks ---- */

static struct ranks ranks_of(const struct hfile_scan_opts *o) {
    struct ranks r = {.by_block = o->store_file > 0, .base = rank_of(o->input, 0), .mask = RANK_POSITION_MAX, .top = o->rank_top};
    if (r.by_block) {
        r.base = rank_of(o->input, (uint64_t)(o->store_file - 1) << RANK_BLOCK_BITS);
        r.mask = (UINT64_C(1) << RANK_BLOCK_BITS) - 1;
    }
    if (!r.top) r.top = r.mask;
    return r;
}

static void ranks_block(struct ranks *r, uint64_t offset) {
    if (r->by_block)
        r->position = 0;
    else if (r->position < offset)
        r->position = offset;
}

/* ---- totals ---- */

static int totals_fault(const struct hfile_scan *s, const char *what, uint64_t found, uint64_t said, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: %s: %llu found, the trailer says %llu", s->h->path, what, (unsigned long long)found,
                   (unsigned long long)said);
}

/* Compares what was scanned with what trailer and file info say about the whole. */
static int check_totals(const struct hfile_scan *s, struct err *err) {
    const struct trailer *t = &s->h->trailer;
    const struct block_walk *b = &s->blocks;
    uint64_t seen = s->cells.seen, plain = b->passed.plain_bytes + s->h->open_plain_bytes + t->bytes;
    if (seen != t->entry_count) return totals_fault(s, "number of cells", seen, t->entry_count, err);
    if (b->first_data != t->first_data_offset)
        return totals_fault(s, "first data block", b->first_data, t->first_data_offset, err);
    if (b->last_data != t->last_data_offset) return totals_fault(s, "last data block", b->last_data, t->last_data_offset, err);
    if (plain != t->total_plain_bytes && !trailer_lacks(t, TRAILER_TOTAL_PLAIN_BYTES))
        return totals_fault(s, "uncompressed bytes", plain, t->total_plain_bytes, err);
    if (s->o.disorder) return 0;
    if (seen && !bytes_eq(s->cells.last.key, s->h->info.last_key))
        return err_set(err, ERR_INPUT, "%s: the last cell's key is not hfile.LASTKEY", s->h->path);
    if (seen && !bytes_eq(buf_bytes(&s->first_key), s->h->info.first_key))
        return err_set(err, ERR_INPUT, "%s: the first cell's key is not the first key of the index", s->h->path);
    return 0;
}

/* ---- the next cell ---- */

static int show_block(struct hfile_scan *s, struct err *err) {
    struct bytes before = s->cells.last.any ? s->cells.last.key : (struct bytes){0};
    if (cell_walk_peek(&s->cells, err) < 0) return -1;
    return s->o.watch->block(s->o.watch->arg, s->blocks.block.offset, before, s->cells.ahead.key, err);
}

/* Goes to the next data block. 1 there, 0 end, -1 error. */
static int next_block(struct hfile_scan *s, struct err *err) {
    int rc = block_walk_next(&s->blocks, &s->cells, err);
    if (rc < 0) return -1;
    if (rc == 0) {
        if (s->whole && !s->o.lost && check_totals(s, err)) return -1;
        s->done = true;
        return 0;
    }
    ranks_block(&s->ranks, s->blocks.block.offset);
    return s->o.watch && show_block(s, err) ? -1 : 1;
}

/* The cell ahead is the first one to hand out, or the first one after a seek. */
static int begin_rows(struct hfile_scan *s, struct err *err) {
    if (!s->o.disorder) s->o.start_row = (struct bytes){0}; /* all that follows is larger */
    s->unlimited = !s->o.start_row.p && !s->o.stop_row.p;
    return s->handed_out ? 0 : buf_copy(&s->first_key, s->cells.ahead.key, err);
}

/* Passes what is not between the scan's rows. 1: the cell ahead is the next one to hand out, 0 end, -1 error. */
static int find_wanted(struct hfile_scan *s, struct err *err) {
    struct cell_walk *w = &s->cells;
    while (!s->done) {
        int rc = cell_walk_peek(w, err);
        if (rc < 0 || (rc == 0 && next_block(s, err) < 0)) return -1;
        if (rc == 0) continue;
        if (s->o.stop_row.p && bytes_cmp(w->ahead.cell.row, s->o.stop_row) >= 0) {
            s->done = true;
        } else if (s->o.start_row.p && bytes_cmp(w->ahead.cell.row, s->o.start_row) < 0) {
            cell_walk_take(w);
        } else {
            return begin_rows(s, err) ? -1 : 1;
        }
    }
    return 0;
}

/* Finds the next wanted cell, quickly while nothing limits the rows and the block has more. */
static inline int next_wanted(struct hfile_scan *s, struct err *err) {
    return s->unlimited && s->cells.p != s->cells.stop ? cell_walk_peek(&s->cells, err) : find_wanted(s, err);
}

static inline void take(struct hfile_scan *s) {
    const struct raw_cell *c = &s->cells.ahead;
    if (s->o.tally) tally_one(s->o.tally, digest_kv(c->kv.p, c->kv.n));
    s->handed_out++;
    cell_walk_take(&s->cells);
}

/* ---- parts ---- */

static inline uint64_t next_rank(struct ranks *r) {
    return r->base | ((r->top - r->position++) & r->mask);
}

static inline void put_cell(struct hfile_scan *s, struct cell *out) {
    const struct hfile_cell *c = &s->cells.ahead.cell;
    *out = (struct cell){.qualifier = c->qualifier,
                         .value = c->value,
                         .tags = c->tags,
                         .ts_ms = c->ts_ms,
                         .seq = s->o.reset_seq ? s->o.seq : c->seq,
                         .rank = next_rank(&s->ranks),
                         .type = c->type};
    take(s);
}

/* Puts as many of the cells that follow as quick_walk_take takes to s->part[n] and after. *bytes is their size. Returns how many
 * the part has then. */
static uint32_t put_quick_cells(struct hfile_scan *s, uint32_t n, size_t *bytes) {
    struct quick_walk q = quick_walk_begin(&s->cells);
    struct tally sum = {0};
    struct bytes kv;
    uint32_t first = n;
    size_t left = PART_MAX_BYTES - *bytes;
    uint64_t seq = s->o.reset_seq ? s->o.seq : 0;
    while (n < PART_MAX_CELLS && (kv = quick_walk_take(&q, left)).p) {
        const uint8_t *stamp = q.key + q.key_n - 9;
        s->part[n++] = (struct cell){.qualifier = bytes_of(q.key + q.prefix_n, q.key_n - 9 - q.prefix_n),
                                     .value = bytes_of(stamp + 9, kv.n - 8 - q.key_n),
                                     .tags = bytes_of(q.key, 0),
                                     .ts_ms = (int64_t)be64(stamp),
                                     .seq = seq,
                                     .rank = next_rank(&s->ranks),
                                     .type = stamp[8]};
        left -= kv.n;
        if (s->o.tally) tally_one(&sum, digest_kv(kv.p, kv.n));
    }
    if (n == first) return n;
    if (s->o.tally) tally_add(s->o.tally, sum);
    quick_walk_end(&q, &s->cells, n - first);
    s->handed_out += n - first;
    *bytes = PART_MAX_BYTES - left;
    return n;
}

/* Fills *part with the cells of the next cell's row that follow in this block. */
static int fill_part(struct hfile_scan *s, struct row_part *part, struct err *err) {
    struct cell_walk *w = &s->cells;
    *part = (struct row_part){.row = w->ahead.cell.row, .family = w->ahead.cell.family, .cells = s->part, .spare = true};
    part->first = !w->ahead_in_row || s->handed_out == 0;
    size_t bytes = 0;
    uint32_t n = 0;
    int rc = 1;
    do {
        bytes += w->ahead.kv.n;
        put_cell(s, &s->part[n++]);
        if (bytes < PART_MAX_BYTES) n = put_quick_cells(s, n, &bytes);
        rc = cell_walk_peek(w, err);
    } while (rc == 1 && w->ahead_in_row && n < PART_MAX_CELLS && bytes + w->ahead.kv.n <= PART_MAX_BYTES);
    if (rc < 0) return -1;
    part->n_cells = n;
    part->ends = rc == 1 && !w->ahead_in_row;
    return 1;
}

/* Passes the cells of the next cell's row that follow in this block, as far as they are plain. */
static void pass_row(struct hfile_scan *s) {
    uint64_t before = s->cells.seen, n = 0;
    cell_walk_take(&s->cells);
    struct quick_walk q = quick_walk_begin(&s->cells);
    while (quick_walk_take(&q, SIZE_MAX).p) n++;
    if (n) quick_walk_end(&q, &s->cells, n);
    s->ranks.position += s->cells.seen - before;
    s->handed_out += s->cells.seen - before;
}

static int scan_next(struct source *src, struct row_part *part, struct err *err) {
    struct hfile_scan *s = scan_of(src);
    int rc = next_wanted(s, err);
    while (rc == 1 && s->o.rows && !s->o.rows->wanted(s->o.rows->arg, s->cells.ahead.cell.row)) {
        pass_row(s);
        rc = next_wanted(s, err);
    }
    return rc == 1 ? fill_part(s, part, err) : rc;
}

/* ---- cells ---- */

/* End or failure: there is no other cell until a seek. */
static int end_cells(struct hfile_scan *s, int rc, const struct hfile_cell **out, struct err *err) {
    *out = NULL;
    s->done = true;
    s->unlimited = false;
    if (rc < 0) *err = s->fault;
    s->fault.code = ERR_NONE;
    return rc;
}

int hfile_scan_next_cell(struct source *src, const struct hfile_cell **out, struct err *err) {
    struct hfile_scan *s = scan_of(src);
    int rc = next_wanted(s, &s->fault);
    if (rc != 1) return end_cells(s, rc, out, err);
    struct hfile_cell *c = &s->cells.ahead.cell;
    c->first = !s->cells.ahead_in_row || s->handed_out == 0;
    if (s->o.reset_seq) c->seq = s->o.seq;
    s->ranks.position++;
    take(s);
    *out = c;
    return 1;
}

/* ---- life ---- */

static void scan_close(struct source *src) {
    struct hfile_scan *s = scan_of(src);
    block_walk_release(&s->blocks);
    cell_walk_release(&s->cells);
    buf_free(&s->first_key);
    buf_free(&s->seek_row);
    free(s);
}

static const struct source_ops scan_ops = {.next = scan_next, .close = scan_close};

/* Chooses where the scan begins and ends. */
static int choose_range(struct hfile_scan *s, struct hfile_range *out, struct err *err) {
    const struct hfile_info *info = &s->h->info;
    bool ranged = s->o.range.offset || s->o.range.end;
    *out = ranged ? s->o.range : (struct hfile_range){0, info->load_on_open_offset};
    s->whole = !ranged && !s->o.start_row.p && !s->o.stop_row.p;
    if (out->end > info->load_on_open_offset || out->offset > out->end)
        return err_set(err, ERR_INTERNAL, "%s: block range %llu to %llu", s->h->path, (unsigned long long)out->offset,
                       (unsigned long long)out->end);
    if (ranged || !s->o.start_row.p || !info->cells) return 0;
    return index_seek(s->h, s->o.start_row, &out->offset, err);
}

int hfile_scan_seek(struct source *scan, struct bytes row, struct err *err) {
    struct hfile_scan *s = scan_of(scan);
    uint64_t next = s->blocks.next;
    if (buf_copy(&s->seek_row, row, err)) return -1;
    s->o.start_row = buf_bytes(&s->seek_row);
    if (s->h->info.cells && index_seek(s->h, row, &next, err)) return -1;
    block_walk_jump(&s->blocks, next > s->o.range.offset ? next : s->o.range.offset);
    cell_walk_restart(&s->cells);
    s->ranks.position = 0;
    s->whole = s->unlimited = s->done = false;
    return 0;
}

struct source *hfile_scan_open(const struct hfile *h, const struct hfile_scan_opts *o, struct err *err) {
    struct hfile_scan *s = calloc(1, sizeof *s);
    struct hfile_range range;
    if (!s) {
        err_nomem(err, sizeof *s, h->path);
        return NULL;
    }
    s->base.ops = &scan_ops;
    s->h = h;
    s->o = *o;
    s->ranks = ranks_of(o);
    s->cells.h = h;
    s->cells.ahead.cell.size = sizeof s->cells.ahead.cell;
    s->cells.disorder = o->disorder;
    s->blocks.lost = o->lost;
    if (choose_range(s, &range, err)) {
        free(s);
        return NULL;
    }
    /* Bytes after a damaged block may be unreadable too: then only what is asked for is read. */
    block_walk_init(&s->blocks, h, range.offset, range.end, o->lost ? 0 : READ_AHEAD_BYTES);
    return &s->base;
}

void hfile_scan_bounds(const struct source *scan, struct bytes *first_key, struct bytes *last_key) {
    const struct hfile_scan *s = (const struct hfile_scan *)scan;
    *first_key = buf_bytes(&s->first_key);
    *last_key = s->handed_out ? s->cells.last.key : (struct bytes){0};
}

uint64_t hfile_scan_block(const struct source *scan) {
    const struct hfile_scan *s = (const struct hfile_scan *)scan;
    return s->handed_out ? s->blocks.block.offset : UINT64_MAX;
}

void hfile_scan_counts(const struct source *scan, uint64_t *blocks, uint64_t *cells) {
    const struct hfile_scan *s = (const struct hfile_scan *)scan;
    *blocks = s->blocks.passed.data_blocks;
    *cells = s->cells.seen;
}

void hfile_scan_passed(const struct source *scan, struct hfile_passed *out) {
    const struct hfile_scan *s = (const struct hfile_scan *)scan;
    *out = s->blocks.passed;
    out->cells = s->cells.seen;
}

size_t hfile_scan_memory(const struct hfile *h) {
    size_t block = h->usual_block_bytes;
    struct bytes biggest = hfile_find(h, "hfile.LEN_OF_BIGGEST_CELL");
    if (biggest.n == 8 && be64(biggest.p) > block)
        block += be64(biggest.p) < h->src.max_block_bytes ? (size_t)be64(biggest.p) : h->src.max_block_bytes;
    size_t ahead = h->info.load_on_open_offset < READ_AHEAD_BYTES ? (size_t)h->info.load_on_open_offset : READ_AHEAD_BYTES;
    size_t window = ahead > block ? ahead : block, decoded = 0;
    if (h->encoding->id != HFILE_ENC_NONE) {
        decoded = block + (size_t)h->usual_block_bytes * (h->decoded_factor - 1);
        if (decoded > h->src.max_block_bytes) decoded = h->src.max_block_bytes;
    }
    return sizeof(struct hfile_scan) + window + window / 2 + block + block / 2 + decoded + decoded / 2 +
           codec_ctx_memory(h->src.codec, 0);
}
