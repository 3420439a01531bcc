/* What people and pipelines see: messages on stderr, progress on a terminal, errors as exit codes. */
#ifndef REPORT_H
#define REPORT_H

#include "base/err.h"
#include "cmd/common/options.h"
#include "engine/job.h"

struct reporter {
    const char *tool;
    bool quiet, verbose, line_open;
    enum { PROGRESS_NEVER, PROGRESS_TERMINAL, PROGRESS_JSON } progress;
    double last; /* when progress was last shown */
};

int reporter_init(struct reporter *r, const struct tool_about *about, const struct options *o, struct err *err);
/* Messages; note only with --verbose, warn unless --quiet. */
void report_warn(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void report_warn_lines(struct reporter *r, const struct buf *lines); /* each line of the text is a warning */
void report_note(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void report_say(struct reporter *r, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* unless --quiet */
/* What was printed on stdout must have got there. */
int report_flush(struct err *err);
/* Prints the error and gives its documented exit code. */
int report_exit(struct reporter *r, const char *tool, const struct err *err);
struct progress reporter_progress(struct reporter *r);
void reporter_end_line(struct reporter *r);

/* 1234567 -> "1,234,567"; bytes -> "1.2 MiB". out has 32 bytes and is returned. */
const char *report_count(uint64_t n, char out[32]);
const char *report_bytes(uint64_t n, char out[32]);

#endif
