/* Writes in the order in which they arrive: generated one by one, or read from inputs and brought into order by a sorter, in
 * memory or with spilled runs. The clock is that of the timestamps, or follows from a rate. */
#include "cmd/split/simulate/write.h"
#include "cmd/split/simulate/write_stream.h"

#include "engine/memory_plan.h"
#include "engine/sorted_inputs.h"
#include "engine/sorter_gather.h"
#include "engine/sorter_runs.h"
#include "table/placement.h"

#include <stdio.h>
#include <stdlib.h>

enum { WRITES_BETWEEN_LOOKS = 4096 };

/* State of one thread while inputs are read. */
struct write_reading {
    struct design_run run;
    struct buf packed, order;
    struct cell *sorted;                               /* [PART_MAX_CELLS] of the part, by timestamp */
    uint64_t writes, cells, bytes, unfit, first_unfit; /* first_unfit: rank */
    int64_t oldest_ms, newest_ms;
    char unfit_why[240];
};

struct write_stream {
    struct write_stream_opts o;
    struct write_stream_facts facts;
    /* made */
    struct generated made;
    uint64_t next;
    /* read */
    struct sorted_inputs sorted;
    struct source *src;
    struct row_part part;
    uint32_t cell; /* the next of the part */
    struct write_reading *readers;
    unsigned threads;
};

/* ---- reading ---- */

static void note_unfit(struct write_reading *r, const struct row_part *part) {
    r->unfit += part->n_cells;
    if (part->cells[0].rank >= r->first_unfit) return;
    r->first_unfit = part->cells[0].rank;
    snprintf(r->unfit_why, sizeof r->unfit_why, "%s", r->run.fault.text);
}

/* Makes the key by which the sorter sorts; the family last, so that the order never depends on who was first. */
static int make_order(const struct write_stream *s, struct bytes row, const struct cell *c, uint32_t family, struct buf *out,
                      struct err *err) {
    buf_clear(out);
    if (s->o.order == ORDER_KEY) return buf_put(out, row.p, row.n, err);
    if (s->o.order == ORDER_TIME && buf_put_be64(out, (uint64_t)c->ts_ms, err)) return -1;
    return buf_put_be64(out, c->rank, err) || buf_put_be32(out, family, err) ? -1 : 0;
}

static int by_time(const void *a, const void *b) {
    const struct cell *x = a, *y = b;
    if (x->ts_ms != y->ts_ms) return x->ts_ms < y->ts_ms ? -1 : 1;
    int c = bytes_cmp(x->qualifier, y->qualifier);
    return c ? c : (int)x->type - (int)y->type;
}

/* Versions of several columns take turns in a part; what was written together is adjacent here. */
static int sort_cells(struct write_reading *r, struct row_part *part, struct err *err) {
    bool sorted = true;
    for (uint32_t i = 1; i < part->n_cells && sorted; i++) sorted = part->cells[i].ts_ms == part->cells[0].ts_ms;
    if (sorted || part->n_cells > PART_MAX_CELLS) return 0;
    if (!r->sorted && !(r->sorted = malloc(PART_MAX_CELLS * sizeof *r->sorted)))
        return err_nomem(err, PART_MAX_CELLS * sizeof *r->sorted, "the cells of a row");
    memcpy(r->sorted, part->cells, part->n_cells * sizeof *r->sorted);
    qsort(r->sorted, part->n_cells, sizeof *r->sorted, by_time);
    part->cells = r->sorted;
    part->shape = 0;
    return 0;
}

