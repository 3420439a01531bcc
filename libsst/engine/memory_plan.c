/* Shares out the memory of a run, from the numbers given alone.
 *
 *     memory = base of the program + window of the compressed input + threads * max(chunk and its records, writer) + gathering
 *
 * While runs are merged, gathering has ended: each worker then has an equal share of all but the base, for its writer and for the
 * readers of the runs. Fewer threads are used before a run is refused. */
#include "engine/memory_plan.h"

#include "base/size_text.h"
#include "hfile/hfile_writer.h"

enum { BASE_BYTES = 12 << 20, MB = 1 << 20 };

/* A cell is in a chunk, a record, a block and its compressed form, some of them twice. */
enum { MEMORY_PER_CELL = 8 };

/* Blocks of this size are always read, by fewer threads if need be: a value as long as V mostly is, its key, and the block that
 * had been begun before them. */
enum { BLOCK_LIMIT_LEAST = MB + 128 * 1024 };

/* A block as stored, as cells, perhaps without its encoding, and the scan: for blocks up to the least limit. */
enum { READER_BYTES = 4 * BLOCK_LIMIT_LEAST };

/* Bytes that a worker holds beside the writer: a segment or merge, and its cells. */
enum { STAGE_BYTES = 512 * 1024 };

enum { ROW_BYTES_MOST = 64 * MB, BATCH_LEAST = 2 };

enum { FACTS_OF_GATHER = 8, DESCRIBER_BYTES = 16 * MB };

/* The memory of a run divided by this is the share. */
static const uint8_t parts[MEMORY_SHARES] = {
    [MEMORY_INPUT_LISTS] = 2, [MEMORY_MANIFESTS] = 10,   [MEMORY_PARTITIONS] = 32,   [MEMORY_UNPACK] = 16,
    [MEMORY_MOB] = 16,        [MEMORY_KEY_SAMPLE] = 16,  [MEMORY_WRITE_COUNTS] = 16, [MEMORY_CLUSTER] = 8,
    [MEMORY_LOG_GAPS] = 64,   [MEMORY_SKEW_FIGURES] = 8, [MEMORY_DIFF_BUCKETS] = 16, [MEMORY_RESULTS] = 32};

uint64_t memory_share(const struct job *job, enum memory_share share) {
    return job->memory_bytes / parts[share];
}

struct list_room memory_room(const struct job *job, enum memory_share share) {
    const unsigned n = parts[share];
    return (struct list_room){.most = memory_share(job, share), .part = n == 2 ? "half" : n == 10 ? "a tenth" : "a 32nd"};
}

/* Returns the memory that one sorter may share out. */
static uint64_t memory_of(const struct memory_request *r) {
    return (r->job->memory_bytes - r->job->resident_bytes - r->own_bytes) / (r->sorters ? r->sorters : 1);
}

/* The largest batch of blocks that leaves each thread a quarter of its share. Returns what the writer takes; 0: nothing is
 * written. */
static size_t choose_batch(const struct hfile_write_opts *writer, size_t memory, unsigned threads, unsigned *batch_blocks) {
    *batch_blocks = memory >= 1024u * MB ? 16 : memory >= 256 * MB ? 8 : BATCH_LEAST;
    if (!writer) return 0;
    struct hfile_write_opts w = *writer;
    w.batch_blocks = *batch_blocks;
    while (w.batch_blocks > BATCH_LEAST && hfile_writer_memory(&w) > memory / 4 / threads) w.batch_blocks /= 2;
    *batch_blocks = w.batch_blocks;
    return hfile_writer_memory(&w);
}

