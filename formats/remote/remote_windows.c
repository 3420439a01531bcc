/* Windows are in one list. A reader that finds its offset in one copies from there, or waits until it has come; otherwise it
 * makes one and gets it itself. Where a file is read in order the window after the next ones is made as well, and left to
 * threads that do nothing else. A window that failed is taken out: who waited for it tries again, and then gets the error
 * itself. */
#include "formats/remote/remote_source.h"
#include "base/hand_over.h"
#include "formats/remote/remote_windows.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW_MIN_BYTES = 64 << 10, WINDOW_MAX_BYTES = 4 << 20, AHEAD = 2, RUNS = 256 };

enum state { WANTED, COMING, HERE, FAILED };
struct remote_window {
    struct remote_window *next;
    const struct remote_file *file;
    uint64_t offset, used; /* used: when, as a count */
    size_t n;
    unsigned users; /* who copy from it or wait for it */
    enum state state;
    uint8_t *p;
};

/* Somebody reads a file in order: from `begin` up to `end` so far. */
struct ordered_read {
    const struct remote_file *file;
    uint64_t begin, end, used;
    size_t window;
};

struct remote_windows {
    struct hand_over list;
    struct remote_window *first;
    struct ordered_read runs[RUNS];
    uint64_t clock;
    size_t limit_bytes, bytes, window_max;
    bool ended;
};

struct remote_windows *remote_windows_new(size_t memory_bytes, struct err *err) {
    struct remote_windows *w = calloc(1, sizeof *w);
    if (!w) {
        err_nomem(err, sizeof *w, "windows of remote files");
        return NULL;
    }
    hand_over_init(&w->list);
    w->limit_bytes = memory_bytes;
    w->window_max = memory_bytes / 8 < WINDOW_MAX_BYTES ? memory_bytes / 8 : WINDOW_MAX_BYTES;
    if (w->window_max < WINDOW_MIN_BYTES) w->window_max = WINDOW_MIN_BYTES;
    return w;
}

/* ---- the list; with the lock held ---- */

static struct remote_window *find(struct remote_windows *w, const struct remote_file *f, uint64_t offset) {
    for (struct remote_window *i = w->first; i; i = i->next)
        if (i->file == f && i->state != FAILED && offset >= i->offset && offset - i->offset < i->n) return i;
    return NULL;
}

static void drop(struct remote_windows *w, struct remote_window *gone) {
    struct remote_window **at = &w->first;
    while (*at != gone) at = &(*at)->next;
    *at = gone->next;
    w->bytes -= gone->n;
    free(gone->p);
    free(gone);
}

static void make_room(struct remote_windows *w, size_t n) {
    while (w->bytes + n > w->limit_bytes) {
        struct remote_window *oldest = NULL;
        for (struct remote_window *i = w->first; i; i = i->next)
            if (!i->users && i->state == HERE && (!oldest || i->used < oldest->used)) oldest = i;
        if (!oldest) return; /* all are in use: there are only as many as threads */
        drop(w, oldest);
    }
}

/* A new one at an offset that no window covers, up to the next one or the end of the file. */
static struct remote_window *make(struct remote_windows *w, const struct remote_file *f, uint64_t offset, size_t n,
                                  enum state state) {
    uint64_t end = offset + n < (uint64_t)f->facts.bytes ? offset + n : (uint64_t)f->facts.bytes;
    for (const struct remote_window *i = w->first; i; i = i->next)
        if (i->file == f && i->state != FAILED && i->offset > offset && i->offset < end) end = i->offset;
    struct remote_window *made = calloc(1, sizeof *made);
    make_room(w, (size_t)(end - offset));
    if (made) made->p = malloc((size_t)(end - offset));
    if (!made || !made->p) {
        free(made);
        return NULL;
    }
    *made = (struct remote_window){w->first, f, offset, ++w->clock, (size_t)(end - offset), 0, state, made->p};
    w->first = made;
    w->bytes += made->n;
    return made;
}

/* Returns the ordered read that says how much is read at once at this offset: more each time if it follows on the last. */
static struct ordered_read *run_of(struct remote_windows *w, const struct remote_file *f, uint64_t offset) {
    struct ordered_read *oldest = &w->runs[0];
    for (size_t i = 0; i < RUNS; i++) {
        struct ordered_read *r = &w->runs[i];
        if (r->file == f && offset + 2 * r->window >= r->end && offset <= r->end + WINDOW_MIN_BYTES) {
            r->used = ++w->clock;
            return r;
        }
        if (r->used < oldest->used) oldest = r;
    }
    *oldest = (struct ordered_read){f, offset, offset, ++w->clock, 0};
    return oldest;
}

