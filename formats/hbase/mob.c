/* The values of MOB references, out of the MOB files of a table.
 *
 * Values are found through the file's index by cursors that stay open; a caller that asks in the order of rows reads each file
 * about once. One lock guards the list of cursors, none is held while a file is read. */
#include "formats/hbase/mob.h"
#include "formats/hbase/mob_files.h"

#include "base/bytes.h"
#include "base/fs.h"
#include "base/buf.h"
#include "cell/cell.h"
#include "formats/hbase/names.h"
#include "hfile/hfile_open.h"
#include "hfile/hfile_reader.h"
#include "hfile/hfile_keys.h"
#include "hfile/hfile_scan.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

/* ---- values ---- */

enum { MAX_FILES_DEFAULT = 16, MEMORY_DEFAULT = 32 << 20, PARTS_PASSED_MAX = 4 };

/* A file and a place in it. One thread at a time uses it; the same file may be open several times. */
struct mob_cursor {
    char *name, *path;
    uint32_t family;
    struct hfile *file;
    struct source *scan; /* NULL: the next cell is to be sought */
    struct buf start;    /* the row that scan began at, which it keeps looking at */
    struct row_part part;
    bool has_part;
    bool busy;
    uint64_t used; /* when, by the resolver's clock */
    size_t memory;
};

struct mob_resolver {
    const struct store_files *stores;
    struct mob_opts o;
    pthread_mutex_t lock; /* of all below, but not of what busy cursors hold */
    struct mob_cursor **cursors;
    size_t n;
    uint64_t clock;
    size_t memory;
    void *paths; /* of all files that were opened, a tree of tsearch(): known to o.opens */
    size_t paths_bytes;
};

/* The value that is asked for, and the cell that refers to it. */
struct mob_wanted {
    const struct row_part *part;
    const struct cell *cell;
    struct mob_reference ref;
    uint32_t family;
    bool brief; /* an error does not say what to do */
};

/* ---- errors ---- */

static int name_cell(const struct row_part *part, const struct cell *c, struct err *err) {
    char row[KEY_TEXT_BYTES], qualifier[KEY_TEXT_BYTES];
    return err_prefix(err, "value of row %s, qualifier %s, timestamp %lld", key_text_hex(part->row, row),
                      key_text_hex(c->qualifier, qualifier), (long long)c->ts_ms);
}

/* ---- cursors ---- */

static void free_cursor(struct mob_cursor *c) {
    source_close(c->scan);
    hfile_close(c->file);
    buf_free(&c->start);
    free(c->name);
    free(c->path);
    free(c);
}

/* Closes a cursor, with the lock. */
static void drop_cursor(struct mob_resolver *m, size_t i) {
    m->memory -= m->cursors[i]->memory;
    free_cursor(m->cursors[i]);
    m->cursors[i] = m->cursors[--m->n];
}

/* Closes, with the lock, the cursor that was not used for longest. false: all are in use. */
static bool drop_oldest(struct mob_resolver *m) {
    size_t oldest = m->n;
    for (size_t i = 0; i < m->n; i++)
        if (!m->cursors[i]->busy && (oldest == m->n || m->cursors[i]->used < m->cursors[oldest]->used)) oldest = i;
    if (oldest == m->n) return false;
    drop_cursor(m, oldest);
    return true;
}

/* Returns whether the cursor has passed the wanted cell. */
static bool is_past(const struct mob_cursor *c, const struct mob_wanted *w) {
    if (!c->scan || !c->has_part) return true;
    int order = bytes_cmp(c->part.row, w->part->row);
    return order ? order > 0 : cell_key_cmp(&c->part.cells[0], w->cell) > 0;
}

/* Returns, with the lock, an idle cursor of the file; of several the one that is closest before the cell. */
static struct mob_cursor *pick_cursor(struct mob_resolver *m, const struct mob_wanted *w) {
    struct mob_cursor *best = NULL;
    for (size_t i = 0; i < m->n; i++) {
        struct mob_cursor *c = m->cursors[i];
        if (c->busy || c->family != w->family || !bytes_eq(bytes_str(c->name), w->ref.file)) continue;
        if (best && is_past(c, w)) continue;
        if (!best || is_past(best, w) || bytes_cmp(best->part.row, c->part.row) < 0) best = c;
    }
    return best;
}

