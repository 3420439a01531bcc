#include "formats/archive_tree.h"

#include "base/fs.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "base/unpack.h"
#include "formats/archive_kind.h"
#include "formats/archive_walk.h"
#include "formats/format.h"
#include "formats/member_name.h"
#include "formats/private_folder.h"
#include "formats/tree_signs.h"
#include "hbase/store_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
    SMALL_BYTES = 4096,            /* unpacked whatever it is */
    METADATA_MAX_BYTES = 64 << 20, /* a file that may have to be read whole … */
    SNAPSHOT_MAX_BYTES = 1 << 30,  /* … of a snapshot; and all logs together */
    FOREIGN_MAX_BYTES = 64 << 20,  /* so much, or so many, of something else, before any sign: no tree */
    FOREIGN_MAX_FILES = 10000,
    LINKS_MAX = 100000,
    COPY_BYTES = 256 * 1024
};

/* A hard link: the name stands for what another one holds. */
struct tree_link {
    char *name, *target; /* clean */
};

struct archive_tree {
    struct archive_tree_opts o;
    char *path;                  /* of the archive */
    char *inside;                /* the folder in it that was asked for; "" = none */
    char *dir;                   /* of the tree, below `small` */
    struct private_folder small; /* what was unpacked by the first pass, and placeholders */
    struct private_folder *unpacked;
    size_t n_unpacked;
    struct tree_signs signs;
    struct tree_link *links;
    size_t n_links;
    bool repeats;       /* some name comes twice: the last one counts */
    uint64_t log_bytes; /* of write-ahead logs, so far */
    uint64_t foreign_bytes, foreign_files;
    uint64_t disk_bytes; /* taken from the quota */
    struct buf name;
    char **members; /* answers of archive_tree_member */
    size_t n_members;
    uint8_t *copy;
};

/* ---- content ---- */

static int take_disk(struct archive_tree *t, uint64_t bytes, struct err *err) {
    if (disk_quota_take(t->o.quota, bytes, err)) return err_prefix(err, "%s", t->path);
    t->disk_bytes += bytes;
    return 0;
}

/* Up to `most` bytes of the content into fd (-1: nowhere); *bytes is how many there were in all. */
static int copy_content(struct archive_tree *t, struct instream *in, int fd, uint64_t most, bool counted, uint64_t *bytes,
                        struct err *err) {
    *bytes = 0;
    for (;;) {
        ssize_t r = stop_check(t->o.stop, err) ? -1 : instream_read(in, t->copy, COPY_BYTES, err);
        if (r <= 0) return (int)r;
        size_t n = *bytes < most ? (uint64_t)r < most - *bytes ? (size_t)r : (size_t)(most - *bytes) : 0;
        if (n && fd >= 0 && ((counted && take_disk(t, n, err)) || fs_write_full(fd, t->copy, n, t->path, err))) return -1;
        *bytes += (uint64_t)r;
    }
}

static void set_time(int fd, int64_t mtime_ns) {
    struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = mtime_ns / 1000000000, .tv_nsec = mtime_ns % 1000000000}};
    if (mtime_ns >= 0) futimens(fd, t);
}

/* ---- the first pass ---- */

static bool has_step(const char *name, const char *const *steps, size_t n) {
    struct bytes step;
    while (member_name_step(&name, &step))
        for (size_t i = 0; i < n; i++)
            if (bytes_eq(step, bytes_str(steps[i]))) return true;
    return false;
}

static bool is_log(const char *name) {
    static const char *const folders[] = {"WALs", ".logs"};
    return has_step(name, folders, countof(folders));
}

/* Big files that lie in roots of HBase and are no store files. */
static bool is_logs_or_edits(const char *name) {
    static const char *const folders[] = {"WALs", ".logs", "oldWALs", ".oldlogs", "recovered.edits", "MasterData"};
    return has_step(name, folders, countof(folders));
}

