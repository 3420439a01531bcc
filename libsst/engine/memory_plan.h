/* Shares out the memory of a run: pure functions of the numbers given. Nobody else divides memory_bytes.
 * Exports: memory, job */
#ifndef ENGINE_MEMORY_PLAN_H
#define ENGINE_MEMORY_PLAN_H

#include "base/list_room.h"
#include "engine/job.h"
#include "hfile/hfile.h"

enum { MEMORY_FLOOR_BYTES = 64 << 20 };

/* The needs of a run that sorts, for its memory plan. */
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
    size_t unpack_bytes;   /* window of the one compressed input that is being read, or pieces of it */
    size_t row_bytes;      /* that version rules may hold of the row a worker is at (rules_env.row_bytes); 0: no share yet */
};
/* Makes the memory plan of a run. ERR_LIMIT names what would be needed. */
int memory_plan_make(const struct memory_request *r, struct memory_plan *out, struct err *err);
/* Takes so many bytes out of gathering, and an equal part out of each worker's merges. false: more than half; nothing is
 * taken. */
bool memory_plan_reserve(struct memory_plan *p, size_t bytes);
/* Sets aside p->row_bytes, where a worker has so many version rules at work at a time. */
void memory_plan_rules(struct memory_plan *p, unsigned at_a_time);
/* Most that facts about families may take of gathering, where only the data names them. */
size_t memory_plan_facts(const struct memory_plan *p);
/* Checks the least memory of a run: ERR_LIMIT where it has less than MEMORY_FLOOR_BYTES. */
int memory_plan_floor(const struct job *job, struct err *err);

/* Holders of a fixed part each of the memory of a run, where memory_plan_make does not decide it. */
enum memory_share {
    MEMORY_INPUT_LISTS,  /* names of input files, and what is known of them */
    MEMORY_MANIFESTS,    /* manifests as texts: with what is made of them they take several times as much */
    MEMORY_PARTITIONS,   /* definitions of partitions as texts: many times as much, where each thread and the manifest has them */
    MEMORY_UNPACK,       /* window of a compressed input that is read before or beside the engine */
    MEMORY_MOB,          /* cells of MOB files that references lead to */
    MEMORY_LOG_GAPS,     /* write-ahead logs: which sequence ids of each region they hold */
    MEMORY_KEY_SAMPLE,   /* obkv-split simulate: row keys that bounds of regions are made of */
    MEMORY_WRITE_COUNTS, /* obkv-split simulate: counts of writes by region and partition, of all threads */
    MEMORY_CLUSTER,      /* obkv-split simulate: an emulated cluster */
    MEMORY_SKEW_FIGURES, /* obkv-verify skew: figures of families that only the data names */
    MEMORY_DIFF_BUCKETS, /* obkv-verify diff: sums by row hash */
    MEMORY_RESULTS,      /* obkv-verify page: results as texts: each takes many times as much while it is read */
    MEMORY_SHARES
};
uint64_t memory_share(const struct job *job, enum memory_share share);
/* As memory_share, as room for a list. */
struct list_room memory_room(const struct job *job, enum memory_share share);
/* Returns how many threads may print blocks or describe files side by side: fewer rather than smaller blocks, at most
 * job->threads. */
unsigned memory_plan_describers(const struct job *job);

/* Returns how many workers of `each` bytes fit outside of a memory_plan beside own_bytes, at least one, at most job->threads. */
unsigned memory_plan_workers(const struct job *job, uint64_t own_bytes, uint64_t each);
/* The largest block that each of so many threads may read outside of a memory_plan: at least one that holds a value as long as V
 * mostly is. */
size_t job_block_limit(const struct job *job, unsigned threads);
/* Returns how many threads may read files side by side outside of a memory_plan, at most job->threads. */
unsigned job_readers(const struct job *job);

#endif
