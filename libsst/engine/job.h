/* What all stages of a run share: limits, clock, spill directory, and where to report. Filled in by the programs.
 * Exports: stoppable */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "base/err.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "cell/cell.h"
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
    struct path_names *names; /* what unpacked files are called in messages and reports */
    int64_t now_ms;
    int64_t keep_seq_ms;     /* a compaction keeps the sequence ids of younger files (file_facts_old_seq); 0 = all */
    uint64_t max_cell_bytes; /* asked for: values above are rejects, up to it must fit the memory; 0 = not given */
};

/* ---- memory: pure functions of the numbers given ---- */

enum { MEMORY_FLOOR_BYTES = 64 << 20, MEMORY_PER_UNPACK = 16 /* unpack_bytes is this part of all */ };

/* What a run that sorts needs memory for. */
struct memory_request {
    const struct job *job;
    const struct hfile_write_opts
        *writer;        /* what one worker writes with (its batch_blocks is chosen here); NULL: nothing is written */
    uint64_t own_bytes; /* that the run holds all the time, beside the lists of the job */
    unsigned sorters;   /* at a time, which share the rest; 0: one */
};

struct memory_plan {
    unsigned threads;      /* reduced until the shares fit */
    size_t chunk_bytes;    /* one input chunk */
    size_t gather_bytes;   /* slabs and sort entries */
    size_t merge_bytes;    /* spill readers of one worker */
    unsigned batch_blocks; /* of each writer */
    size_t block_limit;    /* largest block or record that may be held */
    size_t unpack_bytes;   /* window of the one compressed input that is being read */
    size_t row_bytes;      /* that version rules may hold of the row a worker is at (rules_env.row_bytes); 0: no share yet */
};
/* ERR_LIMIT names what would be needed. */
int memory_plan_make(const struct memory_request *r, struct memory_plan *out, struct err *err);
/* Takes so many bytes out of gathering, and an equal part out of each worker's merges. false: more than half; nothing is
 * taken. */
bool memory_plan_reserve(struct memory_plan *p, size_t bytes);
/* Sets aside p->row_bytes, where a worker has so many version rules at work at a time. */
void memory_plan_rules(struct memory_plan *p, unsigned at_a_time);

/* So many workers of `each` bytes fit outside of a memory_plan beside own_bytes, at least one, at most job->threads. */
unsigned memory_plan_workers(const struct job *job, uint64_t own_bytes, uint64_t each);
/* The largest block that each of so many threads may read outside of a memory_plan: at least one that holds a value as long as V
 * mostly is. */
size_t job_block_limit(const struct job *job, unsigned threads);
/* So many threads may read files side by side outside of a memory_plan, at most job->threads. */
unsigned job_readers(const struct job *job);

/* Wraps a source and checks for stop requests now and then, so that a task over a huge partition ends soon. Takes ownership of
 * inner (also on failure) and of `owned`, memory the inner source lives in: freed after closing; may be NULL. */
struct source *stoppable_open(struct source *inner, void *owned, const struct stop *stop, struct err *err);

#endif
