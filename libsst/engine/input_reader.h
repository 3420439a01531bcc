/* Reads inputs with several threads, and hands what is read to a consumer. */
#ifndef ENGINE_INPUT_READER_H
#define ENGINE_INPUT_READER_H

#include "base/bytes.h"
#include "base/err.h"
#include "cell/cell.h"
#include "cell/keyvalue.h"
#include "engine/input.h"
#include "engine/job.h"
#include "engine/read_opts.h"
#include "rules/ledger.h"
#include "table/partitioner.h"

struct input_order;
struct reject_log;

/* Fills in size and time of a file, which must exist. What is a store, or standard input, stays as it is. */
int input_stat(struct input *in, struct err *err);

struct sorter;

/* Takes accepted parts; called by many threads, each with its own number. */
struct part_consumer {
    int (*put)(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part, struct err *err);
    bool (*full)(void *arg); /* no further chunk is begun; NULL = never */
    void *arg;
    /* Takes a part instead of put, where the number and digest of the part's cells are known already; NULL: it is all the
     * same. */
    int (*put_summed)(void *arg, unsigned thread, uint32_t family, const struct row_part *part, const struct tally *sum,
                      struct err *err);
};

struct input_reader_opts {
    const struct job *job;
    unsigned threads;
    struct input *inputs;
    uint32_t n_inputs;
    struct read_opts read; /* table, shapes, columns … */
    const struct placement *placement;
    struct part_consumer consumer;
    const struct sorter *sorter; /* that the consumer puts into: no further chunk is begun while it is full; NULL = none */
    /* arg: the consumer's. What this thread puts from now on comes out of the chunk of this number: 0, 1, 2 … in the order of the
     * inputs. NULL: not needed. */
    void (*begin)(void *arg, unsigned thread, uint64_t chunk); /* one thread at a time, as progress */
    unsigned side_by_side; /* so many compressed texts at most are read at once: the memory allows so many windows; 0 = 1 */
    bool by_rows; /* chunks of all inputs, which are HFiles, are handed out so that rows ascend: see input_reader_floor */
    uint64_t max_value_bytes;   /* larger values are rejects; 0 = the columns' lengths decide */
    struct input_order *order;  /* ids for cells that have none; NULL: they keep none */
    struct reject_log *rejects; /* NULL: the first bad record is an ERR_INPUT */
    uint32_t families_most;     /* of a table that grows by what data names; 0 = FAMILIES_MOST */
    bool skip_client_check;     /* do not count rows the Java client would look for elsewhere */
    bool any_time;              /* also cells before 1970, which are rejects otherwise: nothing is written */
};

/* Returns how many families there may be: those of the table, or where data may name more as many as have room in `memory`, if
 * each takes so many bytes there (0 = none). */
uint32_t families_at_most(const struct read_opts *read, size_t memory, size_t each);
uint32_t families_known(const struct read_opts *read); /* at least 1: some will come */

struct input_reader;
/* Checks that every input exists; opens none yet. */
struct input_reader *input_reader_new(const struct input_reader_opts *o, struct err *err);
/* 1 = stopped because the consumer is full (call again), 0 = all inputs are done, -1 = error. */
int input_reader_run(struct input_reader *l, struct err *err);
/* by_rows, when input_reader_run has stopped: 1 = no row before *row is still to come, as the indexes of the files say (a file
 * that then begins a chunk with such a row is damaged); valid until the next call. 0 = no row at all, -1. */
int input_reader_floor(struct input_reader *l, struct bytes *row, struct err *err);
/* Sums so far; valid when input_reader_run has returned. */
const struct ledger *input_reader_ledger(const struct input_reader *l);
uint64_t input_reader_client_rows(const struct input_reader *l); /* rows a direct-mode Java client would look for elsewhere */
void input_reader_free(struct input_reader *l);

#endif
