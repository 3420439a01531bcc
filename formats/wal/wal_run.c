/* Chooses among the entries of all logs of a run: by table, by region, and by what the base already holds. A store file holds
 * every edit of its store up to its sequence id. Sequence ids ascend along each row through splits, merges and moves, so an edit
 * is held when the region of the base in which its row is has a larger id for the family, whatever region wrote the edit. */
#include "formats/wal/wal_run.h"

#include "base/warning.h"
#include "cell/keyvalue.h"

#include <stdlib.h>

void wal_run_init(struct wal_run *r) {
    *r = (struct wal_run){0};
    pthread_mutex_init(&r->lock, NULL);
}

void wal_run_free(struct wal_run *r) {
    pthread_mutex_destroy(&r->lock);
    buf_free(&r->only);
    buf_free(&r->others);
    buf_free(&r->bulk_files);
    wal_gaps_free(&r->gaps);
}

/* ---- tables and regions ---- */

/* HBase's own tables: never the ones that are meant. */
static bool is_system(struct bytes table) {
    return (table.n > 6 && !memcmp(table.p, "hbase:", 6)) || bytes_eq(table, bytes_str("master:store"));
}

/* Notes another table, under the lock: for a message, so a few are enough. */
static int note_other(struct wal_run *r, struct bytes table, struct err *err) {
    enum { BYTES_MAX = 200 };
    for (struct bytes rest = buf_bytes(&r->others); rest.n;) {
        const uint8_t *stop = memmem(rest.p, rest.n, ", ", 2);
        const size_t n = stop ? (size_t)(stop - rest.p) : rest.n;
        if (bytes_eq(bytes_of(rest.p, n), table)) return 0;
        rest = stop ? bytes_of(stop + 2, rest.n - n - 2) : (struct bytes){0};
    }
    if (is_system(table) || r->others.n + table.n > BYTES_MAX) return 0;
    return (r->others.n && buf_put(&r->others, ", ", 2, err)) || buf_put(&r->others, table.p, table.n, err) ? -1 : 0;
}

/* Returns whether the table is wanted, under the lock. */
static int wants_table(struct wal_run *r, struct bytes table, struct err *err) {
    if (r->table) return bytes_eq(table, bytes_str(r->table)) ? 1 : note_other(r, table, err);
    if (is_system(table)) return 0;
    if (!r->only.n) return buf_copy(&r->only, table, err) ? -1 : 1;
    if (bytes_eq(buf_bytes(&r->only), table)) return 1;
    return err_set(err, ERR_USAGE, "the logs hold edits of tables %.*s and %.*s; choose one with obkv-import --table",
                   (int)r->only.n, (const char *)r->only.p, (int)(table.n > 200 ? 200 : table.n), (const char *)table.p);
}

static bool wants_region(const struct wal_run *r, struct bytes region) {
    for (size_t i = 0; i < r->n_regions; i++)
        if (bytes_eq(region, bytes_str(r->regions[i]))) return true;
    return !r->n_regions;
}

int wal_run_wants(struct wal_run *r, const struct wal_key *key, struct err *err) {
    pthread_mutex_lock(&r->lock);
    int rc = wants_table(r, key->table, err);
    if (!rc) r->counts.other_tables += key->cells;
    if (rc == 1 && !wants_region(r, key->region)) {
        r->counts.other_regions += key->cells;
        rc = 0;
    }
    pthread_mutex_unlock(&r->lock);
    return rc;
}

/* ---- the base ---- */

static bool contains(const struct wal_base_region *g, struct bytes row) {
    return bytes_cmp(row, g->start) >= 0 && (!g->end.n || bytes_cmp(row, g->end) < 0);
}

