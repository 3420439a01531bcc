/* HFiles as input: a chunk is a range of blocks, and whoever parses it reads the file by itself. A file that fits one chunk is
 * opened by that thread too, so that many small files are opened side by side. */
#include "formats/format.h"
#include "formats/hfile_stretches.h"
#include "formats/hfile_view.h"
#include "hbase/mob.h"
#include "hbase/store_name.h"
#include "hfile/hfile_reader.h"

#include <pthread.h>
#include <stdlib.h>

enum { DEFAULT_RANGE_BYTES = 1 << 20 };

struct hfile_input {
    struct reader base;
    char *path;
    struct instream *in; /* the unnamed file that the HFile was unpacked to; NULL: it is that at path */
    struct hfile_view view;
    size_t range_bytes, max_block_bytes;
    bool at_once; /* one chunk, opened when it is parsed */
    bool handed_out;
    struct hfile *file;
    struct hfile_range span;
    uint64_t ranges;
    uint64_t passed; /* bytes handed out; read by other threads for progress */
    bool resets_seq;
    uint64_t seq;
    pthread_mutex_t lock;
    struct stretches stretches;
    uint64_t cells;
};

static bool is_part(const struct hfile_input *h) {
    return h->view.start_row.p || h->view.stop_row.p;
}

static int open_file(struct hfile_input *h, struct err *err) {
    int fd = h->in ? instream_file(h->in, err) : -1;
    if (h->in && fd < 0) return -1;
    h->file = h->in ? hfile_open_fd(fd, h->path, h->max_block_bytes, NULL, err) : hfile_open(h->path, h->max_block_bytes, err);
    if (!h->file) return -1;
    bool loaded = h->view.store_file || h->view.seq.named; /* a file on its own that was made for bulk load is not in any store */
    h->resets_seq = loaded && file_seq_resets(h->file, &h->view.seq, &h->seq);
    return h->at_once ? 0 : hfile_row_range(h->file, h->view.start_row, h->view.stop_row, &h->span, err);
}

