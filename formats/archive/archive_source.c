/* Gives libarchive the bytes of an archive: of a stream, or a file that can be read at any offset; and limits how much of it may
 * be used up. Archives are made by others: a small one may unpack to anything, and libarchive keeps what it reads between two
 * members in memory, so headers get a limit of their own. */
#include "base/instream.h"
#include "formats/archive/archive_source.h"
#include "formats/archive/archive_zip.h"

#include "base/fd.h"
#include "base/remote.h"
#include "base/fs.h"
#include "base/stop.h"

#include <archive.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- limits ---- */

void archive_use_begin(struct archive_use *u, const struct archive_limits *limits, const char *path) {
    *u = (struct archive_use){.path = path};
    if (limits) u->limits = *limits;
    if (!u->limits.members) u->limits.members = ARCHIVE_MEMBERS_DEFAULT;
    if (!u->limits.bytes) u->limits.bytes = ARCHIVE_BYTES_DEFAULT;
    if (!u->limits.ratio) u->limits.ratio = ARCHIVE_RATIO_DEFAULT;
}

int archive_use_member(struct archive_use *u, struct err *err) {
    if (u->members++ < u->limits.members) return 0;
    return err_set(err, ERR_LIMIT, "%s: has more than %llu members; give a larger --config archive-members=N if this is expected",
                   u->path, (unsigned long long)u->limits.members);
}

int archive_use_bytes(struct archive_use *u, uint64_t unpacked, struct err *err) {
    u->unpacked_bytes += unpacked;
    if (u->unpacked_bytes > u->limits.bytes)
        return err_set(err, ERR_LIMIT,
                       "%s: unpacks to more than %llu bytes; give a larger --config archive-bytes=N if this is "
                       "expected",
                       u->path, (unsigned long long)u->limits.bytes);
    if (u->unpacked_bytes <= ARCHIVE_RATIO_FLOOR_BYTES || u->unpacked_bytes / u->limits.ratio <= u->packed_bytes) return 0;
    return err_set(err, ERR_LIMIT,
                   "%s: %llu bytes of it unpacked to %llu, more than %llu times as many: possibly a decompression bomb; give a "
                   "larger --config archive-ratio=N if this is expected",
                   u->path, (unsigned long long)u->packed_bytes, (unsigned long long)u->unpacked_bytes,
                   (unsigned long long)u->limits.ratio);
}

/* ---- bytes ---- */