/* Cells of one timestamp, from `from` on. */
static int put_write(struct write_stream *s, unsigned thread, uint32_t family, const struct row_part *part, uint32_t from,
                     uint32_t n, struct bytes row, struct err *err) {
    struct write_reading *r = &s->readers[thread];
    const struct cell *c = &part->cells[from];
    uint32_t partition;
    if (placement_of_cell(s->o.place, row, c, &partition) != PLACE_OK) partition = WRITE_NOWHERE;
    buf_clear(&r->packed);
    if (write_pack(part, from, n, row, family, partition, &r->packed, err)) return -1;
    if (make_order(s, row, c, family, &r->order, err)) return -1;
    const struct cell cell = {
        .qualifier = row, .value = buf_bytes(&r->packed), .ts_ms = c->ts_ms, .rank = c->rank, .type = CELL_PUT};
    const struct row_part out = {
        .row = buf_bytes(&r->order), .family = bytes_str("f"), .cells = &cell, .n_cells = 1, .first = true};
    struct write w;
    write_unpack(&cell, &w);
    if (!r->writes || c->ts_ms < r->oldest_ms) r->oldest_ms = c->ts_ms;
    if (!r->writes || c->ts_ms > r->newest_ms) r->newest_ms = c->ts_ms;
    r->writes++;
    r->cells += n;
    r->bytes += w.bytes;
    return sorter_put(s->sorted.sorter, thread, 0, &out, err);
}

static int put_part(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part,
                    struct err *err) {
    struct write_stream *s = arg;
    struct write_reading *r = &s->readers[thread];
    struct bytes row = part->row;
    (void)partition;
    if (s->o.design) {
        int made = key_design_of_part(s->o.design, &r->run, part, &row, err);
        if (made < 0) return -1;
        if (!made) {
            note_unfit(r, part);
            return 0;
        }
    }
    struct row_part sorted = *part;
    if (sort_cells(r, &sorted, err)) return -1;
    for (uint32_t from = 0, n; from < part->n_cells; from += n) {
        for (n = 1; from + n < part->n_cells && sorted.cells[from + n].ts_ms == sorted.cells[from].ts_ms;) n++;
        if (put_write(s, thread, family, &sorted, from, n, row, err)) return -1;
    }
    return 0;
}

static void merge_readers(struct write_stream *s) {
    struct write_stream_facts *f = &s->facts;
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < s->threads; i++) {
        const struct write_reading *r = &s->readers[i];
        if (r->writes && (!f->writes || r->oldest_ms < f->start_ms)) f->start_ms = r->oldest_ms;
        if (r->writes && (!f->writes || r->newest_ms > f->end_ms)) f->end_ms = r->newest_ms;
        f->writes += r->writes;
        f->cells += r->cells;
        f->bytes += r->bytes;
        f->unfit += r->unfit;
        if (r->unfit && r->first_unfit < first) {
            first = r->first_unfit;
            memcpy(f->unfit_why, r->unfit_why, sizeof f->unfit_why);
        }
    }
}

static int make_sorter(struct write_stream *s, struct err *err) {
    const struct memory_request request = {.job = s->o.job, .own_bytes = s->o.resident_bytes};
    struct sorted_inputs_opts sorting = {.job = s->o.job, .buckets = 1, .tie = TIE_BY_SEQUENCE};
    if (memory_plan_make(&request, &sorting.plan, err) || sorted_inputs_open(&s->sorted, &sorting, err)) return -1;
    s->threads = s->sorted.plan.threads;
    s->readers = calloc(s->threads, sizeof *s->readers);
    if (!s->readers) return err_nomem(err, s->threads * sizeof *s->readers, "a simulation");
    for (unsigned i = 0; i < s->threads; i++) s->readers[i].first_unfit = UINT64_MAX;
    return 0;
}

static int read_inputs(struct write_stream *s, struct err *err) {
    struct inputs_read in = {0};
    const struct input_reader_opts r = {.inputs = s->o.inputs,
                                        .n_inputs = s->o.n_inputs,
                                        .read = s->o.read,
                                        .placement = s->o.one,
                                        .consumer = {put_part, NULL, s, NULL},
                                        .max_value_bytes = s->o.job->max_cell_bytes,
                                        .rejects = s->o.rejects,
                                        .skip_client_check = true};
    int rc = sorted_inputs_read(&s->sorted, &r, NULL, &in, err);
    s->facts.ledger = in.ledger;
    return rc ? -1 : sorter_finish(s->sorted.sorter, err);
}

