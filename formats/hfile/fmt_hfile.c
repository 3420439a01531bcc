/* HFiles as input: a chunk is a range of blocks, and the thread that parses it reads them from the file. A file that fits one
 * chunk is also opened by that thread, so that many small files are opened in parallel. A file that may be damaged is cut where
 * blocks can be found; the thread that reads its last range reports what is missing. */
#include "engine/format.h"
#include "formats/hfile/hfile_input.h"
#include "engine/input.h"
#include "formats/hbase/survey.h"
#include "formats/hbase/mob.h"
#include "formats/hfile/hfile_lost.h"
#include "formats/hfile/hfile_mob.h"
#include "formats/hfile/hfile_whole.h"
#include "hfile/block.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_ranges.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "select/selection.h"
#include "select/selection_make.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_RANGE_BYTES = 1 << 20 };

struct hfile_input {
    struct reader base;
    char *path;
    struct instream *in; /* the unnamed file that the HFile was unpacked to; NULL: it is that at path */
    struct hfile_view view;
    size_t range_bytes, max_block_bytes;
    bool at_once; /* one chunk, opened when it is parsed */
    bool handed_out, all_handed_out;
    struct hfile *file;
    struct hfile_range span;
    uint64_t ranges;
    uint64_t passed; /* bytes handed out; read by other threads for progress */
    bool resets_seq;
    uint64_t seq;
    pthread_mutex_t lock;
    struct stretches stretches;
    uint64_t cells;
    struct hfile_floor floor;
    struct hfile_blocks blocks; /* only these, where blocks.choice.of */
    bool salvage;               /* DAMAGE_SKIPS_BLOCK */
    struct hfile_read_opts asked;
    char *unreadable; /* why it is left out, if that is reported instead of failing */
    uint64_t claimed; /* cells that it would have, by its trailer */
    struct hfile_cutter *cutter;
    struct hfile_lost_list lost;
    struct hfile_mob_lost mob_lost;
    struct hfile_mob_own own;
    bool loses_values; /* mob files may be missing or damaged */
    uint64_t parsed;   /* ranges */
    const struct selection *selection;
    size_t next_row_range; /* of the selection: what of its rows is still to be cut */
    bool narrowed;         /* blocks are passed by that hold nothing of it */
};

static bool is_part(const struct hfile_input *h) {
    return h->view.start_row.p || h->view.stop_row.p;
}

/* Opens the index to cut ranges. If it does not show which blocks hold the view's rows, all are read. */
static int open_cutter(struct hfile_input *h, struct err *err) {
    struct err mine = {0};
    if (hfile_row_range(h->file, h->view.start_row, h->view.stop_row, &h->span, &mine)) {
        if (mine.code != ERR_INPUT) {
            err_keep(err, &mine);
            return -1;
        }
        h->span = (struct hfile_range){0, hfile_info(h->file)->load_on_open_offset};
    }
    h->cutter = hfile_cutter_open(h->file, &h->span, err);
    return h->cutter ? 0 : -1;
}

/* ---- what a selection has no need of ---- */

/* The family is in the key of the last cell. */
static bool takes_family(const struct hfile_input *h) {
    struct kv_key key;
    struct bytes now, last = hfile_info(h->file)->last_key;
    return !last.n || !kv_key_parse(last, &key) || selection_family(h->selection, key.family, &now);
}

/* The file info says between which times its cells are. */
static bool takes_times(const struct hfile_input *h) {
    const struct hfile_info *i = hfile_info(h->file);
    return !i->has_ts_range || selection_times(h->selection, i->ts_min, i->ts_max);
}

/* The blocks of the next range of selected rows: 1, 0 none, -1. What the range before it has read is not read again. */
static int next_rows(struct hfile_input *h, struct err *err) {
    const struct row_range *ranges;
    size_t n = selection_ranges(h->selection, &ranges);
    while (h->next_row_range < n) {
        struct row_range r = ranges[h->next_row_range++];
        struct hfile_range span;
        if (bytes_cmp(r.start, h->view.start_row) < 0) r.start = h->view.start_row;
        if (h->view.stop_row.p && (!r.stop.p || bytes_cmp(h->view.stop_row, r.stop) < 0)) r.stop = h->view.stop_row;
        if (r.stop.p && bytes_cmp(r.start, r.stop) >= 0) continue;
        if (hfile_row_range(h->file, r.start, r.stop, &span, err)) return -1;
        if (span.offset < h->span.end) span.offset = h->span.end;
        if (span.offset >= span.end) continue;
        h->span = span;
        return 1;
    }
    return 0;
}

