/* Writes and reads the index at the end of a pack (docs/formats/pack.md). Entries have one length and are sorted by partition, so
 * who needs few partitions of many reads few of them: each has a checksum. Who reads all of it compares one checksum, which the
 * manifest has, too.
 *
 *     HFile | HFile | … | entry … entry | rows | magic, number of entries, bytes of rows, checksum
 *     0                 index_at                                                                 end of the file */
#include "hfile/pack_index.h"

#include "base/hash.h"
#include "hfile/block.h"
#include "hfile/hfile.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ENTRY_BYTES = 104, ENTRY_SUMMED = 100, FOOTER_BYTES = 32, SUM_BYTES = 8 };
static const char magic[8] = "OBKVPAK1";

/* ---- writing ---- */

static int by_partition(const void *x, const void *y) {
    const struct pack_entry *a = x, *b = y;
    if (a->partition != b->partition) return a->partition < b->partition ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void entry_put(uint8_t out[ENTRY_BYTES], const struct pack_entry *e, uint64_t rows_at) {
    uint8_t *p = put_be32(out, e->partition);
    uint32_t rows_crc = crc32c(0, e->first_row.p, e->first_row.n);
    p = put_be32(p, e->number);
    p = put_be64(p, e->offset);
    p = put_be64(p, e->bytes);
    p = put_be64(p, e->tally.cells);
    p = put_be64(p, e->tally.digest.hi);
    p = put_be64(p, e->tally.digest.lo);
    p = put_be64(p, e->kv_bytes);
    p = put_be64(p, (uint64_t)e->ts_min);
    p = put_be64(p, (uint64_t)e->ts_max);
    p = put_be64(p, e->checksum);
    p = put_be64(p, rows_at);
    p = put_be32(p, (uint32_t)e->first_row.n);
    p = put_be32(p, (uint32_t)e->last_row.n);
    p = put_be32(p, crc32c(rows_crc, e->last_row.p, e->last_row.n));
    put_be32(p, crc32c(0, out, ENTRY_SUMMED));
}

static int put_entries(struct buf *out, const struct pack_entry *entries, size_t n, uint64_t *rows_bytes, struct err *err) {
    uint8_t entry[ENTRY_BYTES];
    *rows_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        entry_put(entry, &entries[i], *rows_bytes);
        *rows_bytes += entries[i].first_row.n + entries[i].last_row.n;
        if (buf_put(out, entry, sizeof entry, err)) return -1;
    }
    for (size_t i = 0; i < n; i++)
        if (buf_put(out, entries[i].first_row.p, entries[i].first_row.n, err) ||
            buf_put(out, entries[i].last_row.p, entries[i].last_row.n, err))
            return -1;
    return 0;
}

int pack_index_put(struct buf *out, struct pack_entry *entries, size_t n, uint64_t index_at, struct pack_made *made,
                   struct err *err) {
    uint8_t footer[FOOTER_BYTES];
    uint64_t rows_bytes;
    const size_t from = out->n;
    if (n) qsort(entries, n, sizeof *entries, by_partition);
    if (put_entries(out, entries, n, &rows_bytes, err)) return -1;
    memcpy(footer, magic, sizeof magic);
    put_be64(put_be64(footer + sizeof magic, n), rows_bytes);
    if (buf_put(out, footer, FOOTER_BYTES - SUM_BYTES, err)) return -1;
    made->index_sum = XXH3_64bits(out->p + from, out->n - from);
    put_be64(footer, made->index_sum);
    if (buf_put(out, footer, SUM_BYTES, err)) return -1;
    made->index_at = index_at;
    made->file_bytes = index_at + out->n - from;
    made->files = n;
    made->data_bytes = made->kv_bytes = 0;
    made->tally = (struct tally){0};
    for (size_t i = 0; i < n; i++) {
        made->data_bytes += entries[i].bytes;
        made->kv_bytes += entries[i].kv_bytes;
        tally_add(&made->tally, entries[i].tally);
    }
    return 0;
}

/* ---- reading ---- */

static uint64_t index_bytes(const struct pack_index *x) {
    return x->file ? x->file->size - x->at : x->text.n;
}

/* from: of the index. */
static int get_bytes(const struct pack_index *x, void *p, size_t n, uint64_t from, struct err *err) {
    if (x->file) return hfile_bytes_read(x->file, p, n, x->at + from, x->path, err);
    memcpy(p, x->text.p + from, n);
    return 0;
}

static int set_damaged(const struct pack_index *x, const char *why, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: the index at %llu is damaged: %s", x->path, (unsigned long long)x->at, why);
}

