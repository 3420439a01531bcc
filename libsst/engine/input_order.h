/* Decides how new the cells of an input without sequence ids are: HBase gives a bulk load the next id, so that it is newer
 * than what the table holds. Inputs without ids after others get the same: the next id after those that come before them in
 * the list. */
#ifndef ENGINE_INPUT_ORDER_H
#define ENGINE_INPUT_ORDER_H

#include "engine/format.h"
#include "engine/input.h"
#include "engine/job.h"

struct input_order_opts {
    const struct job *job;
    const struct input *inputs;
    uint32_t n_inputs, n_groups;
    uint32_t n_others; /* after the first n_inputs: other shards read them, and so parts of stores */
    bool is_shard;
    const struct store_input *stores; /* their files are known */
    size_t n_stores;
    bool stated; /* --rank sequence: text cells are files of a store, and 0 is what it says */
    bool strict; /* markers go by sequence ids (NEW_VERSION_BEHAVIOR): each such input needs one of its own */
};
struct input_order;
/* Returns what it takes of the memory. */
size_t input_order_bytes(const struct input_order_opts *o);
/* Looks into the HFiles among the inputs, many side by side; what is none, or cannot be read, is left to those who read it. */
struct input_order *input_order_new(const struct input_order_opts *o, struct err *err);
void input_order_free(struct input_order *o); /* NULL is fine */

/* An input is opened, after all before it: 1, its ids depend on those of cells that are still to be read, and all inputs before
 * it come first; 0; -1, a shard cannot know them. Cells as text may have ids: where that matters, they are read for it. */
int input_order_open(struct input_order *o, const struct input *in, const struct format *format, const struct read_opts *read,
                     struct err *err);
/* All of that has been read, or nothing was to be: what its cells get is fixed. The first call for a group counts. */
void input_order_begin(struct input_order *o, uint32_t group);
/* Cells of this group have been read: the largest of their ids. */
void input_order_note(struct input_order *o, uint32_t group, uint64_t seq);
/* The id that cells of the row get which have none; 0: they keep none. */
uint64_t input_order_seq(const struct input_order *o, uint32_t group, struct bytes row);

/* Finds out whether any cell of the input has an id. 1 = *has says it; reads the input up to the first (seq_search.c). 0: it is a
 * stream, which can be read but once. */
int input_has_seqs(const struct input *in, const struct read_opts *read, bool *has, struct err *err);

/* The ids of the files of one dataset. */
struct file_seqs {
    bool any;
    uint64_t most;
};
int file_seqs_read(const struct job *job, const char *path, struct file_seqs *sum, struct err *err);
/* The next id after `most`, for the input of this number. */
uint64_t input_order_next(uint64_t most, uint32_t number, bool strict);

#endif
