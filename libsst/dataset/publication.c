/* Publishing: a lock, a journal, and renames that can be repeated.
 *
 *     OUT/.obkv/tmp       new family directories and MANIFEST.json, complete and synced
 *     OUT/.obkv/journal   the point of no return of a replacement
 *     OUT/.obkv/old       what is replaced, until the new manifest is in place
 *
 * A first publication is undone when it is interrupted: its manifest comes last. A replacement is rolled forward instead:
 * before the journal exists the old output is untouched, after that the next to open OUT completes the new one first. At every
 * moment one of the two is whole and can be opened: by the journal first, then by the manifest, which is away while names are
 * exchanged. Each step checks what exists and can be repeated after a failure or kill. */
#include "dataset/publication.h"

#include "base/buf.h"
#include "base/fd.h"
#include "base/fs.h"
#include "hfile/pack_member.h"
#include "sort/kept_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { JOURNAL_MAX_BYTES = 1 << 20, WAIT_MS = 10, WAITS = 3000 };

static const char journal_name[] = "journal", replace_line[] = ".replace", keep_line[] = ".keep-report", old_word[] = ".old ";
static const char manifest_name[] = "MANIFEST.json";

/* ---- names below OUT ---- */

bool name_list_has(const struct name_list *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->names[i], name)) return true;
    return false;
}

/* OUT and what it holds while a run works: without memory of its own, so that a run that has none left still clears it. */
struct area {
    const char *out;
    char work[PATH_MAX], tmp[PATH_MAX], old[PATH_MAX];
};

static int area_of(const char *out, struct area *a, struct err *err) {
    a->out = out;
    return fs_path(a->work, err, "%s/.obkv", out) || fs_path(a->tmp, err, "%s/.obkv/tmp", out) ||
                   fs_path(a->old, err, "%s/.obkv/old", out)
               ? -1
               : 0;
}

static int move_name(const char *from, const char *to, const char *name, struct err *err) {
    char a[PATH_MAX], b[PATH_MAX];
    return fs_path(a, err, "%s/%s", from, name) || fs_path(b, err, "%s/%s", to, name) ? -1 : fs_rename(a, b, err);
}

/* ---- the lock ---- */

/* Locks the file. 1 = locked, 0 = the file went away meanwhile, -1. */
static int lock_file(const char *out, const char *path, int *lock, struct err *err) {
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666), rc = 1;
    if (fd < 0) return errno == ENOENT ? 0 : err_sys(err, ERR_OUTPUT, errno, "cannot open %s", path);
    if (flock(fd, LOCK_EX | LOCK_NB))
        rc = errno == EWOULDBLOCK ? err_set(err, ERR_BUSY, "%s: another run is using it (lock %s is held)", out, path)
                                  : err_sys(err, ERR_OUTPUT, errno, "cannot lock %s", path);
    else if (fstat(fd, &st))
        rc = err_sys(err, ERR_OUTPUT, errno, "cannot stat %s", path);
    else if (!st.st_nlink)
        rc = 0;
    if (rc == 1)
        *lock = fd;
    else
        fd_close(fd); /* not ours: nothing in there may be touched */
    return rc;
}

/* Checks that OUT/.obkv is a directory: what a link points to is not ours to write to or to remove. */
static int check_work(const char *path, struct err *err) {
    struct stat st;
    if (lstat(path, &st)) return errno == ENOENT ? 0 : err_sys(err, ERR_OUTPUT, errno, "cannot stat %s", path);
    if (S_ISDIR(st.st_mode)) return 0;
    return err_set(err, ERR_USAGE, "%s is not a directory; remove it, or choose another output directory", path);
}

/* A run that ends removes the work area too, so a lock counts only on a file that still has its name. */
int publication_lock(const char *out, int *fd, struct err *err) {
    char *work = fs_join(out, ".obkv", err), *path = work ? fs_join(work, "lock", err) : NULL;
    int rc = path ? 0 : -1;
    while (!rc) {
        rc = check_work(work, err);
        if (!rc) rc = fs_mkdirs(work, err);
        if (!rc) rc = lock_file(out, path, fd, err);
    }
    free(path);
    free(work);
    return rc;
}

/* ---- the journal ---- */

struct publication_journal {
    char *text; /* names point into it */
    struct journal_name {
        const char *name;
        bool old; /* of the output that is replaced, and not of the new one */
    } * names;
    size_t n;
    bool replaces, keep_report;
};

static void journal_free(struct publication_journal *j) {
    free(j->names);
    free(j->text);
    *j = (struct publication_journal){0};
}

