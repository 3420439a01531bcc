/* The cells of one range of blocks: order, family, region or partition of each row, sums for file info and bloom filters, and
 * index keys against blocks. Reading on after damage costs more, so a range is read that way only when the plain scan has
 * failed. */
#include "cmd/verify/check/check_facts.h"
#include "cmd/verify/check/check_file.h"

#include "base/text.h"
#include "cell/keyvalue.h"
#include "cmd/verify/check/check_scan.h"
#include "formats/hbase/mob_cell.h"
#include "hfile/bloom.h"
#include "hfile/hfile_keys.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_scan.h"
#include "rules/compact.h"
#include "table/placement.h"

#include <stdio.h>
#include <string.h>

enum { ROW_SHOWN_BYTES = 30, ROW_TEXT_BYTES = 2 * ROW_SHOWN_BYTES + 4 };

/* ---- rows ---- */

static const char *row_text(struct bytes row, char out[ROW_TEXT_BYTES]) {
    size_t n = row.n < ROW_SHOWN_BYTES ? row.n : ROW_SHOWN_BYTES;
    hex_write((uint8_t *)out, bytes_of(row.p, n));
    snprintf(out + 2 * n, 4, "%s", n < row.n ? "…" : "");
    return out;
}

/* Returns whether a misplaced row may be reported. A range with many such rows reports only as many as the list holds. */
static bool may_report(struct check_scan *s) {
    if (s->misplaced++ < s->findings.limit) return true;
    check_findings_count(&s->findings, FINDING_MISPLACED, 1);
    return false;
}

static void check_region(struct check_scan *s, struct bytes row) {
    const struct check_file_opts *o = s->o;
    char text[ROW_TEXT_BYTES], bound[ROW_TEXT_BYTES];
    bool before = o->start_row.n && bytes_cmp(row, o->start_row) < 0;
    bool behind = o->stop_row.n && bytes_cmp(row, o->stop_row) >= 0;
    if ((before || behind) && may_report(s))
        check_findings_add(&s->findings, FINDING_MISPLACED, o->path, "row hex:%s does not belong to its region, which %s hex:%s",
                           row_text(row, text), before ? "begins at" : "ends at",
                           row_text(before ? o->start_row : o->stop_row, bound));
}

static void check_partition(struct check_scan *s, const struct row_part *part) {
    const struct check_file_opts *o = s->o;
    struct bytes row = part->row;
    char text[ROW_TEXT_BYTES];
    uint32_t index = 0;
    enum place_result p = placement_check(o->placement, part, o->expected->partition, &index);
    if ((p == PLACE_OK && index == o->expected->partition) || !may_report(s)) return;
    if (p == PLACE_OK)
        check_findings_add(&s->findings, FINDING_MISPLACED, o->path, "row hex:%s belongs to partition %u (%s), not to %u (%s)",
                           row_text(row, text), index, o->names[index], o->expected->partition, o->names[o->expected->partition]);
    else
        check_findings_add(&s->findings, FINDING_MISPLACED, o->path, "row hex:%s: %s", row_text(row, text), placement_why(p));
}

static void begin_row(struct check_scan *s, struct bytes row) {
    s->r->sums.rows++;
    s->marked = false;
    if (s->o->start_row.n || s->o->stop_row.n) check_region(s, row);
}

/* ---- cells ---- */

static int note_biggest(struct check_sums *m, const struct row_part *part, const struct cell *c, uint64_t bytes,
                        struct err *err) {
    m->biggest.bytes = bytes;
    buf_clear(&m->biggest.key);
    if (buf_reserve(&m->biggest.key, kv_key_size(part->row.n, part->family.n, c->qualifier.n), err)) return -1;
    uint8_t *end = kv_put_key(m->biggest.key.p, part->row, part->family, c->qualifier, c->ts_ms, c->type);
    m->biggest.key.n = (size_t)(end - m->biggest.key.p);
    return 0;
}

/* Notes facts that few cells have. */
static int note_rare(struct check_scan *s, const struct row_part *part, const struct cell *c, uint64_t kv_n, struct err *err) {
    struct check_sums *m = &s->r->sums;
    if (c->tags.n > m->max_tags) m->max_tags = (uint32_t)c->tags.n;
    m->references += mob_cell_is_reference(c);
    if (kv_n > m->biggest.bytes && note_biggest(m, part, c, kv_n, err)) return -1;
    if (s->dated && next_expiry_may(s->o->rules, c)) next_expiry_note(s->o->rules, s->now_ms, c, &m->next_expiry);
    if (c->type == CELL_PUT) return 0;
    m->deletes++;
    if (c->type == CELL_DELETE_COLUMN || c->type == CELL_DELETE_FAMILY) m->zero_ts = true;
    if (!cell_is_family_delete(c->type)) return 0;
    m->family_deletes++;
    if (!s->marked) m->marked_rows++;
    s->marked = true;
    return 0;
}

