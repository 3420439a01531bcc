/* Finds out about the inputs before the first of them is read.
 *
 * How many compressed texts are unpacked at once. Each holds a window, which is taken out of gathering before anything is read.
 * The first bytes of a file say how large its window may be. Pipes and files on servers are read alone.
 *
 * Which files are whole: with DAMAGE_SKIPS_FILE, each is read once before the run, several at a time, because what a damaged file
 * had handed out could not be taken back. */
#include "base/err.h"
#include "base/fd.h"
#include "base/remote.h"
#include "base/unpack.h"
#include "engine/input.h"
#include "engine/input_outlook.h"
#include "engine/input_queue.h"
#include "engine/memory_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- windows ---- */

enum {
    OPEN_BYTES = 1 << 20,        /* beside the window: what is read ahead, the beginning of a record */
    SMALL_WINDOW_BYTES = 8 << 20 /* most that gzip, bzip2 and lz4 need; zstd and xz may need all that is allowed */
};

/* *bytes: most that unpacking the file may take; 0: it is not compressed, or not a file on disk. */
static int window_bytes(const struct input *in, const struct memory_plan *plan, size_t *bytes, struct err *err) {
    uint8_t head[UNPACK_MAGIC_BYTES];
    struct stat st;
    *bytes = in->files ? in->files->window_bytes : 0;
    if (in->files || in->part.end || !strcmp(in->path, "-")) return 0;
    if (stat(in->path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", in->path);
    if (!S_ISREG(st.st_mode)) return 0; /* opening a named pipe would wake its writer */
    int fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return err_sys(err, ERR_INPUT, errno, "%s: cannot open", in->path);
    ssize_t n = remote_is(fd, in->path) ? 0 : remote_read_at(fd, head, sizeof head, 0, in->path, err);
    fd_close(fd);
    if (n < 0) return -1;
    const char *kind = unpack_kind(bytes_of(head, (size_t)n));
    if (!kind) return 0;
    bool large = !strcmp(kind, "zstd") || !strcmp(kind, "xz");
    *bytes = OPEN_BYTES + (large || plan->unpack_bytes < SMALL_WINDOW_BYTES ? plan->unpack_bytes : SMALL_WINDOW_BYTES);
    return 0;
}

/* Returns how many files the input has, at most `most`. */
static unsigned in_files(const struct input *in, unsigned most) {
    return in->files && in->files->n < most ? (unsigned)in->files->n : in->files ? most : 1;
}

int input_side_by_side_plan(const struct input *inputs, uint32_t n_inputs, struct memory_plan *plan, unsigned *out,
                            struct err *err) {
    size_t each = 0, bytes;
    unsigned n = 0;
    for (uint32_t i = 0; i < n_inputs && n < plan->threads; i++) {
        if (window_bytes(&inputs[i], plan, &bytes, err)) return -1;
        if (bytes) n += in_files(&inputs[i], plan->threads - n);
        if (bytes > each) each = bytes;
    }
    while (n > 1 && ((n - 1) * each > plan->gather_bytes / 4 || !memory_plan_reserve(plan, (n - 1) * each))) n--;
    *out = n;
    return 0;
}

/* ---- whole files ---- */

struct whole_files {
    struct file_verdict *all; /* input after input */
    size_t n;
    size_t *first; /* of each input */
};

static size_t files_of(const struct input *in) {
    return in->files ? in->files->n : 1;
}

static int check_one(const struct input_reader_opts *o, const struct input *in, size_t file, struct file_verdict *out,
                     struct err *err) {
    struct err mine = {0};
    struct hfile_view view;
    struct read_opts r = o->read;
    const char *path = in->files ? in->files->at(in->files->arg, file, &view) : in->path;
    if (in->files) r.hfile.view = &view;
    if (stop_check(o->job->stop, err)) return -1;
    if (!strcmp(path, "-") || !r.formats->verify(path, in->format_name, &r, &out->cells, &mine)) return 0;
    if (mine.code != ERR_INPUT) {
        err_keep(err, &mine);
        return -1;
    }
    out->damage = strdup(mine.text);
    return out->damage ? 0 : err_nomem(err, strlen(mine.text), "a message");
}

struct checked_files {
    pthread_mutex_t lock;
    uint64_t done;
};

static void count_checked(const struct input_reader_opts *o, const struct whole_files *w, struct checked_files *c) {
    const struct progress *p = &o->job->progress;
    pthread_mutex_lock(&c->lock);
    if (++c->done % 64 == 0 && p->report) p->report(p->arg, "verify", c->done, w->n);
    pthread_mutex_unlock(&c->lock);
}

static int check_all(const struct input_reader_opts *o, struct whole_files *w, struct err *err) {
    struct checked_files c = {.done = 0};
    struct first_error first;
    first_error_init(&first);
    pthread_mutex_init(&c.lock, NULL);
    for (uint32_t i = 0; i < o->n_inputs; i++) {
        size_t n = files_of(&o->inputs[i]);
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads)
        for (size_t k = 0; k < n; k++) {
            struct err mine = {0};
            if (first_error_failed(&first)) continue;
            (void)check_one(o, &o->inputs[i], k, &w->all[w->first[i] + k], &mine);
            first_error_keep(&first, &mine);
            count_checked(o, w, &c);
        }
    }
    pthread_mutex_destroy(&c.lock);
    return first_error_end(&first, err);
}

struct whole_files *whole_files_check(const struct input_reader_opts *o, struct err *err) {
    struct whole_files *w = calloc(1, sizeof *w);
    if (w) w->first = calloc(o->n_inputs + 1, sizeof *w->first);
    for (uint32_t i = 0; w && w->first && i < o->n_inputs; i++) {
        w->first[i] = w->n;
        w->n += files_of(&o->inputs[i]);
    }
    if (w && w->first) w->all = calloc(w->n + 1, sizeof *w->all);
    int rc = w && w->all ? check_all(o, w, err) : err_nomem(err, o->n_inputs * sizeof *w->all, "the list of inputs");
    if (!rc) return w;
    whole_files_free(w);
    return NULL;
}

const struct file_verdict *whole_files_verdict(const struct whole_files *w, uint32_t input, size_t file) {
    return &w->all[w->first[input] + file];
}

void whole_files_free(struct whole_files *w) {
    if (!w) return;
    for (size_t i = 0; w->all && i < w->n; i++) free(w->all[i].damage);
    free(w->all);
    free(w->first);
    free(w);
}