/* Returns whether a publication may name the entry: only those of OUT itself, and never the manifest. */
static bool may_be_named(const char *name) {
    return *name && *name != '.' && !strchr(name, '/') && strcmp(name, manifest_name) != 0;
}

static int journal_split(struct publication_journal *j, struct err *err) {
    size_t lines = 1;
    for (const char *s = j->text; *s; s++) lines += *s == '\n';
    j->names = calloc(lines, sizeof *j->names);
    if (!j->names) return err_nomem(err, lines * sizeof *j->names, "the journal");
    for (char *s = j->text, *end; *s; s = end) {
        end = s + strcspn(s, "\n");
        if (*end) *end++ = 0;
        bool old = !strncmp(s, old_word, sizeof old_word - 1);
        const char *name = old ? s + sizeof old_word - 1 : s;
        if (!strcmp(s, replace_line))
            j->replaces = true;
        else if (!strcmp(s, keep_line))
            j->keep_report = true;
        else if (may_be_named(name))
            j->names[j->n++] = (struct journal_name){name, old};
        else
            return err_set(err, ERR_USAGE, "it names '%.100s', which is not one of its files", name);
    }
    return 0;
}

/* 1 = read, 0 = none, -1. It is written whole, so one that says anything else was not written by us: nothing of it is
 * done, because the names in it may be files of others. */
static int read_journal(const char *out, struct publication_journal *j, struct err *err) {
    size_t n;
    *j = (struct publication_journal){0};
    int rc = fs_exists_in(out, ".obkv/journal", err);
    if (rc <= 0) return rc;
    char *path = fs_join(out, ".obkv/journal", err);
    struct stat st;
    if (path && !lstat(path, &st) && !S_ISREG(st.st_mode))
        err_set(err, ERR_USAGE, "%s is not a file; remove it", path);
    else if (path)
        j->text = fs_read_text(path, JOURNAL_MAX_BYTES, &n, err);
    rc = j->text ? 1 : -1;
    if (rc > 0 && (strlen(j->text) != n || journal_split(j, err)))
        rc = err_prefix(err, "%s was not written by this program; check what it names, then remove it", path);
    free(path);
    if (rc < 0) journal_free(j);
    return rc;
}

/* Whole or not at all. Settings begin with '.', which no name does. */
static int journal_write(const struct area *a, const struct publication *p, struct err *err) {
    struct buf text = {0};
    int rc = p->replaces ? buf_printf(&text, err, "%s\n", replace_line) : 0;
    if (!rc && p->keep_report) rc = buf_printf(&text, err, "%s\n", keep_line);
    for (size_t i = 0; !rc && i < p->names.n; i++) rc = buf_printf(&text, err, "%s\n", p->names.names[i]);
    for (size_t i = 0; !rc && p->replaces && i < p->old.n; i++)
        if (!name_list_has(&p->names, p->old.names[i])) rc = buf_printf(&text, err, "%s%s\n", old_word, p->old.names[i]);
    char *path = rc ? NULL : fs_join(a->tmp, journal_name, err);
    rc = path ? fs_write_file(path, buf_bytes(&text), err) : -1;
    if (!rc) rc = move_name(a->tmp, a->work, journal_name, err);
    if (!rc) rc = fs_fsync_path(a->work, err);
    free(path);
    buf_free(&text);
    return rc;
}

/* ---- what it may be about ---- */

enum { PARTITION_DIGITS = 5, WORKER_DIGITS = 5, NUMBER_DIGITS = 3 };
static const char digits[] = "0123456789";

/* PARTITION-NUMBER, and a '.' after it. */
static bool is_numbered(const char *p) {
    size_t partition = strspn(p, digits), number = p[partition] == '-' ? strspn(p + partition + 1, digits) : 0;
    return partition >= PARTITION_DIGITS && number >= NUMBER_DIGITS && p[partition + 1 + number] == '.';
}

/* p00000-000.hfile, w00000.run, w00000.pack, and TABLE.PARTITION.00000-000.FORM in the directories of an export. */
static bool is_file_of_ours(const char *name) {
    const char *end = strrchr(name, '.');
    size_t dots = 0;
    if (*name == 'p' && is_numbered(name + 1)) return !strcmp(end, ".hfile");
    size_t worker = *name == 'w' ? strspn(name + 1, digits) : 0;
    if (worker >= WORKER_DIGITS && end == name + 1 + worker) return kept_run_is(name) || pack_member_pack_is(name);
    for (const char *p = name; (p = strchr(p, '.')); p++)
        if (++dots > 1 && is_numbered(p + 1)) return true;
    return false;
}

