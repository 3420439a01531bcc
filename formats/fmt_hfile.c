/* HFiles as input: a chunk is a range of blocks, and whoever parses it reads the file by itself.
 *
 * Each scan checks the order of its own cells; what lies between two ranges is checked here. Ranges are finished in any order,
 * so finished neighbours are joined into stretches, and only the outer keys of a stretch are kept. At the end there must be
 * one stretch with as many cells as the trailer says. */
#include "cell/keyvalue.h"
#include "formats/format.h"
#include "hfile/hfile_reader.h"

#include <pthread.h>
#include <stdlib.h>

enum { DEFAULT_RANGE_BYTES = 1 << 20 };

/* Ranges [from, to) by number, all finished; keys are empty as long as no cell was seen. */
struct stretch {
    uint64_t from, to;
    struct buf first_key, last_key;
};

struct hfile_input {
    struct reader base;
    struct hfile *file;
    size_t range_bytes;
    uint64_t cursor, ranges;
    uint64_t passed; /* bytes handed out; read by other threads for progress */
    pthread_mutex_t lock;
    struct stretch *stretches; /* ascending, never adjacent */
    size_t n, cap;
    uint64_t cells;
};

static int input_next(struct reader *base, struct chunk *c, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    struct hfile_range range;
    int rc = hfile_range_next(h->file, &h->cursor, h->range_bytes, &range, err);
    if (rc <= 0) return rc;
    buf_clear(&c->data);
    c->line = 0;
    c->offset = range.offset;
    c->a = h->ranges++;
    c->b = range.end;
    __atomic_store_n(&h->passed, range.end, __ATOMIC_RELAXED);
    return 1;
}

static int emit_cells(struct source *scan, struct tally *tally, struct emit *e, struct err *err) {
    for (;;) {
        struct row_part part;
        *tally = (struct tally){0};
        int rc = source_next(scan, &part, err);
        if (rc <= 0) return rc;
        if (e->ops->cells(e, &part, tally, err)) return -1;
    }
}

static int out_of_order(const struct hfile_input *h, const struct stretch *next, struct err *err) {
    return err_set(err, ERR_INPUT, "%s: block range %llu begins with a cell that belongs before the end of the range before it",
                   hfile_info(h->file)->path, (unsigned long long)next->from);
}

/* Adds b, which follows a, to a; b is emptied. */
static int join(struct hfile_input *h, struct stretch *a, struct stretch *b, struct err *err) {
    struct kv_key end, begin;
    if (a->last_key.n && b->first_key.n) {
        if (!kv_key_parse(buf_bytes(&a->last_key), &end) || !kv_key_parse(buf_bytes(&b->first_key), &begin))
            return err_set(err, ERR_INTERNAL, "%s: a scan returned a malformed key", hfile_info(h->file)->path);
        if (kv_key_cmp(&end, &begin) > 0) return out_of_order(h, b, err);
    }
    if (b->last_key.n) {
        if (!a->first_key.n && buf_copy(&a->first_key, buf_bytes(&b->first_key), err)) return -1;
        if (buf_copy(&a->last_key, buf_bytes(&b->last_key), err)) return -1;
    }
    a->to = b->to;
    buf_free(&b->first_key);
    buf_free(&b->last_key);
    return 0;
}

static int insert(struct hfile_input *h, size_t at, const struct stretch *s, struct err *err) {
    if (h->n == h->cap) {
        size_t cap = h->cap ? h->cap * 2 : 8;
        struct stretch *p = reallocarray(h->stretches, cap, sizeof *p);
        if (!p) return err_nomem(err, cap * sizeof *p, "block ranges");
        h->stretches = p;
        h->cap = cap;
    }
    memmove(h->stretches + at + 1, h->stretches + at, (h->n - at) * sizeof *s);
    h->stretches[at] = *s;
    h->n++;
    return 0;
}

static void drop(struct hfile_input *h, size_t at) {
    h->n--;
    memmove(h->stretches + at, h->stretches + at + 1, (h->n - at) * sizeof *h->stretches);
}

/* Takes *s over, joining it with its neighbours where they are there already. */
static int note_stretch(struct hfile_input *h, struct stretch *s, struct err *err) {
    size_t at = h->n;
    while (at && h->stretches[at - 1].from > s->from) at--;
    if (insert(h, at, s, err)) return -1;
    *s = (struct stretch){0};
    struct stretch *all = h->stretches;
    if (at + 1 < h->n && all[at].to == all[at + 1].from) {
        if (join(h, &all[at], &all[at + 1], err)) return -1;
        drop(h, at + 1);
    }
    if (at && all[at - 1].to == all[at].from) {
        if (join(h, &all[at - 1], &all[at], err)) return -1;
        drop(h, at);
    }
    return 0;
}

