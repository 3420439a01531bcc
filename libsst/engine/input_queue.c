/* Hands out the chunks of all inputs. In the order of inputs one file is open for chunks at a time, and closed when its last
 * chunk has been parsed: then its totals must hold. Compressed texts are unpacked outside of the lock, and several of them at
 * once: a thread stays with its input, takes one that no thread has, opens another one, or helps with any.
 * By rows (stores of HBase), a heap orders all files by the least row that each may still hold, and the first of them is read
 * next. */
#include "engine/input_outlook.h"
#include "engine/input_queue.h"

#include "base/err.h"
#include "base/buf.h"
#include "base/heap.h"
#include "engine/emitter.h"
#include "engine/input.h"
#include "engine/input_order.h"

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

/* Decides how new the cells of an input are beside those of others. */
static int place_input(const struct input_queue *q, const struct input *in, const struct format *format,
                       const struct read_opts *read, struct open_input *cur, struct err *err) {
    int waits = q->o->order ? input_order_open(q->o->order, in, format, read, err) : 0;
    if (waits < 0) return -1;
    if (q->o->order && !waits) input_order_begin(q->o->order, in->group);
    cur->waits = waits;
    return 0;
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
    if (place_input(q, in, format, &o, cur, err)) {
        cur->reader->ops->close(cur->reader);
        free(cur);
        return NULL;
    }
    cur->stream = q->n_streams++;
    struct open_input **at = &q->open;
    while (*at) at = &(*at)->next;
    return *at = cur;
}

static int open_next(struct input_queue *q, struct err *err) {
    struct open_input *in = open_at(q, q->next_input, q->next_file, err);
    if (!in) return -1;
    pass_file(q, in->file_bytes);
    return 0;
}

/* Converts bytes of an input to bytes of the average one that make as much work. */
static uint64_t by_work(const struct input_queue *q, uint32_t input, uint64_t bytes) {
    double work = q->o->inputs[input].work;
    return work > 0 ? (uint64_t)(work * (double)bytes) : bytes;
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
    q->done_bytes += by_work(q, q->next_input, view.file_bytes);
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
    struct input *what = &q->o->inputs[in->index];
    what->by_lines = in->reader->by_lines;
    if (!what->files && !what->in_manifest) what->holds |= in->reader->holds;
    if (!rc && in->reader->ops->checksum) rc = in->reader->ops->checksum(in->reader, q->o->inputs[in->index].checksum, err);
    if (in->reader->ops->unread) in->reader->ops->unread(in->reader, &q->unread);
    if (!rc && q->o->rejects && !q->o->by_rows) rc = reject_log_end_stream(q->o->rejects, in->stream, err);
    q->done_bytes += by_work(q, in->index, in->file_bytes);
    struct open_input **at = &q->open;
    while (*at != in) at = &(*at)->next;
    *at = in->next;
    in->reader->ops->close(in->reader);
    free(in);
    hand_over_changed(q->chunks); /* the next one may have waited for it */
    return rc;
}

/* Takes the next chunk. 1 = the next chunk of in, 0 = it has no more, -1. */
static int next_chunk(struct input_queue *q, struct open_input *in, struct emitter *e, struct err *err) {
    const bool apart = in->reader->unpacks;
    e->turn = q->o->by_rows ? (struct reject_turn){0, q->next_seq} : (struct reject_turn){in->stream, in->n_chunks};
    e->chunk.rank_base = 0;
    e->chunk.origin = NULL;
    if (in->waits) input_order_begin(q->o->order, q->o->inputs[in->index].group);
    in->waits = false;
    in->busy = true;
    if (apart) hand_over_unlock(q->chunks);
    int more = in->reader->ops->next(in->reader, &e->chunk, err);
    if (apart) hand_over_lock(q->chunks);
    in->busy = false;
    hand_over_changed(q->chunks);
    if (more != 1) return more;
    in->in_flight++;
    e->chunk.seq = q->next_seq++;
    in->n_chunks++;
    e->last = in;
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
        e->turn = (struct reject_turn){0, q->next_seq};
        bool opened = !f->open;
        if (opened && !(f->open = open_at(q, f->input, f->file, err))) return -1;
        *from = f->open;
        int more = opened ? 0 : next_chunk(q, *from, e, err);
        if (more < 0 || reorder(q, *from, !opened && !more, err)) return -1;
        if (more) return 1;
    }
    return 0;
}

