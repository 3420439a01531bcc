/* One stretch as text, a piece at a time: a row of any width needs no more memory than others.
 *
 *     HFile rows -> (LOAD DATA only: no delete marker may come -> rules of OceanBase -> lengths of the table) -> lines
 *
 * Of a delta markers come, and go beside the lines as statements. */

#include "cell/cell.h"
#include "cmd/text/export_select.h"
#include "cmd/text/export_slice.h"
#include "cmd/oceanbase/statements.h"
#include "engine/reject_batch.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_scan.h"
#include "rules/compact.h"
#include "table/partitioning.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- a source that fails at the first delete marker: OceanBase stores none ---- */

struct puts_only {
    struct source base;
    struct source *inner;
    const char *path;
};

static int next(struct source *base, struct row_part *part, struct err *err) {
    struct puts_only *p = (struct puts_only *)base;
    int more = source_next(p->inner, part, err);
    for (uint32_t i = 0; more == 1 && i < part->n_cells; i++) {
        if (part->cells[i].type == CELL_PUT) continue;
        char row[80];
        partitioning_show_bound(part->row, row);
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: a delete marker (%s) in row %s: OceanBase stores none; if the dataset is a delta, --delta "
                       "writes statements for them; if it is the whole table, apply them first with obkv-compact --rules "
                       "oceanbase",
                       p->path, cell_type_name(part->cells[i].type), row);
    }
    return more;
}

static void close_both(struct source *base) {
    source_close(((struct puts_only *)base)->inner);
    free(base);
}

static const struct source_ops ops = {next, close_both};

/* Owns inner from now on, also when it fails; path is for messages and outlives the source. */
static struct source *puts_only_open(struct source *inner, const char *path, struct err *err) {
    struct puts_only *p = malloc(sizeof *p);
    if (!p) {
        source_close(inner);
        err_nomem(err, sizeof *p, "a source");
        return NULL;
    }
    *p = (struct puts_only){{&ops}, inner, path};
    return &p->base;
}

/* ---- a stretch ---- */

enum { PRIMARY_KEY_MAX = 16384, WHY_BYTES = 160 };

static bool is_load(const struct export_slice *s) {
    return !s->o->form->put;
}

/* Opens the rules that leave out what the server hides from its clients. Duplicates go in any case: (K, Q, T) is the primary
 * key. */
static struct source *open_rules(struct export_slice *s, struct source *inner, struct err *err) {
    const struct family_rules *r = &s->o->family->rules;
    struct compact_opts c = {.env = {.kind = s->o->delta ? COMPACTION_OCEANBASE_DELTA : COMPACTION_OCEANBASE,
                                     .family = {.versions = r->versions_given ? r->versions : UINT32_MAX,
                                                .ttl_s = r->ttl_s,
                                                .new_version_behavior = s->o->delta && r->new_version_behavior},
                                     .row_bytes = s->o->delta ? EXPORT_MARKERS_BYTES : 0,
                                     .now_ms = s->o->now_ms,
                                     .earliest_put_ms = INT64_MAX,
                                     .stop = s->o->stop},
                             .ledger = &s->ledger};
    return compact_open(inner, &c, err);
}

/* The blocks of a stretch, where it is known that its neighbours need none of them: then the first block after it is not read. */
static struct hfile_range blocks_of(const struct export_stretch *s, const struct hfile *h) {
    if ((s->start.p && !s->begin) || (s->stop.p && !s->end) || (!s->start.p && !s->stop.p)) return (struct hfile_range){0};
    return (struct hfile_range){s->begin, s->stop.p ? s->end : hfile_info(h)->load_on_open_offset};
}

int export_slice_open(struct export_slice *s, const struct export_slice_opts *o, const struct hfile *h,
                      const struct export_stretch *stretch, struct err *err) {
    struct hfile_scan_opts scan = {
        .range = blocks_of(stretch, h), .start_row = stretch->start, .stop_row = stretch->stop, .tally = &s->read};
    s->o = o;
    s->path = hfile_info(h)->path;
    s->lines.form = o->form;
    s->lines.hex = o->hex;
    s->held = s->ended = false;
    s->read = s->taken = (struct tally){0};
    s->ledger = (struct ledger){0};
    s->lost.ttl = s->lost.tags = s->ahead = 0;
    s->source = hfile_scan_open(h, &scan, err);
    if (s->source && o->selection)
        s->source = export_select_open(s->source, o->selection, &s->taken, &s->ledger.not_selected, err);
    if (s->source && is_load(s) && !s->o->delta) s->source = puts_only_open(s->source, s->path, err);
    if (s->source && is_load(s)) s->source = open_rules(s, s->source, err);
    return s->source ? 0 : -1;
}

