#include "pipeline/job.h"

enum { BASE_BYTES = 12 << 20, MB = 1 << 20 };

/* Two batches of raw and compressed blocks, bloom and index chunks. */
static size_t writer_bytes(size_t block_bytes, unsigned batch) {
    return 2 * (size_t)batch * (2 * block_bytes + block_bytes / 4 + 4096) + 768 * 1024;
}

static int plan_for(const struct job *job, unsigned threads, size_t block_bytes, struct memory_plan *p) {
    size_t memory = job->memory_bytes;
    size_t chunk = memory / 256;
    p->threads = threads;
    p->chunk_bytes = chunk < 128 * 1024 ? 128 * 1024 : chunk > 4 * MB ? 4 * MB : chunk;
    p->batch_blocks = memory >= 1024u * MB ? 16 : memory >= 256 * MB ? 8 : 2;
    /* A chunk and what its records take beyond the limit (about six times its bytes for very short fields). */
    size_t load = 8 * p->chunk_bytes, store = writer_bytes(block_bytes, p->batch_blocks) + MB;
    size_t each = load > store ? load : store;
    size_t fixed = BASE_BYTES + memory / 32 + threads * each;
    p->block_limit = memory / 8 / threads;
    if (fixed + 8 * MB > memory) return -1;
    p->gather_bytes = memory - fixed;
    size_t merge = (memory - BASE_BYTES - memory / 32) / threads;
    if (merge < store + 4 * MB) return -1;
    p->merge_bytes = merge - store;
    return 0;
}

int memory_plan_make(const struct job *job, size_t block_bytes, struct memory_plan *out, struct err *err) {
    if (job->memory_bytes < MEMORY_FLOOR_BYTES)
        return err_set(err, ERR_LIMIT, "--memory %llu is below the floor of %d MB", (unsigned long long)job->memory_bytes,
                       MEMORY_FLOOR_BYTES >> 20);
    for (unsigned t = job->threads; t; t--)
        if (plan_for(job, t, block_bytes, out) == 0) return 0;
    return err_set(err, ERR_LIMIT, "--memory %llu MB is too small for blocks of %zu bytes", (unsigned long long)job->memory_bytes >> 20,
                   block_bytes);
}
