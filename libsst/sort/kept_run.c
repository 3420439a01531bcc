/* Runs that outlive the program: what obkv-import --shards N keeps of a finished shard, until all shards are merged.
 *
 *     shard 1 of 3: sorted partition 17 --put--> w00000.run: ... 16 | 17 | 18 ... --+
 *     shard 2 of 3:                              w00000.run: ... 16 | 17 | 18 ... --+--open, merge--> HFile of partition 17
 *     shard 3 of 3:                              w00000.run: ... 16 | 17 | 18 ... --+
 *
 * Compared with an HFile that is read once and removed, nothing is encoded, no row is written once for each cell, there is no
 * index or bloom filter, and partitions share a file. Cells are counted, but not hashed: frames have checksums, the
 * manifest has a sum of them, and what is merged is compared with what the shards have read. */
#include "sort/kept_run.h"
#include "sort/run.h"
#include "sort/sorted.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"
#include "cell/keyvalue.h"

#include <stdlib.h>
#include <string.h>

static const struct shape_set no_shapes = {0};

/* The last bytes of a run. */
struct kept_run_trailer {
    uint32_t frame_max, crc;
    char magic[8];
};
static const char magic[] = "OBKVRUN1";

/* ---- writing ---- */

struct kept_run {
    struct outfile *out;
    struct run_frames frames;
    struct kept_run_stats stats;
    struct buf first_row, last_row;
};

static int write_frame(void *arg, const void *p, size_t n, struct err *err) {
    struct kept_run *r = arg;
    return outfile_write(r->out, p, n, err);
}

struct kept_run *kept_run_create(struct outfile *out, struct err *err) {
    struct kept_run *r = calloc(1, sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a run");
        return NULL;
    }
    r->out = out;
    r->stats = (struct kept_run_stats){.offset = outfile_size(out), .ts_min = INT64_MAX, .ts_max = -1};
    r->frames = (struct run_frames){.write = write_frame, .arg = r};
    return r;
}

static void count_cells(struct kept_run_stats *s, const struct row_part *part) {
    s->cells += part->n_cells;
    for (uint32_t i = 0; i < part->n_cells; i++) {
        const struct cell *c = &part->cells[i];
        s->kv_bytes += kv_size(part, c, c->tags.n > 0);
        s->deletes += c->type != CELL_PUT;
        if (c->ts_ms < s->ts_min) s->ts_min = c->ts_ms;
        if (c->ts_ms > s->ts_max) s->ts_max = c->ts_ms;
    }
}

int kept_run_put(struct kept_run *r, const struct row_part *given, struct err *err) {
    struct row_part part = *given;
    part.shape = 0;
    if (!r->stats.cells && buf_copy(&r->first_row, part.row, err)) return -1;
    if (part.first && buf_copy(&r->last_row, part.row, err)) return -1;
    count_cells(&r->stats, &part);
    return run_frames_put(&r->frames, &part, &no_shapes, err);
}

int kept_run_finish(struct kept_run *r, struct kept_run_stats *out, struct err *err) {
    if (run_frames_flush(&r->frames, err)) return -1;
    struct kept_run_trailer t = {.frame_max = r->frames.frame_max};
    t.crc = crc32c(0, &t.frame_max, sizeof t.frame_max);
    memcpy(t.magic, magic, sizeof t.magic);
    if (outfile_write(r->out, &t, sizeof t, err)) return -1;
    *out = r->stats;
    out->bytes = outfile_size(r->out) - out->offset;
    out->sum = r->frames.sum;
    out->first_row = buf_bytes(&r->first_row);
    out->last_row = buf_bytes(&r->last_row);
    return 0;
}

void kept_run_free(struct kept_run *r) {
    if (!r) return;
    buf_free(&r->frames.frame);
    buf_free(&r->first_row);
    buf_free(&r->last_row);
    free(r);
}

/* ---- reading ---- */

struct kept_run_source {
    struct source base;
    struct run_file *file;
    struct run_extent extent;
    struct source *run;
};