static int note_range(struct hfile_input *h, const struct source *scan, uint64_t number, struct err *err) {
    struct stretch s = {.from = number, .to = number + 1};
    struct bytes first, last;
    uint64_t blocks, cells;
    hfile_scan_bounds(scan, &first, &last);
    hfile_scan_counts(scan, &blocks, &cells);
    int rc = buf_copy(&s.first_key, first, err) || buf_copy(&s.last_key, last, err) ? -1 : 0;
    if (!rc) {
        pthread_mutex_lock(&h->lock);
        h->cells += cells;
        rc = note_stretch(h, &s, err);
        pthread_mutex_unlock(&h->lock);
    }
    buf_free(&s.first_key);
    buf_free(&s.last_key);
    return rc;
}

static int input_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    struct tally tally = {0};
    struct hfile_scan_opts o = {.range = {c->offset, c->b}, .tally = &tally, .input = input};
    struct source *scan = hfile_scan_open(h->file, &o, err);
    if (!scan) return -1;
    int rc = emit_cells(scan, &tally, e, err);
    if (!rc) rc = note_range(h, scan, c->a, err);
    source_close(scan);
    return rc;
}

static int input_finish(struct reader *base, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    const struct hfile_info *info = hfile_info(h->file);
    bool whole = h->n == 1 && h->stretches[0].from == 0 && h->stretches[0].to == h->ranges;
    if (h->ranges && !whole)
        return err_set(err, ERR_INTERNAL, "%s: not all of its %llu block ranges were read", info->path,
                       (unsigned long long)h->ranges);
    if (h->cells != info->cells)
        return err_set(err, ERR_INPUT, "%s: its blocks hold %llu cells, its trailer says %llu", info->path,
                       (unsigned long long)h->cells, (unsigned long long)info->cells);
    return 0;
}

static uint64_t input_bytes(const struct reader *base) {
    return __atomic_load_n(&((const struct hfile_input *)base)->passed, __ATOMIC_RELAXED);
}

static void input_close(struct reader *base) {
    struct hfile_input *h = (struct hfile_input *)base;
    for (size_t i = 0; i < h->n; i++) {
        buf_free(&h->stretches[i].first_key);
        buf_free(&h->stretches[i].last_key);
    }
    free(h->stretches);
    hfile_close(h->file);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static struct hfile *open_file(const struct instream *in, const struct read_opts *o, struct err *err) {
    const char *path = instream_path(in);
    if (!strcmp(path, "-"))
        return err_set(err, ERR_UNSUPPORTED, "stdin: an HFile is read from its end, so it must be a file on disk"), NULL;
    if (instream_is_compressed(in))
        return err_set(err, ERR_UNSUPPORTED, "%s: is a compressed HFile: unpack it first", path), NULL;
    return hfile_open(path, o->max_block_bytes, err);
}

static struct reader *input_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {
        .next = input_next, .parse = input_parse, .finish = input_finish, .input_bytes = input_bytes, .close = input_close};
    struct hfile_input *h = calloc(1, sizeof *h);
    if (!h) err_nomem(err, sizeof *h, "a reader");
    if (h && !(h->file = open_file(in, o, err))) {
        free(h);
        h = NULL;
    }
    instream_close(in);
    if (!h) return NULL;
    h->base.ops = &ops;
    h->range_bytes = o->chunk_bytes ? o->chunk_bytes : DEFAULT_RANGE_BYTES;
    pthread_mutex_init(&h->lock, NULL);
    return &h->base;
}

/* Files begin with a data block, or, without any, with the first block of the load-on-open section. */
static int input_sniff(struct bytes head, const char *path) {
    static const char magics[][9] = {"DATABLK*", "DATABLKE", "IDXLEAF2", "IDXINTE2", "IDXROOT2",
                                     "BLMFBLK2", "BLMFMET2", "METABLKc", "FILEINF2", "DFBLMET2"};
    size_t n = strlen(path);
    if (head.n < 8 && n >= 6 && !strcmp(path + n - 6, ".hfile")) return 64; /* cut off, not a short text */
    for (size_t i = 0; i < countof(magics); i++)
        if (head.n >= 8 && !memcmp(head.p, magics[i], 8)) return 64;
    return 0;
}

const struct format fmt_hfile = {
    .name = "hfile", .about = "an HFile, versions 2 and 3", .sniff = input_sniff, .open = input_open, .is_text = false};
