/* Writes outputs on servers. Their files are finished in the directory of remote files, as in any directory, and go to the
 * server under their final names while the run writes the next ones (remote_output.c has the order). There the local content
 * goes, too: the file stays as one that is read from the server. A few files wait at most; then those who write wait for them. */
#include "formats/remote/remote_outputs.h"

#include "formats/remote/remote_output.h"
#include "base/fd.h"
#include "base/fs.h"
#include "base/remote.h"
#include "formats/remote/remote_put.h"
#include "formats/remote/remote_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUEUE_MAX = 16 };

struct remote_outputs {
    const struct remote_tree *tree;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct remote_output **outs;
    size_t n_outs;
    void *known; /* files that were handed over, by name (tsearch) */
    struct outputs_job {
        struct remote_output *out;
        struct remote_file *file;
        char *name; /* as it was written */
    } queue[QUEUE_MAX];
    size_t n_queued;
    bool ended, ending; /* ending: what senders see at once, atomically */
    uint64_t bytes, kept;
};

struct remote_outputs *remote_outputs_new(const struct remote_tree *tree, struct err *err) {
    struct remote_outputs *o = calloc(1, sizeof *o);
    if (!o) {
        err_nomem(err, sizeof *o, "outputs on servers");
        return NULL;
    }
    o->tree = tree;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    return o;
}

/* ---- names ---- */

/* Under the lock. n: bytes of the output's name. NULL: no memory. */
static struct remote_output *output_of(struct remote_outputs *o, const struct remote_source *s, const char *name, size_t n,
                                       struct err *err) {
    for (size_t i = 0; i < o->n_outs; i++)
        if (strlen(o->outs[i]->name) == n && !strncmp(o->outs[i]->name, name, n)) return o->outs[i];
    struct remote_output *out = grow_array(&o->outs, o->n_outs, sizeof *o->outs, "outputs", err) ? NULL : calloc(1, sizeof *out);
    if (out) out->name = fs_printf(err, "%.*s", (int)n, name);
    if (!out || !out->name) {
        free(out);
        err_nomem(err, n, "outputs");
        return NULL;
    }
    out->source = s;
    out->path = out->name + strlen(s->place) + (out->name[strlen(s->place)] == '/');
    o->outs[o->n_outs++] = out;
    return out;
}

static struct remote_output *lock_output(struct remote_outputs *o, const struct remote_source *s, const char *name, size_t n,
                                         struct err *err) {
    pthread_mutex_lock(&o->lock);
    struct remote_output *out = output_of(o, s, name, n, err);
    pthread_mutex_unlock(&o->lock);
    return out;
}

/* ---- files ---- */

