/* A file, a pipe or a function, read forwards; compressed content is found by its first bytes. Content that was peeked at, or
 * read while looking for a magic, waits in `peeked` and is handed out first. */
#include "base/instream.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "base/remote.h"
#include "base/stop.h"
#include "base/stretch_sum.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEEK_MAX_BYTES = 65536, COPY_BYTES = 256 * 1024 };

struct instream {
    int fd; /* -1: bytes come from a function */
    bool own_fd, regular;
    bool is_remote; /* the bytes of the file come from a server (remote.h) … */
    uint64_t at;    /* … the next ones from here */
    bool in_temp;   /* all was copied to temp, which fd is then */
    struct tempfile temp;
    struct unpack_from from;
    char *path;
    const struct stop *stop;
    size_t memory_bytes;
    uint64_t taken;          /* bytes read from the source; read by other threads for progress */
    struct stretch_sum *sum; /* of those bytes */
    bool compressed;
    struct unpack *unpack; /* until the end of compressed content */
    int (*watch)(void *arg, uint64_t bytes, struct err *err);
    void *watch_arg;
    uint8_t *peeked;
    size_t peeked_at, peeked_n;
};

/* A file system that ends a file before its size (of network or user space, in error) must not make an input shorter. */
static int check_end(const struct instream *s, struct err *err) {
    struct stat st;
    off_t at = lseek(s->fd, 0, SEEK_CUR);
    if (at < 0 || fstat(s->fd, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", s->path);
    if (at >= st.st_size) return 0;
    return err_set(err, ERR_INPUT, "%s: ends at byte %lld, but its size is %lld; check the file system", s->path, (long long)at,
                   (long long)st.st_size);
}

static ssize_t read_fd(struct instream *s, void *p, size_t n, struct err *err) {
    if (s->is_remote) {
        ssize_t r = remote_read(s->path, p, n, s->at, err);
        s->at += r > 0 ? (uint64_t)r : 0;
        return r;
    }
    for (;;) {
        if (!s->regular && stop_wait_readable(s->stop, s->fd, err)) return -1;
        ssize_t r = read(s->fd, p, n);
        if (r == 0 && n && s->regular) return check_end(s, err);
        if (r >= 0) return r;
        if (errno == EINTR || (errno == EAGAIN && !s->regular)) continue;
        return err_sys(err, ERR_INPUT, errno, "%s: cannot read at byte %llu", s->path, (unsigned long long)s->taken);
    }
}

/* Bytes of the source itself. */
static ssize_t read_source(struct instream *s, void *p, size_t n, struct err *err) {
    ssize_t r = s->fd < 0 ? s->from.read(s->from.arg, p, n, err) : read_fd(s, p, n, err);
    if (r <= 0 || s->in_temp) return r;
    stretch_sum_add(s->sum, p, (size_t)r);
    __atomic_store_n(&s->taken, s->taken + (uint64_t)r, __ATOMIC_RELAXED);
    return r;
}

static ssize_t read_packed(void *arg, uint8_t *p, size_t n, struct err *err) {
    return read_source(arg, p, n, err);
}

/* Content, after what was peeked. An input stays open until its last records are parsed, while the next one is read: its window
 * must be released by then. */
static ssize_t read_content(struct instream *s, void *p, size_t n, struct err *err) {
    if (!s->compressed) return read_source(s, p, n, err);
    if (!s->unpack) return 0;
    ssize_t r = unpack_read(s->unpack, p, n, err);
    if (r > 0 && s->watch && s->watch(s->watch_arg, (uint64_t)r, err)) return -1;
    if (r) return r;
    unpack_close(s->unpack);
    s->unpack = NULL;
    return 0;
}

/* The first bytes of what is still to be read: fewer than a magic only at the end. */
static int read_head(struct instream *s, struct err *err) {
    for (ssize_t r = 1; s->peeked_n < UNPACK_MAGIC_BYTES && r > 0; s->peeked_n += (size_t)r)
        if ((r = read_source(s, s->peeked + s->peeked_n, PEEK_MAX_BYTES - s->peeked_n, err)) < 0) return -1;
    return 0;
}

/* Takes n bytes away. 1; 0 = the source ends before; -1. */
static int drop_bytes(struct instream *s, uint64_t n, struct err *err) {
    while (n > s->peeked_n) {
        n -= s->peeked_n;
        ssize_t r = stop_check(s->stop, err) ? -1 : read_source(s, s->peeked, PEEK_MAX_BYTES, err);
        if (r <= 0) return (int)r;
        s->peeked_n = (size_t)r;
    }
    s->peeked_n -= (size_t)n;
    memmove(s->peeked, s->peeked + n, s->peeked_n);
    return 1;
}

/* Frames without content, however long, are passed over up to the first one that says what the stream is. Of one that is cut
 * short the header stays, for its decoder to refuse. *passed: bytes before what s->peeked holds then. */
static int pass_skippable(struct instream *s, uint64_t *passed, struct err *err) {
    uint8_t header[SKIPPABLE_HEADER_BYTES];
    uint64_t n;
    for (*passed = 0; (n = unpack_skippable_bytes(bytes_of(s->peeked, s->peeked_n))); *passed += n) {
        memcpy(header, s->peeked, sizeof header);
        int rc = drop_bytes(s, n, err);
        if (rc < 0 || (rc && read_head(s, err))) return -1;
        if (rc) continue;
        memcpy(s->peeked, header, s->peeked_n = sizeof header);
        return 0;
    }
    return 0;
}

/* Reads enough of the source to know what it is. */
static int detect_compression(struct instream *s, struct err *err) {
    struct unpack_from from = {.read = read_packed, .arg = s, .path = s->path, .memory_bytes = s->memory_bytes};
    if (read_head(s, err)) return -1;
    const char *kind = unpack_kind(bytes_of(s->peeked, s->peeked_n));
    if (!s->peeked_n && unpack_is_named(s->path))
        return err_set(err, ERR_INPUT, "%s: is empty, though its name says that it is compressed: truncated; get it again",
                       s->path);
    if (!kind) return 0;
    if (pass_skippable(s, &from.passed, err)) return -1;
    struct bytes head = {s->peeked, s->peeked_n};
    if (from.passed) kind = unpack_kind_behind(head, kind);
    s->peeked_n = 0;
    s->compressed = true;
    if (!head.n) return 0; /* nothing but frames without content */
    s->unpack = unpack_open(kind, head, &from, err);
    return s->unpack ? 0 : -1;
}

/* O_NONBLOCK keeps the opening of a named pipe without a writer from hanging where no stop request is seen. */
static int open_fd(struct instream *s, struct err *err) {
    if (!strcmp(s->path, "-")) {
        s->fd = STDIN_FILENO;
    } else {
        s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (s->fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", s->path);
        s->own_fd = true;
    }
    struct stat st;
    if (fstat(s->fd, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", s->path);
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_INPUT, "%s: is a directory, but a file is needed", s->path);
    s->regular = S_ISREG(st.st_mode);
    s->is_remote = s->own_fd && remote_is(s->fd, s->path);
    if (s->regular) (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a hint */
    return 0;
}

static struct instream *make_stream(const char *path, size_t memory_bytes, struct err *err) {
    struct instream *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "an input");
        return NULL;
    }
    s->fd = -1;
    s->memory_bytes = memory_bytes;
    if ((s->path = fs_printf(err, "%s", path)) && (s->sum = stretch_sum_new(err))) {
        if ((s->peeked = malloc(PEEK_MAX_BYTES))) return s;
        err_nomem(err, PEEK_MAX_BYTES, path);
    }
    instream_close(s);
    return NULL;
}

struct instream *instream_open(const char *path, const struct stop *stop, size_t memory_bytes, struct err *err) {
    struct instream *s = make_stream(path, memory_bytes, err);
    if (!s) return NULL;
    s->stop = stop;
    if (open_fd(s, err) == 0 && detect_compression(s, err) == 0) return s;
    instream_close(s);
    return NULL;
}

struct instream *instream_over(const struct unpack_from *from, struct err *err) {
    struct instream *s = make_stream(from->path, from->memory_bytes, err);
    if (!s) return NULL;
    s->from = *from;
    if (detect_compression(s, err) == 0) return s;
    instream_close(s);
    return NULL;
}

void instream_watch(struct instream *s, int (*unpacked)(void *arg, uint64_t bytes, struct err *err), void *arg) {
    s->watch = unpacked;
    s->watch_arg = arg;
}

ssize_t instream_read(struct instream *s, void *p, size_t n, struct err *err) {
    size_t left = s->peeked_n - s->peeked_at;
    if (!left || !n) return n ? read_content(s, p, n, err) : 0;
    if (n > left) n = left;
    memcpy(p, s->peeked + s->peeked_at, n);
    s->peeked_at += n;
    return (ssize_t)n;
}

int instream_peek(struct instream *s, size_t n, struct bytes *out, struct err *err) {
    if (n > PEEK_MAX_BYTES) return err_set(err, ERR_INTERNAL, "%s: peek of %zu bytes", s->path, n);
    s->peeked_n -= s->peeked_at;
    memmove(s->peeked, s->peeked + s->peeked_at, s->peeked_n);
    s->peeked_at = 0;
    while (s->peeked_n < n) {
        ssize_t r = read_content(s, s->peeked + s->peeked_n, n - s->peeked_n, err);
        if (r < 0) return -1;
        if (r == 0) break;
        s->peeked_n += (size_t)r;
    }
    *out = bytes_of(s->peeked, s->peeked_n < n ? s->peeked_n : n);
    return 0;
}

uint64_t instream_input_bytes(const struct instream *s) {
    return __atomic_load_n(&s->taken, __ATOMIC_RELAXED);
}

void instream_checksum(const struct instream *s, char hex[17]) {
    stretch_sum_hex(s->sum, hex);
}

void instream_sum_stretches(struct instream *s) {
    stretch_sum_divide(s->sum);
}

void instream_use_threads(struct instream *s, unsigned threads) {
    if (s->unpack) unpack_use_threads(s->unpack, threads);
}

bool instream_is_compressed(const struct instream *s) {
    return s->compressed;
}

bool instream_is_file(const struct instream *s) {
    return s->own_fd && s->regular && !s->compressed;
}

int instream_file(const struct instream *s, struct err *err) {
    if (!instream_is_file(s)) return err_set(err, ERR_INTERNAL, "%s: is not a plain file", s->path);
    int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? err_sys(err, ERR_INPUT, errno, "%s: cannot open again", s->path) : fd;
}

/* Starts again at `begin`. Bytes read before stood at the beginning of the file, and count only where the part begins there. */
int instream_part(struct instream *s, uint64_t begin, uint64_t end, struct err *err) {
    if (!instream_is_file(s) || begin % STRETCH_BYTES) return err_set(err, ERR_INTERNAL, "%s: no part can be read", s->path);
    if (lseek(s->fd, (off_t)begin, SEEK_SET) < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot seek", s->path);
    s->at = begin;
    s->peeked_at = s->peeked_n = 0;
    __atomic_store_n(&s->taken, 0, __ATOMIC_RELAXED);
    stretch_sum_part(s->sum, begin, end);
    return 0;
}

bool instream_is_temporary(const struct instream *s) {
    return s->in_temp;
}

static int copy_rest(struct instream *s, struct tempfile *to, struct err *err) {
    uint8_t *p = malloc(COPY_BYTES);
    ssize_t n = p ? 1 : err_nomem(err, COPY_BYTES, s->path);
    while (n > 0 && (n = stop_check(s->stop, err) ? -1 : instream_read(s, p, COPY_BYTES, err)) > 0)
        if (tempfile_append(to, p, (size_t)n, err)) n = -1;
    free(p);
    if (!n && lseek(to->fd, 0, SEEK_SET) < 0) n = err_sys(err, ERR_OUTPUT, errno, "cannot read a temporary file");
    return n < 0 ? -1 : 0;
}

int instream_to_file(struct instream *s, const char *dir, struct disk_quota *quota, struct err *err) {
    struct tempfile temp;
    if (tempfile_open(&temp, dir, quota, err)) return -1;
    if (copy_rest(s, &temp, err)) {
        tempfile_close(&temp);
        return -1;
    }
    if (s->own_fd) fd_close(s->fd);
    s->own_fd = s->regular = s->in_temp = true;
    s->compressed = s->is_remote = false;
    s->temp = temp;
    s->fd = temp.fd;
    return 0;
}

const char *instream_path(const struct instream *s) {
    return s->path;
}

void instream_close(struct instream *s) {
    if (!s) return;
    unpack_close(s->unpack);
    if (s->in_temp)
        tempfile_close(&s->temp);
    else if (s->own_fd)
        fd_close(s->fd);
    free(s->peeked);
    stretch_sum_free(s->sum);
    free(s->path);
    free(s);
}