/* No more than half of what was read in order is read ahead: who stops there has read a half too much at most. */
static void plan_ahead(struct remote_windows *w, struct ordered_read *r) {
    size_t fits = (size_t)((r->end - r->begin) / (2 * AHEAD));
    if (fits > r->window) r->window = fits < w->window_max ? fits : w->window_max;
    uint64_t at = r->end, most = r->end + (uint64_t)AHEAD * r->window;
    if (r->window < 2 * WINDOW_MIN_BYTES || fits < r->window || w->bytes + r->window > w->limit_bytes / 2 + w->limit_bytes / 4)
        return;
    for (const struct remote_window *i; (i = find(w, r->file, at)) && at < most;) at = i->offset + i->n;
    if (at >= most || at >= (uint64_t)r->file->facts.bytes) return;
    if (make(w, r->file, at, r->window, WANTED)) hand_over_changed(&w->list);
}

/* ---- reading ---- */

/* Lock held at the beginning and the end. */
static int get(struct remote_windows *w, struct remote_client *c, struct remote_window *i, struct err *err) {
    i->state = COMING;
    i->users++;
    hand_over_unlock(&w->list);
    int rc = remote_source_read(c, i->file, i->offset, i->p, i->n, err);
    hand_over_lock(&w->list);
    i->state = rc ? FAILED : HERE;
    i->used = ++w->clock;
    if (!--i->users && rc) drop(w, i);
    hand_over_changed(&w->list);
    return rc;
}

static ssize_t copy(struct remote_windows *w, struct remote_window *i, uint64_t offset, void *p, size_t n) {
    size_t at = (size_t)(offset - i->offset);
    if (n > i->n - at) n = i->n - at;
    i->users++;
    i->used = ++w->clock;
    hand_over_unlock(&w->list);
    memcpy(p, i->p + at, n);
    hand_over_lock(&w->list);
    i->users--;
    return (ssize_t)n;
}

static void wait_for(struct remote_windows *w, struct remote_window *i) {
    i->users++;
    while (i->state == COMING) hand_over_wait(&w->list);
    if (!--i->users && i->state == FAILED) drop(w, i);
}

static size_t window_bytes(const struct remote_windows *w, struct ordered_read *r, size_t n) {
    size_t most = r->window > n ? r->window : n;
    if (most < WINDOW_MIN_BYTES) most = WINDOW_MIN_BYTES;
    r->window = most < w->window_max ? most : w->window_max;
    return r->window;
}

static ssize_t read_locked(struct remote_windows *w, struct remote_client *c, const struct remote_file *f, uint64_t offset,
                           void *p, size_t n, struct err *err) {
    struct ordered_read *r = run_of(w, f, offset);
    for (;;) {
        struct remote_window *i = find(w, f, offset);
        if (i && i->state == HERE) {
            ssize_t got = copy(w, i, offset, p, n);
            if (offset + (uint64_t)got > r->end && r->file == f) r->end = offset + (uint64_t)got;
            if (r->file == f) plan_ahead(w, r);
            return got;
        }
        if (i && i->state == COMING) {
            wait_for(w, i);
            continue;
        }
        if (!i && !(i = make(w, f, offset, window_bytes(w, r, n), WANTED))) return err_nomem(err, n, "a window of a remote file");
        if (get(w, c, i, err)) return -1;
    }
}

ssize_t remote_windows_read(struct remote_windows *w, struct remote_client *c, const struct remote_file *f, uint64_t offset,
                            void *p, size_t n, struct err *err) {
    uint64_t left = (uint64_t)f->facts.bytes - offset;
    if (n > left) n = (size_t)left;
    hand_over_lock(&w->list);
    ssize_t rc = read_locked(w, c, f, offset, p, n, err);
    hand_over_unlock(&w->list);
    return rc;
}

int remote_windows_ahead(struct remote_windows *w, struct remote_client *c) {
    struct err ignored = {0};
    struct remote_window *i = NULL;
    hand_over_lock(&w->list);
    while (!w->ended) {
        for (i = w->first; i && i->state != WANTED; i = i->next) {
        }
        if (i) break;
        hand_over_wait(&w->list);
    }
    if (i) (void)get(w, c, i, &ignored);
    bool ended = w->ended;
    hand_over_unlock(&w->list);
    return ended ? -1 : 0;
}

void remote_windows_end(struct remote_windows *w) {
    hand_over_lock(&w->list);
    w->ended = true;
    hand_over_changed(&w->list);
    hand_over_unlock(&w->list);
}

void remote_windows_free(struct remote_windows *w) {
    if (!w) return;
    while (w->first) drop(w, w->first);
    hand_over_free(&w->list);
    free(w);
}
