/* The output directory of a run: what it may hold, the work area, reports, and the hand-over to publishing. It relies on
 * publication.c for the lock and for everything that must survive a kill. */
#include "dataset/outdir.h"

#include "base/fd.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/remote.h"
#include "dataset/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const outdir_signature[2] = {"MANIFEST.b2sums", "MANIFEST.b2sums.minisig"};

/* Content of a directory: nothing, only what a failed run leaves (rejects), or more. */
enum content { CONTENT_NONE, CONTENT_REPORT, CONTENT_MORE };

static int look_inside(const char *path, enum content *found, struct err *err) {
    *found = CONTENT_NONE;
    DIR *d = opendir(path);
    if (!d && errno == ENOTDIR) return err_set(err, ERR_OUTPUT, "%s is not a directory; name another output directory", path);
    if (!d) return errno == ENOENT ? 0 : err_sys(err, ERR_OUTPUT, errno, "cannot read directory %s", path);
    for (struct dirent *e; (e = directory_next(d));) {
        enum content c = strcmp(e->d_name, "_report") ? CONTENT_MORE : CONTENT_REPORT;
        if (c > *found) *found = c;
    }
    int rc = errno ? err_sys(err, ERR_OUTPUT, errno, "cannot read directory %s", path) : 0;
    (void)closedir(d); /* it was only read */
    return rc;
}

/* Anything put into a dataset, or into one of its family directories, would be mistaken for a part of it. */
static int check_not_inside(const char *path, struct err *err) {
    enum { LEVELS = 2 };
    char *up = fs_printf(err, "%s", path);
    int rc = up ? 0 : -1;
    for (int i = 0; !rc && i < LEVELS; i++) {
        size_t n = strlen(up);
        while (n > 1 && up[n - 1] == '/') n--;
        while (n && up[n - 1] != '/') n--;
        up[n] = 0;
        rc = fs_exists_in(n ? up : ".", "MANIFEST.json", err);
    }
    if (rc > 0)
        err_set(err, ERR_USAGE, "%s is inside the dataset or export %s; choose another output directory", path, *up ? up : ".");
    free(up);
    return rc ? -1 : 0;
}

int outdir_look(const char *path, enum outdir_state *state, struct err *err) {
    enum content found;
    if (check_not_inside(path, err) || look_inside(path, &found, err)) return -1;
    *state = found == CONTENT_REPORT ? OUTDIR_UNFINISHED : OUTDIR_NEW;
    if (found != CONTENT_MORE) return 0;
    if (publication_recover(path, err)) return -1;
    int manifest = fs_exists_in(path, "MANIFEST.json", err), work = fs_exists_in(path, ".obkv", err);
    if (manifest < 0 || work < 0) return -1;
    if (!manifest && !work)
        return err_set(err, ERR_USAGE, "%s is not empty and holds no dataset; choose another output directory, or empty it",
                       path);
    *state = manifest ? OUTDIR_FINISHED : OUTDIR_UNFINISHED;
    if (manifest && work && remote_name(path)) return remote_tidy(path, err);
    return manifest ? publication_tidy(path, err) : 0;
}

static int remove_entry(void *arg, const char *name, bool is_dir, struct err *err) {
    (void)is_dir;
    if (!strcmp(name, ".obkv")) return 0;
    char *path = fs_join(arg, name, err);
    int rc = path ? fs_remove_tree(path, err) : -1;
    free(path);
    return rc;
}

/* Files that an unfinished run has sent to a server stay there: the new one keeps those that are the same, and removes the others
 * when it is published. Here they are only shown. */
static int forget_sent(const struct outdir *o, bool *cleaned, struct err *err) {
    int begun = fs_exists_in(o->work, "writer", err);
    if (begun == 1) *cleaned = true;
    return begun < 0 || directory_each(o->path, remove_entry, o->path, err) < 0 ? -1 : 0;
}

/* Removes what an unfinished run left. *cleaned: it was one that had begun to write. */
static int clean(struct outdir *o, bool *cleaned, struct err *err) {
    int tmp = fs_exists_in(o->work, "tmp", err), journal = fs_exists_in(o->work, "journal", err);
    if (tmp < 0 || journal < 0 || publication_resume(o->path, err)) return -1;
    int finished = fs_exists_in(o->path, "MANIFEST.json", err);
    if (finished < 0) return -1;
    *cleaned = (tmp || journal) && !finished;
    if (!finished && remote_name(o->path)) return forget_sent(o, cleaned, err);
    return finished ? 0 : fs_remove_in(o->path, "_report", err);
}

