#include "engine/load_queue.h"

#include "engine/hfile_view.h"
#include "engine/emit_rejects.h"

#include <stdlib.h>
#include <string.h>

static void skip_empty(struct load_queue *q) {
    while (q->next_input < q->o->n_inputs && q->o->inputs[q->next_input].files && !q->o->inputs[q->next_input].files->n)
        q->next_input++;
}

static void step(struct load_queue *q, uint64_t file_bytes) {
    q->next_block += block_choice_count(&q->o->read.blocks, file_bytes);
    const struct load_files *files = q->o->inputs[q->next_input].files;
    if (files && ++q->next_file < files->n) return;
    q->next_file = 0;
    q->next_input++;
    skip_empty(q);
}

/* A file of an input: its path, and how a store sees it. */
static const char *peek(const struct load_queue *q, uint32_t input, size_t file, struct hfile_view *view) {
    const struct load_input *in = &q->o->inputs[input];
    *view = (struct hfile_view){.file_bytes = in->file_bytes};
    return in->files ? in->files->at(in->files->arg, file, view) : in->path;
}

static struct open_input *open_at(struct load_queue *q, uint32_t input, size_t file, struct err *err) {
    struct load_input *in = &q->o->inputs[input];
    struct open_input *cur = calloc(1, sizeof *cur);
    struct read_opts o = q->o->read;
    struct hfile_view view;
    if (!cur) return err_nomem(err, sizeof *cur, "an input"), NULL;
    cur->index = input;
    cur->path = peek(q, input, file, &view);
    cur->file_bytes = view.file_bytes;
    o.view = in->files ? &view : NULL;
    o.blocks.first = q->next_block;
    o.blocks.data_blocks = &q->next_data_block;
    if (!(cur->reader = o.formats->open(cur->path, in->format_name, &o, &in->format, err))) {
        free(cur);
        return NULL;
    }
    cur->next = q->open;
    return q->open = cur;
}

static int open_next(struct load_queue *q, struct err *err) {
    if (!(q->current = open_at(q, q->next_input, q->next_file, err))) return -1;
    step(q, q->current->file_bytes);
    return 0;
}

/* The next file is left out as a whole. damage names it, perhaps. */
static int lose_next(struct load_queue *q, struct emitter *e, const char *damage, uint64_t cells, struct err *err) {
    struct load_input *in = &q->o->inputs[q->next_input];
    struct hfile_view view;
    const char *path = peek(q, q->next_input, q->next_file, &view);
    size_t n = strlen(path);
    bool named = !strncmp(damage, path, n) && damage[n] == ':';
    struct lost lost = {.reason = named ? damage + n + 2 : damage, .cells = cells};
    if (!q->o->rejects) return err_set(err, ERR_INPUT, "%s", damage);
    if (!in->format) in->format = q->o->read.formats->by_name("hfile");
    q->done_bytes += view.file_bytes;
    step(q, view.file_bytes);
    return emit_lost_file(e, path, &lost, err);
}

/* Opens the next file that is not left out. 1, 0 = there is none, -1. */
static int open_some(struct load_queue *q, struct emitter *e, struct err *err) {
    while (q->next_input < q->o->n_inputs) {
        const struct file_verdict *v = q->whole ? whole_files_verdict(q->whole, q->next_input, q->next_file) : NULL;
        if (!v || !v->damage) return open_next(q, err) ? -1 : 1;
        if (lose_next(q, e, v->damage, v->cells, err)) return -1;
    }
    return 0;
}

/* All chunks of the input are parsed: its totals must hold. */
static int retire(struct load_queue *q, struct open_input *in, struct err *err) {
    int rc = in->reader->ops->finish ? in->reader->ops->finish(in->reader, err) : 0;
    if (rc) err_prefix(err, "%s", in->path);
    if (in->reader->ops->checksum) in->reader->ops->checksum(in->reader, q->o->inputs[in->index].checksum);
    q->done_bytes += in->file_bytes;
    struct open_input **at = &q->open;
    while (*at != in) at = &(*at)->next;
    *at = in->next;
    in->reader->ops->close(in->reader);
    free(in);
    return rc;
}

