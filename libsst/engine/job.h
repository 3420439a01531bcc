/* Shared by all stages of a run: limits, clock, spill directory, and where to report. Filled in by the programs.
 * Exports: stoppable */
#ifndef ENGINE_JOB_H
#define ENGINE_JOB_H

#include "base/err.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "cell/cell.h"

#include <string.h>

struct progress {
    /* Called by one thread at a time. total 0 = unknown. May be NULL. */
    void (*report)(void *arg, const char *phase, uint64_t done, uint64_t total);
    void *arg;
};

/* Said aside while inputs are read, with 0 of 0: records are sorted and written to disk; inputs are unpacked first. */
#define PROGRESS_SPILL "spill"
#define PROGRESS_UNPACK "unpack"
/* Packing will take done/total times as long as reading, as samples of what was read show. */
#define PROGRESS_PACK "pack"
/* Phase of progress that announces how many cells, of all, will be read a second time. */
#define PROGRESS_AGAIN "again"

static inline bool progress_is_aside(const char *phase) {
    return !strcmp(phase, PROGRESS_SPILL) || !strcmp(phase, PROGRESS_UNPACK) || !strcmp(phase, PROGRESS_AGAIN) ||
           !strcmp(phase, PROGRESS_PACK);
}

struct rule_turns;

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
    int64_t keep_seq_ms;            /* a compaction keeps the sequence ids of younger files (file_facts_old_seq); 0 = all */
    const struct rule_turns *turns; /* of a compaction: its inputs came one after the other; NULL: they are one store */
    uint64_t max_cell_bytes;        /* asked for: values above are rejects, up to it must fit the memory; 0 = not given */
};

/* Wraps a source and checks for stop requests now and then, so that a task over a huge partition ends soon. Takes ownership of
 * inner (also on failure) and of `owned`, memory the inner source lives in: freed after closing; may be NULL. */
struct source *stoppable_open(struct source *inner, void *owned, const struct stop *stop, struct err *err);

#endif