static int find_extent(struct run_file *f, const struct kept_run_place *at, struct run_extent *out, struct err *err) {
    struct kept_run_trailer t;
    uint64_t size = run_file_bytes(f), end = at->offset + at->bytes;
    if (at->bytes < sizeof t || end > size || end < at->offset)
        return err_set(err, ERR_INPUT, "%s: has %llu bytes, and no run of %llu at %llu", at->path, (unsigned long long)size,
                       (unsigned long long)at->bytes, (unsigned long long)at->offset);
    if (run_file_read(f, &t, sizeof t, end - sizeof t, err)) return -1;
    uint64_t bytes = at->bytes - sizeof t;
    if (memcmp(t.magic, magic, sizeof t.magic) != 0 || crc32c(0, &t.frame_max, sizeof t.frame_max) != t.crc ||
        t.frame_max > bytes)
        return err_set(err, ERR_INPUT, "%s: the %zu bytes before %llu do not end a run", at->path, sizeof t,
                       (unsigned long long)end);
    *out = (struct run_extent){
        .file = f, .offset = at->offset, .bytes = bytes, .frame_max = t.frame_max, .is_foreign = true, .sum = at->sum};
    return 0;
}

static void add_remedy(struct err *err) {
    if (err->code == ERR_INPUT) err_append(err, "; remove the shard to have it made again");
}

static int kept_run_next(struct source *base, struct row_part *part, struct err *err) {
    struct kept_run_source *s = (struct kept_run_source *)base;
    int more = source_next(s->run, part, err);
    if (more < 0) add_remedy(err);
    return more;
}

static void kept_run_close(struct source *base) {
    struct kept_run_source *s = (struct kept_run_source *)base;
    source_close(s->run);
    run_file_free(s->file);
    free(s);
}

static const struct source_ops kept_run_ops = {kept_run_next, kept_run_close};

struct source *kept_run_open(const struct kept_run_place *at, uint32_t input, struct bytes family, struct err *err) {
    struct kept_run_source *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "a run");
        return NULL;
    }
    s->base.ops = &kept_run_ops;
    s->file = run_file_open(at->path, err);
    if (s->file && !find_extent(s->file, at, &s->extent, err)) {
        s->extent.top_rank = rank_of(input, RANK_POSITION_MAX); /* of equal cells, the newest comes first */
        s->run = run_open(&s->extent, &no_shapes, family, err);
    }
    if (s->run) return &s->base;
    add_remedy(err);
    kept_run_close(&s->base);
    return NULL;
}

size_t kept_run_memory(const struct kept_run_place *at) {
    struct err ignored = {0};
    struct run_extent x;
    struct run_file *f = run_file_open(at->path, &ignored);
    bool is = f && !find_extent(f, at, &x, &ignored);
    run_file_free(f);
    return is ? sizeof(struct kept_run_source) + x.frame_max + PART_MAX_CELLS * sizeof(struct cell) : 0;
}

/* ---- files ---- */

static const char ending[] = ".run";

struct kept_run_files {
    const char *dir;
    struct disk_quota *quota;
    uint32_t families;
    size_t n;
    struct outfile *files[]; /* [worker * families + family]; NULL: nothing was written there */
};

bool kept_run_is(const char *path) {
    size_t n = strlen(path), m = sizeof ending - 1;
    return n > m && !strcmp(path + n - m, ending);
}

char *kept_run_file_path(unsigned worker, const char *family, struct err *err) {
    return fs_printf(err, "%s/w%05u%s", family, worker, ending);
}

struct kept_run_files *kept_run_files_new(const char *dir, unsigned workers, uint32_t families, struct disk_quota *quota,
                                          struct err *err) {
    size_t n = (size_t)workers * families;
    struct kept_run_files *l = calloc(1, sizeof *l + n * sizeof(struct outfile *));
    if (!l) {
        err_nomem(err, n * sizeof(struct outfile *), "files of runs");
        return NULL;
    }
    l->dir = dir;
    l->quota = quota;
    l->families = families;
    l->n = n;
    return l;
}

struct outfile *kept_run_file(struct kept_run_files *l, unsigned worker, uint32_t family, const char *name, struct err *err) {
    struct outfile **f = &l->files[(size_t)worker * l->families + family];
    if (*f) return *f;
    char *inner = kept_run_file_path(worker, name, err), *path = inner ? fs_join(l->dir, inner, err) : NULL;
    *f = path ? outfile_create(path, l->quota, err) : NULL;
    free(inner);
    free(path);
    return *f;
}

int kept_run_files_finish(struct kept_run_files *l, struct err *err) {
    char checksum[17];
    for (size_t i = 0; i < l->n; i++)
        if (l->files[i] && outfile_finish(l->files[i], checksum, err)) return -1;
    return 0;
}

void kept_run_files_free(struct kept_run_files *l) {
    for (size_t i = 0; l && i < l->n; i++) outfile_close(l->files[i]);
    free(l);
}