/* Moments where the clock is that of the timestamps; else so many steps of the rate, from the job's clock on. */
static void set_clock(struct write_stream *s) {
    struct write_stream_facts *f = &s->facts;
    if (s->o.by_timestamps && f->end_ms > f->start_ms) {
        f->tick_us = 1000;
        f->span_ticks = (uint64_t)f->end_ms - (uint64_t)f->start_ms + 1;
        return;
    }
    f->one_moment = s->o.by_timestamps && f->writes > 1;
    f->tick_us = 1;
    f->start_ms = f->one_moment ? f->start_ms : s->o.job->now_ms;
    uint64_t moments = s->o.generator ? s->o.generator->rows : f->writes;
    f->span_ticks = moments * (uint64_t)s->o.interval_us;
    if (!f->span_ticks) f->span_ticks = 1;
    f->end_ms = f->start_ms + (int64_t)((f->span_ticks - 1) / 1000);
}

static int read_all(struct write_stream *s, struct err *err) {
    if (make_sorter(s, err) || read_inputs(s, err)) return -1;
    merge_readers(s);
    set_clock(s);
    if (!s->facts.writes) return 0;
    s->src = sorter_open(s->sorted.sorter, 0, bytes_str("f"), err);
    return s->src ? 0 : -1;
}

/* ---- both ---- */

struct write_stream *write_stream_open(const struct write_stream_opts *o, struct err *err) {
    struct write_stream *s = calloc(1, sizeof *s);
    if (!s) {
        err_nomem(err, sizeof *s, "a stream of writes");
        return NULL;
    }
    s->o = *o;
    if (!o->generator && !read_all(s, err)) return s;
    if (o->generator && !generated_init(&s->made, o->generator, o->design, o->place, o->read.table, o->job->now_ms, err)) {
        s->facts.writes = s->facts.cells = o->generator->rows * generated_writes_of_row(o->read.table);
        s->o.interval_us = o->generator->interval_us;
        set_clock(s);
        return s;
    }
    write_stream_close(s);
    return NULL;
}

void write_stream_close(struct write_stream *s) {
    if (!s) return;
    generated_free(&s->made);
    source_close(s->src);
    for (unsigned i = 0; s->readers && i < s->threads; i++) {
        design_run_free(&s->readers[i].run);
        buf_free(&s->readers[i].packed);
        buf_free(&s->readers[i].order);
        free(s->readers[i].sorted);
    }
    free(s->readers);
    sorted_inputs_close(&s->sorted);
    free(s);
}

const struct write_stream_facts *write_stream_facts(const struct write_stream *s) {
    return &s->facts;
}

uint64_t write_stream_position(const struct write_stream *s) {
    return s->next;
}

static int next_made(struct write_stream *s, struct write *out, struct err *err) {
    while (s->next < s->facts.writes) {
        int made = generated_write(&s->made, s->next++, out, err);
        if (made) return made;
        if (!s->facts.unfit++) snprintf(s->facts.unfit_why, sizeof s->facts.unfit_why, "%s", generated_fault(&s->made));
    }
    return 0;
}

static int next_read(struct write_stream *s, struct write *out, struct err *err) {
    if (!s->src) return 0;
    if (s->cell == s->part.n_cells) {
        int rc = source_next(s->src, &s->part, err);
        s->cell = 0;
        if (rc != 1) s->part.n_cells = 0;
        if (rc != 1) return rc;
    }
    write_unpack(&s->part.cells[s->cell++], out);
    if (s->facts.tick_us == 1000) {
        out->tick = (uint64_t)out->ts_ms - (uint64_t)s->facts.start_ms;
        out->at_ms = out->ts_ms;
    } else {
        out->tick = s->next * (uint64_t)s->o.interval_us;
        out->at_ms = s->facts.start_ms + (int64_t)(out->tick / 1000);
    }
    s->next++;
    return 1;
}

int write_stream_next(struct write_stream *s, struct write *out, struct err *err) {
    return s->o.generator ? next_made(s, out, err) : next_read(s, out, err);
}

int write_stream_each(struct write_stream *s, int (*fn)(void *arg, const struct write *w, struct err *err), void *arg,
                      struct err *err) {
    struct write w;
    int rc;
    uint64_t seen = 0;
    while ((rc = write_stream_next(s, &w, err)) == 1) {
        if (seen++ % WRITES_BETWEEN_LOOKS == 0 && stop_check(s->o.job->stop, err)) return -1;
        if (fn(arg, &w, err)) return -1;
    }
    return rc;
}
