/* Checks what readers push against the table and passes it on: lengths, timestamps, families, placement. A text record goes in
 * as a whole or not at all; of a binary part bad cells are rejected singly. What cannot be taken is counted in the ledger of
 * the chunk and listed in the log of rejects. */
#include "engine/emitter.h"

#include "cell/keyvalue.h"
#include "engine/input_order.h"
#include "engine/input_signs.h"
#include "engine/reject_batch.h"
#include "select/selector.h"
#include "table/placement.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void emitter_close(struct emitter *e) {
    reject_batch_free(&e->rejects);
    selector_free(e->selector);
    buf_free(&e->scratch);
    buf_free(&e->chunk.data);
    free(e->numbered);
    free(e->runs);
}

/* ---- what cannot be taken ---- */

/* Rejects are written in input order, so a chunk waits for the chunks before it of its input, which other threads are parsing.
 * When a run is ending anyway, the chunks after it are no longer needed. */
static int flush_rejects(struct emitter *e, struct err *err) {
    struct emit_shared *all = e->shared;
    bool turn;
    hand_over_lock(&all->chunks);
    while (!(turn = reject_log_has_turn(all->o.rejects, e->turn)) && e->turn.stream < all->end_stream)
        hand_over_wait(&all->chunks);
    int rc = turn ? reject_log_flush(all->o.rejects, e->turn.stream, e->is_text, &e->rejects, err) : 0;
    hand_over_unlock(&all->chunks);
    if (!turn) reject_batch_clear(&e->rejects);
    return rc;
}

int emit_reject(struct emit *base, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why, struct err *err) {
    struct emitter *e = emitter_of(base);
    e->ledger.records_read++;
    e->ledger.records_rejected++;
    if (!e->shared->o.rejects && !e->path) return err_set(err, ERR_INPUT, "%s", why->text);
    if (!e->shared->o.rejects) {
        char at[32] = "";
        if (line) snprintf(at, sizeof at, "%llu:", (unsigned long long)line);
        err_set(err, ERR_INPUT, "%s:%s byte %llu: %s", e->path, at, (unsigned long long)offset, why->text);
        return -1;
    }
    if (reject_batch_source(&e->rejects, e->path, e->header, err)) return -1;
    if (reject_batch_add(&e->rejects, e->path, raw, line, offset, why->column, why->text, err)) return -1;
    return reject_batch_is_large(&e->rejects) ? flush_rejects(e, err) : 0;
}

void emit_skip(struct emit *base, uint64_t records) {
    struct emitter *e = emitter_of(base);
    e->ledger.records_read += records;
    e->ledger.records_skipped += records;
}

void emit_header(struct emit *base, struct bytes header) {
    emitter_of(base)->header = header;
}

int emit_lost(struct emit *base, const struct lost *lost, struct err *err) {
    struct emitter *e = emitter_of(base);
    e->ledger.lost.places++;
    if (!e->shared->o.rejects) return err_set(err, ERR_INPUT, "%s: %s", e->path, lost->reason);
    if (reject_batch_add_lost(&e->rejects, e->path, lost, err)) return -1;
    return reject_batch_is_large(&e->rejects) ? flush_rejects(e, err) : 0;
}

void emit_lost_cells(struct emit *base, uint64_t cells) {
    struct lost_count *lost = &emitter_of(base)->ledger.lost;
    if (cells == LOST_UNKNOWN)
        lost->uncounted++;
    else
        lost->cells += cells;
}

int emit_lost_file(struct emitter *e, const char *path, const struct lost *lost, struct err *err) {
    e->ledger.lost.places++;
    emit_lost_cells(&e->base, lost->cells);
    return reject_batch_add_lost(&e->rejects, path, lost, err);
}

static void why_set(struct reason *why, uint32_t column, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void why_set(struct reason *why, uint32_t column, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why->text, sizeof why->text, fmt, ap);
    va_end(ap);
    why->column = column;
}

/* ---- checks against the table ---- */

static uint32_t families_most(const struct input_reader_opts *o) {
    return o->families_most ? o->families_most : FAMILIES_MOST;
}

static int too_many(struct err *err) {
    return err_set(err, ERR_LIMIT, "more than %d families in one run", FAMILIES_MOST);
}

/* An undeclared family: added, or refused for what its name is. Under the lock. 1, 0 (*why) or -1. */
static int new_family(struct table *t, struct bytes name, uint32_t most, struct reason *why, struct err *err) {
    struct err bad = {0};
    if (t->n_families >= FAMILIES_MOST) return too_many(err);
    if (t->n_families >= most)
        return err_set(err, ERR_LIMIT,
                       "'%.*s' is one family more than the %u that the memory was planned for; give --ddl, or more --memory",
                       (int)(name.n > 100 ? 100 : name.n), (const char *)name.p, most);
    if (table_add_family(t, name, &bad) == 0) return 1;
    if (bad.code != ERR_USAGE) {
        err_keep(err, &bad);
        return -1;
    }
    why_set(why, 0, "%.200s", bad.text);
    return 0;
}

