/* Stores of HBase are read by rows where memory allows: their files side by side, region after region, so that what has been
 * gathered is complete up to some row and goes to the writers of all partitions, which stay open, instead of being spilled. */
#ifndef ENGINE_BY_ROWS_H
#define ENGINE_BY_ROWS_H

#include "engine/input.h"
#include "engine/job.h"

struct window_plan {
    size_t open_bytes;   /* what open inputs and outputs hold all the time */
    size_t window_bytes; /* gathered at a time */
    size_t chunk_bytes;
};
struct window_opts {
    const struct store_input *stores;
    size_t n;
    const struct hfile_write_opts *writer; /* of each output */
    uint32_t outputs;
    const struct memory_plan *plan;
};
/* Pure, but for the limit of open files. false: files do not say where their rows begin, or there is too little memory to make it
 * worth it. */
bool window_plan_make(const struct window_opts *o, struct window_plan *out);

#endif