/* How much of a file libsst/hbase may want to read to know what is wanted. */
static uint64_t wanted_bytes(struct archive_tree *t, const char *name, const struct archive_member *m) {
    static const char *const metadata[] = {".tabledesc", ".filelist", ".regioninfo", "hbase.version", "hbase.id", ".tableinfo"};
    static const char *const snapshots[] = {".hbase-snapshot", ".snapshotinfo", "data.manifest"};
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    size_t n = strlen(last);
    if (is_log(name)) {
        uint64_t left = SNAPSHOT_MAX_BYTES - t->log_bytes, most = left < METADATA_MAX_BYTES ? left : METADATA_MAX_BYTES;
        uint64_t bytes = m->bytes_known && m->bytes < most ? m->bytes : most;
        t->log_bytes += bytes;
        return bytes;
    }
    enum store_name_kind kind = store_name_parse(bytes_str(last)).kind;
    if (m->bytes_known && m->bytes <= SMALL_BYTES) return SMALL_BYTES;
    if (has_step(name, snapshots, countof(snapshots))) return SNAPSHOT_MAX_BYTES;
    bool is_metadata = has_step(name, metadata, countof(metadata)) || kind == STORE_NAME_REFERENCE ||
                       (last[0] == '.' && n > 4 && !strcmp(last + n - 4, ".crc"));
    return is_metadata ? METADATA_MAX_BYTES : 0;
}

static int count_foreign(struct archive_tree *t, const char *name, const struct archive_member *m, struct instream *in,
                         struct err *err) {
    struct bytes head;
    if (tree_signs_any(&t->signs) || !m->bytes || archive_name_hidden(name) || is_logs_or_edits(name)) return 0;
    if (instream_peek(in, FORMAT_SNIFF_BYTES, &head, err)) return -1;
    if (format_by_name("hfile")->sniff(head, "")) return 0;
    t->foreign_bytes += m->bytes;
    t->foreign_files++;
    return 0;
}

/* Two members of which one would have to be a folder of the other: such were not written by HBase. What is wanted of them will be
 * missed. */
static int pass_over_clash(struct err *err) {
    if (err->code != ERR_INPUT) return -1;
    *err = (struct err){0};
    return 0;
}

/* A file of the member's size: with its content where that is wanted, else a hole. */
static int put_file(struct archive_tree *t, const char *name, const struct archive_member *m, struct instream *in,
                    struct err *err) {
    uint64_t most = wanted_bytes(t, name, m), bytes = m->bytes;
    int before = private_folder_open(&t->small, name, err);
    if (before < 0 && err->code) return pass_over_clash(err);
    t->repeats = t->repeats || before >= 0;
    if (before >= 0) close(before);
    int fd = private_folder_file(&t->small, name, err);
    if (fd < 0) return pass_over_clash(err);
    int rc = most || !m->bytes_known ? copy_content(t, in, fd, most, true, &bytes, err) : 0;
    if (!rc && (bytes > INT64_MAX || ftruncate(fd, (off_t)bytes)))
        rc = err_set(err, ERR_INPUT, "%s: %llu bytes are too many for a file", m->path, (unsigned long long)bytes);
    if (!rc) set_time(fd, m->mtime_ns);
    close(fd);
    return rc;
}

static int put_link(struct archive_tree *t, const char *name, const struct archive_member *m, struct err *err) {
    struct buf target = {0};
    int rc = member_name_clean(m->link, &target, err);
    if (rc == 1 && (rc = private_folder_link(&t->small, (char *)target.p, name, err)) < 0) rc = pass_over_clash(err);
    if (rc == 1 && t->n_links == LINKS_MAX) {
        rc = err_set(err, ERR_LIMIT, "%s: more than %d hard links: unpack it", t->path, LINKS_MAX);
    } else if (rc == 1) {
        struct tree_link *more = reallocarray(t->links, t->n_links + 1, sizeof *more);
        char *copy = fs_printf(err, "%s", name);
        if (more) t->links = more;
        if (more && copy) {
            t->links[t->n_links++] = (struct tree_link){copy, (char *)target.p};
            return 0;
        }
        free(copy);
        rc = err_nomem(err, sizeof *more, t->path);
    }
    buf_free(&target);
    return rc < 0 ? -1 : 0;
}

/* Links to folders and devices are no data of HBase; names that lead elsewhere are none either. */
static int put_member(struct archive_tree *t, struct archive_walk *w, const struct archive_member *m, struct err *err) {
    int rc = member_name_clean(m->name, &t->name, err);
    const char *name = (const char *)t->name.p;
    if (rc <= 0 || !*name) return rc < 0 ? -1 : 0;
    if (tree_signs_note(&t->signs, name, err)) return -1;
    if (m->type == MEMBER_FOLDER) return private_folder_add(&t->small, name, err) ? pass_over_clash(err) : 0;
    if (m->type == MEMBER_HARDLINK) return put_link(t, name, m, err);
    if (m->type != MEMBER_FILE) return 0;
    struct instream *in = archive_walk_content(w, err);
    rc = !in || count_foreign(t, name, m, in, err) || put_file(t, name, m, in, err) ? -1 : 0;
    instream_close(in);
    return rc;
}

