/* Messages on standard error, progress on a terminal or as JSON lines, and the exit code of an error. A message ends the progress
 * line first, so the two never mix. */
#include "cmd/common/report.h"

#include "base/login_mask.h"
#include "base/clock.h"
#include "base/plain.h"
#include "base/json.h"
#include "cmd/common/output_text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int take_allowed(struct reporter *r, const struct opt_list *names, struct err *err) {
    for (unsigned i = 0; i < names->n; i++) {
        enum warning w = warning_named(names->item[i]);
        if (w == WARNING_COUNT)
            return err_set(err, ERR_USAGE, "--allow '%s': no warning has this code; warnings end with their code in []",
                           names->item[i]);
        r->allowed[w] = true;
    }
    return 0;
}

static int take_log_format(struct reporter *r, const char *name, struct err *err) {
    static const char *const names[] = {[LOG_TEXT] = "text", [LOG_TIMED] = "timed", [LOG_JSON] = "json"};
    for (unsigned i = 0; i < countof(names); i++)
        if (!strcmp(name, names[i])) {
            r->log = i;
            return 0;
        }
    return err_set(err, ERR_USAGE, "log-format '%s': expected text, timed or json", name);
}

static int take_progress(struct reporter *r, const struct options *o, struct err *err) {
    static const char *const names[] = {
        [PROGRESS_NEVER] = "never", [PROGRESS_TERMINAL] = "auto", [PROGRESS_LINES] = "lines", [PROGRESS_JSON] = "json"};
    for (unsigned i = 0; i < countof(names); i++)
        if (!strcmp(o->messages.progress, names[i])) {
            bool seen = isatty(STDERR_FILENO) && !o->messages.quiet;
            r->progress = i == PROGRESS_TERMINAL && !seen ? PROGRESS_NEVER : (enum progress_view)i;
            return 0;
        }
    return err_set(err, ERR_USAGE, "--progress '%s': expected auto, never, lines or json", o->messages.progress);
}

int reporter_init(struct reporter *r, const struct tool_about *about, const struct options *o, struct err *err) {
    *r = (struct reporter){.tool = about->name,
                           .command = o->command ? o->command->name : NULL,
                           .quiet = o->messages.quiet,
                           .verbose = o->messages.verbose,
                           .json = o->messages.json,
                           .strict = o->messages.strict};
    if (take_log_format(r, o->messages.log_format, err)) return -1;
    if (take_allowed(r, &o->messages.allow, err)) return -1;
    if (take_progress(r, o, err)) return -1;
    r->run = progress_open(r->progress, about->name, o->resources.memory);
    return 0;
}

void reporter_end_line(struct reporter *r) {
    progress_rest(r->run);
}

void reporter_end_progress(struct reporter *r, bool done) {
    progress_close(r->run, done);
    r->run = NULL;
}

enum { MESSAGE_BYTES = 4096 };

static void say_json(const struct reporter *r, const char *time, const char *level, const char *code, const char *text) {
    json_t *j = json_pack("{s:s, s:s, s:s, s:s*, s:s*, s:o}", "time", time, "level", level, "program", r->tool, "command",
                          r->command, "code", code, "text", json_text(text));
    char *line = j ? json_dumps(j, JSON_COMPACT) : NULL;
    fprintf(stderr, "%s\n", line ? line : "{\"level\":\"error\",\"text\":\"out of memory\"}");
    (void)fflush(stderr); /* a failure cannot be reported */
    json_memory_free(line);
    json_decref(j);
}

static void say_text(const struct reporter *r, const char *time, const char *level, const char *code, const char *text) {
    bool named = strcmp(level, "info") != 0, with_code = code && !strcmp(level, "warning");
    fprintf(stderr, "%s%s%s: %s%s%s%s%s%s\n", time, *time ? " " : "", r->tool, named ? level : "", named ? ": " : "", text,
            with_code ? " [" : "", with_code ? code : "", with_code ? "]" : "");
    (void)fflush(stderr); /* a failure cannot be reported */
}

const char *report_named(const struct reporter *r, const char *message, struct buf *own) {
    struct err none = {0};
    bool has = r->names && !path_names_put(r->names, bytes_str(message), own, &none) && !buf_put_byte(own, 0, &none);
    return has ? (const char *)own->p : message;
}

/* Whatever is in a message, the terminal shows it and obeys nothing. code: of a warning or an error; NULL: it has none. */
static void say_message(struct reporter *r, const char *level, const char *code, const char *message) {
    char shown[4 * MESSAGE_BYTES], masked[MESSAGE_BYTES], time[32] = "";
    struct buf own = {0};
    snprintf(masked, sizeof masked, "%s", message);
    login_mask(masked);
    const char *text = report_named(r, masked, &own);
    if (r->log != LOG_TEXT) moment_rfc3339(clock_now_ms(), time);
    progress_hold(r->run);
    if (r->log == LOG_JSON)
        say_json(r, time, level, code, text);
    else
        say_text(r, time, level, code, plain_text(bytes_str(text), shown, sizeof shown));
    progress_release(r->run);
    buf_free(&own);
}

static void say_list(struct reporter *r, const char *fmt, va_list ap) {
    char text[MESSAGE_BYTES];
    vsnprintf(text, sizeof text, fmt, ap);
    say_message(r, "info", NULL, text);
}

void report_note(struct reporter *r, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (r->verbose) say_list(r, fmt, ap);
    va_end(ap);
}

void report_say(struct reporter *r, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!r->quiet) say_list(r, fmt, ap);
    va_end(ap);
}

void report_warning_put(struct reporter *r, const char *code, const char *text) {
    if (!r->quiet) say_message(r, "warning", code, text);
}

/* A reader that left early, as `| head` does, is no failure. */
static bool reader_is_gone(void) {
    struct pollfd p = {.fd = STDOUT_FILENO};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

int report_flush(struct err *err) {
    int failed = fflush(stdout), sys = errno;
    if ((!failed && !ferror(stdout)) || reader_is_gone()) return 0;
    if (!failed) return err_set(err, ERR_OUTPUT, "cannot write to standard output: a part of it was refused before");
    return err_sys(err, ERR_OUTPUT, sys, "cannot write to standard output");
}

/* docs/exit-codes.md is the same table. */
static const struct {
    const char *name;
    int exit_code;
} errors[] = {[ERR_NONE] = {"none", 0},         [ERR_USAGE] = {"usage", 2}, [ERR_REJECTS] = {"rejects", 4},
              [ERR_INPUT] = {"input", 5},       [ERR_LIMIT] = {"limit", 6}, [ERR_UNSUPPORTED] = {"unsupported", 5},
              [ERR_OUTPUT] = {"output", 7},     [ERR_BUSY] = {"busy", 75},  [ERR_STOPPED] = {"stopped", 128},
              [ERR_INTERNAL] = {"internal", 70}};

int report_exit_code(const struct err *err) {
    if (err->code == ERR_STOPPED) return 128 + (err->sys ? err->sys : SIGINT);
    return errors[err->code].exit_code;
}

int report_exit(struct reporter *r, const struct err *err) {
    if (err->code) say_message(r, "error", errors[err->code].name, err->text);
    return report_exit_code(err);
}

const char *report_error_name(const struct err *err) {
    return errors[err->code].name;
}

struct progress reporter_progress(struct reporter *r) {
    return r->run ? (struct progress){progress_note, r->run} : (struct progress){0};
}