/* Sums are kept in registers for the cells of a part. */
static int note_cells(struct check_scan *s, const struct row_part *part, struct err *err) {
    struct check_sums *m = &s->r->sums;
    const size_t fixed = kv_key_size(part->row.n, part->family.n, 0);
    const struct cell *end = part->cells + part->n_cells;
    const bool dated = s->dated;
    uint64_t keys = 0, values = 0, tags = 0, seq = m->max_seq, biggest = m->biggest.bytes;
    int64_t low = m->ts_min, high = m->ts_max, put = m->earliest_put;
    for (const struct cell *c = part->cells; c < end; c++) {
        uint64_t tags_n = c->tags.n ? 2 + c->tags.n : 0, key_n = fixed + c->qualifier.n, kv_n = 8 + key_n + c->value.n + tags_n;
        keys += key_n;
        values += c->value.n;
        tags += tags_n;
        if (c->ts_ms < low) low = c->ts_ms;
        if (c->ts_ms > high) high = c->ts_ms;
        if (c->seq > seq) seq = c->seq;
        if (c->type == CELL_PUT && c->ts_ms < put) put = c->ts_ms;
        if (c->type == CELL_PUT && kv_n <= biggest && !dated && !tags_n) continue;
        if (note_rare(s, part, c, kv_n, err)) return -1;
        biggest = m->biggest.bytes;
    }
    m->key_bytes += keys;
    m->value_bytes += values;
    m->kv_bytes += 8 * (uint64_t)part->n_cells + keys + values + tags;
    m->max_seq = seq;
    m->ts_min = low;
    m->ts_max = high;
    m->earliest_put = put;
    return 0;
}

/* Counts the keys that the general bloom filter should have. */
static int note_filter_keys(struct check_scan *s, const struct row_part *part, struct err *err) {
    const struct hfile_info *info = hfile_info(s->h);
    struct check_sums *m = &s->r->sums;
    bool first = m->rows == 1 && part->first;
    if (info->bloom == HFILE_BLOOM_PREFIX) {
        struct bytes prefix = bloom_kind_prefix(part->row, info->bloom_prefix);
        if (!part->first || (!first && bytes_eq(prefix, buf_bytes(&s->column)))) return 0;
        m->keys++;
        return buf_copy(&s->column, prefix, err);
    }
    if (info->bloom != HFILE_BLOOM_ROWCOL) {
        m->keys += part->first;
        return 0;
    }
    struct bytes last = part->first ? (struct bytes){0} : buf_bytes(&s->column);
    for (uint32_t i = 0; i < part->n_cells; i++) {
        bool same = (i || !part->first) && bytes_eq(last, part->cells[i].qualifier);
        m->keys += !same;
        last = part->cells[i].qualifier;
    }
    return buf_copy(&s->column, last, err);
}

/* ---- blocks ---- */

/* Checks that the key in the index is between the blocks: after the last cell before, at most the first of the block. */
static int check_block_key(void *arg, uint64_t offset, struct bytes before, struct bytes first, struct err *err) {
    struct check_scan *s = arg;
    struct bytes key = check_cut_key(s->r, &s->index_at, offset);
    struct kv_key k, a, b;
    if (!key.p) return 0;
    if (!before.p && buf_copy(&s->r->first_index_key, key, err)) return -1;
    const char *wrong = !kv_key_parse(key, &k)                                            ? "has a malformed key for"
                        : kv_key_parse(first, &b) && kv_key_cmp(&k, &b) > 0               ? "leads past the first cells of"
                        : before.p && kv_key_parse(before, &a) && kv_key_cmp(&a, &k) >= 0 ? "leads cells that are before it to"
                                                                                          : NULL;
    if (wrong)
        check_findings_add(&s->findings, FINDING_HIDDEN, s->o->path, "the index %s the data block at %llu", wrong,
                           (unsigned long long)offset);
    return 0;
}

