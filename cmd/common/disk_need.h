/* Estimates the room that a run would have needed whose disk is full: from the room there was when it began, and what it had
 * written until it failed. */
#ifndef CMD_COMMON_DISK_NEED_H
#define CMD_COMMON_DISK_NEED_H

#include "base/outfile.h"
#include "engine/job.h"

struct disk_room {
    uint64_t bytes, files; /* free; file systems that need no inodes have room for UINT64_MAX files */
    uint64_t device;
    bool known;
};

struct disk_need {
    struct progress shown; /* reports are passed to it, too */
    const struct disk_quota *quota;
    const char *phase;        /* as last reported; NULL: nothing was */
    uint64_t done, total;     /* of the phase */
    uint64_t written, before; /* to output files by then, and before this phase */
    uint64_t in_memory;       /* of what counts as done: at most */
    struct disk_room output, temp;
};

/* Progress that n takes note of and hands on to `shown`. n stays where it is. */
struct progress disk_need_watch(struct disk_need *n, struct progress shown, const struct disk_quota *quota);
/* Begins an estimate. Both directories exist; NULL: there is none. threads: of the run. */
void disk_need_begin(struct disk_need *n, const char *output, const char *temp, unsigned threads);
/* Adds, if err says that a disk is full, which of the two directories it is, the room it had, about how much it needs, and what
 * to do. Once is enough: other errors, and those that have it already, stay as they are. */
void disk_need_explain(const struct disk_need *n, const char *output, const char *temp, struct err *err);
/* As disk_need_explain, where no run has begun to fill a directory: a page or plan that is written at once, or an output
 * directory that cannot be made, or a temporary file. place: that file or directory. */
void disk_need_explain_now(const char *place, const char *remedy, struct err *err);

#endif
