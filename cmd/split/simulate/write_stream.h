/* A write: what one row gets in one family at one moment. And how it travels through a sorter: as one cell whose qualifier is
 * the row and whose value is the rest, under the key by which writes are to be ordered. */
#ifndef SIMULATE_WRITE_STREAM_H
#define SIMULATE_WRITE_STREAM_H

#include "cmd/split/plan/plan.h"
#include "engine/input.h"
#include "engine/job.h"
#include "rules/ledger.h"
#include "table/table.h"

struct reject_log;

enum { WRITE_NOWHERE = UINT32_MAX };

struct write {
    struct bytes row;
    int64_t ts_ms;      /* of its cells */
    int64_t at_ms;      /* when it arrives, on the clock of the simulation */
    uint64_t tick;      /* the same in ticks since the first write (write_stream.h) */
    uint32_t family;    /* number in the table */
    uint32_t partition; /* of OceanBase, where its first cell goes; WRITE_NOWHERE: it is refused there */
    uint32_t n_cells;
    uint64_t bytes;     /* of KeyValues */
    struct bytes cells; /* see write_cell_next */
};

/* Facts about a cell beside the write it is in. */
struct write_cell {
    uint64_t qualifier_bytes, value_bytes, tags_bytes;
    uint8_t type;
};

/* Writes in the order in which they arrive: made by a generator, or read from inputs and sorted by what the order asks for (in
 * memory, or in spilled runs). The clock starts with the first write and goes in ticks: of a microsecond where it follows from
 * a rate, of a millisecond where it is that of the cells' timestamps. */

enum write_order {
    ORDER_TIME,  /* by timestamp, then in the order of the inputs */
    ORDER_INPUT, /* in the order of the records in the inputs */
    ORDER_KEY    /* by row key */
};

struct write_stream_opts {
    const struct job *job;
    uint64_t resident_bytes;         /* of the memory: what the caller keeps beside the stream */
    const struct placement *place;   /* of OceanBase */
    const struct key_design *design; /* NULL: the rows' own keys */
    int64_t interval_us;             /* from write to write, where the clock follows from a rate */
    /* Made: */
    const struct plan_generator *generator; /* its interval counts; families are those of read.table */
    /* … or read: */
    enum write_order order;
    bool by_timestamps; /* the clock is that of the timestamps; order is ORDER_TIME */
    struct input *inputs;
    uint32_t n_inputs;
    struct read_opts read;
    const struct placement *one; /* one partition */
    struct reject_log *rejects;
};

struct write_stream_facts {
    uint64_t writes, cells, bytes; /* writes: of a generator those of all rows asked for */
    int64_t start_ms, end_ms;      /* of the first and the last write, on the clock */
    uint64_t span_ticks;           /* > ticks of the last write */
    uint32_t tick_us;
    bool one_moment; /* by_timestamps was asked for, but they are all equal: the clock follows from the rate */
    struct ledger ledger;
    uint64_t unfit; /* writes (of a generator), cells (of inputs) of which the design makes no key */
    char unfit_why[240];
};

struct write_stream;
/* Reads all inputs. NULL: error. */
struct write_stream *write_stream_open(const struct write_stream_opts *o, struct err *err);
void write_stream_close(struct write_stream *s);
/* unfit of a generator is known at the end only. */
const struct write_stream_facts *write_stream_facts(const struct write_stream *s);
/* Returns how many writes were taken, those included of which there is no key. */
uint64_t write_stream_position(const struct write_stream *s);
/* 1 = *out is the next write, valid until the next call; 0 end, -1 error. */
int write_stream_next(struct write_stream *s, struct write *out, struct err *err);
/* fn(arg, write) for each that is left, until it fails. Stop requests are looked for. */
int write_stream_each(struct write_stream *s, int (*fn)(void *arg, const struct write *w, struct err *err), void *arg,
                      struct err *err);

#endif