/* Narrows what is read of the file to what may be selected. */
static int narrow_span(struct hfile_input *h, struct err *err) {
    const struct row_range *ranges;
    struct hfile_range all = h->span;
    if (!takes_family(h) || !takes_times(h)) {
        h->span = (struct hfile_range){0, 0};
    } else if (selection_ranges(h->selection, &ranges)) {
        h->span.end = h->span.offset;
        if (next_rows(h, err) < 0) return -1;
    }
    h->narrowed = h->span.offset != all.offset || h->span.end != all.end;
    return 0;
}

static void input_unread(const struct reader *base, struct unread_count *sum) {
    const struct hfile_input *h = (const struct hfile_input *)base;
    if (!h->narrowed) return;
    if (is_part(h))
        sum->files++;
    else
        sum->cells += hfile_info(h->file)->cells - h->cells;
}

static int open_file(struct hfile_input *h, struct err *err) {
    h->file = hfile_whole_open(h->path, h->in, h->max_block_bytes, h->salvage ? &h->lost.sink : NULL, err);
    if (!h->file) return -1;
    if (h->view.unread) return err_set(err, ERR_INPUT, "%s: could not be opened a moment ago; run the command again", h->path);
    bool loaded = h->view.store_file || h->view.seq.named; /* a file on its own that was made for bulk load is not in any store */
    h->resets_seq = loaded && file_seq_resets(h->file, &h->view.seq, &h->seq);
    if (h->salvage) return open_cutter(h, err);
    if (h->at_once) return 0;
    if (hfile_row_range(h->file, h->view.start_row, h->view.stop_row, &h->span, err)) return -1;
    if (h->blocks.choice.of) return hfile_blocks_open(&h->blocks, h->file, &h->span, err);
    return h->selection ? narrow_span(h, err) : 0;
}

/* Damage outside of all ranges must be reported too, so there is always a range; it may be empty. */
static int next_salvaged(struct hfile_input *h, struct hfile_range *range, struct err *err) {
    if (h->span.offset >= h->span.end) {
        *range = (struct hfile_range){h->span.end, h->span.end};
        return !h->handed_out;
    }
    int rc = hfile_cutter_next(h->cutter, h->range_bytes, range, err);
    h->span.offset = range->end;
    return rc;
}

/* Takes the next range, which there is; of a part of the file, blocks after its end are not read. */
static int next_range(struct hfile_input *h, struct hfile_range *range, struct err *err) {
    size_t want = h->range_bytes;
    if (h->narrowed && h->span.end - h->span.offset < want) want = h->span.end - h->span.offset;
    return hfile_range_next(h->file, &h->span.offset, want, range, err) < 0 ? -1 : 0;
}

static int input_next(struct reader *base, struct chunk *c, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    struct hfile_range range = {0};
    buf_clear(&c->data);
    c->line = 0;
    if (h->at_once || h->unreadable) {
        if (h->handed_out) return 0;
        range.end = h->view.file_bytes;
    } else if (h->salvage) {
        int rc = next_salvaged(h, &range, err);
        if (rc <= 0) return rc;
    } else if (h->blocks.choice.of) {
        int rc = hfile_blocks_next(&h->blocks, &range, err);
        if (rc <= 0) return rc;
    } else {
        int more = h->span.offset < h->span.end ? 1 : next_rows(h, err);
        if (more <= 0) return more;
        if (next_range(h, &range, err)) return -1;
    }
    h->handed_out = true;
    c->offset = range.offset;
    pthread_mutex_lock(&h->lock);
    c->range.number = h->ranges++;
    h->all_handed_out = h->at_once || h->span.offset >= h->span.end; /* of files with damage, which have one span */
    pthread_mutex_unlock(&h->lock);
    c->range.end = range.end;
    __atomic_store_n(&h->passed, range.end, __ATOMIC_RELAXED);
    return 1;
}

/* A file that is opened when it is parsed may hold whatever its store says. */
static int input_floor(struct reader *base, struct bytes *row, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    bool unopened = h->at_once || h->unreadable;
    *row = (struct bytes){0};
    int more = unopened ? !h->handed_out : h->span.offset < h->span.end ? 1 : next_rows(h, err);
    if (more <= 0) return more;
    if (!unopened && hfile_floor_at(&h->floor, h->file, h->span.offset, row, err)) return -1;
    if (bytes_cmp(*row, h->view.start_row) < 0) *row = h->view.start_row;
    return 1;
}

static int emit_source(struct source *scan, struct tally *tally, struct emit *e, struct err *err) {
    for (;;) {
        struct row_part part;
        *tally = (struct tally){0};
        int rc = source_next(scan, &part, err);
        if (rc <= 0) return rc;
        if (e->ops->cells(e, &part, tally, err)) return -1;
    }
}