/* The last region that begins at or before the row. */
static size_t find_region(const struct wal_base *b, struct bytes row) {
    size_t low = 0, high = b->n_regions;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (bytes_cmp(b->regions[middle].start, row) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool wal_run_holds(const struct wal_run *r, size_t *at, struct bytes row, struct bytes family, uint64_t seq) {
    const struct wal_base *b = r->base;
    if (!b || !b->n_regions) return false;
    if (!contains(&b->regions[*at], row)) *at = find_region(b, row);
    if (!contains(&b->regions[*at], row)) return false;
    for (uint32_t f = 0; f < b->n_families; f++)
        if (bytes_eq(family, bytes_str(b->families[f]))) return seq <= b->regions[*at].seq[f];
    return false;
}

/* ---- missing logs ---- */

void wal_run_begin_log(struct wal_run *r, struct wal_gaps_open *o, const char *path) {
    pthread_mutex_lock(&r->lock);
    wal_gaps_begin(&r->gaps, o, path);
    pthread_mutex_unlock(&r->lock);
}

void wal_run_note(struct wal_run *r, struct wal_gaps_open *o, const struct wal_key *key, const struct kv_key *first) {
    const bool is_marker = wal_is_marker(first->family);
    const enum wal_marker_kind kind = is_marker ? wal_marker_kind(first->qualifier) : WAL_MARKER_OTHER;
    pthread_mutex_lock(&r->lock);
    wal_gaps_note(&r->gaps, o, key->region, is_marker ? bytes_of(NULL, 0) : first->row, key->seq,
                  kind == WAL_MARKER_OPEN    ? WAL_GAPS_OPENS
                  : kind == WAL_MARKER_CLOSE ? WAL_GAPS_CLOSES
                  : is_marker                ? WAL_GAPS_MARKER
                                             : WAL_GAPS_EDIT);
    pthread_mutex_unlock(&r->lock);
}

void wal_run_end_log(struct wal_run *r, struct wal_gaps_open *o, bool damaged) {
    pthread_mutex_lock(&r->lock);
    wal_gaps_end(&r->gaps, o, damaged);
    pthread_mutex_unlock(&r->lock);
}

static bool holds_all(const void *run, struct bytes row, uint64_t seq) {
    const struct wal_run *r = run;
    size_t at = 0;
    for (uint32_t f = 0; r->base && f < r->base->n_families; f++)
        if (wal_run_holds(r, &at, row, bytes_str(r->base->families[f]), seq)) return true;
    return false;
}

size_t wal_run_missing(struct wal_run *r, struct wal_hole *out, size_t most) {
    return wal_gaps_find(&r->gaps, holds_all, r, out, most);
}

/* ---- markers ---- */

struct bulk_load {
    struct wal_run *run;
    const struct wal_key *key;
    struct bytes row; /* of the marker: the start key of its region */
    uint64_t seq;
    struct buf files;
    uint64_t n;
    struct buf *warnings;
};

static int bulk_file(void *arg, struct bytes family, struct bytes name, struct err *err) {
    struct bulk_load *b = arg;
    size_t at = 0;
    if (wal_run_holds(b->run, &at, b->row, family, b->seq)) return 0;
    b->n++;
    if (buf_put(&b->files, b->key->region.p, b->key->region.n, err) || buf_put_byte(&b->files, '/', err) ||
        buf_put(&b->files, family.p, family.n, err) || buf_put_byte(&b->files, '/', err) ||
        buf_put(&b->files, name.p, name.n, err))
        return -1;
    if (buf_put_byte(&b->files, '\n', err)) return -1;
    if (!b->run->passes_bulk_loads || !b->warnings) return 0;
    return warning_add(b->warnings, WARN_BULK_LOADED, 1, err, "%.*s/%.*s/%.*s was bulk-loaded: its cells are in no log",
                       (int)b->key->region.n, (const char *)b->key->region.p, (int)family.n, (const char *)family.p, (int)name.n,
                       (const char *)name.p);
}

/* Takes the files of a bulk load, under the lock. */
static int take_bulk_load(struct wal_run *r, const struct wal_key *key, struct bytes row, struct bytes value,
                          struct buf *warnings, struct err *err) {
    struct bulk_load b = {.run = r, .key = key, .row = row, .warnings = warnings};
    int rc = wal_bulk_load_parse(value, &b.seq, bulk_file, &b, err);
    r->counts.bulk_files += b.n;
    if (!rc && b.n && r->passes_bulk_loads) rc = buf_put(&r->bulk_files, b.files.p, b.files.n, err);
    if (!rc && b.n && !r->passes_bulk_loads) {
        const uint8_t *end = memchr(b.files.p, '\n', b.files.n);
        rc = err_set(err, ERR_UNSUPPORTED,
                     "a bulk load of %llu file%s, whose cells are not in the log (first %.*s); import these HFiles too, and give "
                     "--allow bulk-loaded",
                     (unsigned long long)b.n, b.n == 1 ? "" : "s", (int)(end - b.files.p), (const char *)b.files.p);
    }
    buf_free(&b.files);
    return rc;
}

int wal_run_markers(struct wal_run *r, const struct wal_key *key, struct bytes cells, struct buf *warnings, struct err *err) {
    int rc = 0;
    pthread_mutex_lock(&r->lock);
    while (!rc && cells.n) {
        size_t n = be32(cells.p), key_n = be32(cells.p + 4), value_n = be32(cells.p + 8);
        struct kv_key k;
        if (!kv_key_parse(bytes_of(cells.p + 12, key_n), &k)) {
            rc = err_set(err, ERR_INPUT, "the key of a marker is malformed");
            break;
        }
        enum wal_marker_kind kind = wal_marker_kind(k.qualifier);
        r->counts.markers[kind]++;
        if (kind == WAL_MARKER_BULK_LOAD)
            rc = take_bulk_load(r, key, k.row, bytes_of(cells.p + 12 + key_n, value_n), warnings, err);
        cells = bytes_of(cells.p + 4 + n, cells.n - 4 - n);
    }
    pthread_mutex_unlock(&r->lock);
    return rc;
}
