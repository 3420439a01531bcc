#include "formats/archive/archive_tree_state.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "base/unpack.h"
#include "engine/format.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/member_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_regular(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* FILE or FILE!FOLDER. 1, 0 = no file on disk, -1. */
static int split_path(struct archive_tree *t, const char *path, struct err *err) {
    const char *bang = path + strlen(path);
    if (!(t->path = fs_printf(err, "%s", path))) return -1;
    while (!is_regular(t->path)) {
        while (bang > path && *--bang != '!') {
        }
        if (bang == path) return 0;
        t->path[bang - path] = 0;
    }
    struct buf clean = {0};
    int rc = member_name_clean(*bang ? bang + 1 : "", &clean, err);
    t->inside = (char *)clean.p;
    return rc == 0 ? err_set(err, ERR_USAGE, "%s: is no folder in an archive", path) : rc;
}

/* Its first bytes, without a look behind a compression: most inputs are no archives. */
static int first_bytes(const struct archive_tree *t, uint8_t p[FORMAT_SNIFF_BYTES], struct bytes *head, struct err *err) {
    int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", t->path);
    ssize_t n = pread(fd, p, FORMAT_SNIFF_BYTES, 0);
    int rc = n < 0 ? err_sys(err, ERR_INPUT, errno, "%s: cannot read", t->path) : 0;
    *head = bytes_of(p, n < 0 ? 0 : (size_t)n);
    close(fd);
    return rc;
}

static int looks_like_archive(const struct archive_tree *t, struct err *err) {
    uint8_t p[FORMAT_SNIFF_BYTES];
    struct bytes head;
    if (first_bytes(t, p, &head, err)) return -1;
    if (!unpack_kind(head)) return archive_kind(head) != ARCHIVE_KIND_NONE;
    struct instream *in = instream_open(t->path, t->o.stop, t->o.unpack_bytes, err);
    if (!in) return -1;
    int rc = instream_peek(in, FORMAT_SNIFF_BYTES, &head, err) ? -1 : archive_kind(head) != ARCHIVE_KIND_NONE;
    instream_close(in);
    return rc;
}

static int choose_dir(struct archive_tree *t, struct err *err) {
    struct stat st;
    const char *inside = *t->inside ? t->inside : tree_signs_dir(&t->signs, t->path, err);
    if (!inside) return -1;
    t->dir = *inside ? fs_join(t->small.path, inside, err) : fs_printf(err, "%s", t->small.path);
    if (!t->dir) return -1;
    if (stat(t->dir, &st) || !S_ISDIR(st.st_mode)) return err_set(err, ERR_USAGE, "%s: has no folder %s", t->path, inside);
    return 0;
}

static int open_tree(struct archive_tree *t, const char *path, struct err *err) {
    int rc = split_path(t, path, err);
    if (rc == 1) rc = looks_like_archive(t, err);
    if (rc != 1) return rc;
    if (!(t->copy = malloc(TREE_COPY_BYTES))) return err_nomem(err, TREE_COPY_BYTES, path);
    if (private_folder_make(&t->small, t->o.temp_dir, err)) return -1;
    rc = archive_tree_scan(t, err);
    return rc == 1 ? choose_dir(t, err) ? -1 : 1 : rc;
}

int archive_tree_open(const char *path, const struct archive_tree_opts *o, struct archive_tree **out, struct err *err) {
    struct archive_tree *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return err_nomem(err, sizeof *t, path);
    t->o = *o;
    t->small = (struct private_folder){.fd = -1, .parent_fd = -1};
    int rc = open_tree(t, path, err);
    if (rc == 1)
        *out = t;
    else
        archive_tree_close(t);
    return rc;
}

const char *archive_tree_dir(const struct archive_tree *t) {
    return t->dir;
}

const char *archive_tree_member(struct archive_tree *t, const char *path) {
    struct err err = {0};
    const char *rest = tree_below(&t->small, path);
    for (size_t i = 0; !rest && i < t->n_unpacked; i++) rest = tree_below(&t->unpacked[i], path);
    if (!rest || grow_array(&t->members, t->n_members, sizeof(char *), t->path, &err)) return NULL;
    char *member = fs_printf(&err, "%s!%s", t->path, rest);
    if (member) t->members[t->n_members++] = member;
    return member;
}

void archive_tree_close(struct archive_tree *t) {
    if (!t) return;
    private_folder_remove(&t->small);
    for (size_t i = 0; i < t->n_unpacked; i++) private_folder_remove(&t->unpacked[i]);
    for (size_t i = 0; i < t->n_links; i++) {
        free(t->links[i].name);
        free(t->links[i].target);
    }
    for (size_t i = 0; i < t->n_members; i++) free(t->members[i]);
    disk_quota_give(t->o.quota, t->disk_bytes);
    tree_signs_free(&t->signs);
    buf_free(&t->name);
    free(t->unpacked);
    free(t->links);
    free(t->members);
    free(t->copy);
    free(t->path);
    free(t->inside);
    free(t->dir);
    free(t);
}
