/* Progress of a whole run: phases that workers report become one share of the run, with the time that is left. */
#ifndef CMD_COMMON_PROGRESS_H
#define CMD_COMMON_PROGRESS_H

#include "hfile/hfile.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- what is shown of it ---- */

enum progress_view {
    PROGRESS_NEVER,
    PROGRESS_TERMINAL, /* a bar that is drawn anew */
    PROGRESS_LINES,    /* a line a minute */
    PROGRESS_JSON      /* a document a second */
};

struct progress_run;
/* Shows nothing before a second has passed. NULL: nothing is to be shown, or there is no memory for it. program is borrowed. */
struct progress_run *progress_open(enum progress_view view, const char *program, uint64_t memory_bytes);
/* struct progress.report; for any thread. */
void progress_note(void *run, const char *phase, uint64_t done, uint64_t total);
/* A further run of the same program begins: phases are its own. */
void progress_restart(struct progress_run *run);
/* Begins the part between these two shares of the run. was_done: an earlier start of the program has finished it. */
void progress_part(struct progress_run *run, double from, double to, bool was_done);
/* Begins parts that are another kind of work than those before: their own pace counts. */
void progress_stage(struct progress_run *run);
/* Expects that the run writes what it has read, of text or of HFiles, in files of this codec and so many partitions. */
void progress_expect_writing(struct progress_run *run, enum hfile_codec codec, uint32_t partitions, bool of_hfiles);
/* Expects that a comparison reads rows again: its sides are known to differ. */
void progress_expect_second_pass(struct progress_run *run);
/* Between progress_hold and progress_release other text may go to stderr: the bar is gone. All functions here accept NULL. */
void progress_hold(struct progress_run *run);
void progress_release(struct progress_run *run);
/* The bar goes away until something is reported. */
void progress_rest(struct progress_run *run);
/* done: the run went through. */
void progress_close(struct progress_run *run, bool done);

#endif
