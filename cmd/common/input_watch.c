/* Inputs must not change while they are read. Of each file device, inode, size, time of change and of the last rename or write
 * (ctime, which no program can set back) are kept as one number when it is listed, and compared when all of it has been read and
 * right before the output is published. Pipes and devices have no such state.
 *
 * The clock of a file system ticks every few milliseconds: a file that changed within the tick in which it was listed could
 * change again without a trace, so a file that fresh is checked one tick later. */
#include "cmd/common/inputs.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

enum { TICK_NS = 20000000 };

/* Files of datasets get further names by every run over them as a base, which sets their ctime. */
static uint64_t state_of(const struct stat *st, enum watch_kind kind) {
    const struct timespec *m = &st->st_mtim, *c = kind == WATCH_DATASET ? m : &st->st_ctim;
    const uint64_t facts[] = {st->st_dev,           st->st_ino,          (uint64_t)st->st_size, (uint64_t)m->tv_sec,
                              (uint64_t)m->tv_nsec, (uint64_t)c->tv_sec, (uint64_t)c->tv_nsec};
    return XXH3_64bits(facts, sizeof facts);
}

static bool is_fresh(const struct stat *st) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age_s = now.tv_sec - st->st_ctim.tv_sec;
    return age_s >= 0 && age_s < 2 && age_s * 1000000000 + now.tv_nsec - st->st_ctim.tv_nsec < TICK_NS;
}

/* What its reader will refuse, or whose content comes only once, is not watched. */
int input_watch_add(struct input_watch *w, const char *path, enum watch_kind kind, struct err *err) {
    struct stat st;
    bool known = w->n && !strcmp(w->files[w->n - 1].path, path);
    if (known || !strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode)) return 0;
    if (is_fresh(&st)) {
        nanosleep(&(struct timespec){.tv_nsec = TICK_NS}, NULL);
        if (stat(path, &st)) return 0;
    }
    if (grow_array(&w->files, w->n, sizeof *w->files, "the list of inputs", err)) return -1;
    w->files[w->n++] = (struct watched_file){path, state_of(&st, kind), kind};
    return 0;
}

int input_watch_check(const struct input_watch *w, struct err *err) {
    for (size_t i = 0; i < w->n; i++) {
        const struct watched_file *f = &w->files[i];
        struct stat st;
        bool gone = stat(f->path, &st) != 0;
        if (gone && errno == ENOENT && f->kind == WATCH_STORE) continue; /* HBase moves files to its archive as they are */
        if (gone) return err_sys(err, ERR_INPUT, errno, "%s: is gone, or out of reach, since this run began to read it", f->path);
        if (state_of(&st, f->kind) != f->state)
            return err_set(err, ERR_INPUT,
                           "%s: changed while it was read (%llu bytes now): nothing is published; run again when no "
                           "program writes to it",
                           f->path, (unsigned long long)st.st_size);
    }
    return 0;
}

void input_watch_free(struct input_watch *w) {
    free(w->files);
    *w = (struct input_watch){0};
}
