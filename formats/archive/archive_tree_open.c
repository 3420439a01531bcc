/* A directory of HBase inside an archive, for its reader: opened by a first pass (archive_tree_scan.c), then the wanted files are
 * unpacked by a second one. Messages name members as ARCHIVE!member, whatever the files are called on disk meanwhile. */
#include "base/remote.h"
#include "base/size_text.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "base/unpack.h"
#include "engine/format.h"
#include "formats/archive/archive_kind.h"
#include "formats/archive/archive_tree_open.h"
#include "formats/archive/archive_tree_scan.h"
#include "formats/archive/archive_tree_state.h"
#include "formats/archive/archive_members.h"
#include "formats/archive/archive_walk.h"
#include "formats/archive/tree_signs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- the second pass ---- */

/* A file that is wanted; several may stand for one member (hard links, or a path that is given twice). */
struct want {
    char *member; /* clean name of what holds the content */
    size_t i;     /* in the caller's list */
    uint64_t bytes;
    bool done;
};

static int want_cmp(const void *a, const void *b) {
    const struct want *x = a, *y = b;
    int c = strcmp(x->member, y->member);
    return c ? c : (x->i > y->i) - (x->i < y->i);
}

static int link_cmp(const void *a, const void *b) {
    return strcmp(((const struct tree_link *)a)->name, ((const struct tree_link *)b)->name);
}

/* Returns the name that has the content: through hard links, which lead to names that came before them. */
static const char *content_of(const struct archive_tree *t, const char *name) {
    for (size_t hops = 0; hops < t->n_links; hops++) {
        struct tree_link key = {.name = (char *)name};
        const struct tree_link *l = bsearch(&key, t->links, t->n_links, sizeof key, link_cmp);
        if (!l) return name;
        name = l->target;
    }
    return name;
}