static int plan_for(const struct memory_request *r, unsigned threads, struct memory_plan *p) {
    size_t memory = memory_of(r);
    size_t chunk = memory / 256;
    p->threads = threads;
    p->unpack_bytes = memory / parts[MEMORY_UNPACK];
    p->chunk_bytes = chunk < 128 * 1024 ? 128 * 1024 : chunk > 4 * MB ? 4 * MB : chunk;
    /* A chunk and what its records take beyond the limit (about six times its bytes for very short fields). */
    size_t read = 8 * p->chunk_bytes, write = choose_batch(r->writer, memory, threads, &p->batch_blocks) + STAGE_BYTES;
    size_t each = read > write ? read : write;
    size_t fixed = BASE_BYTES + p->unpack_bytes + threads * each;
    p->block_limit = memory / MEMORY_PER_CELL / threads;
    size_t block_least = r->job->max_cell_bytes > BLOCK_LIMIT_LEAST ? r->job->max_cell_bytes : BLOCK_LIMIT_LEAST;
    if (fixed + 8 * MB > memory || p->block_limit < block_least) return -1;
    p->gather_bytes = memory - fixed;
    size_t merge = (memory - BASE_BYTES - p->unpack_bytes) / threads;
    if (merge < write + 4 * MB) return -1;
    p->merge_bytes = merge - write;
    p->row_bytes = 0;
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

bool memory_plan_reserve(struct memory_plan *p, size_t bytes) {
    size_t each = bytes / p->threads;
    if (bytes > p->gather_bytes / 2 || each > p->merge_bytes / 2) return false;
    p->gather_bytes -= bytes;
    p->merge_bytes -= each;
    return true;
}

void memory_plan_rules(struct memory_plan *p, unsigned at_a_time) {
    size_t of_gather = p->gather_bytes / 8 / p->threads, of_merge = p->merge_bytes / 4;
    size_t each = of_gather < of_merge ? of_gather : of_merge;
    if (each > ROW_BYTES_MOST) each = ROW_BYTES_MOST;
    p->gather_bytes -= each * p->threads;
    p->merge_bytes -= each;
    p->row_bytes = each / at_a_time;
}

size_t memory_plan_facts(const struct memory_plan *p) {
    return p->gather_bytes / FACTS_OF_GATHER;
}

/* Sets the error that says why no number of threads fits. */
static int refuse_memory(const struct memory_request *r, const struct memory_plan *last, struct err *err) {
    const struct job *job = r->job;
    char given[SIZE_TEXT], least[SIZE_TEXT], block[SIZE_TEXT];
    struct hfile_write_opts w = r->writer ? *r->writer : hfile_write_defaults();
    if (job->max_cell_bytes > job->memory_bytes / MEMORY_PER_CELL)
        return err_set(err, ERR_LIMIT, "--set hbase.client.keyvalue.maxsize=%s needs --memory of at least %s",
                       size_text(job->max_cell_bytes, given), size_text_above(job->max_cell_bytes * MEMORY_PER_CELL, least));
    w.batch_blocks = last->batch_blocks;
    return err_set(err, ERR_LIMIT, "--memory %s is too small for writers of blocks of %s, which need %s each",
                   size_text(job->memory_bytes, given), size_text(w.block_bytes, block),
                   size_text_above(hfile_writer_memory(&w), least));
}

int memory_plan_floor(const struct job *job, struct err *err) {
    char given[SIZE_TEXT], least[SIZE_TEXT];
    if (job->memory_bytes >= MEMORY_FLOOR_BYTES) return 0;
    return err_set(err, ERR_LIMIT, "--memory %s is below the minimum of %s", size_text(job->memory_bytes, given),
                   size_text(MEMORY_FLOOR_BYTES, least));
}

int memory_plan_make(const struct memory_request *r, struct memory_plan *out, struct err *err) {
    const struct job *job = r->job;
    uint64_t held = job->resident_bytes + r->own_bytes;
    char taken[SIZE_TEXT], least[SIZE_TEXT];
    *out = (struct memory_plan){.batch_blocks = BATCH_LEAST};
    if (memory_plan_floor(job, err)) return -1;
    if (held > memory_share(job, MEMORY_INPUT_LISTS))
        return err_set(err, ERR_LIMIT, "the lists of input files take %s; give --memory of at least %s",
                       size_text_above(held, taken), size_text_above(held * 2, least));
    for (unsigned t = job->threads; t; t--)
        if (plan_for(r, t, out) == 0) return 0;
    return refuse_memory(r, out, err);
}

unsigned memory_plan_workers(const struct job *job, uint64_t own_bytes, uint64_t each) {
    uint64_t taken = BASE_BYTES + own_bytes, room = job->memory_bytes > taken ? (job->memory_bytes - taken) / each : 0;
    return room < 1 ? 1 : room < job->threads ? (unsigned)room : job->threads;
}

unsigned memory_plan_describers(const struct job *job) {
    uint64_t fit = job->memory_bytes / DESCRIBER_BYTES;
    return fit < 1 ? 1 : fit < job->threads ? (unsigned)fit : job->threads;
}