/* Takes the last name off a path. */
static void strip_name(char *path) {
    size_t n = strlen(path);
    while (n && path[n - 1] == '/') n--;
    while (n && path[n - 1] != '/') n--;
    while (n > 1 && path[n - 1] == '/') n--;
    path[n] = 0;
}

/* Removes empty directories that this run has made: OUT, and those on the way to it. */
static void remove_made(struct outdir *o) {
    while (strlen(o->path) > o->made_below && !rmdir(o->path)) strip_name(o->path);
}

static int find_made(struct outdir *o, struct err *err) {
    char *up = fs_printf(err, "%s", o->path);
    int there = up ? fs_exists(up, err) : -1;
    o->made = there == 0;
    while (there == 0) {
        strip_name(up);
        there = *up ? fs_exists(up, err) : 1;
    }
    o->made_below = up ? strlen(up) : 0;
    free(up);
    return there < 0 ? -1 : 0;
}

int outdir_open(struct outdir *o, const char *path, bool *cleaned, struct err *err) {
    *o = (struct outdir){.lock_fd = -1};
    o->path = fs_printf(err, "%s", path);
    o->work = fs_join(path, ".obkv", err);
    o->tmp = fs_join(path, ".obkv/tmp", err);
    if (!o->path || !o->work || !o->tmp) goto fail;
    if (find_made(o, err)) goto fail;
    if (publication_lock(o->path, &o->lock_fd, err) < 0 || clean(o, cleaned, err) || fs_mkdirs(o->tmp, err)) goto fail;
    return 0;
fail:
    outdir_close(o);
    return -1;
}

int outdir_need_report(struct outdir *o, struct err *err) {
    if (o->report) return 0;
    if (!(o->report = fs_join(o->path, "_report", err))) return -1;
    return fs_remove_tree(o->report, err) ? -1 : fs_mkdirs(o->report, err);
}

int outdir_sync_files(const struct outdir *o, char *const *paths, size_t n, unsigned threads, struct err *err) {
    if (remote_name(o->path)) return 0; /* only what is on the server counts */
    struct err *errs = calloc(n + 1, sizeof *errs);
    if (!errs) return err_nomem(err, n * sizeof *errs, "syncing files");
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < n; i++) {
        char *p = fs_join(o->tmp, paths[i], &errs[i]);
        if (p) (void)fs_fsync_path(p, &errs[i]);
        free(p);
    }
    int rc = 0;
    for (size_t i = 0; i < n && !rc; i++) {
        rc = errs[i].code ? -1 : 0;
        err_keep(err, &errs[i]);
    }
    free(errs);
    return rc;
}

/* A file, or a directory with all that is below it. */
static int sync_entry(void *arg, const char *name, bool is_dir, struct err *err) {
    char *p = fs_join(arg, name, err);
    int rc = !p || (is_dir && directory_each(p, sync_entry, p, err) < 0) ? -1 : fs_fsync_path(p, err);
    free(p);
    return rc;
}

/* Syncs the report, and its name in OUT: it is on disk before the manifest that is published with it. */
static int sync_report(const struct outdir *o, struct err *err) {
    if (!o->report) return 0;
    return sync_entry(o->path, "_report", true, err) || fs_fsync_path(o->path, err) ? -1 : 0;
}

/* Writes the manifest before anything is moved: a full disk must be noticed while the old dataset still exists. */
static int stage_manifest(const struct outdir *o, const char *text, struct err *err) {
    char *p = json_memory_check(err) ? NULL : fs_join(o->tmp, "MANIFEST.json", err);
    int rc = p ? fs_write_file(p, bytes_str(text), err) : -1;
    free(p);
    return rc;
}

/* The name of OUT itself. */
static int sync_parent(const struct outdir *o, struct err *err) {
    char *p = o->made ? fs_join(o->path, "..", err) : NULL;
    int rc = !o->made ? 0 : p ? fs_fsync_path(p, err) : -1;
    free(p);
    return rc;
}

/* A file that is in the way and not part of our output belongs to someone else: found before anything is given up or
 * journalled. */
static int check_targets(const struct outdir *o, const struct publication *p, struct err *err) {
    for (size_t i = 0; i < p->names.n; i++) {
        const char *name = p->names.names[i];
        if (name_list_has(&p->old, name)) continue;
        int there = fs_exists_in(o->path, name, err);
        if (there < 0) return -1;
        if (there) return err_set(err, ERR_USAGE, "%s/%s is in the way and belongs to no dataset; move it", o->path, name);
    }
    return 0;
}

