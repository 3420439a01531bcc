/* One thread's end of a load: the `emit` that readers push into. What they push is held against the table (emit_parts.h) and goes
 * to the consumer, or to the rejects (emit_rejects.h). */
#ifndef ENGINE_EMITTER_H
#define ENGINE_EMITTER_H

#include "rules/ledger.h"
#include "engine/load_opts.h"

#include <omp.h>

/* What the threads of a load share. */
struct load_shared {
    struct load_opts o;
    omp_lock_t lock; /* over stop, the log of rejects, and the table where it takes families that data names */
    bool stop;       /* the run is ending: nothing more is begun */
    struct buf told; /* what loader_floor has said */
};

/* As one thread knows it: families of a table without DDL are found while reading, under the lock. */
struct known_family {
    uint32_t index;
    struct family limits; /* shallow: the strings stay with the table */
};

struct emitter {
    struct emit base;
    struct load_shared *shared;
    unsigned thread;
    struct ledger ledger; /* of the current chunk */
    uint64_t client_rows;
    struct reject_batch rejects;
    struct buf scratch;
    struct chunk chunk;
    bool fresh;       /* by_rows: nothing of the chunk has come yet */
    const char *path; /* of its records, for messages; valid while it is parsed */
    bool is_text;     /* of its format */
    struct known_family known[LOAD_FAMILIES_MOST];
    uint32_t n_known;
    struct cell good[PART_MAX_CELLS];
};

static inline struct emitter *emitter_of(struct emit *e) {
    return (struct emitter *)e;
}

#endif