/* *last: no other range is still to be read. */
static int note_range(struct hfile_input *h, const struct source *scan, uint64_t number, bool *last, struct err *err) {
    uint64_t blocks, cells;
    hfile_scan_counts(scan, &blocks, &cells);
    pthread_mutex_lock(&h->lock);
    h->cells += cells;
    int rc = stretches_note(&h->stretches, h->path, scan, number, h->asked.disorder, err);
    *last = ++h->parsed == h->ranges && h->all_handed_out;
    pthread_mutex_unlock(&h->lock);
    return rc;
}

/* As hfile_scan counts: from offsets of blocks, one a cell, never back. */
static uint64_t input_positions(const struct reader *base) {
    const struct hfile_input *h = (const struct hfile_input *)base;
    return h->unreadable ? 0 : hfile_info(h->file)->file_bytes + hfile_info(h->file)->cells;
}

static int report_lost(struct hfile_input *h, struct emit *e, struct err *err) {
    const struct hfile_info *info = hfile_info(h->file);
    struct hfile_lost_count count = {
        .known = !is_part(h), .found = h->cells, .said = info->cells, .trailer_offset = info->trailer_offset};
    return hfile_lost_report(&h->lost, &count, e, err);
}

static int report_unreadable(struct hfile_input *h, struct emit *e, struct err *err) {
    struct lost lost = {.first_row = h->view.start_row,
                        .last_row = h->view.stop_row,
                        .reason = h->unreadable,
                        .cells = is_part(h) ? LOST_UNKNOWN : h->claimed};
    e->ops->lost_cells(e, lost.cells);
    return e->ops->lost(e, &lost, err);
}

static int input_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    if (h->unreadable) return report_unreadable(h, e, err);
    if (h->at_once && open_file(h, err)) return -1;
    struct tally tally = {0};
    struct hfile_scan_opts o = {.start_row = h->view.start_row,
                                .stop_row = h->view.stop_row,
                                .tally = &tally,
                                .input = input,
                                .store_file = h->view.store_file,
                                .reset_seq = h->resets_seq,
                                .seq = h->seq,
                                .lost = h->salvage ? &h->lost.sink : NULL,
                                .disorder = h->asked.disorder,
                                .rows = h->asked.rows};
    bool last = false;
    if (c->origin) o.rank_top = c->rank_base + input_positions(base);
    if (!h->at_once) o.range = (struct hfile_range){c->offset, c->range.end};
    if (h->view.mob) o.tally = NULL; /* what is hashed is the value, not the reference */
    struct source *scan = hfile_scan_open(h->file, &o, err);
    const struct mob_lost_sink *sink = h->loses_values ? &h->mob_lost.sink : NULL;
    struct source *cells = scan && h->view.mob ? mob_source_open(scan, h->view.mob, h->selection, &tally, sink, err) : scan;
    if (!cells) return -1;
    int rc = emit_source(cells, &tally, e, err);
    if (!rc && !h->at_once && !h->blocks.choice.of) rc = note_range(h, scan, c->range.number, &last, err);
    if (!rc && last && h->salvage) rc = report_lost(h, e, err);
    if (!rc && sink && (last || h->at_once || h->blocks.choice.of)) rc = hfile_mob_lost_report(&h->mob_lost, e, err);
    source_close(cells);
    return rc;
}

/* Checks that the ranges read add up to the file; a scan of a whole file checks that by itself. */
static int input_finish(struct reader *base, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    if (h->at_once || h->unreadable || h->blocks.choice.of) return 0;
    const struct hfile_info *info = hfile_info(h->file);
    if (!stretches_whole(&h->stretches, h->ranges))
        return err_set(err, ERR_INTERNAL, "%s: not all of its %llu block ranges were read", info->path,
                       (unsigned long long)h->ranges);
    if (!is_part(h) && !h->salvage && !h->narrowed && h->cells != info->cells)
        return err_set(err, ERR_INPUT, "%s: its blocks hold %llu cells, its trailer says %llu", info->path,
                       (unsigned long long)h->cells, (unsigned long long)info->cells);
    return 0;
}

static int input_by_blocks(struct reader *base, struct reason *why, struct err *err) {
    const struct hfile_input *h = (const struct hfile_input *)base;
    (void)err;
    if (!h->unreadable && !h->salvage) return 1;
    snprintf(why->text, sizeof why->text, "it may be damaged");
    return 0;
}