static struct archive_walk *begin_walk(const struct archive_tree *t, struct err *err) {
    struct archive_walk_opts o = {.limits = t->o.limits,
                                  .unpack_bytes = t->o.unpack_bytes,
                                  .temp_dir = t->o.temp_dir,
                                  .quota = t->o.quota,
                                  .stop = t->o.stop,
                                  .by_offset = true};
    struct instream *in = instream_open(t->path, t->o.stop, t->o.unpack_bytes, err);
    return in ? archive_walk_open(in, &o, err) : NULL;
}

/* 1 the archive holds a tree, 0 it does not, -1 error. */
static int first_pass(struct archive_tree *t, struct err *err) {
    struct archive_walk *w = begin_walk(t, err);
    struct archive_member m;
    int more = -1;
    bool other = false;
    while (w && !other && (more = archive_walk_next(w, &m, err)) == 1) {
        if (put_member(t, w, &m, err)) {
            more = -1;
            break;
        }
        other = !tree_signs_any(&t->signs) && (t->foreign_bytes > FOREIGN_MAX_BYTES || t->foreign_files > FOREIGN_MAX_FILES);
    }
    archive_walk_close(w);
    return other ? 0 : more < 0 ? -1 : tree_signs_any(&t->signs);
}

/* ---- which archive, which folder in it ---- */

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
static int first_bytes(const struct archive_tree *t, uint8_t p[SMALL_BYTES], struct bytes *head, struct err *err) {
    int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", t->path);
    ssize_t n = pread(fd, p, SMALL_BYTES, 0);
    int rc = n < 0 ? err_sys(err, ERR_INPUT, errno, "%s: cannot read", t->path) : 0;
    *head = bytes_of(p, n < 0 ? 0 : (size_t)n);
    close(fd);
    return rc;
}

static int looks_like_archive(const struct archive_tree *t, struct err *err) {
    uint8_t p[SMALL_BYTES];
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
    if (!(t->copy = malloc(COPY_BYTES))) return err_nomem(err, COPY_BYTES, path);
    if (private_folder_make(&t->small, t->o.temp_dir, err)) return -1;
    rc = first_pass(t, err);
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

/* What of a path lies below a folder; NULL: it does not. */
static const char *below(const struct private_folder *f, const char *path) {
    size_t n = f->path ? strlen(f->path) : 0;
    return n && !strncmp(path, f->path, n) && path[n] == '/' ? path + n + 1 : NULL;
}

const char *archive_tree_member(struct archive_tree *t, const char *path) {
    struct err err = {0};
    const char *rest = below(&t->small, path);
    for (size_t i = 0; !rest && i < t->n_unpacked; i++) rest = below(&t->unpacked[i], path);
    char **more = rest ? reallocarray(t->members, t->n_members + 1, sizeof *more) : NULL;
    if (!more) return NULL;
    t->members = more;
    char *member = fs_printf(&err, "%s!%s", t->path, rest);
    if (member) t->members[t->n_members++] = member;
    return member;
}

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

/* Through hard links, which lead to names that came before them. */
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
        const char *rest = below(&t->small, paths[i]);
        int rc = rest ? member_name_clean(rest, &t->name, err) : 0;
        if (rc < 0) return -1;
        if (!rc || stat(paths[i], &st)) return err_set(err, ERR_INTERNAL, "%s: is no file of %s", paths[i], t->path);
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
                       "%s: unpacking %zu files of it needs %llu bytes of disk, %s has %llu: give another --temp-dir", t->path, n,
                       (unsigned long long)bytes, dir, (unsigned long long)fs.f_bavail * fs.f_frsize);
    if (take_disk(t, bytes, err) == 0) return 0;
    if (err->code != ERR_LIMIT) return -1;
    *err = (struct err){0};
    return err_set(err, ERR_LIMIT, "%s: unpacking %zu files of it needs %llu bytes of disk: raise --disk-limit (%llu)", t->path,
                   n, (unsigned long long)bytes, (unsigned long long)t->o.quota->limit_bytes);
}

