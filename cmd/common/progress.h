/* Progress of a whole run: phases that workers report become one share of the run, with the time that is left. */
#ifndef CMD_COMMON_PROGRESS_H
#define CMD_COMMON_PROGRESS_H

#include "hfile/hfile.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- the model: pure functions of what was reported, and when (progress_model.c) ---- */

/* Zero-initialise; times are seconds since the run began. */
struct progress_model {
    const char *phase; /* NULL: none has begun */
    double phase_began;
    double expected_s;    /* that the phase was expected to take when it began; 0: nothing was known */
    uint64_t done, total; /* of the phase; total 0: not known */
    uint64_t first_done;  /* done when something was for the first time, … */
    double first_s;       /* … so long after the phase began */
    double moved;         /* when done last grew */
    double longest_s;     /* that it took to grow: a database says nothing of a file until it has it */
    uint64_t memory_bytes;
    bool writes;            /* what was read is written later */
    enum hfile_codec codec; /* in files of this codec */
    bool one_partition;     /* each family is */
    bool of_hfiles;         /* reading unpacks, and cells are in order */
    bool reads_again;       /* a second pass over what was read follows */
    double again;           /* share of the cells that it sorts and walks */
    bool spilled, unpacks;  /* as the engine said aside, … */
    double packing;         /* … and how many times as long as reading packing takes; 0: not known */
    double most;            /* the largest share so far: it never falls */
};

/* At `now`, done of total of the phase are done. */
void progress_model_note(struct progress_model *m, const char *phase, uint64_t done, uint64_t total, double now);
/* Share of the run from 0 to 1 and seconds that are left; -1: not known yet. */
void progress_model_ask(struct progress_model *m, double now, double *share, double *left_s);

/* A run of parts, each of which is a run of phases. Parts of a stage are alike; a later stage is another kind of work. */
struct progress_parts {
    double from, to, most; /* shares of the run; to 0: there are no parts */
    double began;          /* this part, seconds after the run */
    double before;         /* share of the run that was done before it began */
    struct {
        double from, before; /* as above; from 0: the first stage */
        double began;
    } stage;
};

/* Seconds that are left when `most` of the run is done; -1: not known yet. */
double progress_parts_left(const struct progress_parts *p, double now);
/* What part of an import by shards the shards take; the rest is for their join into files of this codec. */
double progress_of_shards(enum hfile_codec codec);
/* Whether done and total of this phase are bytes. */
bool progress_phase_has_bytes(const char *phase);

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
/* What begins now is the part between these two shares of the run. was_done: an earlier start of the program has finished it. */
void progress_part(struct progress_run *run, double from, double to, bool was_done);
/* Further parts are another kind of work than those before: their own pace counts. */
void progress_stage(struct progress_run *run);
/* Of a run that writes what it has read, of text or of HFiles, in files of this codec and so many partitions. */
void progress_expect_writing(struct progress_run *run, enum hfile_codec codec, uint32_t partitions, bool of_hfiles);
/* Of a comparison of sides that are known to differ: rows are read again. */
void progress_expect_second_pass(struct progress_run *run);
/* Between them, other text may go to stderr: the bar is gone. All of these accept NULL. */
void progress_hold(struct progress_run *run);
void progress_release(struct progress_run *run);
/* The bar goes away until something is reported. */
void progress_rest(struct progress_run *run);
/* done: the run went through. */
void progress_close(struct progress_run *run, bool done);

#endif
