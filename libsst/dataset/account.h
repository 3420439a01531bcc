/* The account of several runs: which run read what which other run wrote, and whether every cell of the sources is accounted for
 * on the way to the last dataset. Everything is decided from manifests: files are matched by the number and digest of their
 * cells; names only choose among several that match. Pure: reads no file. */
#ifndef DATASET_ACCOUNT_H
#define DATASET_ACCOUNT_H

#include "dataset/manifest.h"

/* Kinds of edges between a run and what it read, by where that came from. */
enum account_edge {
    ACCOUNT_SOURCE,   /* no dataset: the chain begins here */
    ACCOUNT_COMPLETE, /* a dataset, all of it, as its manifest has it */
    ACCOUNT_SHARED,   /* files of a dataset that are merged in several nights (obkv-compact --policy ratio) */
    ACCOUNT_PARTLY,   /* not all of it, or more than it lists */
    ACCOUNT_STALE,    /* a dataset that is another one today */
    ACCOUNT_UNKNOWN,  /* a dataset whose manifest was not given */
    ACCOUNT_TWICE     /* the same dataset or source again */
};
const char *account_edge_name(enum account_edge e); /* "source", "complete", … */

enum { ACCOUNT_NOBODY = -1 };

struct account_input {
    char *name; /* of the directory, or of the source */
    enum account_edge edge;
    int from;              /* run that wrote it, or ACCOUNT_NOBODY */
    size_t files, waiting; /* waiting: listed, and left for a later run */
    uint64_t bytes, records;
    struct tally tally;
    size_t not_read, not_listed; /* ACCOUNT_PARTLY, ACCOUNT_STALE: files of the run that wrote it; files that it does not list */
    size_t first;                /* its first entry in the manifest's inputs */
};

struct account_run {
    const char *name;         /* as given: borrowed */
    const char *directory;    /* absolute, or NULL when not known: borrowed */
    const struct manifest *m; /* borrowed */
    struct account_input *inputs;
    size_t n_inputs;
    size_t readers; /* runs that read it */
    size_t depth;   /* 0: reads sources only; else one more than what it reads */
    bool goes_on;   /* it reads a dataset of this account */
};

struct account_problem {
    size_t run;
    int input; /* of the run, or -1: the run itself */
    char *text;
};

struct account {
    struct account_run *runs;
    size_t n;
    struct account_problem *problems; /* none: everything is accounted for */
    size_t n_problems;
    /* Sums over all runs: what came from sources, what became of it on the way. */
    struct tally sources, rejected, not_selected, dropped[VERDICT_COUNT], results; /* results: of runs that no other run reads */
    size_t n_sources;
};

/* runs: the caller fills name, directory and m; the rest is computed. ERR_LIMIT only. */
int account_make(struct account_run *runs, size_t n, struct account *out, struct err *err);
void account_free(struct account *a); /* not the runs' names and manifests, nor the array itself */

#endif
