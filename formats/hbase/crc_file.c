/* Hadoop's side files `.NAME.crc`, as local and copied trees have them: a checksum for each chunk of the file beside it. Both
 * are read in windows of whole chunks. Source: ChecksumFileSystem. */
#include "base/bytes.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"
#include "base/fs.h"
#include "formats/hbase/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 8, SUM_BYTES = 4, CHUNK_MAX_BYTES = 16 << 20, WINDOW_BYTES = 1 << 20 };

/* One check. Both files are read in windows of whole chunks. */
struct check {
    const char *path, *side_path;
    int fd, side_fd;
    uint64_t bytes; /* of the file at path */
    size_t chunk;   /* bytes a sum covers */
    bool is_crc32c;
    uint8_t *data, *sums;
};

static uint32_t sum_of(bool is_crc32c, const uint8_t *p, size_t n) {
    return is_crc32c ? crc32c(0, p, n) : libdeflate_crc32(0, p, n);
}

static int check_chunk(struct check *c, uint64_t offset, const uint8_t *p, size_t n, uint32_t want, struct err *err) {
    uint32_t have = sum_of(c->is_crc32c, p, n);
    if (have == want) return 0;
    /* the side file does not say which sum it holds: try both on the first chunk */
    if (offset == 0 && sum_of(true, p, n) == want) {
        c->is_crc32c = true;
        return 0;
    }
    return err_set(err, ERR_INPUT, "%s: the %zu bytes at %llu have the checksum %08x, %s holds %08x", c->path, n,
                   (unsigned long long)offset, have, c->side_path, want);
}

static int check_window(struct check *c, uint64_t offset, size_t n, struct err *err) {
    size_t n_sums = (n + c->chunk - 1) / c->chunk;
    uint64_t sums_at = HEAD_BYTES + offset / c->chunk * SUM_BYTES;
    if (fs_pread_full(c->fd, c->data, n, offset, c->path, err)) return -1;
    if (fs_pread_full(c->side_fd, c->sums, n_sums * SUM_BYTES, sums_at, c->side_path, err)) return -1;
    for (size_t i = 0; i < n_sums; i++) {
        size_t at = i * c->chunk, m = n - at < c->chunk ? n - at : c->chunk;
        if (check_chunk(c, offset + at, c->data + at, m, be32(c->sums + i * SUM_BYTES), err)) return -1;
    }
    return 0;
}

static int check_content(struct check *c, struct err *err) {
    size_t chunks = c->chunk < WINDOW_BYTES ? WINDOW_BYTES / c->chunk : 1, window = chunks * c->chunk;
    c->data = malloc(window);
    c->sums = malloc(chunks * SUM_BYTES);
    if (!c->data || !c->sums) return err_nomem(err, window, "checking a file");
    for (uint64_t at = 0; at < c->bytes; at += window) {
        size_t n = c->bytes - at < window ? (size_t)(c->bytes - at) : window;
        if (check_window(c, at, n, err)) return -1;
    }
    return 0;
}

static int size_of(int fd, const char *path, uint64_t *bytes, struct err *err) {
    struct stat st;
    if (fstat(fd, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_INPUT, "%s: is a directory", path);
    *bytes = (uint64_t)st.st_size;
    return 0;
}

/* "crc\0", bytes per sum; then as many sums as the file wants. */
static int check_head(struct check *c, struct err *err) {
    uint8_t head[HEAD_BYTES];
    uint64_t side_bytes = 0;
    if (size_of(c->side_fd, c->side_path, &side_bytes, err) || size_of(c->fd, c->path, &c->bytes, err)) return -1;
    if (fs_pread_full(c->side_fd, head, sizeof head, 0, c->side_path, err)) return -1;
    uint32_t chunk = be32(head + 4);
    if (memcmp(head, "crc", 4) != 0) return err_set(err, ERR_INPUT, "%s: does not start with \"crc\" and a NUL", c->side_path);
    if (chunk == 0 || chunk > CHUNK_MAX_BYTES)
        return err_set(err, ERR_INPUT, "%s: %u bytes a checksum; 1 to %d are read", c->side_path, chunk, CHUNK_MAX_BYTES);
    c->chunk = chunk;
    uint64_t n_sums = c->bytes / chunk + (c->bytes % chunk != 0);
    if (side_bytes == HEAD_BYTES + n_sums * SUM_BYTES) return 0;
    return err_set(err, ERR_INPUT, "%s: %llu bytes, but the %llu bytes of %s want %llu checksums of %u bytes each", c->side_path,
                   (unsigned long long)side_bytes, (unsigned long long)c->bytes, c->path, (unsigned long long)n_sums, chunk);
}

/* Opens both files; only the side file may be missing: 0. */
static int open_both(struct check *c, struct err *err) {
    c->side_fd = open(c->side_path, O_RDONLY | O_CLOEXEC);
    if (c->side_fd < 0 && errno == ENOENT) return 0;
    if (c->side_fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", c->side_path);
    c->fd = open(c->path, O_RDONLY | O_CLOEXEC);
    if (c->fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", c->path);
    return 1;
}

static int check_both(const char *path, const char *side_path, struct err *err) {
    struct check c = {.path = path, .side_path = side_path, .fd = -1, .side_fd = -1};
    int rc = open_both(&c, err);
    if (rc == 1 && (check_head(&c, err) || check_content(&c, err))) rc = -1;
    fd_close(c.fd);
    fd_close(c.side_fd);
    free(c.data);
    free(c.sums);
    return rc;
}

int crc_file_check(const char *path, struct err *err) {
    const char *name = directory_name(path);
    char *side_path = fs_printf(err, "%.*s.%s.crc", (int)(name - path), path, name);
    int rc = side_path ? check_both(path, side_path, err) : -1;
    free(side_path);
    return rc;
}