/* 1 = *out is the family, 0 = the table has none of this name (why), -1 = error. */
static int find_family(struct emitter *e, struct bytes name, const struct known_family **out, struct reason *why,
                       struct err *err) {
    for (uint32_t i = 0; i < e->n_known; i++) {
        *out = &e->known[i];
        if (bytes_eq(bytes_str(e->known[i].limits.name), name)) return 1;
    }
    if (e->n_known == FAMILIES_MOST) return too_many(err);
    struct table *t = e->shared->o.read.table;
    hand_over_lock(&e->shared->chunks);
    int i = table_family(t, name), rc = i >= 0;
    if (i < 0 && e->shared->o.read.open_families)
        rc = new_family(t, name, families_most(&e->shared->o), why, err);
    else if (i < 0)
        why_set(why, 0, "the table has no family '%.*s'", (int)(name.n > 100 ? 100 : name.n), (const char *)name.p);
    if (rc == 1) {
        if (i < 0) i = (int)t->n_families - 1;
        *out = &e->known[e->n_known++];
        e->known[e->n_known - 1] = (struct known_family){(uint32_t)i, t->families[i]};
    }
    hand_over_unlock(&e->shared->chunks);
    return rc;
}

static bool row_fits(const struct family *f, struct bytes row, struct reason *why) {
    if (row.n == 0)
        why_set(why, 0, "row key is empty");
    else if (row.n > f->k_max)
        why_set(why, 0, "row key of %zu bytes, column K of family %s holds %u", row.n, f->name, f->k_max);
    else
        return true;
    return false;
}

static bool cell_fits(const struct emitter *e, const struct family *f, const struct cell *c, struct reason *why) {
    uint64_t most = e->shared->o.max_value_bytes;
    if (c->qualifier.n > f->q_max)
        why_set(why, 0, "qualifier of %zu bytes, column Q of family %s holds %u", c->qualifier.n, f->name, f->q_max);
    else if (c->value.n > f->v_max)
        why_set(why, 0, "value of %zu bytes, column V of family %s holds %llu", c->value.n, f->name,
                (unsigned long long)f->v_max);
    else if (most && c->value.n > most)
        why_set(why, 0, "value of %zu bytes, hbase.client.keyvalue.maxsize allows %llu", c->value.n, (unsigned long long)most);
    else if (c->ts_ms < 0 && !e->shared->o.any_time)
        why_set(why, 0, "timestamp %lld is negative", (long long)c->ts_ms);
    else if (c->seq > INT64_MAX)
        why_set(why, 0, "sequence id %llu does not fit a signed 64-bit number", (unsigned long long)c->seq);
    else if (c->tags.n && !tags_valid(c->tags))
        why_set(why, 0, "tags are malformed");
    else
        return true;
    return false;
}

static int put_run(struct emitter *e, bool fresh, uint32_t partition, struct err *err) {
    struct placed_range *last = e->n_runs ? &e->runs[e->n_runs - 1] : NULL;
    if (!fresh && last && last->partition == partition) {
        last->n_cells++;
        return 0;
    }
    if (e->n_runs == e->runs_room && grow_capacity(&e->runs, &e->runs_room, sizeof *e->runs, "partitions of cells", err))
        return -1;
    e->runs[e->n_runs++] = (struct placed_range){1, partition};
    return 0;
}

/* A partition for every cell: *placed is that of the row; where cells decide, each of them is asked once, and e->runs keeps the
 * answers until they are delivered. 1, 0 (*why) or -1. */
static int place_part(struct emitter *e, const struct row_part *part, uint32_t *placed, struct reason *why, struct err *err) {
    const struct input_reader_opts *o = &e->shared->o;
    bool splits = placement_splits_rows(o->placement);
    enum place_result r = splits ? PLACE_OK : placement_of(o->placement, part->row, placed);
    for (uint32_t i = 0; splits && r == PLACE_OK && i < part->n_cells; i++) {
        r = placement_of_cell(o->placement, part->row, &part->cells[i], placed);
        if (r == PLACE_OK && put_run(e, i == 0, *placed, err)) return -1;
    }
    if (r != PLACE_OK) {
        why_set(why, 0, "%s", placement_why(r));
        return 0;
    }
    if (!o->skip_client_check && placement_client_differs(o->placement, part->row)) e->rows_client_misplaces++;
    return 1;
}

