/* The main of every program, a run that writes a dataset, and its summary. */
#ifndef CMD_COMMON_PROGRAM_H
#define CMD_COMMON_PROGRAM_H

#include "cmd/common/session.h"
#include "engine/build.h"

/* Options, run, error -> exit code. run sets *code for a run that went through. */
int program_main(const struct tool_about *about, int argc, char **argv,
                 int (*run)(struct session *s, int *code, struct err *err));

/* A run that writes a dataset: nothing to do | dry run | lock, work, publish, summary. */
struct program_write {
    const char *command;           /* "split apply": part of the settings */
    const char *did;               /* "re-partitioned": for the summary */
    bool compacted;                /* version rules are applied */
    const char *rules;             /* applied to the inputs before, in words; NULL = none */
    const struct past_rules *kept; /* the same as file info of the inputs has it, by family; NULL = none */
    enum tie_rule tie;
    bool learns_kind; /* of what is read, where nothing else says what it is of its table */
    /* Between the look into store files and the reading of inputs. NULL: nothing. */
    int (*prepare)(struct session *s, struct input_list *in, void *arg, struct err *err);
    /* What to try instead of the engine (build_run); *done: it was done. NULL: the engine only. */
    int (*merge)(struct session *s, struct input_list *in, void *arg, const struct output_opts *output, struct build_result *r,
                 bool *done, struct err *err);
    /* For --dry-run: decides what the run would decide. NULL: nothing. */
    int (*plan)(struct session *s, struct input_list *in, void *arg, struct err *err);
    void *arg;
};
int program_write(struct session *s, struct input_list *in, const struct program_write *w, int *code, struct err *err);

#endif
