/* Cells one by one, or parts of rows as the library moves them. A file hands out its cells as they were parsed. Other sources
 * have parts only: a part stays valid until the next one is asked for, so a cell is handed out as a view of it, and only when a
 * part is used up is the source called.
 *
 *   sst_scan_next: a file?       -> hfile_scan_next_cell
 *                  part at hand? -> view of its next cell
 *                  no            -> source_next -> a new part, 0 or -1
 *
 * Scans of files are here, merges in api_merge.c, datasets in api_dataset.c. */
#include "api/api.h"
#include "api/api_file.h"

#include "api/api_scan.h"
#include "cell/keyvalue.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_scan.h"

#include <stdlib.h>

/* Parts hand out the library's own cells. */
_Static_assert(sizeof(sst_part_cell) == sizeof(struct cell) && offsetof(sst_part_cell, value) == offsetof(struct cell, value) &&
                   offsetof(sst_part_cell, tags) == offsetof(struct cell, tags) &&
                   offsetof(sst_part_cell, timestamp) == offsetof(struct cell, ts_ms) &&
                   offsetof(sst_part_cell, sequence) == offsetof(struct cell, seq) &&
                   offsetof(sst_part_cell, type) == offsetof(struct cell, type),
               "sst_part_cell is struct cell");
_Static_assert(sizeof(sst_part) == sizeof(struct row_part) && offsetof(sst_part, cells) == offsetof(struct row_part, cells) &&
                   offsetof(sst_part, n) == offsetof(struct row_part, n_cells) &&
                   offsetof(sst_part, row_starts) == offsetof(struct row_part, first) &&
                   offsetof(sst_part, row_ends) == offsetof(struct row_part, ends),
               "sst_part is struct row_part");
_Static_assert(sizeof(sst_cell) == sizeof(struct hfile_cell) && offsetof(sst_cell, row) == offsetof(struct hfile_cell, row) &&
                   offsetof(sst_cell, family) == offsetof(struct hfile_cell, family) &&
                   offsetof(sst_cell, qualifier) == offsetof(struct hfile_cell, qualifier) &&
                   offsetof(sst_cell, value) == offsetof(struct hfile_cell, value) &&
                   offsetof(sst_cell, tags) == offsetof(struct hfile_cell, tags) &&
                   offsetof(sst_cell, timestamp) == offsetof(struct hfile_cell, ts_ms) &&
                   offsetof(sst_cell, sequence) == offsetof(struct hfile_cell, seq) &&
                   offsetof(sst_cell, type) == offsetof(struct hfile_cell, type) &&
                   offsetof(sst_cell, row_starts) == offsetof(struct hfile_cell, first),
               "sst_cell is struct hfile_cell");

/* Kept out of functions that run once per cell, so that these need no registers of their own. */
#define NOT_INLINE __attribute__((noinline))

/* ---- life ---- */

sst_scan *scan_new(const struct scan_recipe *recipe, const sst_scan_options *options, struct err *err) {
    sst_scan_options o;
    if (api_options(&o, sizeof o, options, "sst_scan_options", err)) return NULL;
    sst_scan *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "a scan");
        return NULL;
    }
    s->recipe = recipe;
    s->cell.size = sizeof s->cell;
    s->has_start = o.start_row.data != NULL;
    s->has_stop = o.stop_row.data != NULL;
    s->range = (struct hfile_range){o.range_start, o.range_end};
    if (buf_copy(&s->start, api_taken(o.start_row), err) || buf_copy(&s->stop, api_taken(o.stop_row), err)) {
        sst_scan_close(s);
        return NULL;
    }
    return s;
}

static void end_source(sst_scan *s) {
    source_close(s->source);
    s->source = NULL;
    s->at = s->end = NULL;
}

void sst_scan_close(sst_scan *scan) {
    if (!scan) return;
    end_source(scan);
    if (scan->recipe->release) scan->recipe->release(scan);
    buf_free(&scan->start);
    buf_free(&scan->stop);
    buf_free(&scan->family);
    free(scan);
}

/* A limit that was given counts, even an empty one. */
static struct bytes limit_of(bool given, const struct buf *limit) {
    static const uint8_t none;
    if (!given) return (struct bytes){0};
    return limit->n ? buf_bytes(limit) : bytes_of(&none, 0);
}

struct bytes scan_start(const sst_scan *s, struct bytes row) {
    struct bytes own = limit_of(s->has_start, &s->start);
    return row.p && (!own.p || bytes_cmp(row, own) > 0) ? row : own;
}

struct bytes scan_stop(const sst_scan *s) {
    return limit_of(s->has_stop, &s->stop);
}

/* ---- parts ---- */

/* Opens the source of a scan that was not begun. 0, -1. */
static NOT_INLINE int open_source(sst_scan *s, struct err *err) {
    s->started = true;
    s->source = s->recipe->open(s, (struct bytes){0}, 0, err);
    return s->source ? 0 : -1;
}

/* The next part of the source into s->part: 1, 0 = end, -1 = failed. */
static int next_part(sst_scan *s, struct err *err) {
    if (!s->started && open_source(s, err)) return -1;
    int more = s->source ? source_next(s->source, &s->part, err) : 0;
    if (more < 0) end_source(s);
    return more;
}

/* Takes into s->part the rest of the part whose first cells were taken one by one, or else the next part. */
static NOT_INLINE int take_part(sst_scan *s, struct err *err) {
    if (s->at == s->end) return next_part(s, err);
    s->part.cells = s->at;
    s->part.n_cells = (uint32_t)(s->end - s->at);
    s->part.first = false;
    s->at = s->end = NULL;
    return 1;
}

