/* Hands out the chunks of all inputs. In the order of inputs one file is open for chunks at a time, and closed when its last
 * chunk has been parsed: then its totals must hold. By rows (stores of HBase), a heap orders all files by the least row that
 * each may still hold, and the first of them is read next. With DAMAGE_SKIPS_FILE, all files are read once before, to see
 * which are whole: what a file has handed out could not be taken back. */
#include "engine/input_queue.h"

#include "base/err.h"
#include "base/buf.h"
#include "base/heap.h"
#include "engine/emitter.h"
#include "engine/input.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- files by rows ---- */

static bool has_lower_floor(const void *pa, const void *pb, const void *arg) {
    const struct row_order_file *a = *(struct row_order_file *const *)pa, *b = *(struct row_order_file *const *)pb;
    int c = bytes_cmp(a->floor, b->floor);
    (void)arg;
    if (c) return c < 0;
    return a->input != b->input ? a->input < b->input : a->file < b->file;
}

int row_order_add(struct row_order *o, uint32_t input, size_t file, struct bytes floor, struct err *err) {
    if (grow_array(&o->files, o->n, sizeof(struct row_order_file *), "the order of files", err)) return -1;
    struct row_order_file *f = calloc(1, sizeof *f);
    if (!f) return err_nomem(err, sizeof *f, "the order of files");
    *f = (struct row_order_file){.floor = floor, .file = file, .input = input};
    heap_push(o->files, o->n++, sizeof f, &f, has_lower_floor, NULL);
    return 0;
}

struct row_order_file *row_order_least(const struct row_order *o) {
    return o->n ? o->files[0] : NULL;
}

int row_order_raise(struct row_order *o, struct bytes row, struct err *err) {
    struct row_order_file *f = o->files[0];
    if (buf_copy(&f->risen, row, err)) return -1;
    f->floor = buf_bytes(&f->risen);
    heap_sink(o->files, o->n, sizeof f, 0, has_lower_floor, NULL);
    return 0;
}

static void file_free(struct row_order_file *f) {
    buf_free(&f->risen);
    free(f);
}

void row_order_drop(struct row_order *o) {
    struct row_order_file *f;
    heap_pop(o->files, o->n--, sizeof f, &f, has_lower_floor, NULL);
    file_free(f);
}

void row_order_free(struct row_order *o) {
    for (size_t i = 0; i < o->n; i++) file_free(o->files[i]);
    free(o->files);
    *o = (struct row_order){0};
}

/* ---- files that are not whole ---- */

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

/* ---- the queue ---- */

static void skip_empty(struct input_queue *q) {
    while (q->next_input < q->o->n_inputs && q->o->inputs[q->next_input].files && !q->o->inputs[q->next_input].files->n)
        q->next_input++;
}

static void pass_file(struct input_queue *q, uint64_t file_bytes) {
    q->next_block += block_choice_count(&q->o->read.blocks, file_bytes);
    const struct input_files *files = q->o->inputs[q->next_input].files;
    if (files && ++q->next_file < files->n) return;
    q->next_file = 0;
    q->next_input++;
    skip_empty(q);
}

/* A file of an input: its path, and how a store sees it. */
static const char *peek(const struct input_queue *q, uint32_t input, size_t file, struct hfile_view *view) {
    const struct input *in = &q->o->inputs[input];
    *view = (struct hfile_view){.file_bytes = in->file_bytes};
    return in->files ? in->files->at(in->files->arg, file, view) : in->path;
}

static struct open_input *open_at(struct input_queue *q, uint32_t input, size_t file, struct err *err) {
    struct input *in = &q->o->inputs[input];
    struct open_input *cur = calloc(1, sizeof *cur);
    struct read_opts o = q->o->read;
    struct hfile_view view;
    if (!cur) {
        err_nomem(err, sizeof *cur, "an input");
        return NULL;
    }
    cur->index = input;
    cur->path = peek(q, input, file, &view);
    cur->file_bytes = view.file_bytes;
    o.hfile.view = in->files ? &view : NULL;
    o.blocks.first = q->next_block;
    o.text.part = in->part;
    o.archive.part = in->members;
    o.hfile.start_row = in->start_row;
    o.hfile.stop_row = in->stop_row;
    o.blocks.data_blocks = &q->next_data_block;
    const struct format *format = in->format;
    if (!(cur->reader = o.formats->open(cur->path, in->format_name, &o, &format, err))) {
        free(cur);
        return NULL;
    }
    if (format != in->format) in->format = format; /* the same for further files: threads that parse read it */
    cur->next = q->open;
    return q->open = cur;
}

static int open_next(struct input_queue *q, struct err *err) {
    if (!(q->current = open_at(q, q->next_input, q->next_file, err))) return -1;
    pass_file(q, q->current->file_bytes);
    return 0;
}

/* The next file is left out as a whole. damage names it, perhaps. */
static int lose_next(struct input_queue *q, struct emitter *e, const char *damage, uint64_t cells, struct err *err) {
    struct input *in = &q->o->inputs[q->next_input];
    struct hfile_view view;
    const char *path = peek(q, q->next_input, q->next_file, &view);
    size_t n = strlen(path);
    bool named = !strncmp(damage, path, n) && damage[n] == ':';
    struct lost lost = {.reason = named ? damage + n + 2 : damage, .cells = cells};
    if (!q->o->rejects) return err_set(err, ERR_INPUT, "%s", damage);
    if (!in->format) in->format = q->o->read.formats->by_name("hfile");
    q->done_bytes += view.file_bytes;
    pass_file(q, view.file_bytes);
    return emit_lost_file(e, path, &lost, err);
}

