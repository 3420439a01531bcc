#include "cmd/split/plan/plan_memory.h"

#include "cmd/split/plan/presplit.h"

size_t plan_memory(const struct plan_opts *o) {
    size_t parts = 0;
    for (uint32_t i = 0; i < o->n_counts; i++) parts += o->counts[i];
    return parts * sizeof(struct plan_part) * (PLAN_PREFIX_MAX + 1 + PLAN_KINDS) + ROW_SAMPLE_ROWS * sizeof(struct sampled_row) +
           2 * PLAN_CUTS * sizeof(struct key_cut) + sizeof(struct key_facts) +
           (o->keeps_cells ? cell_sample_memory(o->job->threads) : 0);
}

size_t plan_blocks_memory(const struct plan_opts *o) {
    uint64_t blocks = o->generator ? 0 : sampling_blocks_most(o->sample_by, o->sample_bytes);
    return blocks ? (PLAN_PREFIX_MAX + 1 + o->n_counts * (1 + PRESPLIT_KINDS)) * block_spread_memory(blocks) : 0;
}
