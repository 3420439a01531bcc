/* What every stage of a run shares: limits, clock, where to spill, and whom to tell. Filled by the tools. */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "base/err.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "hfile/hfile_writer.h"

struct progress {
    /* Called by one thread at a time. total 0 = unknown. May be NULL. */
    void (*report)(void *arg, const char *phase, uint64_t done, uint64_t total);
    void *arg;
};

struct job {
    const struct stop *stop;
    struct progress progress;
    uint64_t memory_bytes;   /* total for the process */
    uint64_t resident_bytes; /* of it: lists that are held all the time */
    unsigned threads;
    const char *temp_dir;
    struct disk_quota *quota;
    int64_t now_ms;
    int64_t keep_seq_ms;     /* a compaction keeps the sequence ids of younger files (file_facts_old_seq); 0 = all */
    uint64_t max_cell_bytes; /* asked for: values above are rejects, up to it must fit the memory; 0 = not given */
};

/* How a run's memory is shared out. Pure: depends on the numbers given only. */
struct memory_plan {
    unsigned threads;      /* reduced until the shares fit */
    size_t chunk_bytes;    /* one input chunk */
    size_t gather_bytes;   /* slabs and sort entries */
    size_t merge_bytes;    /* spill readers of one worker */
    unsigned batch_blocks; /* of each writer */
    size_t block_limit;    /* largest block or record that may be held */
    size_t unpack_bytes;   /* window of the one compressed input that is being read */
};
enum { MEMORY_FLOOR_BYTES = 64 << 20, MEMORY_PER_UNPACK = 16 /* unpack_bytes is this part of all */ };
/* Sets aside what version rules may hold of the row that a worker is at, where it has so many of them at work at a time; returns
 * each one's share (rules_env.row_bytes). */
size_t memory_plan_rules(struct memory_plan *p, unsigned at_a_time);
/* The largest block that each of so many threads may read outside of a memory_plan: at least one that holds a value as long as V
 * mostly is. */
size_t job_block_limit(const struct job *job, unsigned threads);
/* So many threads may read files side by side outside of a memory_plan, at most job->threads. */
unsigned job_readers(const struct job *job);
/* writer: what one worker writes with (batch_blocks is chosen here). ERR_LIMIT names what would be needed. */
int memory_plan_make(const struct job *job, const struct hfile_write_opts *writer, struct memory_plan *out, struct err *err);

#endif
