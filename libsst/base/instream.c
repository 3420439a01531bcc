/* A file or pipe, read forwards. Compressed content is found by its first bytes and goes through libarchive's raw
 * format; only filters that run inside this process are enabled, because "all" includes some that start programs.
 *
 * Content that was peeked at, or read while looking for a magic, waits in `peeked` and is handed out first. */
#include "base/instream.h"

#include "base/fs.h"
#include "base/stop.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEEK_MAX_BYTES = 65536, MAGIC_MAX_BYTES = 16, FILE_BLOCK_BYTES = 256 * 1024 };

struct instream {
    int fd;
    bool own_fd, regular;
    char *path;
    const struct stop *stop;
    uint64_t taken; /* bytes read from fd; read by other threads for progress */
    uint64_t given; /* bytes of content read, peeked ones included */
    struct archive *archive;
    const char *kind; /* of compression, NULL = none */
    struct err callback_err;
    size_t head_n; /* bytes of `block` that were read before libarchive took over */
    uint8_t *block; /* what libarchive is given */
    uint8_t *peeked;
    size_t peeked_at, peeked_n;
};

struct magic {
    const char *kind;
    const char *bytes;
    size_t n;
};

static const char *compression_of(struct bytes head) {
    static const struct magic magics[] = {
        {"gzip", "\x1f\x8b\x08", 3},          {"bzip2", "BZh", 3},
        {"xz", "\xfd\x37zXZ\0", 6},           {"zstd", "\x28\xb5\x2f\xfd", 4},
        {"lz4", "\x04\x22\x4d\x18", 4},       {"lz4", "\x02\x21\x4c\x18", 4},
    };
    for (size_t i = 0; i < countof(magics); i++) {
        const struct magic *m = &magics[i];
        if (head.n < m->n || memcmp(head.p, m->bytes, m->n)) continue;
        /* Three letters are too little: a text may begin with them. */
        if (m->bytes[0] == 'B' && (head.n < 10 || (memcmp(head.p + 4, "1AY&SY", 6) && memcmp(head.p + 4, "\x17rE8P\x90", 6))))
            continue;
        return m->kind;
    }
    return NULL;
}

/* Bytes of the file itself. */
static ssize_t read_file(struct instream *s, void *p, size_t n, struct err *err) {
    for (;;) {
        if (!s->regular && stop_wait_readable(s->stop, s->fd, err)) return -1;
        ssize_t r = read(s->fd, p, n);
        if (r >= 0) {
            __atomic_store_n(&s->taken, s->taken + (uint64_t)r, __ATOMIC_RELAXED);
            return r;
        }
        if (errno == EINTR || (errno == EAGAIN && !s->regular)) continue;
        return err_sys(err, ERR_INPUT, errno, "%s: cannot read at byte %llu", s->path, (unsigned long long)s->taken);
    }
}

static la_ssize_t archive_block(struct archive *a, void *arg, const void **block) {
    struct instream *s = arg;
    *block = s->block;
    if (s->head_n) {
        la_ssize_t n = (la_ssize_t)s->head_n;
        s->head_n = 0;
        return n;
    }
    ssize_t n = read_file(s, s->block, FILE_BLOCK_BYTES, &s->callback_err);
    if (n < 0) archive_set_error(a, EIO, "read failed");
    return n;
}

static int damaged(struct instream *s, struct err *err) {
    if (s->callback_err.code != ERR_NONE) {
        err_keep(err, &s->callback_err);
        return -1;
    }
    const char *why = archive_error_string(s->archive);
    return err_set(err, ERR_INPUT, "%s: damaged or truncated %s data near byte %lld (%llu bytes of content came out): %s",
                   s->path, s->kind, (long long)archive_filter_bytes(s->archive, -1), (unsigned long long)s->given,
                   why ? why : "no detail");
}

static int start_filters(struct instream *s, struct err *err) {
    struct archive *a = s->archive = archive_read_new();
    if (!a) return err_nomem(err, 0, "decompression");
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_filter_lz4(a);
    archive_read_support_format_raw(a);
    archive_read_support_format_empty(a);
    struct archive_entry *entry;
    if (archive_read_open(a, s, NULL, archive_block, NULL) != ARCHIVE_OK) return damaged(s, err);
    int rc = archive_read_next_header(a, &entry);
    if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF) return damaged(s, err);
    return 0;
}

/* Content, behind what was peeked. */
static ssize_t read_content(struct instream *s, void *p, size_t n, struct err *err) {
    ssize_t r = s->archive ? archive_read_data(s->archive, p, n) : read_file(s, p, n, err);
    if (r < 0) return s->archive ? damaged(s, err) : -1;
    s->given += (uint64_t)r;
    return r;
}

/* Reads enough of the file to know what it is. */
static int look(struct instream *s, struct err *err) {
    size_t n = 0;
    for (ssize_t r = 1; n < MAGIC_MAX_BYTES && r > 0; n += (size_t)r)
        if ((r = read_file(s, s->block + n, PEEK_MAX_BYTES - n, err)) < 0) return -1;
    s->kind = compression_of(bytes_of(s->block, n));
    if (s->kind) {
        s->head_n = n;
        return start_filters(s, err);
    }
    memcpy(s->peeked, s->block, n);
    s->peeked_n = n;
    s->given = n;
    return 0;
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

struct instream *instream_open(const char *path, const struct stop *stop, struct err *err) {
    struct instream *s = calloc(1, sizeof *s);
    if (!s) return err_nomem(err, sizeof *s, "an input"), NULL;
    s->fd = -1;
    s->stop = stop;
    if (!(s->path = fs_printf(err, "%s", path)) || open_fd(s, err)) goto fail;
    s->peeked = malloc(PEEK_MAX_BYTES);
    s->block = malloc(FILE_BLOCK_BYTES);
    if (!s->peeked || !s->block) {
        err_nomem(err, PEEK_MAX_BYTES + FILE_BLOCK_BYTES, path);
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

bool instream_is_compressed(const struct instream *s) {
    return s->kind != NULL;
}

const char *instream_path(const struct instream *s) {
    return s->path;
}

void instream_close(struct instream *s) {
    if (!s) return;
    if (s->archive) archive_read_free(s->archive);
    if (s->own_fd) close(s->fd);
    free(s->block);
    free(s->peeked);
    free(s->path);
    free(s);
}
