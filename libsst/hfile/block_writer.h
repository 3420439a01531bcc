/* Turns payloads into blocks in a file, in order. A payload is filled into a job; jobs are encoded and compressed side by side as
 * OpenMP tasks in batches, one batch while the next one is filled, and written strictly in the order they were begun: what is
 * written never depends on the number of threads.
 *
 * A batch is awaited with taskwait. So calls for one block_writer come from one OpenMP task (or from outside of any) until that
 * task has waited for all it began, or until block_writer_pause. Without a parallel region the tasks run on the spot. */
#ifndef HFILE_BLOCK_WRITER_H
#define HFILE_BLOCK_WRITER_H

#include "base/buf.h"
#include "codec/codec.h"
#include "hfile/block.h"
#include "hfile/encoding.h"

struct outfile;

/* Bytes of a payload that are elsewhere, and where in `raw` they belong. */
struct block_piece {
    size_t at;
    struct bytes from;
};

enum { BLOCK_PIECES = 4 /* of a block: as a rule one, or two where one batch of rows ends */ };

/* One block on its way. `raw` starts with BLOCK_HEADER_BYTES of room, the payload follows; raw.n counts pieces, too. */
struct block_job {
    struct buf raw;
    struct block_piece pieces[BLOCK_PIECES];
    unsigned n_pieces;
    struct buf disk; /* the block as written; unused with neither codec nor encoding: raw itself then becomes the block */
    struct buf key;  /* index key or first bloom key: the caller's */
    void *owner;     /* the caller's */
    enum block_type type;
    struct block_header header;
    struct err err;
};

/* The place of a written block. */
struct block_place {
    enum block_type type;
    uint64_t offset;
    uint32_t disk_bytes; /* with header */
    uint32_t plain_bytes;
    struct bytes key; /* the job's */
    void *owner;
};

/* Called for every job right after its block was written, before the next one is. */
typedef int block_written_fn(void *arg, const struct block_place *place, struct err *err);

struct block_writer_opts {
    const struct codec *codec;
    int level;
    const struct encoding *encoding; /* of BLOCK_ENCODED_DATA, whose payload is given as plain cells of this layout */
    struct cell_layout layout;
    enum hfile_checksum sum;
    uint32_t bytes_per_sum;
    uint32_t block_bytes; /* usual payload: buffers that grew far beyond it are given back */
    uint32_t other_bytes; /* largest payload of blocks that are not data */
    unsigned batch_jobs;
    struct outfile *out;
    block_written_fn *written;
    void *arg;
};

struct block_writer;
struct block_writer *block_writer_open(const struct block_writer_opts *o, struct err *err);
/* An empty job of that type, to be filled until the next call. NULL and err on failure, also of earlier blocks. */
struct block_job *block_writer_begin(struct block_writer *w, enum block_type type, struct err *err);
/* Appends bytes to the payload that stay where they are until block_writer_release_pieces: the task that compresses the block
 * reads them there. */
int block_job_refer(struct block_job *j, struct bytes from, struct err *err);
/* Blocks have all bytes of their own from now on. Only after a taskwait: blocks on their way are read by tasks. */
void block_writer_release_pieces(struct block_writer *w);
/* All begun jobs are compressed and written. */
int block_writer_drain(struct block_writer *w, struct err *err);
/* All begun jobs are compressed and written but *filling, the last one, which is the caller's (NULL: it has none) and moves.
 * Memory for other jobs is given back. The next call may come from another task. */
int block_writer_pause(struct block_writer *w, struct block_job **filling, struct err *err);
/* Compresses and writes one block at once (the batch must be drained, or be the one being written: from `written`). */
int block_writer_put(struct block_writer *w, enum block_type type, struct bytes payload, struct block_place *place,
                     struct err *err);
/* Writes a data block of another file, h and all bytes, as it is but for the offset of the block before and the first checksum.
 * key: for the index. As block_writer_put, but calls `written`. */
int block_writer_copy(struct block_writer *w, const struct block_header *h, struct bytes block, struct bytes key,
                      struct err *err);
/* Sets *src, the caller's, whose bytes it closes, to read back the blocks written so far. Errors as block_writer_put. */
int block_writer_reopen(struct block_writer *w, struct block_source *src, struct err *err);
void block_writer_close(struct block_writer *w); /* NULL is fine; waits for running tasks */
/* Heap, with payloads of at most twice block_bytes, or other_bytes. A longer one, alone in its batch, adds itself and what it is
 * encoded and compressed into, until it is written. */
size_t block_writer_memory(const struct block_writer_opts *o);
/* As block_writer_memory, while it is paused, with one block begun. */
size_t block_writer_paused_memory(const struct block_writer_opts *o);
/* Returns what a longer payload, of n bytes, adds. */
size_t block_writer_long_memory(const struct block_writer_opts *o, size_t n);

#endif