static int input_next(struct reader *base, struct chunk *c, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    struct hfile_range range = {0};
    buf_clear(&c->data);
    c->line = 0;
    if (h->at_once) {
        if (h->handed_out) return 0;
        range.end = h->view.file_bytes;
    } else {
        if (h->span.offset >= h->span.end) return 0;
        int rc = hfile_range_next(h->file, &h->span.offset, h->range_bytes, &range, err);
        if (rc <= 0) return rc;
    }
    h->handed_out = true;
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

static int note_range(struct hfile_input *h, const struct source *scan, uint64_t number, struct err *err) {
    uint64_t blocks, cells;
    hfile_scan_counts(scan, &blocks, &cells);
    pthread_mutex_lock(&h->lock);
    h->cells += cells;
    int rc = stretches_note(&h->stretches, h->path, scan, number, err);
    pthread_mutex_unlock(&h->lock);
    return rc;
}

/* As hfile_scan counts: from offsets of blocks, one a cell, never back. */
static uint64_t input_positions(const struct reader *base) {
    const struct hfile_info *info = hfile_info(((const struct hfile_input *)base)->file);
    return info->file_bytes + info->cells;
}

static int input_parse(struct reader *base, const struct chunk *c, uint32_t input, struct emit *e, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    if (h->at_once && open_file(h, err)) return -1;
    struct tally tally = {0};
    struct hfile_scan_opts o = {.start_row = h->view.start_row,
                                .stop_row = h->view.stop_row,
                                .tally = &tally,
                                .input = input,
                                .store_file = h->view.store_file,
                                .reset_seq = h->resets_seq,
                                .seq = h->seq};
    if (c->origin) o.rank_top = c->rank_base + input_positions(base);
    if (!h->at_once) o.range = (struct hfile_range){c->offset, c->b};
    if (h->view.mob) o.tally = NULL; /* what is hashed is the value, not the reference */
    struct source *scan = hfile_scan_open(h->file, &o, err);
    struct source *cells = scan && h->view.mob ? mob_source_open(scan, h->view.mob, &tally, err) : scan;
    if (!cells) return -1;
    int rc = emit_cells(cells, &tally, e, err);
    if (!rc && !h->at_once) rc = note_range(h, scan, c->a, err);
    source_close(cells);
    return rc;
}

/* What the ranges of a file add up to; a scan of a whole file checks that by itself. */
static int input_finish(struct reader *base, struct err *err) {
    struct hfile_input *h = (struct hfile_input *)base;
    if (h->at_once) return 0;
    const struct hfile_info *info = hfile_info(h->file);
    if (!stretches_whole(&h->stretches, h->ranges))
        return err_set(err, ERR_INTERNAL, "%s: not all of its %llu block ranges were read", info->path,
                       (unsigned long long)h->ranges);
    if (!is_part(h) && h->cells != info->cells)
        return err_set(err, ERR_INPUT, "%s: its blocks hold %llu cells, its trailer says %llu", info->path,
                       (unsigned long long)h->cells, (unsigned long long)info->cells);
    return 0;
}

static uint64_t input_bytes(const struct reader *base) {
    return __atomic_load_n(&((const struct hfile_input *)base)->passed, __ATOMIC_RELAXED);
}

static void input_close(struct reader *base) {
    struct hfile_input *h = (struct hfile_input *)base;
    stretches_free(&h->stretches);
    hfile_close(h->file);
    instream_close(h->in);
    free(h->path);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* A file that nobody has looked at: its own name may tell a sequence id. */
static struct hfile_view view_by_name(const char *path) {
    const char *slash = strrchr(path, '/');
    struct store_name name = store_name_parse(bytes_str(slash ? slash + 1 : path));
    return (struct hfile_view){.seq = {.named = name.has_seq, .number = name.seq}};
}

static struct reader *open_input(const char *path, struct instream *in, const struct reader_ops *ops, const struct read_opts *o,
                                 struct err *err) {
    struct hfile_input *h = calloc(1, sizeof *h);
    if (!h || !(h->path = strdup(path))) {
        free(h);
        instream_close(in);
        return err_nomem(err, sizeof *h, "a reader"), NULL;
    }
    h->base.ops = ops;
    h->in = in;
    h->view = o->view ? *o->view : view_by_name(path);
    h->range_bytes = o->chunk_bytes ? o->chunk_bytes : DEFAULT_RANGE_BYTES;
    h->max_block_bytes = o->max_block_bytes;
    h->at_once = o->view && o->view->file_bytes <= h->range_bytes;
    pthread_mutex_init(&h->lock, NULL);
    if (h->at_once || open_file(h, err) == 0) return &h->base;
    input_close(&h->base);
    return NULL;
}

struct reader *fmt_hfile_open(const char *path, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = input_next,
                                          .parse = input_parse,
                                          .finish = input_finish,
                                          .input_bytes = input_bytes,
                                          .positions = input_positions,
                                          .close = input_close};
    return open_input(path, NULL, &ops, o, err);
}

/* Of what was unpacked: it cannot be compared by its cells, as an HFile on disk is. */
static void input_checksum(const struct reader *base, char hex[17]) {
    instream_checksum(((const struct hfile_input *)base)->in, hex);
}

static struct reader *input_open(struct instream *in, const struct read_opts *o, struct err *err) {
    static const struct reader_ops ops = {.next = input_next,
                                          .parse = input_parse,
                                          .finish = input_finish,
                                          .input_bytes = input_bytes,
                                          .checksum = input_checksum,
                                          .positions = input_positions,
                                          .close = input_close};
    if (instream_is_temporary(in)) return open_input(instream_path(in), in, &ops, o, err);
    struct reader *r = fmt_hfile_open(instream_path(in), o, err);
    instream_close(in);
    return r;
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
    .name = "hfile", .about = "an HFile, versions 2 and 3", .sniff = input_sniff, .open = input_open, .needs_file = true};