/* Returns, with the lock, a place for one more cursor, in use. */
static struct mob_cursor *add_cursor(struct mob_resolver *m, const struct mob_wanted *w, struct err *err) {
    while (m->n >= m->o.max_files && drop_oldest(m)) continue;
    if (grow_array(&m->cursors, m->n, sizeof(struct mob_cursor *), "open mob files", err)) return NULL;
    struct mob_cursor *c = calloc(1, sizeof *c);
    if (!c) {
        err_nomem(err, sizeof *c, "an open mob file");
        return NULL;
    }
    c->name = fs_printf(err, "%.*s", (int)w->ref.file.n, (const char *)w->ref.file.p);
    if (!c->name) {
        free(c);
        return NULL;
    }
    c->family = w->family;
    c->busy = true;
    return m->cursors[m->n++] = c;
}

static struct mob_cursor *take_cursor(struct mob_resolver *m, const struct mob_wanted *w, struct err *err) {
    pthread_mutex_lock(&m->lock);
    struct mob_cursor *c = pick_cursor(m, w);
    if (c)
        c->busy = true;
    else
        c = add_cursor(m, w, err);
    pthread_mutex_unlock(&m->lock);
    return c;
}

/* keep: it is as good as before. */
static void give_back(struct mob_resolver *m, struct mob_cursor *c, bool keep) {
    pthread_mutex_lock(&m->lock);
    c->busy = false;
    c->used = ++m->clock;
    size_t memory = keep ? hfile_scan_memory(c->file) : 0;
    m->memory += memory - c->memory;
    c->memory = memory;
    for (size_t i = 0; i < m->n && !keep; i++) {
        if (m->cursors[i] != c) continue;
        drop_cursor(m, i);
        break;
    }
    while (m->memory > m->o.memory_bytes - m->paths_bytes && drop_oldest(m)) continue;
    pthread_mutex_unlock(&m->lock);
}

/* ---- reading ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Reports each path once, before it is opened. Paths are remembered in the memory of open files, at most in half of it. */
static int tell_opening(struct mob_resolver *m, const char *path, struct err *err) {
    enum { ENTRY_BYTES = 128 };
    size_t n = strlen(path) + ENTRY_BYTES;
    int rc = 0;
    pthread_mutex_lock(&m->lock);
    if (m->o.opens && !tfind(path, &m->paths, by_text)) {
        char *own = fs_printf(err, "%s", path);
        bool known = own && tsearch(own, &m->paths, by_text);
        if (known && m->paths_bytes + n <= m->o.memory_bytes / 2) m->paths_bytes += n;
        rc = known ? m->o.opens(m->o.arg, own, err) : err_nomem(err, n, "the list of mob files");
        if (!known) free(own);
    }
    pthread_mutex_unlock(&m->lock);
    return rc;
}

static int open_file(struct mob_resolver *m, struct mob_cursor *c, const struct mob_wanted *w, struct err *err) {
    if (c->file) return 0;
    int there = mob_files_find(m->stores, &w->ref, w->family, &c->path, err);
    if (there == 0) (void)mob_files_missing(m->stores, &w->ref, w->family, w->brief, err);
    if (there == 1 && !tell_opening(m, c->path, err)) c->file = hfile_open(c->path, m->o.max_block_bytes, err);
    return c->file ? 0 : -1;
}

static int seek_row(struct mob_cursor *c, const struct mob_wanted *w, struct err *err) {
    source_close(c->scan);
    c->scan = NULL;
    c->has_part = false;
    c->start.n = 0;
    if (buf_put(&c->start, w->part->row.p, w->part->row.n, err)) return -1;
    struct hfile_scan_opts o = {.start_row = buf_bytes(&c->start)};
    c->scan = hfile_scan_open(c->file, &o, err);
    return c->scan ? 0 : -1;
}

/* Takes the next part of a scan. 1 c->part is the next, 0 end (the scan is closed), -1 error. */
static int next_part(struct mob_cursor *c, struct err *err) {
    int rc = source_next(c->scan, &c->part, err);
    c->has_part = rc == 1;
    if (rc == 1) return 1;
    source_close(c->scan);
    c->scan = NULL;
    return rc;
}

