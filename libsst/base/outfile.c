/* Output files are written through one buffer each, hashed there, and sent to the disk some megabytes at a time. A file waits
 * for a disk that is slower: the last fsync finds little left to do, and progress shows what the disk has, not what the kernel
 * still keeps. Temporary files never have a name where the file system allows it. All of them count into the quota. */
#include "base/outfile.h"
#include "base/size_text.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    OUT_BUFFER_BYTES = 128 * 1024,
    WRITEBACK_BYTES = 8 << 20, /* the disk begins with so many at a time, not with everything at the end */
    UNWRITTEN_BYTES = 16 << 20 /* of a file that the disk need not have while the next ones are sent */
};

struct file_sum {
    XXH3_state_t state;
};

/* The second buffer of a file. A task writes it, or the writer itself, when the next one is full. */
struct background {
    pthread_mutex_t lock;
    uint8_t *p;
    size_t n; /* 0: nothing to write */
    struct err err;
    uint8_t buf[OUT_BUFFER_BYTES];
};

struct outfile {
    int fd; /* -1: see sink */
    struct outfile_sink sink;
    bool finished;
    bool is_named; /* path is a file that we have made */
    char *path;
    struct disk_quota *quota;
    struct file_sum *sum;
    uint64_t sent, unsent, waited; /* bytes that were to be written back, that were not yet, and that the disk has */
    uint64_t size, taken;          /* of which the quota counts so many */
    struct background *background; /* NULL: buffers are written at once */
    uint8_t *p;                    /* the buffer that is filled */
    size_t n;
    uint8_t buf[OUT_BUFFER_BYTES];
};