/* Returns whether a single file of this name is ours: a manifest's signature, or a script of an export. */
static bool is_single_of_ours(const char *name) {
    static const char *const names[] = {"MANIFEST.b2sums", "MANIFEST.b2sums.minisig", "create.sql", "load.sql", "check.sql",
                                        "probe.kqvt"};
    size_t i = 0;
    while (i < countof(names) && strcmp(names[i], name) != 0) i++;
    return i < countof(names);
}

bool publication_is_ours(const char *path) {
    const char *name = strchr(path, '/');
    if (!name) return is_single_of_ours(path);
    return !strncmp(path, "_report/", sizeof "_report/" - 1) || (!strchr(name + 1, '/') && is_file_of_ours(name + 1));
}

static int refuse_foreign(const struct area *a, const char *name, const char *file, struct err *err) {
    return err_set(err, ERR_USAGE,
                   "%s/%s%s%s is not an output of this program; move it, or remove %s/journal if that names it wrongly", a->out,
                   name, *file ? "/" : "", file, a->work);
}

static int check_files(const struct area *a, const char *name, DIR *d, struct err *err) {
    struct stat st;
    for (const struct dirent *e; (e = directory_next(d));) {
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            return err_sys(err, ERR_OUTPUT, errno, "cannot stat %s/%s/%s", a->out, name, e->d_name);
        if (!S_ISREG(st.st_mode) || !is_file_of_ours(e->d_name)) return refuse_foreign(a, name, e->d_name, err);
    }
    return errno ? err_sys(err, ERR_OUTPUT, errno, "cannot read %s/%s", a->out, name) : 0;
}

/* Refuses to move or remove what no run can have written: a link, a file or a directory of others, or one of ours that others
 * have put something into. */
static int check_output(const struct area *a, const char *name, struct err *err) {
    struct stat st;
    char path[PATH_MAX];
    if (fs_path(path, err, "%s/%s", a->out, name)) return -1;
    if (lstat(path, &st)) return errno == ENOENT ? 0 : err_sys(err, ERR_OUTPUT, errno, "cannot stat %s", path);
    if (!S_ISDIR(st.st_mode)) return S_ISREG(st.st_mode) && is_single_of_ours(name) ? 0 : refuse_foreign(a, name, "", err);
    DIR *d = opendir(path);
    if (!d) return err_sys(err, ERR_OUTPUT, errno, "cannot read %s", path);
    int rc = check_files(a, name, d, err);
    (void)closedir(d); /* it was only read */
    return rc;
}

static int check_journalled(const struct area *a, const struct publication_journal *j, struct err *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < j->n; i++) rc = check_output(a, j->names[i].name, err);
    return rc;
}

/* Checks the outputs that are replaced, before a journal makes them go. */
static int check_replaced(const struct area *a, const struct publication *p, struct err *err) {
    int rc = 0;
    for (size_t i = 0; !rc && p->replaces && i < p->old.n; i++) rc = check_output(a, p->old.names[i], err);
    return rc;
}

/* ---- what it says ---- */

/* A new name that is no longer staged is in place already. */
static int exchange_name(const struct area *a, const char *name, bool old, struct err *err) {
    int staged = old ? 0 : fs_exists_in(a->tmp, name, err), placed = fs_exists_in(a->out, name, err);
    if (staged < 0 || placed < 0) return -1;
    if (placed && (old || staged) && move_name(a->out, a->old, name, err)) return -1;
    return staged ? move_name(a->tmp, a->out, name, err) : 0;
}

/* The old manifest goes first, so that none stands beside files that it does not list: who copies OUT, or knows nothing of
 * journals, finds an output that is not finished. When the new one takes the name, only clearing is left. */
static int withdraw_manifest(const struct area *a, struct err *err) {
    int placed = fs_exists_in(a->out, manifest_name, err);
    if (placed <= 0) return placed;
    return move_name(a->out, a->old, manifest_name, err) || fs_fsync_path(a->out, err) ? -1 : 0;
}

static int exchange(const struct area *a, const struct publication_journal *j, struct err *err) {
    if (fs_mkdirs(a->old, err) || withdraw_manifest(a, err)) return -1;
    for (size_t i = 0; i < j->n; i++)
        if (exchange_name(a, j->names[i].name, j->names[i].old, err)) return -1;
    if (!j->keep_report && exchange_name(a, "_report", true, err)) return -1;
    return fs_fsync_path(a->out, err) || move_name(a->tmp, a->out, manifest_name, err) ? -1 : 0;
}

