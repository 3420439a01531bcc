/* Reports to people and pipelines: messages on stderr, progress on a terminal, errors as exit codes. */
#ifndef REPORT_H
#define REPORT_H

#include "base/plain.h"
#include "base/warning.h"
#include "cmd/common/options.h"
#include "cmd/common/progress.h"
#include "engine/job.h"

#include <jansson.h>

struct page;
struct progress_run;

/* Warnings of a run. */
struct warned {
    uint64_t n[WARNING_COUNT]; /* of how many things, by code */
    struct buf text;           /* every warning, as base/warning.h has them */
    bool stops[WARNING_COUNT]; /* strict or not, see report_stop */
    bool unkept;               /* there was no memory for one: report_strict ends the run */
};

struct reporter {
    const char *tool, *command; /* command NULL: the tool has none */
    enum { LOG_TEXT, LOG_TIMED, LOG_JSON } log;
    const struct path_names *names; /* what unpacked files are called; NULL: there are none */
    bool quiet, verbose;
    bool json, document;         /* --json; a result document is out */
    struct page *page;           /* --html: result documents go there, too; NULL: there is none */
    bool strict;                 /* --strict */
    bool allowed[WARNING_COUNT]; /* --allow */
    struct warned warned;
    struct buf *said; /* what runs within one have warned of, and is not printed again; NULL: it is */
    enum progress_view progress;
    struct progress_run *run; /* NULL: none is shown; runs within this one share it */
};

int reporter_init(struct reporter *r, const struct tool_about *about, const struct options *o, struct err *err);
/* Prints one, without counting it. */
void report_warning_put(struct reporter *r, const char *code, const char *text);

/* Messages; note only with --verbose, say unless --quiet. */
void report_note(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void report_say(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Flushes stdout, and checks that what was printed has got there. */
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