static uint64_t input_bytes(const struct reader *base) {
    return __atomic_load_n(&((const struct hfile_input *)base)->passed, __ATOMIC_RELAXED);
}

static void input_close(struct reader *base) {
    struct hfile_input *h = (struct hfile_input *)base;
    stretches_free(&h->stretches);
    hfile_blocks_close(&h->blocks);
    hfile_floor_close(&h->floor);
    hfile_cutter_close(h->cutter);
    hfile_lost_free(&h->lost);
    hfile_mob_lost_free(&h->mob_lost);
    hfile_mob_own_close(&h->own);
    hfile_close(h->file);
    free(h->unreadable);
    instream_close(h->in);
    free(h->path);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* Values of a file that is in no store: there is no directory where they could be. */
static int find_values(struct hfile_input *h, const struct read_opts *o, struct err *err) {
    if (o->hfile.view || hfile_mob_own_open(&h->own, h->file, o, h->loses_values, err)) return o->hfile.view ? 0 : -1;
    h->view.mob = h->own.values;
    return 0;
}

static struct reader *open_input(const char *path, struct instream *in, const struct reader_ops *ops, const struct read_opts *o,
                                 struct err *err) {
    struct hfile_input *h = calloc(1, sizeof *h);
    if (!h || !(h->path = strdup(path))) {
        free(h);
        instream_close(in);
        err_nomem(err, sizeof *h, "a reader");
        return NULL;
    }
    h->base.ops = ops;
    h->in = in;
    h->view = o->hfile.view ? *o->hfile.view : hfile_view_by_name(path, o);
    h->range_bytes = o->memory.chunk ? o->memory.chunk : DEFAULT_RANGE_BYTES;
    h->max_block_bytes = o->memory.max_block;
    h->salvage = o->on_damage == DAMAGE_SKIPS_BLOCK;
    h->loses_values = o->on_damage != DAMAGE_FAILS;
    h->asked = o->hfile;
    h->blocks.choice = o->blocks;
    h->selection = o->selection;
    h->at_once = o->hfile.view && o->hfile.view->file_bytes <= h->range_bytes && !h->salvage && !o->blocks.of && !o->selection;
    pthread_mutex_init(&h->lock, NULL);
    hfile_lost_init(&h->lost);
    hfile_mob_lost_init(&h->mob_lost);
    if (h->view.left_out) {
        h->at_once = h->handed_out = true;
        return &h->base;
    }
    /* Files on disk have been verified, see format.verify. What was unpacked has not. */
    bool whole = !in || o->on_damage != DAMAGE_SKIPS_FILE || hfile_whole_verify(h->path, in, o, err) == 0;
    if (whole && (h->at_once || (open_file(h, err) == 0 && find_values(h, o, err) == 0))) return &h->base;
    if ((h->salvage || !whole) && !hfile_whole_unreadable(h->path, h->in, &h->unreadable, &h->claimed, err)) return &h->base;
    input_close(&h->base);
    return NULL;
}

#define INPUT_OPS                                                                                                       \
    .next = input_next, .floor = input_floor, .parse = input_parse, .finish = input_finish, .input_bytes = input_bytes, \
    .positions = input_positions, .unread = input_unread, .by_blocks = input_by_blocks, .close = input_close

static struct reader *input_open_path(const char *path, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {INPUT_OPS};
    return open_input(path, NULL, &ops, o, err);
}

/* Returns the checksum of the unpacked stream, which cannot be compared by its cells, as an HFile on disk is. */
static int input_checksum(const struct reader *base, char hex[17], struct err *err) {
    (void)err;
    instream_checksum(((const struct hfile_input *)base)->in, hex);
    return 0;
}

static struct reader *input_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {INPUT_OPS, .checksum = input_checksum};
    if (instream_is_temporary(in)) return open_input(instream_path(in), in, &ops, o, err);
    struct reader *r = input_open_path(instream_path(in), o, err);
    instream_close(in);
    return r;
}

static int input_verify(const char *path, const struct read_opts *o, uint64_t *cells, struct err *err) {
    bool part = o->hfile.view && (o->hfile.view->start_row.p || o->hfile.view->stop_row.p);
    if (!part && hfile_whole_claims(path, NULL, cells, err)) return -1;
    return hfile_whole_verify(path, NULL, o, err);
}

const struct format fmt_hfile = {.name = "hfile",
                                 .about = "an HFile, versions 2 and 3",
                                 .sniff = hfile_whole_sniff,
                                 .open = input_open,
                                 .open_path = input_open_path,
                                 .seqs = FORMAT_SEQS_SOME,
                                 .needs_file = true,
                                 .verify = input_verify};