static int remove_work(const struct area *a, struct err *err) {
    if (fs_remove_tree(a->old, err) || fs_remove_tree(a->tmp, err)) return -1;
    return fs_remove_in(a->work, journal_name, err);
}

static int roll_forward(const struct area *a, const struct publication_journal *j, struct err *err) {
    int staged = fs_exists_in(a->tmp, manifest_name, err);
    if (staged < 0 || (staged && (check_journalled(a, j, err) || exchange(a, j, err)))) return -1;
    return fs_fsync_path(a->out, err) || remove_work(a, err) ? -1 : 0;
}

static int undo(const struct area *a, const struct publication_journal *j, struct err *err) {
    if (check_journalled(a, j, err)) return -1;
    for (size_t i = 0; i < j->n; i++)
        if (fs_remove_in(a->out, j->names[i].name, err)) return -1;
    return remove_work(a, err);
}

static int do_as_journalled(const struct area *a, struct err *err) {
    struct publication_journal j;
    int rc = read_journal(a->out, &j, err), finished = fs_exists_in(a->out, manifest_name, err);
    if (rc < 0 || finished < 0) {
        journal_free(&j);
        return -1;
    }
    if (rc && j.replaces)
        rc = roll_forward(a, &j, err);
    else if (rc && !finished)
        rc = undo(a, &j, err);
    else
        rc = remove_work(a, err);
    journal_free(&j);
    return rc;
}

int publication_resume(const char *out, struct err *err) {
    struct area a;
    if (area_of(out, &a, err)) return -1;
    return do_as_journalled(&a, err);
}

/* ---- publishing ---- */

static int sync_staged(const struct area *a, const struct name_list *names, struct err *err) {
    for (size_t i = 0; i < names->n; i++) {
        char path[PATH_MAX];
        if (fs_path(path, err, "%s/%s", a->tmp, names->names[i]) || fs_fsync_path(path, err)) return -1;
    }
    return fs_fsync_path(a->tmp, err);
}

static int place_first(const struct area *a, const struct name_list *names, struct err *err) {
    for (size_t i = 0; i < names->n; i++)
        if (move_name(a->tmp, a->out, names->names[i], err)) return -1;
    if (fs_fsync_path(a->out, err) || move_name(a->tmp, a->out, manifest_name, err) || fs_fsync_path(a->out, err)) return -1;
    return fs_remove_in(a->work, journal_name, err);
}

int publication_commit(const char *out, const struct publication *p, struct err *err) {
    struct area a;
    if (area_of(out, &a, err)) return -1;
    int rc = check_replaced(&a, p, err) || sync_staged(&a, &p->names, err) || journal_write(&a, p, err) ? -1 : 0;
    if (rc) return rc;
    return p->replaces ? do_as_journalled(&a, err) : place_first(&a, &p->names, err);
}

/* ---- for those who only read ---- */

static int pause_for(const char *out, int waited, struct err *err) {
    const struct timespec t = {.tv_nsec = WAIT_MS * 1000000L};
    if (waited == WAITS) return err_set(err, ERR_BUSY, "%s: a run is replacing it", out);
    nanosleep(&t, NULL);
    return 0;
}

int publication_recover(const char *out, struct err *err) {
    for (int waited = 0;; waited++) {
        struct publication_journal j;
        struct err why = {0};
        int fd, rc = read_journal(out, &j, err);
        bool replaces = rc > 0 && j.replaces;
        journal_free(&j);
        if (rc < 0 || !replaces) return rc < 0 ? -1 : 0;
        if (publication_lock(out, &fd, &why) == 1) {
            rc = publication_resume(out, err);
            fd_close(fd);
            return rc;
        }
        if (why.code != ERR_BUSY) {
            err_keep(err, &why);
            return err_prefix(err, "%s was being replaced when a run was interrupted, and cannot be completed", out);
        }
        if (pause_for(out, waited, err)) return -1;
    }
}

int publication_tidy(const char *out, struct err *err) {
    struct err why = {0};
    int journal = fs_exists_in(out, ".obkv/journal", err), tmp = fs_exists_in(out, ".obkv/tmp", err), fd;
    if (journal < 0 || tmp < 0) return -1;
    if ((!journal && !tmp) || publication_lock(out, &fd, &why) != 1) return 0;
    int rc = publication_resume(out, err);
    fd_close(fd);
    return rc;
}
