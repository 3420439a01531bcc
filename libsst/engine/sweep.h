/* Stores of HBase are read by rows where memory allows: their files side by side, region after region, so that what has been
 * gathered is complete up to some row and goes to the writers of all partitions, which stay open, instead of being spilled. */
#ifndef ENGINE_SWEEP_H
#define ENGINE_SWEEP_H

#include "engine/job.h"
#include "engine/store_input.h"

struct sweep_plan {
    size_t open_bytes;   /* what open inputs and outputs hold all the time */
    size_t window_bytes; /* gathered at a time */
    size_t chunk_bytes;
};
struct sweep_opts {
    const struct store_input *stores;
    size_t n;
    const struct hfile_write_opts *writer; /* of each output */
    uint32_t outputs;
    const struct memory_plan *plan;
};
/* Pure, but for the limit of open files. false: files do not say where their rows begin, or there is too little memory to make it
 * worth it. */
bool sweep_fits(const struct sweep_opts *o, struct sweep_plan *out);

#endif
