/* The first pass over an archive that may hold a directory of HBase. Small files (descriptors, manifests, references) are
 * unpacked, all others become sparse files of their size, so that formats/hbase finds out which store files are wanted:
 *
 *     archive --scan--> small files + placeholders --read_tree.c--> wanted files --archive_tree_fetch--> their content
 *
 * Relies on private_directory.c for making files by names that others chose. */
#include "base/buf.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/instream.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "engine/format.h"
#include "formats/archive/archive_tree_scan.h"
#include "formats/archive/archive_tree_state.h"
#include "formats/archive/archive_members.h"
#include "formats/archive/archive_walk.h"
#include "formats/archive/tree_signs.h"
#include "formats/hbase/names.h"
#include "hfile/block.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what both passes share ---- */

int tree_take_disk(struct archive_tree *t, uint64_t bytes, struct err *err) {
    if (disk_quota_take(t->o.quota, bytes, err)) return err_prefix(err, "%s", t->path);
    t->disk_bytes += bytes;
    return 0;
}

int tree_write_temp(struct archive_tree *t, int fd, size_t n, struct err *err) {
    if (!fs_write_full(fd, t->copy, n, "a temporary file", err)) return 0;
    disk_quota_temp_failed(t->o.quota, err);
    return err_prefix(err, "%s", t->path);
}

int tree_copy_content(struct archive_tree *t, struct instream *in, int fd, uint64_t most, bool counted, uint64_t *bytes,
                      struct err *err) {
    *bytes = 0;
    for (;;) {
        ssize_t r = stop_check(t->o.stop, err) ? -1 : instream_read(in, t->copy, TREE_COPY_BYTES, err);
        if (r <= 0) return (int)r;
        size_t n = *bytes < most ? (uint64_t)r < most - *bytes ? (size_t)r : (size_t)(most - *bytes) : 0;
        if (n && fd >= 0 && ((counted && tree_take_disk(t, n, err)) || tree_write_temp(t, fd, n, err))) return -1;
        *bytes += (uint64_t)r;
    }
}

int tree_set_time(int fd, int64_t mtime_ns, const char *name, struct err *err) {
    struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = mtime_ns / 1000000000, .tv_nsec = mtime_ns % 1000000000}};
    return mtime_ns >= 0 && futimens(fd, t) ? err_sys(err, ERR_OUTPUT, errno, "%s: cannot set its time", name) : 0;
}

struct archive_walk *tree_begin_walk(const struct archive_tree *t, struct err *err) {
    struct archive_walk_opts o = {.limits = t->o.limits,
                                  .unpack_bytes = t->o.unpack_bytes,
                                  .temp_dir = t->o.temp_dir,
                                  .quota = t->o.quota,
                                  .stop = t->o.stop,
                                  .by_offset = true};
    struct instream *in = instream_open(t->path, t->o.stop, t->o.unpack_bytes, err);
    return in ? archive_walk_open(in, &o, err) : NULL;
}

const char *tree_below(const struct private_directory *f, const char *path) {
    size_t n = f->path ? strlen(f->path) : 0;
    return n && !strncmp(path, f->path, n) && path[n] == '/' ? path + n + 1 : NULL;
}

/* ---- the first pass ---- */

enum {
    SMALL_BYTES = 4096,            /* unpacked whatever it is */
    METADATA_MAX_BYTES = 64 << 20, /* a file that may have to be read whole … */
    SNAPSHOT_MAX_BYTES = 1 << 30,  /* … of a snapshot; and all logs together */
    FOREIGN_MAX_BYTES = 64 << 20,  /* so much, or so many, of something else, before any sign: no tree */
    FOREIGN_MAX_FILES = 10000,
    LINKS_MAX = 100000
};

static bool has_step(const char *name, const char *const *steps, size_t n) {
    struct bytes step;
    while (member_name_step(&name, &step))
        for (size_t i = 0; i < n; i++)
            if (bytes_eq(step, bytes_str(steps[i]))) return true;
    return false;
}

static bool is_log(const char *name) {
    static const char *const directories[] = {"WALs", ".logs"};
    return has_step(name, directories, countof(directories));
}

