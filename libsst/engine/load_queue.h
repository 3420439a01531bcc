/* The inputs of a load in their order: one after the other is opened and hands out chunks; when its last chunk has been parsed,
 * its totals must hold and it is closed. Or, by_rows, that of all files goes on which holds the least rows. Under the lock of the
 * load. */
#ifndef ENGINE_LOAD_QUEUE_H
#define ENGINE_LOAD_QUEUE_H

#include "engine/emitter.h"
#include "engine/row_order.h"
#include "engine/whole_files.h"

/* An input while it is being read: readers outlive their last chunk until it has been parsed. */
struct open_input {
    struct open_input *next;
    struct reader *reader;
    const char *path; /* borrowed */
    uint64_t file_bytes;
    uint32_t index, in_flight;
    bool exhausted;
};

struct load_queue {
    const struct load_opts *o;
    struct open_input *open;    /* all that are not retired */
    struct open_input *current; /* being handed out; NULL = open the next one */
    struct row_order by_rows;   /* instead of it and of what follows, where rows are to ascend */
    uint32_t next_input;
    size_t next_file; /* of it, where it has many */
    uint64_t next_seq;
    uint64_t next_data_block, next_block; /* the number of the next input's first one: see read_opts.blocks */
    uint64_t done_bytes;                  /* of inputs that are retired or left out */
    struct whole_files *whole;            /* DAMAGE_SKIPS_FILE */
};

int load_queue_init(struct load_queue *q, const struct load_opts *o, struct err *err);
/* DAMAGE_SKIPS_FILE: sees which files are whole, once. To be called before the first chunk, by one thread. */
int load_queue_verify(struct load_queue *q, struct err *err);
/* 1 = e->chunk is the next chunk, of *from; 0 = there is none; -1. Files that are left out on the way are told to e. */
int load_queue_next(struct load_queue *q, struct emitter *e, struct open_input **from, struct err *err);
/* A chunk of `from` has been parsed; failed: not to its end. -1: the totals of the input do not hold. */
int load_queue_parsed(struct load_queue *q, struct open_input *from, bool failed, struct err *err);
bool load_queue_ended(const struct load_queue *q);
uint64_t load_queue_bytes(const struct load_queue *q); /* of inputs, read so far */
void load_queue_free(struct load_queue *q);

#endif
