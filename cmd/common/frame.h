/* The frame all tools share: main, and a run that writes a dataset. */
#ifndef FRAME_H
#define FRAME_H

#include "cmd/common/session.h"

/* Options, run, error -> exit code. run sets *code for a run that went through. */
int frame_main(const struct tool_about *about, int argc, char **argv, int (*run)(struct session *s, int *code, struct err *err));

/* A run that writes a dataset: nothing to do | dry run | lock, work, publish, summary. */
struct frame_write {
    const char *command;           /* "split apply": part of the settings */
    const char *did;               /* "re-partitioned": for the summary */
    bool compacted;                /* version rules are applied */
    const char *rules;             /* applied to the inputs before, in words; NULL = none */
    const struct kept_rules *kept; /* the same as file info of the inputs has it, by family; NULL = none */
    enum tie_rule tie;
    /* What to try instead of the engine (build_run); *done tells whether it was done. NULL: the engine only. */
    int (*shortcut)(struct session *s, struct input_list *in, void *arg, const struct store_opts *store, struct build_result *r,
                    bool *done, struct err *err);
    /* For --dry-run: decides what the run would decide. NULL: nothing. */
    int (*plan)(struct session *s, struct input_list *in, void *arg, struct err *err);
    void *arg;
};
int frame_write(struct session *s, struct input_list *in, const struct frame_write *w, int *code, struct err *err);

#endif
