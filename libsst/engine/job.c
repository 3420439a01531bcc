#include "engine/job.h"

enum { BASE_BYTES = 12 << 20, MB = 1 << 20 };

/* A cell lies in a chunk, a record, a block and its compressed form, some of them twice. */
enum { MEMORY_PER_CELL = 8 };

/* Blocks of this size are always read, by fewer threads if need be: a value as long as V mostly is, its key, and the block that
 * had been begun before them. */
enum { BLOCK_LIMIT_LEAST = MB + 128 * 1024 };

/* A block as stored, as cells, perhaps without its encoding, and the scan: for blocks up to the least limit. */
enum { READER_BYTES = 4 * BLOCK_LIMIT_LEAST };

/* What a worker holds beside the writer: a segment or merge, and its cells. */
enum { STAGE_BYTES = 512 * 1024 };

enum { ROW_BYTES_MOST = 64 * MB, BATCH_LEAST = 2 };

static int plan_for(const struct job *job, unsigned threads, const struct hfile_write_opts *writer, struct memory_plan *p) {
    size_t memory = job->memory_bytes - job->resident_bytes;
    size_t chunk = memory / 256;
    struct hfile_write_opts w = *writer;
    p->threads = threads;
    p->unpack_bytes = memory / MEMORY_PER_UNPACK;
    p->chunk_bytes = chunk < 128 * 1024 ? 128 * 1024 : chunk > 4 * MB ? 4 * MB : chunk;
    w.batch_blocks = memory >= 1024u * MB ? 16 : memory >= 256 * MB ? 8 : BATCH_LEAST;
    while (w.batch_blocks > BATCH_LEAST && hfile_writer_memory(&w) > memory / 4 / threads) w.batch_blocks /= 2;
    p->batch_blocks = w.batch_blocks;
    /* A chunk and what its records take beyond the limit (about six times its bytes for very short fields). */
    size_t load = 8 * p->chunk_bytes, store = hfile_writer_memory(&w) + STAGE_BYTES;
    size_t each = load > store ? load : store;
    size_t fixed = BASE_BYTES + p->unpack_bytes + threads * each;
    p->block_limit = memory / MEMORY_PER_CELL / threads;
    size_t block_least = job->max_cell_bytes > BLOCK_LIMIT_LEAST ? job->max_cell_bytes : BLOCK_LIMIT_LEAST;
    if (fixed + 8 * MB > memory || p->block_limit < block_least) return -1;
    p->gather_bytes = memory - fixed;
    size_t merge = (memory - BASE_BYTES - p->unpack_bytes) / threads;
    if (merge < store + 4 * MB) return -1;
    p->merge_bytes = merge - store;
    return 0;
}

unsigned job_readers(const struct job *job) {
    uint64_t taken = job->resident_bytes + BASE_BYTES, left = job->memory_bytes > taken ? job->memory_bytes - taken : 0;
    uint64_t fit = left / READER_BYTES;
    return fit < 1 ? 1 : fit < job->threads ? (unsigned)fit : job->threads;
}

size_t job_block_limit(const struct job *job, unsigned threads) {
    size_t limit = job->memory_bytes / MEMORY_PER_CELL / threads;
    return limit > BLOCK_LIMIT_LEAST ? limit : BLOCK_LIMIT_LEAST;
}

size_t memory_plan_rules(struct memory_plan *p, unsigned at_a_time) {
    size_t of_gather = p->gather_bytes / 8 / p->threads, of_merge = p->merge_bytes / 4;
    size_t each = of_gather < of_merge ? of_gather : of_merge;
    if (each > ROW_BYTES_MOST) each = ROW_BYTES_MOST;
    p->gather_bytes -= each * p->threads;
    p->merge_bytes -= each;
    return each / at_a_time;
}

int memory_plan_make(const struct job *job, const struct hfile_write_opts *writer, struct memory_plan *out, struct err *err) {
    if (job->memory_bytes < MEMORY_FLOOR_BYTES)
        return err_set(err, ERR_LIMIT, "--memory %llu is below the floor of %d MB", (unsigned long long)job->memory_bytes,
                       MEMORY_FLOOR_BYTES >> 20);
    if (job->resident_bytes > job->memory_bytes / 2)
        return err_set(err, ERR_LIMIT, "the lists of input files take %llu MB: give --memory of at least %llu MB",
                       (unsigned long long)job->resident_bytes >> 20, (unsigned long long)(job->resident_bytes * 2 >> 20) + 1);
    for (unsigned t = job->threads; t; t--)
        if (plan_for(job, t, writer, out) == 0) return 0;
    if (job->max_cell_bytes > job->memory_bytes / MEMORY_PER_CELL)
        return err_set(err, ERR_LIMIT, "--max-cell-size %llu needs --memory of at least %llu MB",
                       (unsigned long long)job->max_cell_bytes,
                       (unsigned long long)(job->max_cell_bytes * MEMORY_PER_CELL >> 20) + 1);
    struct hfile_write_opts w = *writer;
    w.batch_blocks = out->batch_blocks;
    return err_set(err, ERR_LIMIT, "--memory %llu MB is too small for writers of %u-byte blocks, which need %zu MB each",
                   (unsigned long long)job->memory_bytes >> 20, w.block_bytes, (hfile_writer_memory(&w) >> 20) + 1);
}