/* The cell with the key wanted, in c->part. Of several the one with the sequence id, else the newest, as HBase takes it. */
static const struct cell *look_up(const struct mob_cursor *c, const struct mob_wanted *w) {
    const struct cell *found = NULL;
    uint32_t lo = 0, hi = c->part.n_cells;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (cell_key_cmp(&c->part.cells[mid], w->cell) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < c->part.n_cells && cell_key_cmp(&c->part.cells[lo], w->cell) == 0; lo++) {
        const struct cell *at = &c->part.cells[lo];
        if (!found || (at->seq == w->cell->seq && found->seq != w->cell->seq)) found = at;
    }
    return found;
}

/* Finds the wanted cell. 1 *out is the cell, 0 none, -1 error. */
static int find_cell(struct mob_cursor *c, const struct mob_wanted *w, const struct cell **out, struct err *err) {
    unsigned passed = 0;
    if (is_past(c, w) && seek_row(c, w, err)) return -1;
    for (;;) {
        int rc = c->has_part ? 1 : next_part(c, err);
        if (rc <= 0) return rc;
        int order = bytes_cmp(c->part.row, w->part->row);
        if (order == 0) {
            *out = look_up(c, w);
            if (*out) return 1;
            if (cell_key_cmp(&c->part.cells[c->part.n_cells - 1], w->cell) > 0) return 0;
        }
        if (order > 0) return 0;
        c->has_part = false;
        if (order < 0 && ++passed == PARTS_PASSED_MAX && seek_row(c, w, err)) return -1;
    }
}

static int read_value(struct mob_cursor *c, const struct mob_wanted *w, struct buf *value, struct err *err) {
    char shown[DISK_NAME_SHOWN_BYTES];
    const struct cell *cell;
    int rc = find_cell(c, w, &cell, err);
    if (rc < 0) return -1;
    if (rc == 0) return err_set(err, ERR_INPUT, "%s: has no such cell", c->path);
    if (!bytes_eq(c->part.family, w->part->family))
        return err_set(err, ERR_INPUT, "%s: holds another family, '%s'", c->path, disk_name_shown(c->part.family, shown));
    if (cell->value.n != w->ref.bytes)
        return err_set(err, ERR_INPUT, "%s: its value has %zu bytes, the reference says %u", c->path, cell->value.n,
                       w->ref.bytes);
    return buf_put(value, cell->value.p, cell->value.n, err);
}

static int resolve_cell(struct mob_resolver *m, struct mob_wanted *w, struct buf *value, struct err *err) {
    if (mob_cell_parse(w->cell, &w->ref, err) || mob_files_family(m->stores, w->part->family, &w->family, err)) return -1;
    struct mob_cursor *c = take_cursor(m, w, err);
    if (!c) return -1;
    int rc = open_file(m, c, w, err);
    if (!rc) rc = read_value(c, w, value, err);
    give_back(m, c, rc == 0);
    return rc;
}

int mob_value_try(struct mob_resolver *m, const struct row_part *part, const struct cell *c, struct buf *value, struct err *err) {
    struct mob_wanted w = {.part = part, .cell = c, .brief = true};
    return resolve_cell(m, &w, value, err);
}

int mob_value(struct mob_resolver *m, const struct row_part *part, const struct cell *c, struct buf *value, struct err *err) {
    struct mob_wanted w = {.part = part, .cell = c};
    return resolve_cell(m, &w, value, err) ? name_cell(part, c, err) : 0;
}

struct mob_resolver *mob_open(const struct store_files *s, const struct mob_opts *o, struct err *err) {
    struct mob_resolver *m = calloc(1, sizeof *m);
    if (!m) {
        err_nomem(err, sizeof *m, "reading mob files");
        return NULL;
    }
    m->stores = s;
    m->o = *o;
    if (!m->o.max_files) m->o.max_files = MAX_FILES_DEFAULT;
    if (!m->o.memory_bytes) m->o.memory_bytes = MEMORY_DEFAULT;
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void mob_close(struct mob_resolver *m) {
    if (!m) return;
    while (m->n) drop_cursor(m, m->n - 1);
    tdestroy(m->paths, free);
    free(m->cursors);
    pthread_mutex_destroy(&m->lock);
    free(m);
}