int disk_quota_take(struct disk_quota *q, uint64_t bytes, struct err *err) {
    if (!q) return 0;
    uint64_t used = __atomic_add_fetch(&q->used_bytes, bytes, __ATOMIC_RELAXED);
    uint64_t peak = __atomic_load_n(&q->peak_bytes, __ATOMIC_RELAXED);
    while (used > peak && !__atomic_compare_exchange_n(&q->peak_bytes, &peak, used, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (!q->limit_bytes || used <= q->limit_bytes) return 0;
    __atomic_sub_fetch(&q->used_bytes, bytes, __ATOMIC_RELAXED);
    return err_set(err, ERR_LIMIT, "--disk-limit %s is reached (temporary files and output together)",
                   size_text(q->limit_bytes, (char[SIZE_TEXT]){0}));
}

void disk_quota_give(struct disk_quota *q, uint64_t bytes) {
    if (q) __atomic_sub_fetch(&q->used_bytes, bytes, __ATOMIC_RELAXED);
}

void disk_quota_expect_temp(struct disk_quota *q, uint64_t bytes) {
    if (q) __atomic_add_fetch(&q->temp_bytes, bytes, __ATOMIC_RELAXED);
}

void disk_quota_temp_failed(struct disk_quota *q, const struct err *err) {
    if (q && (err->sys == ENOSPC || err->sys == EDQUOT)) __atomic_store_n(&q->temp_full, true, __ATOMIC_RELAXED);
}

struct file_sum *file_sum_new(struct err *err) {
    void *p = NULL;
    if (posix_memalign(&p, 64, sizeof(struct file_sum))) {
        err_nomem(err, sizeof(struct file_sum), "a file checksum");
        return NULL;
    }
    struct file_sum *s = p;
    memset(s, 0, sizeof *s);
    XXH3_64bits_reset(&s->state);
    return s;
}

void file_sum_add(struct file_sum *s, const void *p, size_t n) {
    XXH3_64bits_update(&s->state, p, n);
}

void file_sum_hex(const struct file_sum *s, char hex[17]) {
    snprintf(hex, 17, "%016llx", (unsigned long long)XXH3_64bits_digest(&s->state));
}

void file_sum_free(struct file_sum *s) {
    free(s);
}

static int add_piece(void *sum, const void *p, size_t n, struct err *err) {
    (void)err;
    file_sum_add(sum, p, n);
    return 0;
}

int file_sum_of(const char *path, char hex[17], struct err *err) {
    return file_sum_of_part(path, 0, UINT64_MAX, hex, err);
}

int file_sum_of_part(const char *path, uint64_t from, uint64_t bytes, char hex[17], struct err *err) {
    struct file_sum *sum = file_sum_new(err);
    int rc = sum ? fs_read_part(path, from, bytes, add_piece, sum, err) : -1;
    if (!rc) file_sum_hex(sum, hex);
    file_sum_free(sum);
    return rc;
}

/* Takes the descriptor over, also on failure. */
static struct outfile *outfile_new(const char *path, int fd, struct disk_quota *quota, struct err *err) {
    struct outfile *f = malloc(sizeof *f);
    if (!f) {
        err_nomem(err, sizeof *f, "an output file");
        fd_close(fd);
        return NULL;
    }
    memset(f, 0, offsetof(struct outfile, buf));
    f->fd = fd;
    f->quota = quota;
    f->p = f->buf;
    if ((f->path = fs_printf(err, "%s", path)) && (f->sum = file_sum_new(err))) return f;
    outfile_close(f);
    return NULL;
}

struct outfile *outfile_create(const char *path, struct disk_quota *quota, struct err *err) {
    if (remote_name(path)) quota = NULL; /* it is on its way to a server */
    struct outfile *f = outfile_new(path, -1, quota, err);
    if (!f) return NULL;
    f->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    f->is_named = f->fd >= 0;
    if (f->is_named) return f;
    err_sys(err, ERR_OUTPUT, errno, "%s: cannot create", path);
    outfile_close(f);
    return NULL;
}

struct outfile *outfile_of_fd(int fd, const char *name, struct err *err) {
    return outfile_new(name, fd, NULL, err);
}

struct outfile *outfile_of_sink(const struct outfile_sink *sink, const char *name, struct err *err) {
    struct outfile *f = outfile_new(name, -1, NULL, err);
    if (f) f->sink = *sink;
    return f;
}

/* The disk begins with what it was not yet asked to write; the run waits for what was asked for earlier. An error of writing
 * that this wait reports does not come again from fsync: the kernel reports it once. */
static int start_writeback(struct outfile *f, struct err *err) {
    (void)sync_file_range(f->fd, (off_t)f->sent, (off_t)f->unsent, SYNC_FILE_RANGE_WRITE); /* a hint: errors come later */
    f->sent += f->unsent;
    f->unsent = 0;
    if (f->sent < f->waited + UNWRITTEN_BYTES + WRITEBACK_BYTES) return 0;
    off_t from = (off_t)f->waited, n = (off_t)(f->sent - UNWRITTEN_BYTES - f->waited);
    f->waited += (uint64_t)n;
    if (!sync_file_range(f->fd, from, n, SYNC_FILE_RANGE_WAIT_BEFORE)) return 0;
    if (errno != EIO && errno != ENOSPC && errno != EDQUOT) return 0; /* not for such files, or not on this system */
    return err_sys(err, ERR_OUTPUT, errno, "%s: cannot write", f->path);
}

static int write_out(struct outfile *f, const void *p, size_t n, struct err *err) {
    if (disk_quota_take(f->quota, n, err)) return err_prefix(err, "%s", f->path);
    f->taken += n;
    if (f->quota) __atomic_add_fetch(&f->quota->output_bytes, n, __ATOMIC_RELAXED);
    file_sum_add(f->sum, p, n);
    if (f->sink.write) return f->sink.write(f->sink.arg, p, n, err);
    if (fs_write_full(f->fd, p, n, f->path, err)) return -1;
    f->unsent += n;
    return f->unsent < WRITEBACK_BYTES ? 0 : start_writeback(f, err);
}

/* ---- in the background ---- */

static void write_pending(struct outfile *f) {
    struct background *b = f->background;
    pthread_mutex_lock(&b->lock);
    if (b->n && !b->err.code) (void)write_out(f, b->p, b->n, &b->err);
    b->n = 0;
    pthread_mutex_unlock(&b->lock);
}

static int pending_written(struct outfile *f, struct err *err) {
    if (!f->background) return 0;
    write_pending(f);
    err_keep(err, &f->background->err);
    return f->background->err.code ? -1 : 0;
}

/* The full buffer for the one that is written. */
static void hand_over(struct outfile *f) {
    struct background *b = f->background;
    uint8_t *empty = b->p;
    pthread_mutex_lock(&b->lock);
    b->p = f->p;
    b->n = f->n;
    pthread_mutex_unlock(&b->lock);
    f->p = empty;
#pragma omp task default(none) firstprivate(f)
    write_pending(f);
}

static int flush_buffer(struct outfile *f, struct err *err) {
    size_t n = f->n;
    if (pending_written(f, err)) return -1;
    if (n && f->background)
        hand_over(f);
    else if (n && write_out(f, f->p, n, err))
        return -1;
    f->n = 0;
    return 0;
}

static int begin_background(struct outfile *f, struct err *err) {
    struct background *b = malloc(sizeof *b);
    if (!b) return err_nomem(err, sizeof *b, "writing in the background");
    memset(b, 0, offsetof(struct background, buf));
    pthread_mutex_init(&b->lock, NULL);
    b->p = b->buf;
    f->background = b;
    return 0;
}

/* Tasks that found nothing left to do end as well. */
static int end_background(struct outfile *f, struct err *err) {
    int rc = pending_written(f, err);
    struct background *b = f->background;
#pragma omp taskwait
    if (f->p != f->buf) memcpy(f->buf, f->p, f->n);
    f->p = f->buf;
    f->background = NULL;
    pthread_mutex_destroy(&b->lock);
    free(b);
    return rc;
}

/* Discards the pending pieces: the file is removed. */
static void drop_background(struct outfile *f) {
    struct err dropped = {0};
    pthread_mutex_lock(&f->background->lock);
    f->background->n = 0;
    pthread_mutex_unlock(&f->background->lock);
    (void)end_background(f, &dropped);
}

int outfile_in_background(struct outfile *f, bool on, struct err *err) {
    if (on == !!f->background) return 0;
    return on ? begin_background(f, err) : end_background(f, err);
}

/* ---- writing and finishing ---- */

int outfile_write(struct outfile *f, const void *p, size_t n, struct err *err) {
    if (!n) return 0; /* p may be NULL then */
    f->size += n;
    if (n >= OUT_BUFFER_BYTES - f->n) {
        if (flush_buffer(f, err)) return -1;
        if (n >= (f->background ? OUT_BUFFER_BYTES : OUT_BUFFER_BYTES / 2))
            return pending_written(f, err) ? -1 : write_out(f, p, n, err);
    }
    memcpy(f->p + f->n, p, n);
    f->n += n;
    return 0;
}

uint64_t outfile_size(const struct outfile *f) {
    return f->size;
}

const char *outfile_path(const struct outfile *f) {
    return f->path;
}

int outfile_reopen(struct outfile *f, uint64_t *base, struct err *err) {
    *base = 0;
    if (flush_buffer(f, err) || pending_written(f, err)) return -1;
    if (f->sink.reopen) return f->sink.reopen(f->sink.arg, base, err);
    if (f->fd < 0) return err_set(err, ERR_LIMIT, "%s: its index is too large to be held, and cannot be read back", f->path);
    int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? err_sys(err, ERR_OUTPUT, errno, "%s: cannot read back", f->path) : fd;
}

int outfile_finish(struct outfile *f, char checksum_hex[17], struct err *err) {
    if (f->background && end_background(f, err)) return -1;
    if (flush_buffer(f, err) || (f->unsent && start_writeback(f, err))) return -1;
    int fd = f->fd;
    f->fd = -1;
    if (fd >= 0 && close(fd)) return err_sys(err, ERR_OUTPUT, errno, "%s: cannot close", f->path);
    file_sum_hex(f->sum, checksum_hex);
    f->finished = true;
    return 0;
}

void outfile_close(struct outfile *f) {
    if (!f) return;
    if (f->background) drop_background(f);
    fd_close(f->fd);
    if (!f->finished && f->is_named) {
        (void)unlink(f->path); /* what stays lies in a directory that the next run clears */
        disk_quota_give(f->quota, f->taken);
    }
    file_sum_free(f->sum);
    free(f->path);
    free(f);
}

/* ---- temporary files ---- */

/* Makes a temporary file on a file system without O_TMPFILE: a kill between the two calls leaves an empty file. */
static int make_and_unlink(const char *dir, struct err *err) {
    char *path = fs_printf(err, "%s/obkv-temp-XXXXXX", dir);
    if (!path) return -1;
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        err_sys(err, ERR_OUTPUT, errno, "cannot make a temporary file in %s", dir);
    else
        (void)unlink(path); /* what stays is an empty file */
    free(path);
    return fd;
}

int tempfile_nameless(const char *dir, struct err *err) {
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
    return fd < 0 ? make_and_unlink(dir, err) : fd;
}

int tempfile_open(struct tempfile *t, const char *dir, struct disk_quota *quota, struct err *err) {
    *t = (struct tempfile){.fd = -1, .quota = quota};
    if (!dir) return err_set(err, ERR_USAGE, "a temporary file is needed; give --temp-dir");
    t->fd = tempfile_nameless(dir, err);
    return t->fd < 0 ? -1 : 0;
}

int tempfile_append(struct tempfile *t, const void *p, size_t n, struct err *err) {
    if (disk_quota_take(t->quota, n, err)) return -1;
    t->bytes += n;
    disk_quota_expect_temp(t->quota, n);
    if (!fs_write_full(t->fd, p, n, "temporary file", err)) return 0;
    disk_quota_temp_failed(t->quota, err);
    return -1;
}

void tempfile_close(struct tempfile *t) {
    fd_close(t->fd);
    disk_quota_give(t->quota, t->bytes);
    *t = (struct tempfile){.fd = -1};
}