int sst_scan_next_part(sst_scan *scan, const sst_part **part, sst_error *error) {
    struct err *err = api_begin(error);
    bool ready = scan->source && scan->at == scan->end; /* the usual case: nothing but a call */
    int more = ready ? source_next(scan->source, &scan->part, err) : take_part(scan, err);
    if (ready && more < 0) end_source(scan);
    *part = more == 1 ? (const sst_part *)&scan->part : NULL;
    return more;
}

/* ---- one cell after the other ---- */

/* The next part for cells one by one. */
static int next_cells(sst_scan *s, struct err *err) {
    int more = next_part(s, err);
    if (more != 1) return more;
    s->at = s->part.cells;
    s->end = s->at + s->part.n_cells;
    s->cell.row_starts = s->part.first;
    s->cell.row = api_bytes(s->part.row);
    s->cell.family = api_bytes(s->part.family);
    return 1;
}

/* The next cell of the current part. */
static NOT_INLINE int next_of_parts(sst_scan *s, const sst_cell **cell, sst_error *error) {
    s->cell.row_starts = 0;
    *cell = NULL;
    if (s->at == s->end) {
        int more = next_cells(s, api_begin(error));
        if (more != 1) return more;
    }
    const struct cell *c = s->at++;
    s->cell.qualifier = api_bytes(c->qualifier);
    s->cell.value = api_bytes(c->value);
    s->cell.tags = api_bytes(c->tags);
    s->cell.timestamp = c->ts_ms;
    s->cell.sequence = c->seq;
    s->cell.type = c->type;
    *cell = &s->cell;
    return 1;
}

static NOT_INLINE int begin_cells(sst_scan *s, const sst_cell **cell, sst_error *error) {
    *cell = NULL;
    return open_source(s, api_begin(error)) ? -1 : sst_scan_next(s, cell, error);
}

/* A file that has been begun hands out its cells as they are, and touches the caller's error only to report a failure: the
 * usual case, which costs a cell no more than a jump. */
int sst_scan_next(sst_scan *scan, const sst_cell **cell, sst_error *error) {
    if (scan->file && scan->source) return hfile_scan_next_cell(scan->source, (const struct hfile_cell **)cell, api_err(error));
    return scan->started ? next_of_parts(scan, cell, error) : begin_cells(scan, cell, error);
}

int sst_scan_seek(sst_scan *scan, const void *row, size_t row_size, sst_error *error) {
    struct err *err = api_begin(error);
    if (scan->recipe->alone) return err_set(err, ERR_USAGE, "%s, cannot seek", scan->recipe->alone);
    if (scan->range.end) return err_set(err, ERR_USAGE, "a scan of a piece of a file cannot seek");
    struct bytes start = bytes_of(row ? row : "", row_size);
    scan->started = true;
    if (scan->source && scan->recipe->seek) {
        scan->at = scan->end = NULL;
        return scan->recipe->seek(scan, start, err);
    }
    end_source(scan);
    scan->source = scan->recipe->open(scan, start, 0, err);
    return scan->source ? 0 : -1;
}

uint64_t sst_scan_block_offset(const sst_scan *scan) {
    return scan->file && scan->source ? hfile_scan_block(scan->source) : UINT64_MAX;
}

int sst_scan_digest(sst_scan *scan, uint64_t *cells, sst_digest *digest, sst_error *error) {
    struct err *err = api_begin(error);
    struct tally sum = {0};
    struct buf scratch = {0};
    int more = take_part(scan, err);
    while (more == 1) more = digest_part(&scratch, &scan->part, &sum, err) ? -1 : next_part(scan, err);
    buf_free(&scratch);
    *cells = sum.cells;
    *digest = (sst_digest){sum.digest.lo, sum.digest.hi};
    return more;
}

/* ---- scans of files ---- */

static struct source *open_file_source(sst_scan *s, struct bytes start, uint32_t input, struct err *err) {
    struct hfile_scan_opts o = {.range = s->range, .start_row = scan_start(s, start), .stop_row = scan_stop(s), .input = input};
    return hfile_scan_open(s->file->hfile, &o, err);
}

static int seek_in_file(sst_scan *s, struct bytes start, struct err *err) {
    return hfile_scan_seek(s->source, scan_start(s, start), err);
}

static int earliest_put_of_file(sst_scan *s, int64_t *ms, struct err *err) {
    const struct hfile_info *i = hfile_info(s->file->hfile);
    (void)err;
    *ms = !i->cells ? INT64_MAX : i->has_earliest_put ? i->earliest_put_ms : INT64_MIN;
    return 0;
}

static const struct scan_recipe file_recipe = {
    .open = open_file_source, .seek = seek_in_file, .earliest_put = earliest_put_of_file};

sst_scan *sst_scan_open(const sst_file *file, const sst_scan_options *options, sst_error *error) {
    struct err *err = api_begin(error);
    sst_scan *s = scan_new(&file_recipe, options, err);
    struct kv_key first;
    int rc = s ? 0 : -1;
    if (!rc && s->range.end && (s->has_start || s->has_stop))
        rc = err_set(err, ERR_USAGE, "sst_scan_options: give rows or a range, not both");
    if (!rc && kv_key_parse(api_taken(file->info.first_key), &first)) rc = buf_copy(&s->family, first.family, err);
    if (rc) {
        sst_scan_close(s);
        return NULL;
    }
    s->file = file;
    return s;
}