static int read_footer(struct pack_index *x, struct err *err) {
    uint8_t footer[FOOTER_BYTES];
    const uint64_t all = index_bytes(x), room = all < FOOTER_BYTES ? 0 : all - FOOTER_BYTES;
    if (all < FOOTER_BYTES) return set_damaged(x, "it is too short", err);
    if (get_bytes(x, footer, sizeof footer, room, err)) return -1;
    if (memcmp(footer, magic, sizeof magic) != 0) return set_damaged(x, "it does not end as one", err);
    x->files = be64(footer + 8);
    x->rows_bytes = be64(footer + 16);
    x->sum = be64(footer + 24);
    if (x->files > room / ENTRY_BYTES || x->rows_bytes != room - x->files * ENTRY_BYTES)
        return set_damaged(x, "it has another length than its entries and rows", err);
    return 0;
}

int pack_index_of_text(struct pack_index *x, const char *path, struct bytes text, uint64_t index_at, struct err *err) {
    *x = (struct pack_index){.path = path, .text = text, .at = index_at};
    if (read_footer(x, err)) return -1;
    return XXH3_64bits(text.p, text.n - SUM_BYTES) == x->sum ? 0 : set_damaged(x, "its checksum does not match", err);
}

int pack_index_of_file(struct pack_index *x, const char *path, const struct hfile_bytes *file, uint64_t index_at,
                       struct err *err) {
    *x = (struct pack_index){.path = path, .file = file, .at = index_at};
    if (index_at > file->size) return set_damaged(x, "the file ends before it", err);
    return read_footer(x, err);
}

static int get_rows(struct pack_index *x, const uint8_t *places, struct pack_entry *e, struct err *err) {
    const uint64_t rows_at = be64(places);
    const uint32_t first = be32(places + 8), last = be32(places + 12);
    const size_t n = (size_t)first + last;
    if (rows_at > x->rows_bytes || n > x->rows_bytes - rows_at) return set_damaged(x, "rows of an entry are not in it", err);
    buf_clear(&x->rows);
    if (buf_reserve(&x->rows, n + 1, err)) return -1;
    if (n && get_bytes(x, x->rows.p, n, x->files * ENTRY_BYTES + rows_at, err)) return -1;
    x->rows.n = n;
    if (crc32c(0, x->rows.p, n) != be32(places + 16)) return set_damaged(x, "the checksum of a row does not match", err);
    e->first_row = bytes_of(x->rows.p, first);
    e->last_row = bytes_of(x->rows.p + first, last);
    return 0;
}

int pack_index_get(struct pack_index *x, uint64_t i, struct pack_entry *out, struct err *err) {
    uint8_t p[ENTRY_BYTES];
    if (get_bytes(x, p, sizeof p, i * ENTRY_BYTES, err)) return -1;
    if (crc32c(0, p, ENTRY_SUMMED) != be32(p + ENTRY_SUMMED))
        return set_damaged(x, "the checksum of an entry does not match", err);
    *out = (struct pack_entry){.partition = be32(p),
                               .number = be32(p + 4),
                               .offset = be64(p + 8),
                               .bytes = be64(p + 16),
                               .tally = {.cells = be64(p + 24), .digest = {.hi = be64(p + 32), .lo = be64(p + 40)}},
                               .kv_bytes = be64(p + 48),
                               .ts_min = (int64_t)be64(p + 56),
                               .ts_max = (int64_t)be64(p + 64),
                               .checksum = be64(p + 72)};
    if (out->offset > x->at || out->bytes > x->at - out->offset) return set_damaged(x, "an entry leads beyond the HFiles", err);
    return get_rows(x, p + 80, out, err);
}

/* Where all partitions have a file, the first guess is right. */
int pack_index_find(struct pack_index *x, uint32_t partition, uint64_t *i, struct err *err) {
    struct pack_entry e;
    uint64_t low = 0, high = x->files; /* entries before low are of earlier partitions, that at high is not */
    *i = 0;
    if (!x->files) return 0;
    if (pack_index_get(x, x->files - 1, &e, err)) return -1;
    uint64_t at = (uint64_t)partition * x->files / ((uint64_t)e.partition + 1), step = 1;
    while (low < high) {
        if (at < low || at >= high) at = low + (high - low) / 2;
        if (pack_index_get(x, at, &e, err)) return -1;
        const bool before = e.partition < partition;
        if (before)
            low = at + 1;
        else
            high = at;
        at = before ? at + step : at - step; /* beyond a bound: halved */
        step *= 2;
    }
    *i = low;
    return 0;
}

void pack_index_close(struct pack_index *x) {
    buf_free(&x->rows);
}