/* The first want of a member; NULL: nobody wants it. */
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

/* What goes out again, or the bytes that --disk-limit was asked for would be too few. */
static int unpack(struct archive_tree *t, struct private_folder *to, struct instream *in, const struct archive_member *m,
                  struct want *w, struct err *err) {
    uint64_t bytes;
    int fd = private_folder_file(to, w->member, err);
    if (fd < 0) return -1;
    int rc = copy_content(t, in, fd, w->bytes, false, &bytes, err);
    if (!rc && bytes != w->bytes && !t->repeats)
        rc = err_set(err, ERR_INPUT, "%s: has %llu bytes now, it had %llu", m->path, (unsigned long long)bytes,
                     (unsigned long long)w->bytes);
    if (!rc) set_time(fd, m->mtime_ns);
    close(fd);
    w->done = bytes == w->bytes;
    return rc;
}

static int second_pass(struct archive_tree *t, struct private_folder *to, struct want *wants, size_t n, struct err *err) {
    struct archive_walk *w = begin_walk(t, err);
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
        int rc = in ? unpack(t, to, in, &m, want, err) : -1;
        instream_close(in);
        if (rc) break;
        left += before;
        left -= want->done;
    }
    archive_walk_close(w);
    if (!err->code && left) err_set(err, ERR_INPUT, "%s: %zu files are not in it any more", t->path, left);
    return err->code ? -1 : 0;
}

/* The checksums that HBase keeps beside a file. */
static int copy_side_file(struct archive_tree *t, struct private_folder *to, const char *member, struct err *err) {
    const char *slash = strrchr(member, '/'), *last = slash ? slash + 1 : member;
    uint64_t bytes;
    char *name = fs_printf(err, "%.*s.%s.crc", (int)(last - member), member, last);
    if (!name) return -1;
    int from = private_folder_open(&t->small, name, err), fd = -1, rc = err->code ? -1 : 0;
    if (from >= 0) {
        struct stat st;
        fd = fstat(from, &st) || !S_ISREG(st.st_mode) ? -1 : private_folder_file(to, name, err);
        for (ssize_t r = 1; fd >= 0 && !rc && r > 0;) {
            r = read(from, t->copy, COPY_BYTES);
            if (r < 0) rc = err_sys(err, ERR_INPUT, errno, "%s/%s", t->small.path, name);
            bytes = r > 0 ? (uint64_t)r : 0;
            if (bytes && (take_disk(t, bytes, err) || fs_write_full(fd, t->copy, (size_t)bytes, name, err))) rc = -1;
        }
        if (fd >= 0) close(fd);
        close(from);
    }
    free(name);
    return rc || err->code ? -1 : 0;
}

/* The names under which the caller knows the files, and their side files. */
static int hand_over(struct archive_tree *t, struct private_folder *to, const char *const *paths, const struct want *wants,
                     size_t n, char **unpacked, struct err *err) {
    for (size_t i = 0; i < n; i++) {
        if (member_name_clean(below(&t->small, paths[wants[i].i]), &t->name, err) < 0) return -1;
        const char *name = (const char *)t->name.p;
        if (private_folder_link(to, wants[i].member, name, err) < 0 || copy_side_file(t, to, name, err)) return -1;
        if (!(unpacked[wants[i].i] = fs_join(to->path, name, err))) return -1;
    }
    return 0;
}

static struct private_folder *add_folder(struct archive_tree *t, const char *dir, struct err *err) {
    struct private_folder *more = reallocarray(t->unpacked, t->n_unpacked + 1, sizeof *more);
    if (!more) return err_nomem(err, sizeof *more, t->path), NULL;
    t->unpacked = more;
    return private_folder_make(&t->unpacked[t->n_unpacked], dir, err) ? NULL : &t->unpacked[t->n_unpacked++];
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
    struct private_folder *to = rc ? NULL : add_folder(t, dir, err);
    if (!to || second_pass(t, to, wants, n, err) || hand_over(t, to, paths, wants, n, unpacked, err)) rc = -1;
    for (size_t i = 0; i < n; i++) {
        free(wants[i].member);
        if (rc) free(unpacked[i]), unpacked[i] = NULL;
    }
    free(wants);
    return rc;
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
