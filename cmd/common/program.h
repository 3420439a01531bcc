/* The main of every program, a run that writes a dataset, and its summary. */
#ifndef CMD_COMMON_PROGRAM_H
#define CMD_COMMON_PROGRAM_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"
#include "engine/build.h"

/* Options, run, error -> exit code. run sets *code for a run that went through. */
int program_main(const struct tool_about *about, int argc, char **argv,
                 int (*run)(struct environment *env, struct intake *intake, int *code, struct err *err));

/* A run that writes a dataset. */
struct program_write {
    const char *command;           /* "split apply": part of the settings */
    const char *did;               /* "re-partitioned": for the summary */
    bool compacted;                /* version rules are applied */
    const char *rules;             /* applied to the inputs before, in words; NULL = none */
    const struct past_rules *kept; /* the same as file info of the inputs has it, by family; NULL = none */
    enum tie_rule tie;
    bool learns_kind; /* of what is read, where nothing else says what it is of its table */
};
/* The next step after program_begin. */
enum program_step {
    PROGRAM_ENDS,  /* nothing: the output is finished */
    PROGRAM_SHOWS, /* --dry-run: summary_dry_run */
    PROGRAM_WRITES /* program_build or what the program has instead, then program_publish and the summary */
};
/* Opens the output, if there is something to do, and looks into the store files among the inputs. */
int program_begin(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  struct input_list *in, const struct program_write *w, enum program_step *next, int *code, struct err *err);
/* Reads, sorts and writes. */
int program_build(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  struct input_list *in, const struct program_write *w, struct build_result *r, struct err *err);
/* Warns and publishes. rc: whether all since program_begin went well. *code: of the run. */
int program_publish(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                    struct input_list *in, const struct program_write *w, struct build_result *r, int rc, int *code,
                    struct err *err);
/* All of these, for who has nothing to add. */
int program_write(struct environment *env, struct intake *intake, struct target *target, struct output *output,
                  struct input_list *in, const struct program_write *w, int *code, struct err *err);

#endif
