/* The main of every program, a run that writes a dataset, and its summary. */
#ifndef CMD_COMMON_PROGRAM_H
#define CMD_COMMON_PROGRAM_H

#include "cmd/common/session.h"

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
    int (*shortcut)(struct session *s, struct input_list *in, void *arg, const struct output_opts *store, struct build_result *r,
                    bool *done, struct err *err);
    /* For --dry-run: decides what the run would decide. NULL: nothing. */
    int (*plan)(struct session *s, struct input_list *in, void *arg, struct err *err);
    void *arg;
};
int program_write(struct session *s, struct input_list *in, const struct program_write *w, int *code, struct err *err);

/* ---- summary.c ---- */

/* --dry-run: what would be read and written; touches nothing. */
int summary_dry_run(struct session *s, const struct input_list *in, struct err *err);
/* --json of a run that found its work done. */
int summary_nothing(struct session *s, struct err *err);
/* What the run as a whole must warn of; before it is published. */
void summary_warn(struct session *s, const struct build_result *r);
/* Does a format hold records, of which a mapping makes cells? */
bool summary_is_of_records(const char *format);
/* What is a matter of all records, so that a shard cannot know it. selection: its options by name, or NULL. */
void summary_warn_whole(struct session *s, const struct build_result *r, const json_t *selection);
int summary_print(struct session *s, const char *did, const struct input_list *in, const struct build_result *r, struct err *err);

/* ---- summary_rules.c ---- */

/* Lines below the cells of the summary: by which TTL, which kinds of markers. */
void summary_rules_parts(const struct ledger *l);
/* With --rules oceanbase: what HBase would have left instead, as lines and as members of the result document. */
void summary_rules_diff(const struct session *s, const struct rule_diff *d);
void summary_rules_json(const struct session *s, const struct rule_diff *d, json_t *result);
/* The first cells of each side, into OUT/_report/rule-differences.tsv; --verbose prints some. Nothing without differences. */
int summary_rules_report(struct session *s, const struct rule_diff *d, struct err *err);

#endif