int archive_source_open(struct archive_source *s, struct instream *in, bool by_offset, const struct stop *stop,
                        struct archive_use *use, struct err *err) {
    memset(s, 0, offsetof(struct archive_source, block));
    s->in = in;
    s->stop = stop;
    s->use = use;
    s->fd = -1;
    s->unpacks = instream_is_compressed(in);
    if (!by_offset) return 0;
    struct stat st;
    if ((s->fd = instream_file(in, err)) < 0) return -1;
    if (fstat(s->fd, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", instream_path(in));
    s->size = (uint64_t)st.st_size;
    return 0;
}

void archive_source_close(struct archive_source *s) {
    fd_close(s->fd);
    s->fd = -1;
}

/* ---- bytes ---- */

static ssize_t read_at(struct archive_source *s, struct err *err) {
    return remote_read_at(s->fd, s->block, ARCHIVE_BLOCK_BYTES, s->offset, instream_path(s->in), err);
}

static ssize_t next_block(struct archive_source *s, struct err *err) {
    if (stop_check(s->stop, err)) return -1;
    ssize_t r = s->fd >= 0 ? read_at(s, err) : instream_read(s->in, s->block, ARCHIVE_BLOCK_BYTES, err);
    s->n = r > 0 ? (size_t)r : 0;
    s->offset += s->n;
    if (s->outermost) s->use->packed_bytes = instream_input_bytes(s->in);
    if (r > 0 && s->unpacks && archive_use_bytes(s->use, (uint64_t)r, err)) return -1;
    return r;
}

static bool is_padding(const struct archive_source *s, size_t n) {
    return s->passes_zeros && !s->block[0] && !memcmp(s->block, s->block + 1, n - 1);
}

/* tar pads to whole records, whose length its user may choose (-b 16384: 8 MiB). */
static int count_header(struct archive_source *s, size_t n, struct err *err) {
    if (!s->in_header || is_padding(s, n)) return 0;
    if (s->header_left < n)
        return err_set(err, ERR_LIMIT, "%s: a header in it takes more memory than is allowed; raise --memory, or unpack it",
                       instream_path(s->in));
    s->header_left -= n;
    return 0;
}

/* ---- libarchive's side ---- */

static la_ssize_t give_block(struct archive *a, void *arg, const void **block) {
    struct archive_source *s = arg;
    ssize_t r = next_block(s, &s->err);
    if (r > 0 && count_header(s, (size_t)r, &s->err)) r = -1;
    if (r < 0) archive_set_error(a, EIO, "read failed");
    *block = s->block;
    return r;
}

/* Never skips beyond the end: a read there must notice that bytes are missing. */
static la_int64_t skip(struct archive *a, void *arg, la_int64_t request) {
    struct archive_source *s = arg;
    (void)a;
    uint64_t left = s->size > s->offset ? s->size - s->offset : 0;
    uint64_t n = (uint64_t)request < left ? (uint64_t)request : left;
    s->offset += n;
    return (la_int64_t)n;
}

static la_int64_t seek(struct archive *a, void *arg, la_int64_t offset, int whence) {
    struct archive_source *s = arg;
    int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (int64_t)s->offset : (int64_t)s->size, to;
    if (__builtin_add_overflow(from, offset, &to) || to < 0) {
        archive_set_error(a, EINVAL, "an offset outside the file");
        return ARCHIVE_FATAL;
    }
    s->offset = (uint64_t)to;
    return to;
}

int archive_source_attach(struct archive_source *s, struct archive *a) {
    int rc = ARCHIVE_OK;
    if (s->fd >= 0) rc = archive_read_set_skip_callback(a, skip);
    if (s->fd >= 0 && !rc) rc = archive_read_set_seek_callback(a, seek);
    if (!rc) rc = archive_read_set_read_callback(a, give_block);
    if (!rc) rc = archive_read_set_callback_data(a, s);
    return rc ? rc : archive_read_open1(a);
}

void archive_source_header(struct archive_source *s, uint64_t most) {
    s->in_header = true;
    s->header_left = most;
}

void archive_source_content(struct archive_source *s) {
    s->in_header = false;
}

static bool all_zeros(struct bytes b) {
    size_t i = 0;
    while (i < b.n && !b.p[i]) i++;
    return i == b.n;
}

int archive_source_end(struct archive_source *s, uint64_t end, struct err *err) {
    uint64_t behind = s->offset > end ? s->offset - end : 0;
    size_t n = behind < s->n ? (size_t)behind : s->n;
    struct bytes rest = {s->block + s->n - n, n};
    while (all_zeros(rest)) {
        if (next_block(s, err) < 0) return -1;
        if (!s->n) return 0;
        rest = bytes_of(s->block, s->n);
    }
    return err_set(err, ERR_INPUT, "%s: bytes that do not belong to it follow the archive", instream_path(s->in));
}

/* The directory began at the earliest in the last block that was given. */
int archive_source_end_of_zip(struct archive_source *s, struct err *err) {
    enum { END_MAGIC = 0x504b0506, MAGIC_BYTES = 4 };
    uint8_t end[ZIP_END_BYTES];
    size_t n = 0; /* of end */
    uint32_t last = 0;
    uint64_t at = 0;
    while (s->n) {
        for (size_t i = 0; i < s->n; i++) {
            last = last << 8 | s->block[i];
            if (n && n < sizeof end) end[n++] = s->block[i];
            if (last != END_MAGIC) continue;
            at = s->offset - s->n + i + 1 - MAGIC_BYTES;
            n = MAGIC_BYTES;
        }
        if (next_block(s, err) < 0) return -1;
    }
    if (n == sizeof end) return zip_end_is_joined(end, at) ? zip_refuse_joined(instream_path(s->in), err) : 0;
    return err_set(err, ERR_INPUT, "%s: truncated zip archive: its directory is not complete", instream_path(s->in));
}
