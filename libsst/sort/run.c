/* Spill runs: sorted row parts written to a file without a name, read back as sources. Frames of 64 KiB carry a checksum. A run
 * is in one extent of its worker's file, and its space goes back to the file system as soon as its bucket is written. Points, the
 * rows that frames begin with, let several readers share a run. */
#include "sort/run.h"
#include "sort/sorted.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "sort/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAME_HEAD_BYTES = 8 };

struct run_file {
    int fd;
    char *path; /* of a spill file, which has no name, only for messages */
    struct disk_quota *quota;
    uint64_t size, released;
    struct run_frames frames; /* of the extent that is being written */
};

/* ---- frames ---- */

int run_frames_flush(struct run_frames *f, struct err *err) {
    if (f->frame.n <= FRAME_HEAD_BYTES) return 0;
    uint32_t n = (uint32_t)(f->frame.n - FRAME_HEAD_BYTES), crc = crc32c(0, f->frame.p + FRAME_HEAD_BYTES, n);
    memcpy(f->frame.p, &n, 4);
    memcpy(f->frame.p + 4, &crc, 4);
    if (f->write(f->arg, f->frame.p, f->frame.n, err)) return -1;
    f->sum = murmur64a(f->frame.p, FRAME_HEAD_BYTES, f->sum);
    f->bytes += f->frame.n;
    if (n > f->frame_max) f->frame_max = n;
    f->frame.n = FRAME_HEAD_BYTES;
    return 0;
}

int run_frames_put(struct run_frames *f, const struct row_part *part, const struct shape_set *shapes, struct err *err) {
    size_t bound = record_bound(part, shapes);
    if (f->frame.n + bound > RUN_FRAME_BYTES && run_frames_flush(f, err)) return -1;
    if (bound > UINT32_MAX - FRAME_HEAD_BYTES) return err_set(err, ERR_LIMIT, "cells of one row need %zu bytes together", bound);
    if (!f->frame.n && buf_reserve(&f->frame, RUN_FRAME_BYTES, err)) return -1;
    if (!f->frame.n) f->frame.n = FRAME_HEAD_BYTES;
    if (buf_reserve(&f->frame, bound, err)) return -1;
    f->frame.n += record_put(f->frame.p + f->frame.n, part, shapes);
    f->records++;
    return 0;
}

/* ---- a file of them without a name ---- */

static int write_frame(void *arg, const void *p, size_t n, struct err *err) {
    struct run_file *f = arg;
    if (disk_quota_take(f->quota, n, err)) return -1;
    if (fs_pwrite_full(f->fd, p, n, f->size, f->path, err)) {
        disk_quota_give(f->quota, n);
        disk_quota_temp_failed(f->quota, err);
        return -1;
    }
    f->size += n;
    return 0;
}

struct run_file *run_file_new(const char *dir, struct disk_quota *quota, struct err *err) {
    struct run_file *f = calloc(1, sizeof *f);
    if (!f) {
        err_nomem(err, sizeof *f, "a spill file");
        return NULL;
    }
    f->quota = quota;
    f->frames = (struct run_frames){.write = write_frame, .arg = f};
    f->path = fs_printf(err, "a spill file in %s", dir);
    f->fd = f->path ? tempfile_nameless(dir, err) : -1;
    if (f->fd < 0) {
        run_file_free(f);
        return NULL;
    }
    return f;
}

struct run_file *run_file_open(const char *path, struct err *err) {
    struct run_file *f = calloc(1, sizeof *f);
    struct stat st;
    if (!f) {
        err_nomem(err, sizeof *f, "a run");
        return NULL;
    }
    f->path = fs_printf(err, "%s", path);
    f->fd = f->path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (f->path && (f->fd < 0 || fstat(f->fd, &st))) err_sys(err, ERR_INPUT, errno, "%s: cannot open", path);
    if (!err->code) {
        f->size = (uint64_t)st.st_size;
        return f;
    }
    run_file_free(f);
    return NULL;
}

int run_file_read(const struct run_file *f, void *p, size_t n, uint64_t offset, struct err *err) {
    return fs_pread_full(f->fd, p, n, offset, f->path, err);
}

void run_file_free(struct run_file *f) {
    if (!f) return;
    fd_close(f->fd);
    disk_quota_give(f->quota, f->size - f->released);
    buf_free(&f->frames.frame);
    free(f->path);
    free(f);
}

uint64_t run_file_bytes(const struct run_file *f) {
    return f->size;
}

static void free_points(struct run_points *p) {
    free(p->list);
    buf_free(&p->rows);
    *p = (struct run_points){0};
}

/* The row begins a frame at `at`. */
static int add_point(struct run_points *p, uint64_t at, struct bytes row, struct err *err) {
    if (grow_array(&p->list, p->n, sizeof *p->list, "places in a run", err)) return -1;
    p->list[p->n++] = (struct run_point){at, p->rows.n, (uint32_t)row.n};
    return buf_put(&p->rows, row.p, row.n, err);
}

/* Gives back memory that the points do not need; keeps it if there is none for a smaller copy. */
static void give_back_room(struct run_points *p) {
    struct err none = {0};
    struct buf rows = {0};
    if (!p->n) {
        free_points(p);
    } else if (!grow_to(&p->list, p->n, sizeof *p->list, "places in a run", &none) &&
               !buf_copy(&rows, buf_bytes(&p->rows), &none)) {
        buf_free(&p->rows);
        p->rows = rows;
    }
}

