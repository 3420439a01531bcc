/* What is loaded, by how many threads, and where it goes. */
#ifndef ENGINE_LOAD_OPTS_H
#define ENGINE_LOAD_OPTS_H

#include "table/placement.h"
#include "engine/job.h"
#include "engine/load_input.h"
#include "engine/rejects.h"

/* Where accepted parts go; called by many threads, each with its own number. */
struct load_consumer {
    int (*put)(void *arg, unsigned thread, uint32_t family, uint32_t partition, const struct row_part *part, struct err *err);
    bool (*full)(void *arg); /* no further chunk is begun; NULL = never */
    void *arg;
};

struct load_opts {
    const struct job *job;
    unsigned threads;
    struct load_input *inputs;
    uint32_t n_inputs;
    struct read_opts read; /* table, shapes, columns … */
    const struct placement *placement;
    struct load_consumer consumer;
    /* arg: the consumer's. What this thread puts from now on comes out of the chunk of this number: 0, 1, 2 … in the order of the
     * inputs. NULL: nobody asks. */
    void (*begin)(void *arg, unsigned thread, uint64_t chunk);
    bool by_rows;               /* chunks of all inputs, which are HFiles, are handed out so that rows ascend: see loader_floor */
    uint64_t max_value_bytes;   /* larger values are rejects; 0 = the columns' lengths decide */
    struct reject_log *rejects; /* NULL: the first bad record is an ERR_INPUT */
    uint32_t families_most;     /* of a table that grows by what data names; 0 = LOAD_FAMILIES_MOST */
    bool skip_client_check;     /* do not count rows the Java client would look for elsewhere */
};

enum { LOAD_FAMILIES_MOST = 256 /* of one table */ };
/* How many families there may be: those of the table, or where data may name more as many as have room in `memory`, if each takes
 * so many bytes there (0 = none). */
uint32_t load_families(const struct read_opts *read, size_t memory, size_t each);
uint32_t load_families_known(const struct read_opts *read); /* at least 1: some will come */

#endif
