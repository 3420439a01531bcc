#include "engine/sorter_load.h"

#include "engine/load.h"

void sorter_load_limits(const struct memory_plan *plan, struct read_opts *read) {
    read->chunk_bytes = plan->chunk_bytes;
    read->max_cell_bytes = plan->block_limit;
    read->max_block_bytes = plan->block_limit;
    read->unpack_bytes = plan->unpack_bytes;
}

int sorter_load(struct sorter *s, struct loader *l, struct err *err) {
    int more;
    while ((more = loader_run(l, err)) == 1)
        if (sorter_spill(s, err)) return -1;
    return more;
}
