/* Test support: random cells of one family in cell order, and writing them as an HFile. The same seed gives the same
 * cells. Rows and qualifiers come from a small alphabet, so that prefixes, neighbours and equal keys are common. */
#ifndef TESTS_RANDOM_CELLS_H
#define TESTS_RANDOM_CELLS_H

#include "base/bytes.h"
#include "base/outfile.h"
#include "cell/cell.h"
#include "hfile/hfile_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct random_cell {
    struct bytes row;
    struct cell cell;
};

struct random_cells {
    struct random_cell *c; /* sorted */
    struct cell *cells;    /* the same cells, for parts */
    size_t n;
    struct bytes family;
    void **owned;
    size_t n_owned;
};

struct random_shape {
    size_t cells, rows; /* about */
    size_t value_max;
    bool tags, seqs, deletes;
};

static uint64_t random_next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static uint8_t *random_alloc(struct random_cells *r, size_t n) {
    uint8_t *p = malloc(n + !n); /* of exact size, for ASan */
    if (!p) exit(99);
    r->owned[r->n_owned++] = p;
    return p;
}

static struct bytes random_word(struct random_cells *r, uint64_t v, size_t least, uint64_t *seed) {
    static const uint8_t letters[] = {0x00, 'a', 'b', 0x7f, 0x80, 0xff};
    size_t n = least + random_next(seed) % 6;
    uint8_t *p = random_alloc(r, n);
    for (size_t i = 0; i < n; i++, v /= 6) p[i] = letters[(v + random_next(seed) % 2) % 6];
    return bytes_of(p, n);
}

static struct bytes random_value(struct random_cells *r, size_t max, uint64_t *seed) {
    size_t n = random_next(seed) % (max + 1);
    uint8_t *p = random_alloc(r, n);
    bool noise = random_next(seed) % 2;
    for (size_t i = 0; i < n; i++) p[i] = noise ? (uint8_t)random_next(seed) : (uint8_t)(i % 37);
    return bytes_of(p, n);
}

static struct bytes random_tags(struct random_cells *r, uint64_t *seed) {
    size_t count = random_next(seed) % 4, n = 0;
    uint8_t *p = random_alloc(r, count * 32);
    for (size_t i = 0; i < count; i++) {
        size_t len = 1 + random_next(seed) % 20;
        put_be16(p + n, (uint16_t)len);
        memset(p + n + 2, (int)(1 + i), len);
        n += 2 + len;
    }
    return bytes_of(p, n);
}

static int random_cmp(const void *a, const void *b) {
    const struct random_cell *x = a, *y = b;
    int c = bytes_cmp(x->row, y->row);
    return c ? c : cell_cmp(&x->cell, &y->cell, TIE_BY_SEQUENCE);
}

static struct random_cells random_cells_make(const struct random_shape *s, uint64_t seed) {
    static const uint8_t deletes[] = {CELL_DELETE, CELL_DELETE_COLUMN, CELL_DELETE_FAMILY, CELL_DELETE_FAMILY_VERSION};
    struct random_cells r = {.n = s->cells, .family = bytes_str("cf")};
    r.c = calloc(s->cells + 1, sizeof *r.c);
    r.cells = calloc(s->cells + 1, sizeof *r.cells);
    r.owned = calloc(s->cells * 4 + s->rows + 1, sizeof *r.owned);
    if (!r.c || !r.cells || !r.owned) exit(99);
    for (size_t i = 0; i < s->cells; i++) {
        uint64_t row_seed = random_next(&seed) % s->rows; /* so that rows repeat */
        struct random_cell *c = &r.c[i];
        c->row = random_word(&r, row_seed * 977, 1, &row_seed);
        c->cell.qualifier = random_word(&r, random_next(&seed), 0, &seed);
        c->cell.value = random_value(&r, s->value_max, &seed);
        if (s->tags) c->cell.tags = random_tags(&r, &seed);
        if (s->seqs) c->cell.seq = random_next(&seed) >> random_next(&seed) % 31;
        c->cell.ts_ms = 1700000000000 + (int64_t)(random_next(&seed) % 5);
        c->cell.type = s->deletes && random_next(&seed) % 5 == 0 ? deletes[random_next(&seed) % 4] : CELL_PUT;
        c->cell.rank = i;
    }
    qsort(r.c, r.n, sizeof *r.c, random_cmp);
    for (size_t i = 0; i < r.n; i++) r.cells[i] = r.c[i].cell;
    return r;
}

static void random_cells_free(struct random_cells *r) {
    for (size_t i = 0; i < r->n_owned; i++) free(r->owned[i]);
    free(r->owned);
    free(r->c);
    free(r->cells);
}

/* Parts of random length. */
static int random_cells_put(const struct random_cells *r, struct hfile_writer *w, uint64_t seed, struct err *err) {
    for (size_t i = 0; i < r->n;) {
        size_t most = 1 + random_next(&seed) % 20, n = 1;
        while (n < most && i + n < r->n && bytes_eq(r->c[i + n].row, r->c[i].row)) n++;
        struct row_part p = {.row = r->c[i].row, .family = r->family, .cells = &r->cells[i], .n_cells = (uint32_t)n};
        p.first = i == 0 || !bytes_eq(r->c[i - 1].row, p.row);
        if (hfile_writer_put(w, &p, err)) return -1;
        i += n;
    }
    return 0;
}

static inline struct hfile_write_opts random_opts(enum hfile_codec codec, uint32_t block_bytes, bool tags, bool mvcc) {
    struct hfile_write_opts o = hfile_write_defaults();
    o.codec = codec;
    o.block_bytes = block_bytes;
    o.tags = tags;
    o.mvcc = mvcc;
    o.obkv = true;
    return o;
}

/* Writes path anew. `stats` without its rows, which go with the writer. 0, or -1 with err. */
static inline int random_cells_write(const struct random_cells *r, const struct hfile_write_opts *o, const char *path,
                                     uint64_t seed, struct hfile_write_stats *stats, struct err *err) {
    char sum[17];
    unlink(path);
    struct outfile *out = outfile_create(path, NULL, err);
    struct hfile_writer *w = out ? hfile_writer_open(o, out, err) : NULL;
    int rc = w ? random_cells_put(r, w, seed, err) : -1;
    if (!rc) rc = hfile_writer_finish(w, stats, err);
    if (!rc) rc = outfile_finish(out, sum, err);
    hfile_writer_close(w);
    outfile_close(out);
    stats->first_row = stats->last_row = (struct bytes){0};
    return rc;
}

static inline void random_path(char *path, size_t n, const char *name) {
    snprintf(path, n, "/tmp/%s.%d.hfile", name, (int)getpid());
}

#endif
