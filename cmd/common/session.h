/* One run of a program: from options to table, limits, inputs and output directory, up to the published manifest.
 * The order of calls: session_open, session_table, session_output, (work), session_publish, session_close. */
#ifndef SESSION_H
#define SESSION_H

#include "cmd/common/environment.h"
#include "cmd/common/intake.h"
#include "cmd/common/output.h"
#include "cmd/common/target.h"

/* A run: its environment, inputs, table and output, one value for each. Functions that need one or two of them take these. */
struct session {
    struct environment env;
    struct intake intake;
    struct target target;
    struct output output;
};

/* Signals, options, reporter. *done: help was printed, exit 0. */
int session_open(struct session *s, const struct tool_about *about, int argc, char **argv, bool *done, struct err *err);
void session_close(struct session *s);
/* Ends the run in place of session_close, when a library ends the program: removes only what was begun in the output
 * directory. */
void session_abandon(struct session *s);
/* Begins another run of the same program: it shares options, limits and reporter with `whole`, and nothing else. */
void session_begin_part(struct session *s, const struct session *whole);
/* Adds to an error of a full disk which directory it is, and how much it needs. A part of a run calls it before it ends. */
void session_explain_full(const struct environment *env, const struct output *output, struct err *err);
void session_end_part(struct session *s);
/* Returns how this run interprets its inputs. */
struct input_opts session_input_opts(struct environment *env);
/* --staged: the names that inputs of the list have in manifests. */
int session_name_copies(struct environment *env, struct input_list *in, struct err *err);
/* Adds one input of any kind to the list. */
int session_add_input(struct environment *env, struct input_list *in, const char *path, struct err *err);

/* Checks, before a dataset is opened whose manifest stays, whether there is room for it beside those before it. */
int session_dataset_room(struct environment *env, const char *dir, struct err *err);
int session_manifest_room(struct environment *env, uint64_t bytes, struct err *err);
/* Checks, before partitions are read from --ddl or --partition, whether there is room for them. */
int session_partition_room(const struct environment *env, struct err *err);

struct read_opts session_read_opts(struct session *s);
/* Prints the warnings of the readers, after everything is read. */
void session_warn_inputs(struct environment *env, struct intake *intake);
/* Warns of datasets and files that are among the inputs twice. */
int session_warn_twice(struct environment *env, struct err *err);

/* ---- session_kind.c: a whole table, or a delta whose markers must stay ---- */

/* The inputs are listed, and will live as long as they are read: readers may ask which is the first. */
int session_note_texts(struct intake *intake, struct input_list *in, struct err *err);

/* Returns what decides the bytes of the output (session_settings.c); NULL: no memory, or text that JSON cannot hold. */
json_t *session_settings(const struct session *s, const char *command);

/* Codec, bloom, sizes, times. */
int session_store_opts(struct session *s, struct output_opts *o, struct err *err);
/* Exit code of a run that succeeded: 0, or 3 with rejects or losses. */
int session_success_code(const struct ledger *l);

#endif