static void clear_piece(struct export_piece *p) {
    buf_clear(&p->text);
    buf_clear(&p->first);
    buf_clear(&p->last);
    p->sums = (struct cell_sums){0};
}

static void clear_slice(struct export_slice *s) {
    clear_piece(&s->data);
    clear_piece(&s->big);
    buf_clear(&s->deletes);
    delete_sql_clear(&s->batch);
}

void export_slice_pass(struct export_slice *s, const struct export_slice_opts *o, const char *path) {
    s->o = o;
    s->path = path;
    s->ended = true;
    s->read = s->taken = (struct tally){0};
    s->ledger = (struct ledger){0};
    s->lost.ttl = s->lost.tags = s->ahead = 0;
    s->source = NULL;
    clear_slice(s);
}

static int reject(struct export_slice *s, const struct row_part *part, const struct cell *c, const char *why, struct err *err) {
    struct row_part one = *part;
    struct digest d;
    struct buf line = {0};
    one.cells = c;
    one.n_cells = 1;
    int rc = cells_print(&line, &one, err) || digest_cell(&s->scratch, part, c, &d, err) ? -1 : 0;
    if (!rc) rc = reject_batch_add(&s->rejects, s->path, bytes_of(line.p, line.n - 1), 0, 0, 0, why, err);
    buf_free(&line);
    if (!rc) tally_one(&s->ledger.rejected, d);
    return rc;
}

/* Returns which column is too short for the cell; NULL: none. */
static const char *too_long(const struct family *f, struct bytes row, const struct cell *c, char why[WHY_BYTES]) {
    if (row.n > f->k_max)
        snprintf(why, WHY_BYTES, "K has %zu bytes, %s allows %u", row.n, f->sql_table, f->k_max);
    else if (c->qualifier.n > f->q_max)
        snprintf(why, WHY_BYTES, "Q has %zu bytes, %s allows %u", c->qualifier.n, f->sql_table, f->q_max);
    else if (c->value.n > f->v_max)
        snprintf(why, WHY_BYTES, "V has %zu bytes, %s allows %llu", c->value.n, f->sql_table, (unsigned long long)f->v_max);
    else
        return NULL;
    return why;
}

/* Returns why no table can hold the cell; NULL: one with columns wide enough can. */
static const char *impossible(struct bytes row, const struct cell *c, char why[WHY_BYTES]) {
    size_t key = row.n + c->qualifier.n + sizeof(int64_t);
    if (key > PRIMARY_KEY_MAX)
        snprintf(why, WHY_BYTES, "K, Q and T have %zu bytes, OceanBase allows %d in a primary key", key, PRIMARY_KEY_MAX);
    else if (c->ts_ms == INT64_MAX)
        snprintf(
            why, WHY_BYTES,
            "the timestamp is HBase's LATEST_TIMESTAMP, which no server replaced; obkv-import --timestamp TIME gives a time");
    else if (c->ts_ms < 0)
        snprintf(why, WHY_BYTES, "the timestamp %lld is before 1970: T would be above 0", (long long)c->ts_ms);
    else
        return NULL;
    return why;
}

static int put_row_line(struct export_slice *s, const struct kqvt_row *row, struct err *err) {
    const struct cell_sums_opts sums = {.strong = s->o->strong, .ttl_column = s->o->family->has_ttl_column};
    size_t before = s->data.text.n;
    struct export_piece *to = &s->data;
    if (kqvt_put(&s->data.text, buf_bytes(&s->key), row, sums.ttl_column, err)) return -1;
    if (s->data.text.n - before > KQVT_MAX_LINE_BYTES) {
        to = &s->big;
        if (buf_put(&to->text, s->data.text.p + before, s->data.text.n - before, err)) return -1;
        s->data.text.n = before;
        if (!to->sums.rows && buf_copy(&to->first, row->k, err)) return -1;
        if (buf_copy(&to->last, row->k, err)) return -1;
    }
    cell_sums_put(&to->sums, &to->ahead, row, &sums);
    return 0;
}

static struct kqvt_row row_of(const struct row_part *part, const struct cell *c) {
    struct kqvt_row row = {.k = part->row, .q = c->qualifier, .v = c->value, .t = -c->ts_ms};
    row.has_ttl = c->tags.n && cell_ttl_ms(c->tags, &row.ttl_ms);
    return row;
}

