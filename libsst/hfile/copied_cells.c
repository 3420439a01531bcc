/* Derives file info of cells that were copied without being read. Sums are the file's less those of its other cells, which are
 * few and were read. A least or largest value is the file's, unless only the others have it; where that is not certain, the
 * copied cells must be read, too. */
#include "base/bytes.h"
#include "hfile/bloom_reader.h"
#include "hfile/copied_cells.h"
#include "hfile/hfile_file_info.h"
#include "hfile/hfile_scan.h"
#include "hfile/hfile_state.h"
#include "hfile/hfile_writer_state.h"

void copied_cells_init(struct copied_cells *c) {
    *c = (struct copied_cells){.sums = sums_none()};
}

void copied_cells_free(struct copied_cells *c) {
    buf_free(&c->biggest_key);
}

/* ---- as the file says ---- */

static bool find_number(const struct hfile *h, const char *key, uint64_t *out) {
    struct bytes v = hfile_find(h, key);
    if (v.n == 8) *out = be64(v.p);
    if (v.n == 4) *out = be32(v.p);
    return v.n == 8 || v.n == 4;
}

static bool find_digest(const struct hfile *h, struct digest *out) {
    struct bytes v = hfile_find(h, "OBKV.DIGEST");
    if (v.n != 16) return false;
    *out = (struct digest){.hi = be64(v.p), .lo = be64(v.p + 8)};
    return true;
}

/* Takes sums from file info. Without tags, a KeyValue is two lengths, a key and a value. */
static bool said_sums(const struct hfile *h, uint64_t kv_bytes, struct writer_sums *m) {
    const struct hfile_info *i = &h->info;
    uint64_t cells, deletes = 0, biggest, tags = 0;
    *m = sums_none();
    if (!find_number(h, "OBKV.CELLS", &cells) || cells != i->cells || !find_digest(h, &m->tally.digest)) return false;
    if (!find_number(h, "OBKV.KEY_BYTES", &m->key_bytes) || !find_number(h, "hfile.LEN_OF_BIGGEST_CELL", &biggest)) return false;
    if (find_number(h, "OBKV.DELETES", &deletes) && deletes) return false;
    if (find_number(h, "hfile.MAX_TAGS_LEN", &tags) && tags) return false;
    if (i->max_mvcc || !i->has_ts_range || !i->has_earliest_put || biggest < 4) return false;
    if (kv_bytes < 8 * cells || kv_bytes - 8 * cells < m->key_bytes) return false;
    m->tally.cells = m->puts = cells;
    m->kv_bytes = kv_bytes;
    m->value_bytes = kv_bytes - 8 * cells - m->key_bytes;
    m->biggest_bytes = biggest - 4;
    m->ts_min = i->ts_min;
    m->ts_max = i->ts_max;
    m->earliest_put_ms = i->earliest_put_ms;
    return true;
}

int copied_cells_said(const struct hfile *h, uint64_t kv_bytes, struct copied_cells *out, struct err *err) {
    struct bytes key = hfile_find(h, "hfile.KEY_OF_BIGGEST_CELL");
    copied_cells_init(out);
    if (!key.p || !said_sums(h, kv_bytes, &out->sums)) return 0;
    if (buf_copy(&out->biggest_key, key, err)) return -1;
    if (h->info.bloom == HFILE_BLOOM_NONE) return 1;
    struct hfile_bloom_reader *r = hfile_bloom_open(h, err);
    if (r) out->rows = hfile_bloom_facts(r).keys;
    hfile_bloom_close(r);
    return r ? 1 : -1;
}

/* ---- as they are ---- */

static int note_biggest(struct copied_cells *c, uint64_t kv_n, const struct row_part *part, const struct cell *cell,
                        struct err *err) {
    size_t n = kv_key_size(part->row.n, part->family.n, cell->qualifier.n);
    c->sums.biggest_bytes = kv_n;
    buf_clear(&c->biggest_key);
    if (buf_reserve(&c->biggest_key, n, err)) return -1;
    kv_put_key(c->biggest_key.p, part->row, part->family, cell->qualifier, cell->ts_ms, cell->type);
    c->biggest_key.n = n;
    return 0;
}

