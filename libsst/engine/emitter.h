/* One thread's end of reading: the `emit` that readers push into. What they push is checked against the table and goes to the
 * consumer, or to the rejects (emitter.c). */
#ifndef ENGINE_EMITTER_H
#define ENGINE_EMITTER_H

#include "base/hand_over.h"
#include "base/threads.h"
#include "engine/format.h"
#include "engine/input.h"
#include "engine/input_reader.h"
#include "engine/rejects.h"
#include "rules/ledger.h"

struct selector;

/* State that the threads of a load share. */
struct emit_shared {
    struct input_reader_opts o;
    /* Chunks in turn. The lock is over end_stream, the log of rejects, and the table where it takes families that data names.
     * It has changed when a chunk is parsed, a reader is free again, or the run is ending. */
    struct hand_over chunks;
    int64_t latest_ms;    /* a later timestamp is odd */
    uint64_t end_stream;  /* the run is ending: nothing more is begun of streams from here on; UINT64_MAX: it is not */
    struct buf floor_row; /* what input_reader_floor has said */
};

/* As one thread knows it: families of a table without DDL are found while reading, under the lock. */
struct known_family {
    uint32_t index;
    struct family limits; /* shallow: the strings stay with the table */
};

/* Neighbours of one row that belong to one partition, where partitions depend on qualifier or timestamp. */
struct placed_range {
    uint32_t n_cells, partition;
};

struct emitter {
    struct emit base;
    struct emit_shared *shared;
    struct selector *selector; /* NULL: all is taken */
    unsigned thread;
    struct ledger ledger; /* of the current chunk */
    uint64_t rows_client_misplaces;
    struct input_signs signs; /* of the current chunk */
    bool not_utf8;            /* it is text, and not all of it UTF-8 */
    struct reject_batch rejects;
    struct buf scratch;
    struct cell *numbered; /* cells of a part, with ids that they did not have */
    size_t numbered_room;
    uint32_t group;    /* of the chunk's input */
    uint64_t most_seq; /* of the cells of the chunk */
    struct chunk chunk;
    struct reject_turn turn; /* of the chunk */
    const void *last;        /* the input that it was read from: only compared */
    bool fresh;              /* by_rows: nothing of the chunk has come yet */
    const char *path;    /* of its records, for messages; valid while it is parsed. NULL: a caller puts them, see build_put.h */
    bool is_text;        /* of its format */
    struct bytes header; /* of the chunk's source, if it has one: emit_ops.header */
    struct known_family known[FAMILIES_MOST];
    uint32_t n_known;
    struct cell good[PART_MAX_CELLS];
    struct row_part taken[FAMILIES_MOST]; /* of a record, by the selection */
    struct placed_range *runs;            /* of the cells that are about to be delivered, in their order */
    size_t n_runs, runs_room;
    uint8_t apart[APART_BYTES];
};

static inline struct emitter *emitter_of(struct emit *e) {
    return (struct emitter *)e;
}

/* Frees what it owns, not itself. */
void emitter_close(struct emitter *e);

/* Implements emit_ops.record for an emitter. */
int emit_record(struct emit *base, const struct row_part *parts, uint32_t n, struct reason *why, struct err *err);
int emit_cells(struct emit *base, const struct row_part *part, const struct tally *tally, struct err *err);

/* Rejects one cell of part. */
int emit_bad_cell(struct emitter *e, const struct row_part *part, const struct cell *c, const struct reason *why,
                  struct err *err);

/* Implements emit_ops.reject for an emitter. */
int emit_reject(struct emit *base, struct bytes raw, uint64_t line, uint64_t offset, const struct reason *why, struct err *err);
void emit_skip(struct emit *base, uint64_t records);
void emit_header(struct emit *base, struct bytes header);
int emit_lost(struct emit *base, const struct lost *lost, struct err *err);
void emit_lost_cells(struct emit *base, uint64_t cells);

/* A file of an input that is left out as a whole. Under the lock. */
int emit_lost_file(struct emitter *e, const char *path, const struct lost *lost, struct err *err);

#endif