void run_points_thin(struct run_points *p) {
    size_t n = 0, rows = 0;
    for (size_t i = 1; i < p->n; i += 2) {
        struct run_point kept = p->list[i];
        memmove(p->rows.p + rows, p->rows.p + kept.row, kept.row_n);
        kept.row = rows;
        rows += kept.row_n;
        p->list[n++] = kept;
    }
    p->n = n;
    p->rows.n = rows;
    give_back_room(p);
}

static int write_parts(struct run_frames *f, struct source *src, const struct shape_set *shapes, uint64_t points_every,
                       struct run_points *points, struct err *err) {
    struct row_part part;
    int more;
    uint64_t next = points_every, before = 0;
    while ((more = source_next(src, &part, err)) == 1) {
        if (run_frames_put(f, &part, shapes, err)) return -1;
        if (f->bytes == before) continue;
        before = f->bytes;
        if (!points_every || before < next || !part.first || part.row.n > RUN_POINT_ROW_BYTES) continue;
        if (add_point(points, before, part.row, err)) return -1;
        next = before + points_every;
    }
    return more < 0 ? -1 : run_frames_flush(f, err);
}

int run_write(struct run_file *f, struct source *src, const struct shape_set *shapes, uint64_t points_every,
              struct run_extent *out, struct err *err) {
    struct run_frames *frames = &f->frames;
    *out = (struct run_extent){.file = f, .offset = f->size};
    frames->frame.n = 0;
    frames->bytes = frames->records = frames->frame_max = 0;
    if (write_parts(frames, src, shapes, points_every, &out->points, err)) {
        free_points(&out->points);
        return -1;
    }
    out->bytes = frames->bytes;
    out->records = frames->records;
    out->frame_max = frames->frame_max;
    return 0;
}

void run_release(struct run_extent *x) {
    struct run_file *f = x->file;
    free_points(&x->points);
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
    uint64_t at;   /* within the extent */
    uint64_t rank; /* of the next cell; 0: as recorded */
    uint64_t sum;  /* of the frames so far */
    uint8_t *frame;
    uint32_t n, i; /* bytes of the frame, and how many are done */
    struct row_span span;
    struct record_cells it;
    struct cell cells[PART_MAX_CELLS];
};

static bool records_are_sound(const struct run_reader *r) {
    for (uint32_t i = 0; i < r->n; i += record_size(r->frame + i))
        if (!record_is_sound(r->frame + i, r->n - i)) return false;
    return r->n > 0;
}

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
    if (r->x->is_foreign && !records_are_sound(r))
        return err_set(err, ERR_INPUT, "%s: spill frame at %llu: its records are damaged", f->path,
                       (unsigned long long)(r->x->offset + r->at));
    r->sum = murmur64a(head, sizeof head, r->sum);
    r->at += FRAME_HEAD_BYTES + r->n;
    r->i = 0;
    return 0;
}

/* Each frame may be sound, and yet of another run. */
static int check_sum(const struct run_reader *r, struct err *err) {
    if (!r->x->is_foreign || r->sum == r->x->sum) return 0;
    return err_set(err, ERR_INPUT, "%s: the run at %llu is another one than was written there", r->x->file->path,
                   (unsigned long long)r->x->offset);
}

/* The next record within the span; 0: there is none. */
static int next_record(struct run_reader *r, const uint8_t **rec, struct err *err) {
    for (;;) {
        if (r->i == r->n) {
            if (r->at == r->x->bytes) return check_sum(r, err);
            if (load_frame(r, err)) return -1;
        }
        *rec = r->frame + r->i;
        if (r->span.stop.p && bytes_cmp(record_row(*rec), r->span.stop) >= 0) return 0;
        r->i += record_size(*rec);
        if (!r->span.start.p || bytes_cmp(record_row(*rec), r->span.start) >= 0) break;
    }
    r->span.start.p = NULL;
    return 1;
}

static int run_next(struct source *base, struct row_part *part, struct err *err) {
    struct run_reader *r = (struct run_reader *)base;
    const uint8_t *rec = NULL;
    int more = next_record(r, &rec, err);
    if (more <= 0) return more;
    record_cells_begin(&r->it, rec, r->shapes);
    uint32_t n = record_cells_take(&r->it, r->cells, PART_MAX_CELLS, SIZE_MAX);
    for (uint32_t i = 0; r->rank && i < n; i++) r->cells[i].rank = r->rank--;
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
    r->rank = x->top_rank;
    r->frame = malloc(x->frame_max ? x->frame_max : 1);
    if (r->frame) return &r->base;
    err_nomem(err, x->frame_max, "a spill frame");
    free(r);
    return NULL;
}

/* Returns where to begin reading for rows from `start` on. */
static uint64_t place_of(const struct run_points *p, struct bytes start) {
    size_t lo = 0, hi = p->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (bytes_cmp(run_point_row(p, mid), start) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? p->list[lo - 1].at : 0;
}

struct source *run_open_rows(const struct run_extent *x, const struct shape_set *shapes, struct bytes family,
                             const struct row_span *span, struct err *err) {
    struct source *src = run_open(x, shapes, family, err);
    struct run_reader *r = (struct run_reader *)src;
    if (!r) return NULL;
    r->span = *span;
    if (span->start.p) r->at = place_of(&x->points, span->start);
    return src;
}