/* 1 = the next chunk of in, 0 = it has no more, -1. */
static int next_chunk(struct load_queue *q, struct open_input *in, struct emitter *e, struct err *err) {
    e->chunk.rank_base = 0;
    e->chunk.origin = NULL;
    int more = in->reader->ops->next(in->reader, &e->chunk, err);
    if (more != 1) return more;
    in->in_flight++;
    e->chunk.seq = q->next_seq++;
    return 1;
}

/* All chunks of in have been handed out. */
static int exhaust(struct load_queue *q, struct open_input *in, struct err *err) {
    in->exhausted = true;
    return in->in_flight ? 0 : retire(q, in, err);
}

/* in, which is the next file by rows, goes to where it belongs, or out. */
static int settle_order(struct load_queue *q, struct open_input *in, bool ended, struct err *err) {
    const struct reader_ops *ops = in->reader->ops;
    struct bytes row = {0};
    int rc = ended ? 0 : ops->floor ? ops->floor(in->reader, &row, err) : 1;
    if (rc < 0) return -1;
    if (rc) return bytes_cmp(row, row_order_least(&q->by_rows)->floor) > 0 ? row_order_raise(&q->by_rows, row, err) : 0;
    row_order_drop(&q->by_rows);
    return exhaust(q, in, err);
}

static int next_by_rows(struct load_queue *q, struct emitter *e, struct open_input **from, struct err *err) {
    struct row_order_file *f;
    while ((f = row_order_least(&q->by_rows))) {
        bool opened = !f->open;
        if (opened && !(f->open = open_at(q, f->input, f->file, err))) return -1;
        *from = f->open;
        int more = opened ? 0 : next_chunk(q, *from, e, err);
        if (more < 0 || settle_order(q, *from, !opened && !more, err)) return -1;
        if (more) return 1;
    }
    return 0;
}

int load_queue_next(struct load_queue *q, struct emitter *e, struct open_input **from, struct err *err) {
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
        if (exhaust(q, *from, err)) return -1;
    }
}

int load_queue_parsed(struct load_queue *q, struct open_input *from, bool failed, struct err *err) {
    from->in_flight--;
    return from->exhausted && !from->in_flight && !failed ? retire(q, from, err) : 0;
}

static int order_files(struct load_queue *q, struct err *err) {
    for (uint32_t i = 0; i < q->o->n_inputs; i++)
        for (size_t k = 0, n = q->o->inputs[i].files ? q->o->inputs[i].files->n : 1; k < n; k++) {
            struct hfile_view view;
            peek(q, i, k, &view);
            if (row_order_add(&q->by_rows, i, k, view.floor, err)) return -1;
        }
    return 0;
}

int load_queue_init(struct load_queue *q, const struct load_opts *o, struct err *err) {
    *q = (struct load_queue){.o = o};
    skip_empty(q);
    return o->by_rows ? order_files(q, err) : 0;
}

int load_queue_verify(struct load_queue *q, struct err *err) {
    if (q->o->read.on_damage != DAMAGE_SKIPS_FILE || q->whole) return 0;
    q->whole = whole_files_check(q->o, err);
    return q->whole ? 0 : -1;
}

bool load_queue_ended(const struct load_queue *q) {
    return q->o->by_rows ? !q->by_rows.n : !q->current && q->next_input == q->o->n_inputs;
}

uint64_t load_queue_bytes(const struct load_queue *q) {
    uint64_t bytes = q->done_bytes;
    for (const struct open_input *in = q->open; in; in = in->next)
        if (in == q->current || q->o->by_rows) bytes += in->reader->ops->input_bytes(in->reader);
    return bytes;
}

void load_queue_free(struct load_queue *q) {
    for (struct open_input *in; (in = q->open);) {
        q->open = in->next;
        in->reader->ops->close(in->reader);
        free(in);
    }
    row_order_free(&q->by_rows);
    whole_files_free(q->whole);
}
