/* The model of progress: pure functions of what was reported, and when. */
#ifndef CMD_COMMON_PROGRESS_MODEL_H
#define CMD_COMMON_PROGRESS_MODEL_H

#include "hfile/hfile.h"

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

/* Notes that, at `now`, done of total of the phase are done. */
void progress_model_note(struct progress_model *m, const char *phase, uint64_t done, uint64_t total, double now);
/* Share of the run from 0 to 1 and seconds that are left; -1: not known yet. */
void progress_model_ask(struct progress_model *m, double now, double *share, double *left_s);

/* A run of parts, each of which is a run of phases. Parts of a stage are alike; a later stage is another kind of work. */
struct progress_parts {
    double from, to, most; /* shares of the run; to 0: there are no parts */
    double began;          /* this part, seconds after the run */
    double before;         /* share of the run that was done before it began */
    struct {
        double from, before; /* of the stage; from 0: the first stage */
        double began;
    } stage;
};

/* Seconds that are left when `most` of the run is done; -1: not known yet. */
double progress_parts_left(const struct progress_parts *p, double now);
/* Returns what part of an import by shards the shards take; the rest is for their join into files of this codec. */
double progress_of_shards(enum hfile_codec codec);
/* Returns whether done and total of this phase are bytes. */
bool progress_phase_has_bytes(const char *phase);

#endif