/* Big files that are in roots of HBase and are no store files. */
static bool is_logs_or_edits(const char *name) {
    static const char *const directories[] = {"WALs", ".logs", "oldWALs", ".oldlogs", "recovered.edits", "MasterData"};
    return has_step(name, directories, countof(directories));
}

/* Returns how much of a file formats/hbase may want to read to know what is wanted. */
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
    if (block_magic_leads(head)) return 0;
    t->foreign_bytes += m->bytes;
    t->foreign_files++;
    return 0;
}

/* One member's name makes another member a directory: HBase wrote no such pair. If one of them is needed, it will be reported as
 * missing. */
static int pass_over_clash(struct err *err) {
    if (err->code != ERR_INPUT) return -1;
    *err = (struct err){0};
    return 0;
}

/* A file of the member's size: with its content where that is wanted, else a hole. */
static int put_file(struct archive_tree *t, const char *name, const struct archive_member *m, struct instream *in,
                    struct err *err) {
    uint64_t most = wanted_bytes(t, name, m), bytes = m->bytes;
    int before = private_directory_open(&t->small, name, err);
    if (before < 0 && err->code) return pass_over_clash(err);
    t->repeats = t->repeats || before >= 0;
    fd_close(before);
    int fd = private_directory_file(&t->small, name, err);
    if (fd < 0) return pass_over_clash(err);
    int rc = most || !m->bytes_known ? tree_copy_content(t, in, fd, most, true, &bytes, err) : 0;
    if (!rc && bytes > INT64_MAX)
        rc = err_set(err, ERR_INPUT, "%s: %llu bytes are too many for a file", m->path, (unsigned long long)bytes);
    if (!rc && ftruncate(fd, (off_t)bytes))
        rc = err_sys(err, ERR_OUTPUT, errno, "%s: cannot make a file of %llu bytes", m->path, (unsigned long long)bytes);
    if (!rc) rc = tree_set_time(fd, m->mtime_ns, name, err);
    if (close(fd) && !rc) rc = err_sys(err, ERR_OUTPUT, errno, "cannot write %s", name);
    return rc;
}

static int put_link(struct archive_tree *t, const char *name, const struct archive_member *m, struct err *err) {
    struct buf target = {0};
    int rc = member_name_clean(m->link, &target, err);
    if (rc == 1 && (rc = private_directory_link(&t->small, (char *)target.p, name, err)) < 0) rc = pass_over_clash(err);
    if (rc == 1 && t->n_links == LINKS_MAX) {
        rc = err_set(err, ERR_LIMIT, "%s: more than %d hard links; unpack it", t->path, LINKS_MAX);
    } else if (rc == 1) {
        char *copy = fs_printf(err, "%s", name);
        if (copy && !grow_array(&t->links, t->n_links, sizeof *t->links, t->path, err)) {
            t->links[t->n_links++] = (struct tree_link){copy, (char *)target.p};
            return 0;
        }
        free(copy);
        rc = -1;
    }
    buf_free(&target);
    return rc < 0 ? -1 : 0;
}

/* Links to directories, devices and names that lead elsewhere are not data of HBase. */
static int put_member(struct archive_tree *t, struct archive_walk *w, const struct archive_member *m, struct err *err) {
    int rc = member_name_clean(m->name, &t->name, err);
    const char *name = (const char *)t->name.p;
    if (rc <= 0 || !*name) return rc < 0 ? -1 : 0;
    if (tree_signs_note(&t->signs, name, err)) return -1;
    if (m->type == MEMBER_DIRECTORY) return private_directory_add(&t->small, name, err) ? pass_over_clash(err) : 0;
    if (m->type == MEMBER_HARDLINK) return put_link(t, name, m, err);
    if (m->type != MEMBER_FILE) return 0;
    struct instream *in = archive_walk_content(w, err);
    rc = !in || count_foreign(t, name, m, in, err) || put_file(t, name, m, in, err) ? -1 : 0;
    instream_close(in);
    return rc;
}

int archive_tree_scan(struct archive_tree *t, struct err *err) {
    struct archive_walk *w = tree_begin_walk(t, err);
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