static int note_part(struct copied_cells *c, const struct row_part *part, struct err *err) {
    for (const struct cell *cell = part->cells, *end = cell + part->n_cells; cell < end; cell++) {
        size_t key_n = kv_key_size(part->row.n, part->family.n, cell->qualifier.n);
        size_t kv_n = kv_size(part, cell, cell->tags.n > 0);
        sums_note(&c->sums, kv_n, cell, key_n);
        if (kv_n > c->sums.biggest_bytes && note_biggest(c, kv_n, part, cell, err)) return -1;
    }
    return 0;
}

int copied_cells_read(const struct hfile *h, const struct hfile_range *blocks, struct bytes row_before, struct copied_cells *c,
                      struct err *err) {
    struct row_part part;
    struct hfile_scan_opts o = {.range = *blocks, .tally = &c->sums.tally};
    struct source *scan = hfile_scan_open(h, &o, err);
    int more = scan ? 1 : -1;
    for (bool begins = true; more == 1 && (more = source_next(scan, &part, err)) == 1; begins = false) {
        c->rows += part.first && !(begins && row_before.p && bytes_eq(part.row, row_before));
        if (note_part(c, &part, err)) more = -1;
    }
    source_close(scan);
    return more;
}

/* ---- what remains ---- */

/* The file has a value, least or largest, that may be among the others only, and what was written does not reach it. */
static bool may_be_gone(int64_t of_all, int64_t of_others, int64_t written, bool least) {
    return of_others == of_all && (least ? written > of_all : written < of_all);
}

/* Returns whether the file's biggest cell may be none of those copied. Among cells of one length the first counts; those written
 * before the copied cells come first. */
static bool biggest_may_be_gone(const struct copied_cells *all, const struct copied_cells *others, const struct hfile_writer *w) {
    struct kv_key said, written;
    if (others->sums.biggest_bytes < all->sums.biggest_bytes ||
        !bytes_eq(buf_bytes(&others->biggest_key), buf_bytes(&all->biggest_key)))
        return false;
    if (w->sums.biggest_bytes != all->sums.biggest_bytes) return w->sums.biggest_bytes < all->sums.biggest_bytes;
    return !kv_key_parse(buf_bytes(&all->biggest_key), &said) || !kv_key_parse(buf_bytes(&w->biggest_key), &written) ||
           kv_key_cmp(&written, &said) > 0;
}

int copied_cells_remain(const struct copied_cells *all, const struct copied_cells *others, const struct hfile_writer *w,
                        struct copied_cells *out, struct err *err) {
    const struct writer_sums *a = &all->sums, *o = &others->sums;
    bool times_gone = may_be_gone(a->ts_min, o->ts_min, w->sums.ts_min, true) ||
                      may_be_gone(a->ts_max, o->ts_max, w->sums.ts_max, false) ||
                      may_be_gone(a->earliest_put_ms, o->earliest_put_ms, w->sums.earliest_put_ms, true);
    if ((a->ts_min != a->ts_max && times_gone) || biggest_may_be_gone(all, others, w)) return 0;
    if (buf_copy(&out->biggest_key, buf_bytes(&all->biggest_key), err)) return -1;
    out->sums = *a;
    out->sums.tally.cells -= o->tally.cells;
    digest_sub(&out->sums.tally.digest, o->tally.digest);
    out->sums.puts -= o->puts;
    out->sums.kv_bytes -= o->kv_bytes;
    out->sums.key_bytes -= o->key_bytes;
    out->sums.value_bytes -= o->value_bytes;
    return 1;
}

/* ---- what the new file says ---- */

static bool is_biggest(const struct hfile_writer *w, const struct copied_cells *c) {
    struct kv_key written, copied;
    if (c->sums.biggest_bytes != w->sums.biggest_bytes) return c->sums.biggest_bytes > w->sums.biggest_bytes;
    return kv_key_parse(buf_bytes(&w->biggest_key), &written) && kv_key_parse(buf_bytes(&c->biggest_key), &copied) &&
           kv_key_cmp(&copied, &written) < 0;
}

int copied_cells_count(struct hfile_writer *w, const struct copied_cells *c, struct err *err) {
    if (is_biggest(w, c) && buf_copy(&w->biggest_key, buf_bytes(&c->biggest_key), err)) return -1;
    sums_add(&w->sums, &c->sums);
    if (w->o.bloom != HFILE_BLOOM_NONE) w->blooms.general.total_keys += c->rows;
    return 0;
}
