/* A member of a pack is known by its path alone, which ends with its place: so all that opens an HFile by its path reads it
 * without looking into the index. No file has such a path, because a file has no files below it. */
#include "hfile/pack_member.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "base/remote.h"
#include "hfile/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ending[] = ".pack";

bool pack_member_pack_is(const char *path) {
    const size_t n = strlen(path), m = sizeof ending - 1;
    return n > m && !strcmp(path + n - m, ending);
}

char *pack_member_pack_path(const char *family, uint32_t number, struct err *err) {
    return fs_printf(err, "%s/w%05u%s", family, number, ending);
}

char *pack_member_path(const char *pack, uint32_t partition, uint32_t number, uint64_t offset, uint64_t bytes, struct err *err) {
    return fs_printf(err, "%s/p%05u-%03u.hfile@%llu+%llu", pack, partition, number, (unsigned long long)offset,
                     (unsigned long long)bytes);
}

static bool take_number(const char **p, char end, uint64_t *out) {
    char *stop;
    if (**p < '0' || **p > '9') return false;
    errno = 0;
    *out = strtoull(*p, &stop, 10);
    if (errno || *stop != end) return false;
    *p = stop + (end != 0);
    return true;
}

bool pack_member_parse(const char *path, struct pack_member *out) {
    const char *name = strrchr(path, '/'), *at = name ? strrchr(name, '@') : NULL;
    const size_t n = name ? (size_t)(name - path) : 0, m = sizeof ending - 1;
    if (!at || n <= m || n >= sizeof out->pack || memcmp(name - m, ending, m) != 0) return false;
    at++;
    if (!take_number(&at, '+', &out->offset) || !take_number(&at, 0, &out->bytes)) return false;
    memcpy(out->pack, path, n);
    out->pack[n] = 0;
    return true;
}

/* ---- reading ---- */

struct pack_part {
    int fd;
    struct pack_member at;
};

static ssize_t part_pread(void *arg, void *p, size_t n, uint64_t offset) {
    struct pack_part *s = arg;
    struct err why = {0};
    if (offset >= s->at.bytes) return 0;
    if (n > s->at.bytes - offset) n = (size_t)(s->at.bytes - offset);
    ssize_t got = remote_read_at(s->fd, p, n, s->at.offset + offset, s->at.pack, &why);
    return got >= 0 ? got : why.sys ? -why.sys : -EIO;
}

static void part_close(void *arg) {
    struct pack_part *s = arg;
    (void)close(s->fd); /* it was only read */
    free(s);
}

/* Checks that the pack reaches as far as the member. */
static int part_check(const struct pack_part *s, const char *path, struct err *err) {
    struct stat st;
    if (fstat(s->fd, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    const uint64_t size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    if (s->at.offset <= size && s->at.bytes <= size - s->at.offset) return 0;
    return err_set(err, ERR_INPUT, "%s: the pack has only %llu bytes", path, (unsigned long long)size);
}

int pack_member_of_fd(int fd, const struct pack_member *m, const char *path, struct hfile_bytes *out, struct err *err) {
    struct pack_part *s = calloc(1, sizeof *s);
    if (!s) {
        (void)close(fd); /* it was only read */
        return err_nomem(err, sizeof *s, path);
    }
    s->at = *m;
    s->fd = fd;
    *out = (struct hfile_bytes){.pread = part_pread, .close = part_close, .arg = s, .size = m->bytes};
    if (!part_check(s, path, err)) return 0;
    hfile_bytes_close(out);
    return -1;
}

int pack_member_open(const struct pack_member *m, const char *path, struct hfile_bytes *out, struct err *err) {
    int fd = open(m->pack, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? err_sys(err, ERR_INPUT, errno, "%s: cannot open", m->pack) : pack_member_of_fd(fd, m, path, out, err);
}

int pack_member_stat(const char *path, struct stat *st) {
    struct pack_member m;
    if (!pack_member_parse(path, &m)) return stat(path, st);
    if (stat(m.pack, st)) return -1;
    st->st_size = (off_t)m.bytes;
    return 0;
}

int pack_member_sum(const char *path, char hex[17], struct err *err) {
    struct pack_member m;
    const bool is = pack_member_parse(path, &m);
    return is ? file_sum_of_part(m.pack, m.offset, m.bytes, hex, err) : file_sum_of(path, hex, err);
}
