/* Reads inputs in parallel.
 *
 *     inputs --input_queue: next chunk, under the lock--> any thread: parse --emitter: check, place--> consumer
 *                                                                           \--> log of rejects, in the order of chunks
 *
 * Readers hand out chunks one after the other; parsing takes no lock but that of the ledger at the end of a chunk. Of several
 * errors that of the earliest chunk is reported, however threads ran. */
#include "engine/emit_selected.h"
#include "engine/input.h"

#include "base/clock.h"
#include "base/text.h"
#include "engine/emitter.h"
#include "engine/input_order.h"
#include "engine/input_queue.h"
#include "engine/input_reader.h"
#include "engine/input_signs.h"
#include "engine/reject_batch.h"
#include "engine/sorter_gather.h"
#include "hfile/pack_member.h"
#include "select/selector.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct input_reader {
    struct emit_shared shared;
    struct input_queue queue;
    struct emitter *emitters;
    struct ledger ledger;
    uint64_t rows_client_misplaces, total_bytes;
    struct err err;
    struct reject_turn err_turn; /* of the chunk that it is about */
};

uint32_t families_known(const struct read_opts *read) {
    return read->table->n_families ? read->table->n_families : 1;
}

uint32_t families_at_most(const struct read_opts *read, size_t memory, size_t each) {
    uint32_t known = families_known(read);
    size_t n = each ? memory / each : FAMILIES_MOST;
    if (!read->open_families) return known;
    if (n > FAMILIES_MOST) n = FAMILIES_MOST;
    return n > known ? (uint32_t)n : known;
}

static const struct emit_ops emitter_ops = {.record = emit_record,
                                            .cells = emit_cells,
                                            .reject = emit_reject,
                                            .skip = emit_skip,
                                            .header = emit_header,
                                            .lost = emit_lost,
                                            .lost_cells = emit_lost_cells};
/* Operations of an emitter with a selection. Without one, nothing is paid for it. */
static const struct emit_ops selecting_ops = {.record = emit_selected_record,
                                              .cells = emit_selected_cells,
                                              .reject = emit_reject,
                                              .skip = emit_skip,
                                              .header = emit_header,
                                              .lost = emit_lost,
                                              .lost_cells = emit_lost_cells};

/* Ends reading at a stream, under the lock: nothing more is begun of streams from this one on. */
static void end_at(struct input_reader *l, uint64_t stream) {
    if (stream < l->shared.end_stream) l->shared.end_stream = l->queue.end_stream = stream;
    hand_over_changed(&l->shared.chunks);
}

static bool is_before(struct reject_turn a, struct reject_turn b) {
    return a.stream != b.stream ? a.stream < b.stream : a.number < b.number;
}

/* Ends the run, under the lock. Of several errors the one of the earliest chunk is reported, whatever the timing of threads:
 * earlier chunks of the input have been handed out and are parsed to the end, and earlier inputs are read to their ends. A reader
 * that has failed is not called again. */
static void stop_run(struct input_reader *l, struct reject_turn turn, const struct err *why) {
    if (!l->err.code || is_before(turn, l->err_turn)) {
        l->err = *why;
        l->err_turn = turn;
    }
    end_at(l, why->code == ERR_STOPPED ? 0 : turn.stream);
}

/* Submits what was left out after the last chunk as a chunk of its own. */
static int submit_lost(struct input_reader *l, struct emitter *e, struct err *err) {
    struct reject_log *log = l->shared.o.rejects;
    if (!e->ledger.lost.places) return 0;
    ledger_add(&l->ledger, &e->ledger);
    uint64_t stream = l->queue.n_streams++;
    if (reject_log_submit(log, (struct reject_turn){stream, 0}, false, &e->rejects, err)) return -1;
    return reject_log_end_stream(log, stream, err);
}

/* Adds what the selection has spared the queue's readers so far. */
static void take_unread(struct input_reader *l) {
    const struct ledger unread = {.unread = l->queue.unread};
    ledger_add(&l->ledger, &unread);
    l->queue.unread = (struct unread_count){0};
}