/* Delivers a part that has been placed: as a whole, or divided as *runs says, its order kept; *runs is then after its last
 * one. */
static int deliver_part(struct emitter *e, uint32_t family, uint32_t placed, const struct row_part *part,
                        const struct placed_range **runs, struct err *err) {
    const struct input_reader_opts *o = &e->shared->o;
    if (!placement_splits_rows(o->placement)) return o->consumer.put(o->consumer.arg, e->thread, family, placed, part, err);
    for (uint32_t i = 0, n; i < part->n_cells; i += n) {
        const struct placed_range *run = (*runs)++;
        struct row_part piece = *part;
        n = run->n_cells;
        piece.cells += i;
        piece.n_cells = n;
        if (n != part->n_cells) piece.shape = 0;
        if (o->consumer.put(o->consumer.arg, e->thread, family, run->partition, &piece, err)) return -1;
    }
    return 0;
}

/* ---- sequence ids ---- */

/* Cells without ids get those that their input's place gives them. 1 = *out is to be taken instead, 0, -1. */
static int number_part(struct emitter *e, const struct row_part *part, struct row_part *out, struct err *err) {
    struct input_order *order = e->shared->o.order;
    const uint64_t seq = input_order_seq(order, e->group, part->row);
    uint32_t without = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        without += !part->cells[i].seq;
        if (part->cells[i].seq > e->most_seq) e->most_seq = part->cells[i].seq;
    }
    if (!seq || !without) return 0;
    while (e->numbered_room < part->n_cells)
        if (grow_capacity(&e->numbered, &e->numbered_room, sizeof *e->numbered, "cells", err)) return -1;
    memcpy(e->numbered, part->cells, part->n_cells * sizeof *e->numbered);
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (!e->numbered[i].seq) e->numbered[i].seq = seq;
    *out = *part;
    out->cells = e->numbered;
    out->shape = 0;
    return 1;
}

/* ---- text records ---- */

/* Checks that a part fits the table. 1 fits, 0 refused, -1 error. */
static int part_fits(struct emitter *e, const struct row_part *part, uint32_t *family, struct reason *why, struct err *err) {
    const struct known_family *f;
    int rc = find_family(e, part->family, &f, why, err);
    if (rc != 1) return rc;
    *family = f->index;
    if (!row_fits(&f->limits, part->row, why)) return 0;
    for (uint32_t i = 0; i < part->n_cells; i++)
        if (!cell_fits(e, &f->limits, &part->cells[i], why)) return 0;
    return 1;
}

int emit_record(struct emit *base, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err) {
    struct emitter *e = emitter_of(base);
    uint32_t families[FAMILIES_MOST], placed[FAMILIES_MOST];
    e->n_runs = 0;
    if (n > FAMILIES_MOST) return err_set(err, ERR_LIMIT, "a record with %u families: at most %d fit", n, FAMILIES_MOST);
    for (uint32_t i = 0; i < n; i++) {
        int rc = part_fits(e, &parts[i], &families[i], why, err);
        if (rc != 1) return rc;
        bool same = i && bytes_eq(parts[i].row, parts[i - 1].row);
        if (same) placed[i] = placed[i - 1];
        if (!same || placement_splits_rows(e->shared->o.placement)) rc = place_part(e, &parts[i], &placed[i], why, err);
        if (rc != 1) return rc;
    }
    e->ledger.records_read++;
    e->ledger.records_accepted++;
    const struct placed_range *runs = e->runs;
    for (uint32_t i = 0; i < n; i++) {
        if (digest_part(&e->scratch, &parts[i], &e->ledger.in, err)) return -1;
        input_signs_time(&e->signs, parts[i].cells, parts[i].n_cells, e->shared->latest_ms);
        if (e->not_utf8) input_signs_text(&e->signs, &parts[i]);
        struct row_part numbered;
        int rc = e->shared->o.order ? number_part(e, &parts[i], &numbered, err) : 0;
        if (rc < 0 || deliver_part(e, families[i], placed[i], rc ? &numbered : &parts[i], &runs, err)) return -1;
    }
    return 1;
}

/* ---- cells of binary inputs ---- */

int emit_bad_cell(struct emitter *e, const struct row_part *part, const struct cell *c, const struct reason *why,
                  struct err *err) {
    struct row_part one = *part;
    struct digest d;
    struct buf text = {0};
    one.cells = c;
    one.n_cells = 1;
    if (digest_cell(&e->scratch, &one, c, &d, err)) return -1;
    tally_one(&e->ledger.in, d);
    tally_one(&e->ledger.rejected, d);
    int rc = cells_print(&text, &one, err);
    if (!rc && text.n && text.p[text.n - 1] == '\n') text.n--;
    if (!rc) rc = emit_reject(&e->base, buf_bytes(&text), 0, 0, why, err);
    buf_free(&text);
    return rc;
}