/* Opens the next file that is not left out. 1, 0 = none, -1. */
static int open_some(struct input_queue *q, struct emitter *e, struct err *err) {
    while (q->next_input < q->o->n_inputs) {
        const struct file_verdict *v = q->whole ? whole_files_verdict(q->whole, q->next_input, q->next_file) : NULL;
        if (!v || !v->damage) return open_next(q, err) ? -1 : 1;
        if (lose_next(q, e, v->damage, v->cells, err)) return -1;
    }
    return 0;
}

/* All chunks of the input are parsed: its totals must hold. */
static int retire_input(struct input_queue *q, struct open_input *in, struct err *err) {
    int rc = in->reader->ops->finish ? in->reader->ops->finish(in->reader, err) : 0;
    if (rc) err_prefix(err, "%s", in->path);
    q->o->inputs[in->index].by_lines = in->reader->by_lines;
    if (!rc && in->reader->ops->checksum) rc = in->reader->ops->checksum(in->reader, q->o->inputs[in->index].checksum, err);
    if (in->reader->ops->unread) in->reader->ops->unread(in->reader, &q->unread);
    q->done_bytes += in->file_bytes;
    struct open_input **at = &q->open;
    while (*at != in) at = &(*at)->next;
    *at = in->next;
    in->reader->ops->close(in->reader);
    free(in);
    return rc;
}

/* 1 = the next chunk of in, 0 = it has no more, -1. */
static int next_chunk(struct input_queue *q, struct open_input *in, struct emitter *e, struct err *err) {
    e->chunk.rank_base = 0;
    e->chunk.origin = NULL;
    int more = in->reader->ops->next(in->reader, &e->chunk, err);
    if (more != 1) return more;
    in->in_flight++;
    e->chunk.seq = q->next_seq++;
    return 1;
}

/* All chunks of in have been handed out. */
static int end_input(struct input_queue *q, struct open_input *in, struct err *err) {
    in->exhausted = true;
    return in->in_flight ? 0 : retire_input(q, in, err);
}

/* in, which is the next file by rows, goes to where it belongs, or out. */
static int reorder(struct input_queue *q, struct open_input *in, bool ended, struct err *err) {
    const struct reader_ops *ops = in->reader->ops;
    struct bytes row = {0};
    int rc = ended ? 0 : ops->floor ? ops->floor(in->reader, &row, err) : 1;
    if (rc < 0) return -1;
    if (rc) return bytes_cmp(row, row_order_least(&q->by_rows)->floor) > 0 ? row_order_raise(&q->by_rows, row, err) : 0;
    row_order_drop(&q->by_rows);
    return end_input(q, in, err);
}

static int next_by_rows(struct input_queue *q, struct emitter *e, struct open_input **from, struct err *err) {
    struct row_order_file *f;
    while ((f = row_order_least(&q->by_rows))) {
        bool opened = !f->open;
        if (opened && !(f->open = open_at(q, f->input, f->file, err))) return -1;
        *from = f->open;
        int more = opened ? 0 : next_chunk(q, *from, e, err);
        if (more < 0 || reorder(q, *from, !opened && !more, err)) return -1;
        if (more) return 1;
    }
    return 0;
}

int input_queue_next(struct input_queue *q, struct emitter *e, struct open_input **from, struct err *err) {
    if (q->o->by_rows) return next_by_rows(q, e, from, err);
    for (;;) {
        if (!q->current) {
            int rc = open_some(q, e, err);
            if (rc <= 0) return rc;
        }
        *from = q->current;
        int more = next_chunk(q, *from, e, err);
        if (more) return more;
        q->current = NULL;
        if (end_input(q, *from, err)) return -1;
    }
}

int input_queue_parsed(struct input_queue *q, struct open_input *from, bool failed, struct err *err) {
    from->in_flight--;
    return from->exhausted && !from->in_flight && !failed ? retire_input(q, from, err) : 0;
}

static int order_files(struct input_queue *q, struct err *err) {
    for (uint32_t i = 0; i < q->o->n_inputs; i++)
        for (size_t k = 0, n = q->o->inputs[i].files ? q->o->inputs[i].files->n : 1; k < n; k++) {
            struct hfile_view view;
            peek(q, i, k, &view);
            if (row_order_add(&q->by_rows, i, k, view.floor, err)) return -1;
        }
    return 0;
}

int input_queue_init(struct input_queue *q, const struct input_reader_opts *o, struct err *err) {
    *q = (struct input_queue){.o = o};
    skip_empty(q);
    return o->by_rows ? order_files(q, err) : 0;
}

int input_queue_verify(struct input_queue *q, struct err *err) {
    if (q->o->read.on_damage != DAMAGE_SKIPS_FILE || q->whole) return 0;
    q->whole = whole_files_check(q->o, err);
    return q->whole ? 0 : -1;
}

bool input_queue_ended(const struct input_queue *q) {
    return q->o->by_rows ? !q->by_rows.n : !q->current && q->next_input == q->o->n_inputs;
}

uint64_t input_queue_bytes(const struct input_queue *q) {
    uint64_t bytes = q->done_bytes;
    for (const struct open_input *in = q->open; in; in = in->next)
        if (in == q->current || q->o->by_rows) bytes += in->reader->ops->input_bytes(in->reader);
    return bytes;
}

void input_queue_free(struct input_queue *q) {
    for (struct open_input *in; (in = q->open);) {
        q->open = in->next;
        in->reader->ops->close(in->reader);
        free(in);
    }
    row_order_free(&q->by_rows);
    whole_files_free(q->whole);
}