/* Records the results of a parsed chunk. */
static int submit_chunk(struct input_reader *l, struct emitter *e, struct open_input *from, int rc, struct err *err) {
    const struct input_reader_opts *o = &l->shared.o;
    const struct progress *p = &o->job->progress;
    struct input *in = &o->inputs[from->index];
    ledger_add(&l->ledger, &e->ledger);
    in->records += e->ledger.records_read;
    tally_add(&in->tally, e->ledger.in);
    input_signs_add(&in->signs, &e->signs);
    l->rows_client_misplaces += e->rows_client_misplaces;
    e->rows_client_misplaces = 0;
    if (o->rejects && reject_log_submit(o->rejects, e->turn, e->is_text, &e->rejects, err)) rc = -1;
    if (o->rejects && reject_log_hopeless(o->rejects)) end_at(l, 0);
    if (o->order) input_order_note(o->order, in->group, e->most_seq);
    if (input_queue_parsed(&l->queue, from, rc != 0, err)) rc = -1;
    take_unread(l);
    hand_over_changed(&l->shared.chunks); /* rejects of the next chunk may wait for those of this one */
    if (p->report) p->report(p->arg, o->by_rows ? "copy" : "read", input_queue_bytes(&l->queue), l->total_bytes);
    return rc;
}

/* Returns whether no chunk may be begun now. */
static bool is_full(const struct input_reader *l) {
    const struct part_consumer *c = &l->shared.o.consumer;
    return (l->shared.o.sorter && sorter_full(l->shared.o.sorter)) || (c->full && c->full(c->arg));
}

/* Takes a chunk for a thread. 1 = *from has filled e->chunk, 0 = the thread is done, -1. */
static int take_chunk(struct input_reader *l, struct emitter *e, struct open_input **from, struct err *err) {
    int more;
    e->ledger = (struct ledger){0};
    e->signs = (struct input_signs){0};
    hand_over_lock(&l->shared.chunks);
    do {
        bool go = l->shared.end_stream && !is_full(l);
        e->turn = (struct reject_turn){UINT64_MAX, 0};
        more = stop_check(l->shared.o.job->stop, err) ? -1 : go ? input_queue_next(&l->queue, e, from, err) : 0;
    } while (more == QUEUE_AGAIN);
    take_unread(l);
    if (more == 1 && l->shared.o.begin) l->shared.o.begin(l->shared.o.consumer.arg, e->thread, e->chunk.seq);
    if (!more && submit_lost(l, e, err)) more = -1;
    if (more < 0) stop_run(l, e->turn, err);
    hand_over_unlock(&l->shared.chunks);
    return more;
}

static void parse_chunks(struct input_reader *l, struct emitter *e) {
    const struct input_reader_opts *o = &l->shared.o;
    struct err err = {0};
    for (;;) {
        struct open_input *from = NULL;
        if (take_chunk(l, e, &from, &err) <= 0) return;
        e->path = e->chunk.origin ? e->chunk.origin->path : from->path;
        e->is_text = (e->chunk.origin ? e->chunk.origin->format : o->inputs[from->index].format)->is_text;
        e->not_utf8 = e->is_text && !text_is_utf8(buf_bytes(&e->chunk.data));
        e->header = bytes_of(NULL, 0);
        e->fresh = o->by_rows;
        e->group = o->inputs[from->index].group;
        e->most_seq = 0;
        int rc = from->reader->ops->parse(from->reader, &e->chunk, o->inputs[from->index].group, &e->base, &err);
        hand_over_lock(&l->shared.chunks);
        rc = submit_chunk(l, e, from, rc, &err);
        if (rc) stop_run(l, e->turn, &err);
        hand_over_unlock(&l->shared.chunks);
        if (rc) return;
    }
}