static int by_name(const void *a, const void *b) {
    const struct remote_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Under the lock. Finds the file rel of the output. NULL: it was not handed over. */
static struct remote_file *known_file(const struct remote_outputs *o, const char *name) {
    const struct remote_file key = {.name = (char *)(uintptr_t)name};
    struct remote_file *const *f = tfind(&key, &o->known, by_name);
    return f ? *f : NULL;
}

/* Under the lock. Notes a file that is handed over. *f: NULL: it was before. */
static int note_file(struct remote_outputs *o, struct remote_output *out, const char *rel, struct remote_file **f,
                     struct err *err) {
    char *name = fs_printf(err, "%s/%s", out->name, rel);
    *f = NULL;
    if (!name || known_file(o, name)) {
        free(name);
        return name ? 0 : -1;
    }
    struct remote_file *made = calloc(1, sizeof *made);
    if (made) *made = (struct remote_file){out->source, name, name + strlen(out->source->place) + 1, {-1, -1, ""}};
    if (!made || grow_array(&out->files, out->n_files, sizeof *out->files, "outputs", err) ||
        !tsearch(made, &o->known, by_name)) {
        free(made);
        free(name);
        return err_nomem(err, sizeof *made, "outputs");
    }
    *f = out->files[out->n_files++] = made;
    return 0;
}

/* Puts a file without content in the place of one that was sent. Who has it open reads on. */
static int let_go(const struct remote_outputs *o, const char *path, const struct remote_facts *facts, struct err *err) {
    char *made = fs_printf(err, "%s/.sent-%p", o->tree->dir, (const void *)facts); /* not beside it, where it could be listed */
    int rc = made ? remote_tree_show(made, facts, err) : -1;
    if (!rc) rc = fs_rename(made, path, err);
    free(made);
    return rc;
}

static int send_opened(struct remote_outputs *o, struct remote_client *c, struct remote_file *f, int fd, const char *from,
                       struct err *err) {
    const struct remote_file *old = remote_tree_find(o->tree, f->name);
    struct remote_facts facts;
    struct stat st;
    bool kept;
    if (fd < 0 || fstat(fd, &st)) return err_sys(err, ERR_OUTPUT, errno, "%s: cannot open", from);
    const struct remote_put put = {
        .source = f->source, .path = f->path, .fd = fd, .bytes = (uint64_t)st.st_size, .there = old ? &old->facts : NULL};
    if (remote_put_file(c, &put, &facts, &kept, err)) return -1;
    pthread_mutex_lock(&o->lock);
    f->facts = facts;
    o->kept += kept;
    o->bytes += kept ? 0 : (uint64_t)facts.bytes;
    pthread_mutex_unlock(&o->lock);
    return let_go(o, from, &facts, err);
}

/* local: where it is, below the tree. */
static int send_file(struct remote_outputs *o, struct remote_client *c, const char *local, struct remote_file *f,
                     struct err *err) {
    char *from = fs_printf(err, "%s/%s", o->tree->dir, local);
    int fd = from ? open(from, O_RDONLY | O_CLOEXEC) : -1, rc = from ? send_opened(o, c, f, fd, from, err) : -1;
    fd_close(fd);
    free(from);
    return rc;
}

/* Returns what follows on OUT and the mark in the name of a file; NULL: there is no mark. */
static const char *after(const char *name, const char *mark, size_t *out_bytes) {
    const char *at = NULL;
    for (const char *p = name; (p = strstr(p, mark)); p++) at = p;
    if (at) *out_bytes = (size_t)(at - name);
    return at ? at + strlen(mark) : NULL;
}

/* Under the lock. */
static int queue_file(struct remote_outputs *o, struct remote_output *out, const char *name, const char *rel, struct err *err) {
    struct remote_file *f;
    while (o->n_queued == QUEUE_MAX && !o->ended && !out->err.code) pthread_cond_wait(&o->changed, &o->lock);
    err_keep(err, &out->err);
    if (err->code || o->ended) return err_set(err, ERR_BUSY, "%s: the run has ended", name);
    if (note_file(o, out, rel, &f, err)) return -1;
    if (!f) return 0;
    char *copy = fs_printf(err, "%s", name);
    if (!copy) return -1;
    o->queue[o->n_queued++] = (struct outputs_job){out, f, copy};
    out->n_pending++;
    pthread_cond_broadcast(&o->changed);
    return 0;
}

int remote_outputs_put(struct remote_outputs *o, const struct remote_source *s, const char *name, struct err *err) {
    size_t n;
    const char *rel = after(name, REMOTE_STAGED, &n);
    if (!rel) return err_set(err, ERR_INTERNAL, "%s: is no file of an output", name);
    pthread_mutex_lock(&o->lock);
    struct remote_output *out = output_of(o, s, name, n, err);
    int rc = out ? queue_file(o, out, name, rel, err) : -1;
    pthread_mutex_unlock(&o->lock);
    return rc;
}

/* Under the lock, which is given up while the server is asked: those who hand over files or end the run do not wait for that. */
static int begin_output(struct remote_outputs *o, struct remote_client *c, struct remote_output *out, struct err *err) {
    while (out->begins) pthread_cond_wait(&o->changed, &o->lock);
    err_keep(err, &out->err);
    if (err->code || out->begun) return err->code ? -1 : 0;
    out->begins = true;
    pthread_mutex_unlock(&o->lock);
    int rc = remote_output_begin(c, out, err);
    pthread_mutex_lock(&o->lock);
    out->begins = false;
    if (rc) err_keep(&out->err, err);
    pthread_cond_broadcast(&o->changed);
    return rc;
}

int remote_outputs_work(struct remote_outputs *o, struct remote_client *c, const struct err *why) {
    struct err err = {0};
    pthread_mutex_lock(&o->lock);
    while (!o->n_queued && !o->ended) pthread_cond_wait(&o->changed, &o->lock);
    if (o->ended) {
        pthread_mutex_unlock(&o->lock);
        return -1;
    }
    const struct outputs_job job = o->queue[0];
    memmove(o->queue, o->queue + 1, --o->n_queued * sizeof *o->queue);
    pthread_cond_broadcast(&o->changed);
    if (!c) err_keep(&err, why);
    int rc = err.code ? -1 : begin_output(o, c, job.out, &err);
    pthread_mutex_unlock(&o->lock);
    if (!rc) rc = send_file(o, c, job.name, job.file, &err);
    free(job.name);
    pthread_mutex_lock(&o->lock);
    if (rc) err_keep(&job.out->err, &err);
    job.out->n_pending--;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
    return 0;
}

int remote_outputs_report(struct remote_outputs *o, struct remote_client *c, const struct remote_source *s, const char *name,
                          struct err *err) {
    struct remote_file *f = NULL;
    size_t n;
    if (!after(name, "/_report/", &n)) return err_set(err, ERR_INTERNAL, "%s: is no file of a report", name);
    pthread_mutex_lock(&o->lock);
    struct remote_output *out = output_of(o, s, name, n, err);
    int rc = out ? note_file(o, out, name + n + 1, &f, err) : -1;
    pthread_mutex_unlock(&o->lock);
    return !rc && f ? send_file(o, c, name, f, err) : rc;
}

const struct remote_file *remote_outputs_find(struct remote_outputs *o, const char *name) {
    size_t n = 0;
    const char *rel = after(name, REMOTE_STAGED, &n);
    char final[REMOTE_PATH_MAX];
    snprintf(final, sizeof final, "%.*s%s%s", rel ? (int)n : (int)strlen(name), name, rel ? "/" : "", rel ? rel : "");
    pthread_mutex_lock(&o->lock);
    const struct remote_file *f = known_file(o, final);
    if (f && f->facts.bytes < 0) f = NULL;
    pthread_mutex_unlock(&o->lock);
    return f;
}

/* ---- publication ---- */

static int settle(struct remote_outputs *o, struct remote_client *c, struct remote_output *out, struct err *err) {
    pthread_mutex_lock(&o->lock);
    while (out->n_pending && !o->ended) pthread_cond_wait(&o->changed, &o->lock);
    int rc = begin_output(o, c, out, err);
    pthread_mutex_unlock(&o->lock);
    return rc;
}

int remote_outputs_publish(struct remote_outputs *o, struct remote_client *c, const struct remote_source *s, const char *name,
                           struct err *err) {
    struct remote_output *out = lock_output(o, s, name, strlen(name), err);
    return !out || settle(o, c, out, err) || remote_output_publish(o->tree->dir, c, out, err) ? -1 : 0;
}

int remote_outputs_tidy(struct remote_outputs *o, struct remote_client *c, const struct remote_source *s, const char *name,
                        struct err *err) {
    const struct remote_output *out = lock_output(o, s, name, strlen(name), err);
    return out ? remote_output_tidy(c, out, err) : -1;
}

/* ---- life ---- */

void remote_outputs_end(struct remote_outputs *o) {
    __atomic_store_n(&o->ending, true, __ATOMIC_RELAXED); /* before the lock: who has it may be waiting for a server */
    pthread_mutex_lock(&o->lock);
    o->ended = true;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

const bool *remote_outputs_ended(const struct remote_outputs *o) {
    return &o->ending;
}

uint64_t remote_outputs_bytes(const struct remote_outputs *o) {
    return o->bytes;
}

uint64_t remote_outputs_kept(const struct remote_outputs *o) {
    return o->kept;
}

/* Leaves the file of a node, which is freed with its output. */
static void leave_node(void *node) {
    (void)node;
}

void remote_outputs_free(struct remote_outputs *o) {
    if (!o) return;
    while (o->n_queued) free(o->queue[--o->n_queued].name);
    for (size_t i = 0; i < o->n_outs; i++) {
        struct remote_output *out = o->outs[i];
        for (size_t j = 0; j < out->n_files; j++) {
            free(out->files[j]->name);
            free(out->files[j]);
        }
        free(out->files);
        free(out->name);
        free(out);
    }
    free(o->outs);
    tdestroy(o->known, leave_node);
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->changed);
    free(o);
}
