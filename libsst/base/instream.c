/* A file or pipe, read forwards; compressed content is found by its first bytes. Content that was peeked at, or read while
 * looking for a magic, waits in `peeked` and is handed out first. */
#include "base/instream.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEEK_MAX_BYTES = 65536 };

struct instream {
    int fd;
    bool own_fd, regular;
    char *path;
    const struct stop *stop;
    size_t memory_bytes;
    uint64_t taken;       /* bytes read from fd; read by other threads for progress */
    struct file_sum *sum; /* of those bytes */
    bool compressed;
    struct unpack *unpack; /* until the end of compressed content */
    uint8_t *peeked;
    size_t peeked_at, peeked_n;
};

/* Bytes of the file itself. */
static ssize_t read_file(struct instream *s, void *p, size_t n, struct err *err) {
    for (;;) {
        if (!s->regular && stop_wait_readable(s->stop, s->fd, err)) return -1;
        ssize_t r = read(s->fd, p, n);
        if (r >= 0) {
            file_sum_add(s->sum, p, (size_t)r);
            __atomic_store_n(&s->taken, s->taken + (uint64_t)r, __ATOMIC_RELAXED);
            return r;
        }
        if (errno == EINTR || (errno == EAGAIN && !s->regular)) continue;
        return err_sys(err, ERR_INPUT, errno, "%s: cannot read at byte %llu", s->path, (unsigned long long)s->taken);
    }
}

static ssize_t read_packed(void *arg, uint8_t *p, size_t n, struct err *err) {
    return read_file(arg, p, n, err);
}

/* Content, behind what was peeked. An input waits open for its last records to be parsed, while the next one is read: the
 * window must be gone by then. */
static ssize_t read_content(struct instream *s, void *p, size_t n, struct err *err) {
    if (!s->compressed) return read_file(s, p, n, err);
    if (!s->unpack) return 0;
    ssize_t r = unpack_read(s->unpack, p, n, err);
    if (r) return r;
    unpack_close(s->unpack);
    s->unpack = NULL;
    return 0;
}

/* Reads enough of the file to know what it is. */
static int look(struct instream *s, struct err *err) {
    for (ssize_t r = 1; s->peeked_n < UNPACK_MAGIC_BYTES && r > 0; s->peeked_n += (size_t)r)
        if ((r = read_file(s, s->peeked + s->peeked_n, PEEK_MAX_BYTES - s->peeked_n, err)) < 0) return -1;
    struct bytes head = {s->peeked, s->peeked_n};
    const char *kind = unpack_kind(head);
    if (!kind) return 0;
    struct unpack_from from = {.read = read_packed, .arg = s, .path = s->path, .memory_bytes = s->memory_bytes};
    s->peeked_n = 0;
    s->compressed = true;
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
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_INPUT, "%s: is a directory, a file is needed", s->path);
    s->regular = S_ISREG(st.st_mode);
    if (s->regular) posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return 0;
}

struct instream *instream_open(const char *path, const struct stop *stop, size_t memory_bytes, struct err *err) {
    struct instream *s = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "an input"), NULL;
    s->fd = -1;
    s->stop = stop;
    s->memory_bytes = memory_bytes;
    if (!(s->path = fs_printf(err, "%s", path)) || !(s->sum = file_sum_new(err)) || open_fd(s, err)) goto fail;
    if (!(s->peeked = malloc(PEEK_MAX_BYTES))) {
        err_nomem(err, PEEK_MAX_BYTES, path);
        goto fail;
    }
    if (look(s, err)) goto fail;
    return s;
fail:
    instream_close(s);
    return NULL;
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
    file_sum_hex(s->sum, hex);
}

bool instream_is_compressed(const struct instream *s) {
    return s->compressed;
}

const char *instream_path(const struct instream *s) {
    return s->path;
}

void instream_close(struct instream *s) {
    if (!s) return;
    unpack_close(s->unpack);
    if (s->own_fd) close(s->fd);
    free(s->peeked);
    file_sum_free(s->sum);
    free(s->path);
    free(s);
}