/* Places one cell. 1, 0 (*why) or -1. */
static int place_one(struct emitter *e, const struct row_part *part, const struct cell *c, struct reason *why, struct err *err) {
    struct row_part one = *part;
    uint32_t partition;
    one.cells = c;
    one.n_cells = 1;
    return placement_splits_rows(e->shared->o.placement) ? place_part(e, &one, &partition, why, err) : 1;
}

/* The slow path: some cell is bad or says "latest". The good cells are passed on as one part. */
static int emit_good_cells(struct emitter *e, const struct row_part *part, const struct known_family *f, uint32_t placed,
                           const struct reason *row_why, struct err *err) {
    uint32_t n = 0;
    e->n_runs = 0;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        struct cell c = part->cells[i];
        struct reason why = *row_why;
        if (c.ts_ms == INT64_MAX && !e->shared->o.read.keeps_latest) c.ts_ms = e->shared->o.read.default_ts_ms;
        int rc = row_why->text[0] || !cell_fits(e, &f->limits, &c, &why) ? 0 : place_one(e, part, &c, &why, err);
        if (rc < 0) return -1;
        if (!rc) {
            if (emit_bad_cell(e, part, &c, &why, err)) return -1;
            continue;
        }
        e->good[n++] = c;
    }
    if (!n) return 0;
    struct row_part good = *part;
    good.cells = e->good;
    good.n_cells = n;
    e->ledger.records_read += n;
    e->ledger.records_accepted += n;
    if (digest_part(&e->scratch, &good, &e->ledger.in, err)) return -1;
    input_signs_time(&e->signs, e->good, n, e->shared->latest_ms);
    good.n_cells = 1; /* "latest" may have moved a cell after its neighbours: one record each keeps the order contract */
    const struct placed_range *runs = e->runs;
    for (uint32_t i = 0; i < n; i++) {
        good.cells = &e->good[i];
        if (deliver_part(e, f->index, placed, &good, &runs, err)) return -1;
    }
    return 0;
}

static bool cells_plain(const struct emitter *e, const struct family *f, const struct row_part *part) {
    struct reason why;
    const bool keeps = e->shared->o.read.keeps_latest;
    for (uint32_t i = 0; i < part->n_cells; i++)
        if ((part->cells[i].ts_ms == INT64_MAX && !keeps) || !cell_fits(e, f, &part->cells[i], &why)) return false;
    return true;
}

/* An index that is wrong would show late: rows of this chunk may have been taken for complete. */
static int check_floor(struct emitter *e, const struct row_part *part, struct err *err) {
    e->fresh = false;
    if (bytes_cmp(part->row, buf_bytes(&e->shared->floor_row)) >= 0) return 0;
    return err_set(err, ERR_INPUT, "%s: the blocks at %llu begin with a row before the one that its index names", e->path,
                   (unsigned long long)e->chunk.offset);
}

int emit_cells(struct emit *base, const struct row_part *part, const struct tally *tally, struct err *err) {
    struct emitter *e = emitter_of(base);
    struct reason why;
    bool splits = placement_splits_rows(e->shared->o.placement);
    uint32_t placed = 0;
    const struct known_family *f = NULL;
    struct row_part numbered;
    if (e->fresh && check_floor(e, part, err)) return -1;
    reason_clear(&why);
    int rc = e->shared->o.order ? number_part(e, part, &numbered, err) : 0;
    if (rc < 0) return -1;
    if (rc) part = &numbered;
    rc = find_family(e, part->family, &f, &why, err);
    if (rc < 0) return -1;
    e->n_runs = 0;
    if (rc) rc = row_fits(&f->limits, part->row, &why);
    if (rc && !splits) rc = place_part(e, part, &placed, &why, err);
    bool plain = rc > 0 && cells_plain(e, &f->limits, part);
    if (plain && splits) rc = place_part(e, part, &placed, &(struct reason){0}, err);
    if (rc < 0) return -1;
    if (!rc || !plain) return emit_good_cells(e, part, f, placed, &why, err);
    const struct placed_range *runs = e->runs;
    const struct part_consumer *c = &e->shared->o.consumer;
    e->ledger.records_read += part->n_cells;
    e->ledger.records_accepted += part->n_cells;
    input_signs_time(&e->signs, part->cells, part->n_cells, e->shared->latest_ms);
    if (tally)
        tally_add(&e->ledger.in, *tally);
    else if (digest_part(&e->scratch, part, &e->ledger.in, err))
        return -1;
    if (tally && c->put_summed && !splits) return c->put_summed(c->arg, e->thread, f->index, part, tally, err);
    return deliver_part(e, f->index, placed, part, &runs, err);
}
