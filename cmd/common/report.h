/* What people and pipelines see: messages on stderr, progress on a terminal, errors as exit codes. */
#ifndef REPORT_H
#define REPORT_H

#include "base/plain.h"
#include "base/warning.h"
#include "cmd/common/options.h"
#include "cmd/common/progress.h"
#include "cmd/common/report_figures.h"
#include "engine/job.h"

#include <jansson.h>

/* What a run has warned of. */
struct warned {
    uint64_t n[WARNING_COUNT]; /* of how many things, by code */
    struct buf text;           /* every warning, as base/warning.h has them */
    bool unkept;               /* there was no memory for one: report_strict ends the run */
};

struct reporter {
    const char *tool, *command; /* command NULL: the tool has none */
    enum { LOG_TEXT, LOG_TIMED, LOG_JSON } log;
    const struct path_names *names; /* what unpacked files are called; NULL: there are none */
    bool quiet, verbose;
    bool json, document;         /* --json; a result document is out */
    bool strict;                 /* --strict */
    bool allowed[WARNING_COUNT]; /* --allow */
    struct warned warned;
    struct buf *said; /* what runs within one have warned of, and is not printed again; NULL: it is */
    enum progress_view progress;
    struct progress_run *run; /* NULL: none is shown; runs within this one share it */
};

int reporter_init(struct reporter *r, const struct tool_about *about, const struct options *o, struct err *err);
/* A run of its own within this one: it counts the warnings so far, of options, and its own. reporter_free at its end. */
void reporter_begin_part(struct reporter *r);
void reporter_free(struct reporter *r);

/* A warning: counted, also where --quiet does not print it. n: of how many things it speaks. */
void report_warn(struct reporter *r, enum warning w, uint64_t n, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Prints one, without counting it. */
void report_warning_put(struct reporter *r, const char *code, const char *text);
void report_warnings(struct reporter *r, const struct buf *text); /* each one of a text, see base/warning.h */
/* Whether there was a warning that --allow does not name. */
bool reporter_warned(const struct reporter *r);
/* With --strict, a warning that --allow does not name is an error: ERR_REJECTS. */
int report_strict(const struct reporter *r, struct err *err);
/* The same for a dataset that was made earlier, and its warnings as the manifest has them. */
int report_strict_earlier(const struct reporter *r, const char *dir, const json_t *warnings, struct err *err);
/* {"no-records": 1}; *out NULL: there were none. */
int report_warnings_counts(const struct reporter *r, json_t **out, struct err *err);
/* Prints a result document, an object, on stdout: with the name of its schema (docs/schemas), the version of the program, and
 * "warnings" since the last one, if there are any. of: what the document is, where the command has several; NULL: its result.
 * Takes result over; NULL is out of memory. */
int report_json_put(struct reporter *r, const char *of, json_t *result, struct err *err);
/* Only gives it the first two members and the warnings; the caller prints it. Takes result over; NULL: out of memory. */
json_t *report_json_mark(struct reporter *r, const char *of, json_t *result);
/* The same for a document that is written line by line: `"schema": "obkv-verify-diff/1", "version": "1.0.0"`, warnings. */
int report_json_begin(struct reporter *r, struct buf *out, struct err *err);
/* With --json, and where no document is out: one with "error" instead of results. */
void report_json_error(struct reporter *r, const struct err *error);

/* Messages; note only with --verbose, say unless --quiet. */
void report_note(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void report_say(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What was printed on stdout must have got there. */
int report_flush(struct err *err);
/* Prints the error and gives its documented exit code. */
int report_exit(struct reporter *r, const struct err *err);
int report_exit_code(const struct err *err);
const char *report_error_name(const struct err *err); /* "input": for programs that read messages */
/* A message with its files as the reader knows them, NUL-terminated: in *own, or the message itself. */
const char *report_named(const struct reporter *r, const char *message, struct buf *own);
struct progress reporter_progress(struct reporter *r);
void reporter_end_line(struct reporter *r);
/* done: the run went through. Nothing more is shown. */
void reporter_end_progress(struct reporter *r, bool done);

#endif