static int list_wants(struct archive_tree *t, const char *const *paths, size_t n, struct want *wants, uint64_t *bytes,
                      struct err *err) {
    *bytes = 0;
    if (t->n_links) qsort(t->links, t->n_links, sizeof *t->links, link_cmp);
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        const char *rest = tree_below(&t->small, paths[i]);
        int rc = rest ? member_name_clean(rest, &t->name, err) : 0;
        if (rc < 0) return -1;
        if (!rc) return err_set(err, ERR_INTERNAL, "%s: is not a file in %s", paths[i], t->path);
        if (stat(paths[i], &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", paths[i]);
        wants[i] = (struct want){.i = i, .bytes = (uint64_t)st.st_size};
        if (!(wants[i].member = fs_printf(err, "%s", content_of(t, (char *)t->name.p)))) return -1;
        *bytes += wants[i].bytes;
    }
    qsort(wants, n, sizeof *wants, want_cmp);
    return 0;
}

static int check_room(struct archive_tree *t, const char *dir, size_t n, uint64_t bytes, struct err *err) {
    struct statvfs fs;
    if (statvfs(dir, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < bytes)
        return err_set(err, ERR_LIMIT,
                       "%s: unpacking %zu files of it needs %llu bytes of disk, %s has %llu; give another --temp-dir", t->path, n,
                       (unsigned long long)bytes, dir, (unsigned long long)fs.f_bavail * fs.f_frsize);
    disk_quota_expect_temp(t->o.quota, bytes);
    if (tree_take_disk(t, bytes, err) == 0) return 0;
    if (err->code != ERR_LIMIT) return -1;
    *err = (struct err){0};
    return err_set(err, ERR_LIMIT, "%s: unpacking %zu files of it needs %s of disk; raise --disk-limit %s", t->path, n,
                   size_text_above(bytes, (char[SIZE_TEXT]){0}), size_text(t->o.quota->limit_bytes, (char[SIZE_TEXT]){0}));
}

/* The first want of a member; NULL: it is not wanted. */
static struct want *find_want(struct want *wants, size_t n, const char *member) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (strcmp(wants[mid].member, member) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && !strcmp(wants[lo].member, member) ? &wants[lo] : NULL;
}

/* Unpacks a wanted member to a file. A member that has changed since the first pass is an error, unless the archive names it
 * twice. */
static int unpack_member(struct archive_tree *t, struct private_directory *to, struct instream *in,
                         const struct archive_member *m, struct want *w, struct err *err) {
    uint64_t bytes;
    int fd = private_directory_file(to, w->member, err);
    if (fd < 0) return -1;
    int rc = tree_copy_content(t, in, fd, w->bytes, false, &bytes, err);
    if (!rc && bytes != w->bytes && !t->repeats)
        rc = err_set(err, ERR_INPUT, "%s: has %llu bytes now, it had %llu", m->path, (unsigned long long)bytes,
                     (unsigned long long)w->bytes);
    if (!rc) rc = tree_set_time(fd, m->mtime_ns, w->member, err);
    if (close(fd) && !rc) rc = err_sys(err, ERR_OUTPUT, errno, "cannot write %s", w->member);
    w->done = bytes == w->bytes;
    return rc;
}

static int second_pass(struct archive_tree *t, struct private_directory *to, struct want *wants, size_t n, struct err *err) {
    struct archive_walk *w = tree_begin_walk(t, err);
    struct archive_member m;
    size_t left = 0;
    int more = -1;
    for (size_t i = 0; i < n; i++) left += i == 0 || strcmp(wants[i].member, wants[i - 1].member) != 0;
    while (w && (left || t->repeats) && (more = archive_walk_next(w, &m, err)) == 1) {
        int clean = member_name_clean(m.name, &t->name, err);
        struct want *want = clean == 1 && m.type == MEMBER_FILE ? find_want(wants, n, (char *)t->name.p) : NULL;
        if (clean < 0) break;
        if (!want) continue;
        bool before = want->done;
        struct instream *in = archive_walk_content(w, err);
        int rc = in ? unpack_member(t, to, in, &m, want, err) : -1;
        instream_close(in);
        if (rc) break;
        left += before;
        left -= want->done;
    }
    archive_walk_close(w);
    if (!err->code && left) err_set(err, ERR_INPUT, "%s: %zu files have disappeared from it", t->path, left);
    return err->code ? -1 : 0;
}

/* The checksums that HBase keeps beside a file. */
static int copy_side_file(struct archive_tree *t, struct private_directory *to, const char *member, struct err *err) {
    const char *slash = strrchr(member, '/'), *last = slash ? slash + 1 : member;
    uint64_t bytes;
    char *name = fs_printf(err, "%.*s.%s.crc", (int)(last - member), member, last);
    if (!name) return -1;
    int from = private_directory_open(&t->small, name, err), fd = -1, rc = err->code ? -1 : 0;
    if (from >= 0) {
        struct stat st;
        if (fstat(from, &st)) rc = err_sys(err, ERR_INPUT, errno, "%s/%s: cannot stat", t->small.path, name);
        if (!rc && S_ISREG(st.st_mode)) fd = private_directory_file(to, name, err);
        for (ssize_t r = 1; fd >= 0 && !rc && r > 0;) {
            r = read(from, t->copy, TREE_COPY_BYTES);
            if (r < 0) rc = err_sys(err, ERR_INPUT, errno, "%s/%s", t->small.path, name);
            bytes = r > 0 ? (uint64_t)r : 0;
            if (bytes && (tree_take_disk(t, bytes, err) || tree_write_temp(t, fd, (size_t)bytes, err))) rc = -1;
        }
        if (fd >= 0 && close(fd) && !rc) rc = err_sys(err, ERR_OUTPUT, errno, "cannot write %s", name);
        fd_close(from);
    }
    free(name);
    return rc || err->code ? -1 : 0;
}

/* The names under which the caller knows the files, and their side files. */
static int hand_over(struct archive_tree *t, struct private_directory *to, const char *const *paths, const struct want *wants,
                     size_t n, char **unpacked, struct err *err) {
    for (size_t i = 0; i < n; i++) {
        if (member_name_clean(tree_below(&t->small, paths[wants[i].i]), &t->name, err) < 0) return -1;
        const char *name = (const char *)t->name.p;
        if (private_directory_link(to, wants[i].member, name, err) < 0 || copy_side_file(t, to, name, err)) return -1;
        if (!(unpacked[wants[i].i] = fs_join(to->path, name, err))) return -1;
    }
    return 0;
}

/* Messages name members instead of what is in it. */
static int make_directory(struct archive_tree *t, struct private_directory *made, const char *dir, struct err *err) {
    if (private_directory_make(made, dir, err)) return -1;
    return t->o.names ? path_names_add(t->o.names, made->path, t->path, err) : 0;
}

static struct private_directory *add_directory(struct archive_tree *t, const char *dir, struct err *err) {
    if (grow_array(&t->unpacked, t->n_unpacked, sizeof *t->unpacked, t->path, err)) return NULL;
    struct private_directory *added = &t->unpacked[t->n_unpacked++];
    return make_directory(t, added, dir, err) ? NULL : added;
}

int archive_tree_fetch(struct archive_tree *t, const char *const *paths, size_t n, const char *dir, char **unpacked,
                       struct err *err) {
    if (!n) return 0;
    struct want *wants = calloc(n, sizeof *wants);
    uint64_t bytes;
    for (size_t i = 0; i < n; i++) unpacked[i] = NULL;
    if (!wants) return err_nomem(err, n * sizeof *wants, t->path);
    if (!dir) dir = t->o.temp_dir;
    int rc = list_wants(t, paths, n, wants, &bytes, err) || check_room(t, dir, n, bytes, err) ? -1 : 0;
    struct private_directory *to = rc ? NULL : add_directory(t, dir, err);
    if (!to || second_pass(t, to, wants, n, err) || hand_over(t, to, paths, wants, n, unpacked, err)) rc = -1;
    for (size_t i = 0; i < n; i++) {
        free(wants[i].member);
        if (rc) {
            free(unpacked[i]);
            unpacked[i] = NULL;
        }
    }
    free(wants);
    return rc;
}

/* ---- open and close ---- */

static int is_regular(const char *path, struct err *err) {
    struct stat st;
    if (stat(path, &st) == 0) return S_ISREG(st.st_mode);
    return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(err, ERR_INPUT, errno, "%s", path);
}

/* FILE or FILE!DIRECTORY. 1, 0 = no file on disk, -1. */
static int split_path(struct archive_tree *t, const char *path, struct err *err) {
    const char *bang = path + strlen(path);
    if (!(t->path = fs_printf(err, "%s", path))) return -1;
    int is;
    while (!(is = is_regular(t->path, err))) {
        while (bang > path && *--bang != '!') {
        }
        if (bang == path) return 0;
        t->path[bang - path] = 0;
    }
    if (is < 0) return -1;
    struct buf clean = {0};
    int rc = member_name_clean(*bang ? bang + 1 : "", &clean, err);
    t->inside = (char *)clean.p;
    return rc == 0 ? err_set(err, ERR_USAGE, "%s: is not a directory in an archive", path) : rc;
}

/* The first bytes of the file, still compressed: most inputs are not archives. */
static int first_bytes(const struct archive_tree *t, uint8_t p[FORMAT_SNIFF_BYTES], struct bytes *head, struct err *err) {
    int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", t->path);
    ssize_t n = remote_read_at(fd, p, FORMAT_SNIFF_BYTES, 0, t->path, err);
    int rc = n < 0 ? -1 : 0;
    *head = bytes_of(p, n < 0 ? 0 : (size_t)n);
    fd_close(fd);
    return rc;
}

static int looks_like_archive(const struct archive_tree *t, struct err *err) {
    uint8_t p[FORMAT_SNIFF_BYTES];
    struct bytes head;
    if (first_bytes(t, p, &head, err)) return -1;
    if (!unpack_kind(head)) return archive_kind(head) != ARCHIVE_KIND_NONE;
    struct err damage = {0};
    struct instream *in = instream_open(t->path, t->o.stop, t->o.unpack_bytes, &damage);
    int rc = in && !instream_peek(in, FORMAT_SNIFF_BYTES, &head, &damage) ? archive_kind(head) != ARCHIVE_KIND_NONE : 0;
    instream_close(in);
    if (!damage.code || (damage.code == ERR_INPUT && !damage.sys)) return rc; /* what is damaged is left to its reader */
    err_keep(err, &damage);
    return -1;
}

static int choose_dir(struct archive_tree *t, struct err *err) {
    struct stat st;
    const char *inside = *t->inside ? t->inside : tree_signs_dir(&t->signs, t->path, err);
    if (!inside) return -1;
    t->dir = *inside ? fs_join(t->small.path, inside, err) : fs_printf(err, "%s", t->small.path);
    if (!t->dir) return -1;
    bool found = stat(t->dir, &st) == 0;
    if (!found && errno != ENOENT && errno != ENOTDIR) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", t->dir);
    if (!found || !S_ISDIR(st.st_mode)) return err_set(err, ERR_USAGE, "%s: has no directory %s", t->path, inside);
    return 0;
}

static int open_tree(struct archive_tree *t, const char *path, struct err *err) {
    int rc = split_path(t, path, err);
    if (rc == 1) rc = looks_like_archive(t, err);
    if (rc != 1) return rc;
    if (!(t->copy = malloc(TREE_COPY_BYTES))) return err_nomem(err, TREE_COPY_BYTES, path);
    if (make_directory(t, &t->small, t->o.temp_dir, err)) return -1;
    rc = archive_tree_scan(t, err);
    return rc == 1 ? choose_dir(t, err) ? -1 : 1 : rc;
}

int archive_tree_open(const char *path, const struct archive_tree_opts *o, struct archive_tree **out, struct err *err) {
    struct archive_tree *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t) return err_nomem(err, sizeof *t, path);
    t->o = *o;
    t->small = (struct private_directory){.fd = -1, .parent_fd = -1};
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

const char *archive_tree_path(const struct archive_tree *t) {
    return t->path;
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
    private_directory_remove(&t->small);
    for (size_t i = 0; i < t->n_unpacked; i++) private_directory_remove(&t->unpacked[i]);
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
