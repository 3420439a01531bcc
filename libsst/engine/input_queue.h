/* Chooses the chunk that is read next: inputs in their order, compressed texts side by side, or files by the least row that each
 * may still hold; and files that are left out as a whole because they are damaged. */
#ifndef ENGINE_INPUT_QUEUE_H
#define ENGINE_INPUT_QUEUE_H

#include "base/buf.h"
#include "engine/emitter.h"
#include "engine/input.h"

struct row_order_file {
    struct bytes floor; /* what comes from it is not before */
    struct buf risen;   /* floor, once it has been raised */
    size_t file;        /* of its input */
    uint32_t input;
    void *open; /* the caller's */
};

struct row_order {
    struct row_order_file **files; /* a heap */
    size_t n;
};

/* Adds a file; floor is borrowed. */
int row_order_add(struct row_order *o, uint32_t input, size_t file, struct bytes floor, struct err *err);
/* Returns the file with the least row; NULL: all files are done. Valid until it is dropped. */
struct row_order_file *row_order_least(const struct row_order *o);
/* Raises the least row to `row`, which is copied, and moves the input to its new place in the order. */
int row_order_raise(struct row_order *o, struct bytes row, struct err *err);
/* The least one is done. */
void row_order_drop(struct row_order *o);
void row_order_free(struct row_order *o);

struct file_verdict {
    char *damage; /* NULL: none was found, or the format cannot show any */
    uint64_t cells;
};

struct whole_files; /* input_outlook.c */

/* Fills in how much work a byte of each is, where files of datasets are of several families; sizes are known (input_work.c). */
void input_work_weigh(struct input *inputs, uint32_t n);

/* An input while it is being read: readers outlive their last chunk until it has been parsed. */
struct open_input {
    struct open_input *next;
    struct reader *reader;
    const char *path; /* borrowed */
    uint64_t file_bytes;
    uint64_t stream, n_chunks; /* its number in the order of inputs; chunks handed out */
    uint32_t index, in_flight; /* chunks that are being parsed */
    bool exhausted;
    bool busy;  /* a thread is reading from it */
    bool waits; /* for all inputs before it */
};

struct input_queue {
    const struct input_reader_opts *o;
    struct hand_over *chunks; /* the caller holds its lock; given up while a reader unpacks */
    struct open_input *open;  /* all that are not retired, in the order of inputs */
    struct row_order by_rows; /* instead of that order and of what follows, where rows are to ascend */
    uint64_t n_streams;       /* opened so far, or left out */
    uint64_t end_stream;      /* nothing more is read of streams from here on */
    uint32_t next_input;
    size_t next_file; /* of it, where it has many */
    uint64_t next_seq;
    uint64_t next_data_block, next_block; /* the number of the next input's first one: see read_opts.blocks */
    uint64_t done_bytes;                  /* of inputs that are retired or left out, by their work */
    struct unread_count unread;           /* by files that are done; who has added it up empties it */
    struct whole_files *whole;            /* DAMAGE_SKIPS_FILE */
};

int input_queue_init(struct input_queue *q, const struct input_reader_opts *o, struct hand_over *chunks, struct err *err);
/* DAMAGE_SKIPS_FILE: sees which files are whole, once. To be called before the first chunk, by one thread. */
int input_queue_verify(struct input_queue *q, struct err *err);
/* 1 = e->chunk is the next chunk, of *from; 0 = none left; QUEUE_AGAIN = it has waited for another thread: try once more; -1.
 * e->turn is the turn of the chunk or of the error. Files left out on the way are reported to e. Under the lock. */
enum { QUEUE_AGAIN = 2 };
int input_queue_next(struct input_queue *q, struct emitter *e, struct open_input **from, struct err *err);
/* A chunk of `from` has been parsed; failed: not to its end. -1: the totals of the input do not hold. */
int input_queue_parsed(struct input_queue *q, struct open_input *from, bool failed, struct err *err);
bool input_queue_ended(const struct input_queue *q);
uint64_t input_queue_bytes(const struct input_queue *q); /* of inputs, read so far, by their work */
void input_queue_free(struct input_queue *q);

#endif