/* ---- on a server ---- */

/* A file, or a directory of files. Those that were handed over before are not sent again. */
static int send_entry(void *arg, const char *name, bool is_dir, struct err *err) {
    char *path = fs_join(arg, name, err);
    int rc = !path ? -1 : is_dir ? directory_each(path, send_entry, path, err) : remote_put(path, err);
    free(path);
    return rc < 0 ? -1 : 0;
}

static int send_report_entry(void *arg, const char *name, bool is_dir, struct err *err) {
    char *p = fs_join(arg, name, err);
    int rc = !p ? -1 : is_dir ? directory_each(p, send_report_entry, p, err) : remote_put_report(p, err);
    free(p);
    return rc < 0 ? -1 : 0;
}

static int send_report(const struct outdir *o, struct err *err) {
    return !o->report || directory_each(o->report, send_report_entry, o->report, err) >= 0 ? 0 : -1;
}

static int publish_there(struct outdir *o, const struct name_list *names, struct err *err) {
    struct stat st;
    for (size_t i = 0; i < names->n; i++) {
        char path[PATH_MAX];
        int is = fs_path(path, err, "%s/%s", o->tmp, names->names[i]) ? -1 : fs_look(path, &st, err);
        if (is < 0 || (is && send_entry(o->tmp, names->names[i], S_ISDIR(st.st_mode), err))) return -1;
    }
    if (send_report(o, err) || remote_publish(o->path, err)) return -1;
    o->is_sent = true;
    return 0;
}

int outdir_replace(struct outdir *o, const struct name_list *names, const struct name_list *old, const char *manifest_text,
                   struct err *err) {
    int finished = fs_exists_in(o->path, "MANIFEST.json", err);
    const struct publication p = {*names, *old, finished == 1, o->report != NULL};
    if (finished < 0 || stage_manifest(o, manifest_text, err) || check_targets(o, &p, err)) return -1;
    if (remote_name(o->path)) return publish_there(o, names, err);
    return sync_report(o, err) || sync_parent(o, err) || publication_commit(o->path, &p, err) ? -1 : 0;
}

int outdir_publish(struct outdir *o, char *const *families, size_t n, const char *manifest_text, struct err *err) {
    struct manifest m = {0};
    int finished = fs_exists_in(o->path, "MANIFEST.json", err);
    if (finished < 0 || (finished && manifest_load(o->path, &m, err))) return -1;
    size_t n_old = m.table.n_families;
    char **old = calloc(n_old + countof(outdir_signature), sizeof *old);
    int rc = old ? 0 : err_nomem(err, n_old * sizeof *old, "the list of families");
    for (size_t i = 0; !rc && i < n_old; i++) old[i] = m.table.families[i].name;
    for (size_t i = 0; !rc && finished && i < countof(outdir_signature); i++)
        old[n_old++] = (char *)(uintptr_t)outdir_signature[i];
    if (!rc) rc = outdir_replace(o, &(struct name_list){families, n}, &(struct name_list){old, n_old}, manifest_text, err);
    free(old);
    manifest_free(&m);
    return rc;
}

/* Removes the work area, in which only the lock is left. The directory is removed only when empty: another run may begin as soon
 * as the lock's name is gone. */
static void remove_work(struct outdir *o) {
    struct err ignored = {0};
    (void)fs_remove_in(o->work, "lock", &ignored);
    (void)rmdir(o->work); /* another run may have begun in it */
}

/* A replacement that has been journalled is completed by the next who opens it, if it cannot be now. */
void outdir_close(struct outdir *o) {
    struct err ignored = {0};
    if (o->lock_fd >= 0 && remote_name(o->path) && !o->is_sent) (void)send_report(o, &ignored); /* rejects are kept */
    if (o->lock_fd >= 0) {
        if (publication_resume(o->path, &ignored)) (void)publication_resume(o->path, &ignored); /* what failed once may pass */
        int finished = fs_exists_in(o->path, "MANIFEST.json", &ignored), journal = fs_exists_in(o->work, "journal", &ignored);
        if (finished == 0 && journal == 0) remove_work(o);
        if (finished == 0 && o->made) remove_made(o); /* fails without harm when OUT holds a report */
        fd_close(o->lock_fd);
    } else if (o->made) {
        (void)rmdir(o->work); /* both fail without harm when another run has begun there */
        remove_made(o);
    }
    free(o->path);
    free(o->work);
    free(o->tmp);
    free(o->report);
    *o = (struct outdir){.lock_fd = -1};
}