/* A cell that only wants a wider column goes with the statement that puts it in by hand. */
static int reject_long(struct export_slice *s, const struct row_part *part, const struct cell *c, const char *why,
                       struct err *err) {
    char other[WHY_BYTES];
    const struct family *f = s->o->family;
    struct insert_target t = {f->sql_table, s->o->replace, f->has_ttl_column};
    if (!impossible(part->row, c, other)) {
        struct kqvt_row row = row_of(part, c);
        if (insert_sql_put(&s->rejects.sql, &t, &row, why, err)) return -1;
    }
    return reject(s, part, c, why, err);
}

static int put_marker(struct export_slice *s, const struct row_part *part, const struct cell *c, struct err *err) {
    char why[WHY_BYTES];
    if (too_long(s->o->family, part->row, c, why) || impossible(part->row, c, why)) return reject(s, part, c, why, err);
    s->ahead += c->ts_ms > s->o->now_ms;
    return delete_sql_add(&s->batch, &s->o->place, part->row, c, &s->deletes, err);
}

/* The output has no place for them. */
static void note_tags(struct export_slice *s, const struct cell *c) {
    s->lost.tags += c->tags.n && cell_has_other_tags(c->tags);
}

static int put_cell(struct export_slice *s, const struct row_part *part, const struct cell *c, struct err *err) {
    char why[WHY_BYTES];
    if (cell_is_delete(c->type)) return put_marker(s, part, c, err);
    if (too_long(s->o->family, part->row, c, why)) return reject_long(s, part, c, why, err);
    if (impossible(part->row, c, why)) return reject(s, part, c, why, err);
    struct kqvt_row row = row_of(part, c);
    if (!s->last.bytes || s->last.t != row.t) s->last.bytes = (size_t)(decimal_put_i64(s->last.text, row.t) - s->last.text);
    s->last.t = row.t;
    row.t_text = bytes_of(s->last.text, s->last.bytes);
    if (row.has_ttl && !s->o->family->has_ttl_column) s->lost.ttl++;
    note_tags(s, c);
    return put_row_line(s, &row, err);
}

static int put_part(struct export_slice *s, const struct row_part *part, struct err *err) {
    if (buf_reserve(&s->key, 2 * part->row.n + COPY16_SPARE, err)) return -1;
    s->key.n = (size_t)(kqvt_escape(s->key.p, part->row) - s->key.p);
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (put_cell(s, part, &part->cells[i], err)) return -1;
    return 0;
}

static int put_any(struct export_slice *s, const struct row_part *part, struct err *err) {
    uint64_t before = s->data.sums.rows;
    if (is_load(s) ? put_part(s, part, err) : export_lines_put(&s->lines, &s->data.text, part, err)) return -1;
    if (!is_load(s)) s->data.sums.rows += part->n_cells;
    for (uint32_t i = 0; !is_load(s) && !s->o->form->keeps_tags && i < part->n_cells; i++) note_tags(s, &part->cells[i]);
    if (s->data.sums.rows == before) return 0;
    if (before == 0 && buf_copy(&s->data.first, part->row, err)) return -1;
    return buf_copy(&s->data.last, part->row, err);
}

static bool is_full(const struct export_slice *s) {
    return s->data.text.n + s->big.text.n + s->deletes.n >= EXPORT_PIECE_BYTES || reject_batch_is_large(&s->rejects);
}

int export_slice_fill(struct export_slice *s, struct err *err) {
    int more = 1;
    clear_slice(s);
    s->lines.any = false;
    for (;; s->held = false) {
        if (!s->held && (more = source_next(s->source, &s->next, err)) != 1) break;
        s->held = true;
        if (is_full(s) && !export_lines_continue(&s->lines, &s->next)) break;
        if (put_any(s, &s->next, err)) return -1;
    }
    cell_sums_end(&s->data.sums, &s->data.ahead);
    cell_sums_end(&s->big.sums, &s->big.ahead);
    s->ended = more == 0;
    return more < 0 || delete_sql_end(&s->batch, &s->o->place, &s->deletes, err) ? -1 : 0;
}

void export_slice_close(struct export_slice *s) {
    source_close(s->source);
    s->source = NULL;
}

static void free_piece(struct export_piece *p) {
    buf_free(&p->text);
    buf_free(&p->first);
    buf_free(&p->last);
}

void export_slice_free(struct export_slice *s) {
    export_slice_close(s);
    free_piece(&s->data);
    free_piece(&s->big);
    reject_batch_free(&s->rejects);
    delete_sql_free(&s->batch);
    buf_free(&s->deletes);
    buf_free(&s->key);
    buf_free(&s->scratch);
    export_lines_free(&s->lines);
}