/* ---- in the order of inputs, or side by side ---- */

/* Returns whether the input must wait until all inputs before it have been parsed. */
static bool must_wait(const struct input_queue *q, const struct open_input *in) {
    return in->waits && in != q->open;
}

/* An input that may be read now: that of e, or one that no thread has, or (any) one that no thread is reading from. NULL: none.
 * Only inputs that unpack are read beside others. */
static struct open_input *choose(const struct input_queue *q, const struct emitter *e, bool any) {
    struct open_input *free_one = NULL;
    bool first = true;
    for (struct open_input *in = q->open; in && in->stream < q->end_stream; in = in->next) {
        if (in->exhausted) continue;
        if (must_wait(q, in)) return free_one;
        if (!in->reader->unpacks) return first && !in->busy ? in : free_one;
        if (!in->busy && in == e->last) return in;
        if (!in->busy && !free_one && (any || !in->in_flight)) free_one = in;
        first = false;
    }
    return free_one;
}

/* Returns whether one more input may be opened now: beside others only where all of them unpack. */
static bool may_open(const struct input_queue *q) {
    uint32_t n = 0;
    if (q->next_input >= q->o->n_inputs || q->n_streams >= q->end_stream) return false;
    for (const struct open_input *in = q->open; in; in = in->next) {
        if (in->exhausted) continue;
        if (!in->reader->unpacks || q->whole || must_wait(q, in)) return false;
        n++;
    }
    return !n || n < q->o->side_by_side;
}

/* Returns whether a thread is reading from an input, or parsing what another input waits for, so that there may be more to
 * come. */
static bool is_busy(const struct input_queue *q) {
    for (const struct open_input *in = q->open; in && in->stream < q->end_stream; in = in->next)
        if (in->busy || (!in->exhausted && must_wait(q, in))) return true;
    return false;
}

/* 1 = *from is an input to read from, 0 = there is none any more, QUEUE_AGAIN, -1. */
static int find_input(struct input_queue *q, struct emitter *e, struct open_input **from, struct err *err) {
    int opened = 1;
    *from = choose(q, e, false);
    while (!*from && opened && may_open(q)) {
        e->turn = (struct reject_turn){q->n_streams, 0};
        if ((opened = open_some(q, e, err)) < 0) return -1;
        *from = choose(q, e, false);
    }
    if (!*from) *from = choose(q, e, true);
    if (*from) return 1;
    if (!is_busy(q)) return 0;
    hand_over_wait(q->chunks);
    return QUEUE_AGAIN;
}

int input_queue_next(struct input_queue *q, struct emitter *e, struct open_input **from, struct err *err) {
    if (q->o->by_rows) return next_by_rows(q, e, from, err);
    for (;;) {
        int more = find_input(q, e, from, err);
        if (more != 1) return more;
        more = next_chunk(q, *from, e, err);
        if (more) return more;
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

int input_queue_init(struct input_queue *q, const struct input_reader_opts *o, struct hand_over *chunks, struct err *err) {
    *q = (struct input_queue){.o = o, .chunks = chunks, .end_stream = UINT64_MAX};
    skip_empty(q);
    return o->by_rows ? order_files(q, err) : 0;
}

int input_queue_verify(struct input_queue *q, struct err *err) {
    if (q->o->read.on_damage != DAMAGE_SKIPS_FILE || q->whole) return 0;
    q->whole = whole_files_check(q->o, err);
    return q->whole ? 0 : -1;
}

bool input_queue_ended(const struct input_queue *q) {
    if (q->o->by_rows) return !q->by_rows.n || !q->end_stream;
    for (const struct open_input *in = q->open; in && in->stream < q->end_stream; in = in->next)
        if (!in->exhausted) return false;
    return q->next_input == q->o->n_inputs || q->n_streams >= q->end_stream;
}

uint64_t input_queue_bytes(const struct input_queue *q) {
    uint64_t bytes = q->done_bytes;
    for (const struct open_input *in = q->open; in; in = in->next)
        if (!in->exhausted) bytes += by_work(q, in->index, in->reader->ops->input_bytes(in->reader));
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
