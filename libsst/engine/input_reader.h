/* Reads inputs in parallel: readers hand out chunks in turn, all threads parse, records are checked against the table
 * (lengths, placement, timestamps) and handed to a consumer. Keeps the input side of both ledgers and the rejects. */
#ifndef ENGINE_INPUT_READER_H
#define ENGINE_INPUT_READER_H

#include "engine/input.h"
#include "rules/ledger.h"

/* How many families there may be: those of the table, or where data may name more as many as have room in `memory`, if each takes
 * so many bytes there (0 = none). */
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
