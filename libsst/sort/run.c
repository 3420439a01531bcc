/* Spill runs: sorted row parts written to a file without a name, read back as sources. Frames of 64 KiB carry a checksum. A run
 * is in one extent of its worker's file, and its space goes back to the file system as soon as its bucket is written. */
#include "sort/sorted.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "sort/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { FRAME_HEAD_BYTES = 8 };

struct run_file {
    int fd;
    char *path; /* for messages: the file has no name */
    struct disk_quota *quota;
    uint64_t size, released;
    struct buf frame;
};

struct run_file *run_file_new(const char *dir, struct disk_quota *quota, struct err *err) {
    struct run_file *f = calloc(1, sizeof *f);
    if (!f) {
        err_nomem(err, sizeof *f, "a spill file");
        return NULL;
    }
    f->quota = quota;
    f->path = fs_printf(err, "a spill file in %s", dir);
    f->fd = f->path ? tempfile_nameless(dir, err) : -1;
    if (f->fd < 0) {
        run_file_free(f);
        return NULL;
    }
    return f;
}

void run_file_free(struct run_file *f) {
    if (!f) return;
    fd_close(f->fd);
    disk_quota_give(f->quota, f->size - f->released);
    buf_free(&f->frame);
    free(f->path);
    free(f);
}

uint64_t run_file_bytes(const struct run_file *f) {
    return f->size;
}

static int flush_frame(struct run_file *f, struct run_extent *x, struct err *err) {
    uint32_t n = (uint32_t)(f->frame.n - FRAME_HEAD_BYTES), crc = crc32c(0, f->frame.p + FRAME_HEAD_BYTES, n);
    if (!n) return 0;
    memcpy(f->frame.p, &n, 4);
    memcpy(f->frame.p + 4, &crc, 4);
    if (disk_quota_take(f->quota, f->frame.n, err)) return -1;
    if (fs_pwrite_full(f->fd, f->frame.p, f->frame.n, f->size, f->path, err)) {
        disk_quota_give(f->quota, f->frame.n);
        disk_quota_temp_failed(f->quota, err);
        return -1;
    }
    f->size += f->frame.n;
    x->bytes += f->frame.n;
    if (n > x->frame_max) x->frame_max = n;
    f->frame.n = FRAME_HEAD_BYTES;
    return 0;
}

static int put_part(struct run_file *f, struct run_extent *x, const struct row_part *part, const struct shape_set *shapes,
                    struct err *err) {
    size_t bound = record_bound(part, shapes);
    if (f->frame.n + bound > RUN_FRAME_BYTES && flush_frame(f, x, err)) return -1;
    if (bound > UINT32_MAX - FRAME_HEAD_BYTES) return err_set(err, ERR_LIMIT, "cells of one row need %zu bytes together", bound);
    if (buf_reserve(&f->frame, bound, err)) return -1;
    f->frame.n += record_put(f->frame.p + f->frame.n, part, shapes);
    x->records++;
    return 0;
}

int run_write(struct run_file *f, struct source *src, const struct shape_set *shapes, struct run_extent *out, struct err *err) {
    *out = (struct run_extent){.file = f, .offset = f->size};
    f->frame.n = 0;
    if (buf_reserve(&f->frame, RUN_FRAME_BYTES, err)) return -1;
    f->frame.n = FRAME_HEAD_BYTES;
    struct row_part part;
    int more;
    while ((more = source_next(src, &part, err)) == 1)
        if (put_part(f, out, &part, shapes, err)) return -1;
    return more < 0 ? -1 : flush_frame(f, out, err);
}

void run_release(struct run_extent *x) {
    struct run_file *f = x->file;
    if (!f || !x->bytes) return;
    uint64_t from = (x->offset + 4095) & ~UINT64_C(4095), to = (x->offset + x->bytes) & ~UINT64_C(4095);
    if (to > from && fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from)) == 0) {
        __atomic_add_fetch(&f->released, to - from, __ATOMIC_RELAXED);
        disk_quota_give(f->quota, to - from);
    }
    x->bytes = 0;
}

struct run_reader {
    struct source base;
    const struct run_extent *x;
    const struct shape_set *shapes;
    struct bytes family;
    uint64_t at; /* within the extent */
    uint8_t *frame;
    uint32_t n, i; /* bytes of the frame, and how many are done */
    struct record_cells it;
    struct cell cells[PART_MAX_CELLS];
};

static int load_frame(struct run_reader *r, struct err *err) {
    const struct run_file *f = r->x->file;
    uint8_t head[FRAME_HEAD_BYTES];
    uint32_t crc;
    if (fs_pread_full(f->fd, head, sizeof head, r->x->offset + r->at, f->path, err)) return -1;
    memcpy(&r->n, head, 4);
    memcpy(&crc, head + 4, 4);
    if (r->n > r->x->frame_max || r->at + FRAME_HEAD_BYTES + r->n > r->x->bytes)
        return err_set(err, ERR_INPUT, "%s: spill frame at %llu is damaged", f->path, (unsigned long long)(r->x->offset + r->at));
    if (fs_pread_full(f->fd, r->frame, r->n, r->x->offset + r->at + FRAME_HEAD_BYTES, f->path, err)) return -1;
    uint32_t found = crc32c(0, r->frame, r->n);
    if (found != crc)
        return err_set(err, ERR_INPUT, "%s: spill frame at %llu: checksum %08x, expected %08x", f->path,
                       (unsigned long long)(r->x->offset + r->at), found, crc);
    r->at += FRAME_HEAD_BYTES + r->n;
    r->i = 0;
    return 0;
}

static int run_next(struct source *base, struct row_part *part, struct err *err) {
    struct run_reader *r = (struct run_reader *)base;
    if (r->i == r->n) {
        if (r->at == r->x->bytes) return 0;
        if (load_frame(r, err)) return -1;
    }
    const uint8_t *rec = r->frame + r->i;
    r->i += record_size(rec);
    record_cells_begin(&r->it, rec, r->shapes);
    uint32_t n = record_cells_take(&r->it, r->cells, PART_MAX_CELLS, SIZE_MAX);
    *part = (struct row_part){.row = record_row(rec),
                              .family = r->family,
                              .cells = r->cells,
                              .n_cells = n,
                              .shape = record_shape(rec),
                              .first = record_first(rec)};
    return 1;
}

static void run_close(struct source *base) {
    struct run_reader *r = (struct run_reader *)base;
    free(r->frame);
    free(r);
}

static const struct source_ops run_ops = {run_next, run_close};

struct source *run_open(const struct run_extent *x, const struct shape_set *shapes, struct bytes family, struct err *err) {
    struct run_reader *r = malloc(sizeof *r);
    if (!r) {
        err_nomem(err, sizeof *r, "a spill reader");
        return NULL;
    }
    memset(r, 0, offsetof(struct run_reader, cells));
    r->base.ops = &run_ops;
    r->x = x;
    r->shapes = shapes;
    r->family = family;
    r->frame = malloc(x->frame_max ? x->frame_max : 1);
    if (r->frame) return &r->base;
    err_nomem(err, x->frame_max, "a spill frame");
    free(r);
    return NULL;
}