static int add_lost(void *arg, const struct hfile_lost *lost, struct err *err) {
    struct check_scan *s = arg;
    struct kv_key a, b;
    char from[ROW_TEXT_BYTES], to[ROW_TEXT_BYTES];
    (void)err;
    s->damaged |= !lost->no_cells;
    s->index_damaged |= lost->no_cells;
    bool known = !lost->no_cells && kv_key_parse(lost->first, &a) && kv_key_parse(lost->last, &b);
    check_findings_add(&s->findings, FINDING_DAMAGED, s->o->path, "%s%s%s%s%s", lost->reason,
                       lost->no_cells ? "; no cells are lost by it"
                       : known        ? "; cells are lost between rows hex:"
                                      : "; cells are lost",
                       known ? row_text(a.row, from) : "", known ? " and hex:" : "", known ? row_text(b.row, to) : "");
    return 0;
}

static int add_disorder(void *arg, const char *path, struct bytes before, struct bytes key, struct err *err) {
    struct check_scan *s = arg;
    char a[KEY_TEXT_BYTES], b[KEY_TEXT_BYTES];
    (void)err;
    s->index_damaged = true;
    if (s->disordered++ < s->findings.limit)
        check_findings_add(&s->findings, FINDING_ORDER, path, "cells are not in order: key %s came before %s",
                           key_text_hex(before, a), key_text_hex(key, b));
    else
        check_findings_count(&s->findings, FINDING_ORDER, 1);
    return 0;
}

/* ---- a range ---- */

static int check_cells(struct check_scan *s, struct source *scan, struct err *err) {
    struct row_part part;
    int more;
    while ((more = source_next(scan, &part, err)) == 1) {
        if (part.first) begin_row(s, part.row);
        if (s->o->placement && (part.first || placement_splits_rows(s->o->placement))) check_partition(s, &part);
        if (note_cells(s, &part, err) || note_filter_keys(s, &part, err) || check_bloom_part(&s->bloom, &part, &s->r->sums, err))
            return -1;
        if (s->r->sums.rows == 1) s->r->first_marked = s->marked;
    }
    s->r->last_marked = s->marked;
    return more;
}

static int scan_once(struct check_scan *s, const struct hfile_lost_sink *lost, struct err *err) {
    struct hfile_watch watch = {check_block_key, s};
    struct hfile_disorder_sink disorder = {add_disorder, s};
    struct hfile_scan_opts so = {
        .range = s->r->range, .tally = &s->r->sums.tally, .lost = lost, .disorder = lost ? NULL : &disorder, .watch = &watch};
    struct source *scan = hfile_scan_open(s->h, &so, err);
    int rc = scan ? check_cells(s, scan, err) : -1;
    if (!rc) {
        struct bytes first, last;
        hfile_scan_bounds(scan, &first, &last);
        hfile_scan_passed(scan, &s->r->passed);
        if (buf_copy(&s->r->first_key, first, err) || buf_copy(&s->r->last_key, last, err)) rc = -1;
    }
    source_close(scan);
    return rc;
}

static void begin_range(struct check_scan *s, struct check_range *r) {
    s->r = r;
    s->index_at = 0;
    s->misplaced = s->disordered = 0;
    s->marked = false;
}

static int scan_again(struct check_scan *s, struct check_range *r, struct err *err) {
    struct check_range again = check_range_new(r->from);
    again.range = r->range;
    again.index_keys = r->index_keys;
    r->index_keys = (struct buf){0};
    check_range_free(r);
    *r = again;
    check_findings_clear(&s->findings);
    begin_range(s, r);
    return scan_once(s, &(struct hfile_lost_sink){add_lost, s}, err);
}

/* Reading on after damage costs more: a range is read so only if it must be. */
int check_scan_range(struct check_scan *s, struct check_range *r, struct err *err) {
    struct err mine = {0};
    s->damaged = s->index_damaged = false;
    begin_range(s, r);
    int rc = scan_once(s, NULL, &mine);
    if (rc && ((mine.code == ERR_INPUT && !mine.sys) || mine.code == ERR_LIMIT)) {
        mine = (struct err){0};
        rc = scan_again(s, r, &mine);
    }
    err_keep(err, &mine);
    check_findings_move(s->o->findings, &s->findings);
    return rc;
}

int check_scan_begin(struct check_scan *s, const struct check_file_opts *o, const struct hfile *h, bool blooms, struct err *err) {
    *s = (struct check_scan){.o = o, .h = h};
    s->dated = check_facts_dated(o, h, &s->now_ms);
    if (check_findings_init(&s->findings, o->findings->limit, err)) return -1;
    return blooms ? check_bloom_open(&s->bloom, h, err) : 0;
}

void check_scan_end(struct check_scan *s) {
    check_bloom_close(&s->bloom);
    check_findings_free(&s->findings);
    buf_free(&s->column);
}