int input_reader_run(struct input_reader *l, struct err *err) {
    if (input_queue_verify(&l->queue, err)) return -1;
#pragma omp parallel num_threads(l->shared.o.threads)
    parse_chunks(l, &l->emitters[omp_get_thread_num()]);
    const bool more = !input_queue_ended(&l->queue);
    if (!l->err.code || (more && l->shared.end_stream)) return more && l->shared.end_stream;
    err_keep(err, &l->err);
    return -1;
}

/* --now may be long past. */
static int64_t latest_of(int64_t now_ms) {
    const int64_t YEAR_MS = INT64_C(366) * 86400 * 1000;
    int64_t clock = clock_now_ms(), now = now_ms > clock ? now_ms : clock;
    return now > INT64_MAX - YEAR_MS ? INT64_MAX : now + YEAR_MS;
}

static int make_emitters(struct input_reader *l, struct err *err) {
    const struct read_opts *read = &l->shared.o.read;
    for (unsigned t = 0; t < l->shared.o.threads; t++) {
        struct emitter *e = &l->emitters[t];
        e->base.ops = read->selection ? &selecting_ops : &emitter_ops;
        e->shared = &l->shared;
        e->thread = t;
        if (read->selection &&
            !(e->selector = selector_new(read->selection, read->keeps_latest ? INT64_MAX : read->default_ts_ms, err)))
            return -1;
    }
    return 0;
}

struct input_reader *input_reader_new(const struct input_reader_opts *o, struct err *err) {
    struct input_reader *l = calloc(1, sizeof *l);
    if (!l) {
        err_nomem(err, sizeof *l, "reading");
        return NULL;
    }
    l->shared.o = *o;
    l->shared.end_stream = UINT64_MAX;
    l->shared.latest_ms = latest_of(o->job->now_ms);
    hand_over_init(&l->shared.chunks);
    if (input_queue_init(&l->queue, &l->shared.o, &l->shared.chunks, err)) goto fail;
    if (o->n_inputs > RANK_INPUTS_MAX) {
        err_set(err, ERR_LIMIT, "%u inputs: at most %d fit one run", o->n_inputs, RANK_INPUTS_MAX);
        goto fail;
    }
    if (!(l->emitters = calloc(o->threads, sizeof *l->emitters))) {
        err_nomem(err, o->threads * sizeof *l->emitters, "reading");
        goto fail;
    }
    if (make_emitters(l, err)) goto fail;
    for (uint32_t i = 0; i < o->n_inputs; i++) {
        if (input_stat(&o->inputs[i], err)) goto fail;
        l->total_bytes += o->inputs[i].file_bytes;
    }
    input_work_weigh(o->inputs, o->n_inputs);
    return l;
fail:
    input_reader_free(l);
    return NULL;
}

const struct ledger *input_reader_ledger(const struct input_reader *l) {
    return &l->ledger;
}

int input_reader_floor(struct input_reader *l, struct bytes *row, struct err *err) {
    const struct row_order_file *least = row_order_least(&l->queue.by_rows);
    if (!least) return 0;
    if (buf_copy(&l->shared.floor_row, least->floor, err)) return -1;
    *row = buf_bytes(&l->shared.floor_row);
    return 1;
}

uint64_t input_reader_client_rows(const struct input_reader *l) {
    return l->rows_client_misplaces;
}

void input_reader_free(struct input_reader *l) {
    if (!l) return;
    for (unsigned t = 0; l->emitters && t < l->shared.o.threads; t++) emitter_close(&l->emitters[t]);
    free(l->emitters);
    input_queue_free(&l->queue);
    buf_free(&l->shared.floor_row);
    hand_over_free(&l->shared.chunks);
    free(l);
}

int input_stat(struct input *in, struct err *err) {
    struct stat st;
    if (in->files || !strcmp(in->path, "-")) return 0;
    if (pack_member_stat(in->path, &st)) return err_sys(err, ERR_INPUT, errno, "%s", in->path);
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_UNSUPPORTED, "%s is a directory, expected a file", in->path);
    in->file_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    in->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    in->ctime_ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
    return 0;
}
