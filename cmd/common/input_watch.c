/* Inputs must not change while they are read. Of each file device, inode, size, time of change and of the last rename or write
 * (ctime, which no program can set back) are kept when it is listed, and compared when all of it has been read and right before
 * the output is published. Pipes and devices have no such state; a file that is standard input ("-") has.
 *
 * The clock of a file system ticks every few milliseconds: a file that changed within the tick in which it was listed could
 * change again without a trace, so a file that fresh is checked one tick later. */
#include "cmd/common/input_watch.h"
#include "cmd/common/inputs.h"

#include "base/buf.h"
#include "base/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { TICK_NS = 20000000 };

static uint64_t state_of(const struct stat *st) {
    const struct timespec *m = &st->st_mtim;
    const uint64_t facts[] = {st->st_dev, st->st_ino, (uint64_t)st->st_size, (uint64_t)m->tv_sec, (uint64_t)m->tv_nsec};
    return XXH3_64bits(facts, sizeof facts);
}

static uint64_t changed_at(const struct stat *st) {
    return (uint64_t)st->st_ctim.tv_sec * 1000000000 + (uint64_t)st->st_ctim.tv_nsec;
}

/* Files of datasets get and lose names when others are made over them as a base, which sets their ctime. So does a file that is
 * open as standard input, when its name is removed. */
static bool is_same(const struct input_watch *w, const struct watched_file *f, const struct stat *st) {
    if (state_of(st) != f->state) return false;
    if (!strcmp(f->path, "-") && (uint32_t)st->st_nlink != f->links) return true;
    if (f->kind == WATCH_DATASET && (w->relinks || (uint32_t)st->st_nlink != f->links)) return true;
    return changed_at(st) == f->changed;
}

static bool is_fresh(const struct stat *st) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age_s = now.tv_sec - st->st_ctim.tv_sec;
    return age_s >= 0 && age_s < 2 && age_s * 1000000000 + now.tv_nsec - st->st_ctim.tv_nsec < TICK_NS;
}

static bool is_missing(int why) {
    return why == ENOENT || why == ENOTDIR || why == ENAMETOOLONG || why == ELOOP;
}

/* "-" is standard input: the file that was given, by whatever name it goes now. */
static int stat_input(const char *path, struct stat *st) {
    return strcmp(path, "-") ? stat(path, st) : fstat(STDIN_FILENO, st);
}

/* Watches a file, unless its reader will refuse it, or its content comes only once. */
int input_watch_add(struct input_watch *w, const char *path, enum watch_kind kind, struct err *err) {
    struct stat st;
    bool known = w->n && !strcmp(w->files[w->n - 1].path, path);
    if (known) return 0;
    if (stat_input(path, &st)) return is_missing(errno) ? 0 : err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    if (!S_ISREG(st.st_mode)) return 0;
    if (is_fresh(&st)) {
        nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL);
        if (stat_input(path, &st)) return err_sys(err, ERR_INPUT, errno, "%s: cannot stat", path);
    }
    if (grow_array(&w->files, w->n, sizeof *w->files, "the list of inputs", err)) return -1;
    w->files[w->n++] = (struct watched_file){path, state_of(&st), changed_at(&st), (uint32_t)st.st_nlink, kind, false};
    return 0;
}

int input_watch_take(struct input_watch *w, char *path, enum watch_kind kind, struct err *err) {
    size_t n = w->n;
    int rc = path ? input_watch_add(w, path, kind, err) : -1;
    if (w->n > n)
        w->files[n].own = true;
    else
        free(path);
    return rc;
}

void input_watch_also(struct input_watch *w, struct input_watch *more) {
    more->also = w->also;
    w->also = more;
}

static int check_own(const struct input_watch *w, struct err *err) {
    for (size_t i = 0; i < w->n; i++) {
        const struct watched_file *f = &w->files[i];
        struct stat st;
        bool gone = stat_input(f->path, &st) != 0;
        if (gone && errno == ENOENT && f->kind == WATCH_STORE) continue; /* HBase moves files to its archive as they are */
        if (gone) return err_sys(err, ERR_INPUT, errno, "%s: disappeared or became unreachable while it was being read", f->path);
        if (remote_name(f->path)) {
            if (remote_check(f->path, err)) return -1;
        } else if (!is_same(w, f, &st))
            return err_set(err, ERR_INPUT,
                           "%s: changed while it was being read (%llu bytes now); run again when no program writes to it",
                           strcmp(f->path, "-") ? f->path : "standard input", (unsigned long long)st.st_size);
    }
    return 0;
}

int input_watch_check(const struct input_watch *w, struct err *err) {
    int rc = 0;
    for (; !rc && w; w = w->also) rc = check_own(w, err);
    return rc;
}

/* Checks the files when reading ends: what looks like damage, or like bad records, may come of an input that is being written. A
 * file that is gone is named as such. */
int input_watch_end(const struct input_watch *w, int rc, struct err *err) {
    struct err change = {0};
    if (!rc) return input_watch_check(w, err);
    bool maybe = (err->code == ERR_INPUT || err->code == ERR_REJECTS) && err->sys != ENOENT;
    if (maybe && input_watch_check(w, &change)) *err = change;
    return rc;
}

int input_list_check_cells(const struct input_list *l, struct err *err) {
    for (uint32_t i = 0; i < l->n; i++) {
        const struct input *in = &l->inputs[i];
        bool whole = in->in_manifest && !in->start_row.n && !in->stop_row.n;
        if (!whole || (in->tally.cells == in->manifest_tally.cells && digest_eq(in->tally.digest, in->manifest_tally.digest)))
            continue;
        return err_set(err, ERR_INPUT, "%s: holds %llu cells, the manifest says %llu%s; run obkv-verify check", in->path,
                       (unsigned long long)in->tally.cells, (unsigned long long)in->manifest_tally.cells,
                       in->tally.cells == in->manifest_tally.cells ? " with another digest" : "");
    }
    return 0;
}

void input_watch_free(struct input_watch *w) {
    for (size_t i = 0; i < w->n; i++)
        if (w->files[i].own) free((char *)(uintptr_t)w->files[i].path);
    free(w->files);
    *w = (struct input_watch){0};
}
