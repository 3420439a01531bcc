/* Messages on standard error, progress on a terminal or as JSON lines, and the exit code of an error. A message ends the progress
 * line first, so the two never mix. */
#include "cmd/common/report.h"

#include "base/clock.h"
#include "base/plain.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double PROGRESS_EVERY_S = 0.2;

static int take_allowed(struct reporter *r, const struct opt_list *names, struct err *err) {
    for (unsigned i = 0; i < names->n; i++) {
        enum warning w = warning_named(names->item[i]);
        if (w == WARNING_COUNT)
            return err_set(err, ERR_USAGE, "--allow '%s': no warning has this code (they stand in [] after warnings)",
                           names->item[i]);
        r->allowed[w] = true;
    }
    return 0;
}

int reporter_init(struct reporter *r, const struct tool_about *about, const struct options *o, struct err *err) {
    *r = (struct reporter){
        .tool = about->name, .quiet = o->messages.quiet, .verbose = o->messages.verbose, .strict = o->messages.strict};
    if (take_allowed(r, &o->messages.allow, err)) return -1;
    if (!strcmp(o->messages.progress, "json"))
        r->progress = PROGRESS_JSON;
    else if (!strcmp(o->messages.progress, "auto"))
        r->progress = isatty(STDERR_FILENO) && !o->messages.quiet ? PROGRESS_TERMINAL : PROGRESS_NEVER;
    else if (strcmp(o->messages.progress, "never"))
        return err_set(err, ERR_USAGE, "--progress '%s': auto, never or json is expected", o->messages.progress);
    return 0;
}

void reporter_end_line(struct reporter *r) {
    if (r->line_open) fprintf(stderr, "\r\033[K");
    r->line_open = false;
}

enum { MESSAGE_BYTES = 4096 };

/* A message with its files as the reader knows them. Whatever is in it, the terminal shows it and obeys nothing. */
static void put_message(const struct reporter *r, const char *tool, const char *kind, const char *message) {
    char shown[4 * MESSAGE_BYTES];
    struct buf named = {0};
    struct err none = {0};
    bool has = r && r->names && !path_names_put(r->names, bytes_str(message), &named, &none);
    fprintf(stderr, "%s: %s%s\n", tool, kind, plain_text(has ? buf_bytes(&named) : bytes_str(message), shown, sizeof shown));
    buf_free(&named);
}

static void say(struct reporter *r, const char *kind, const char *fmt, va_list ap) {
    char text[MESSAGE_BYTES];
    vsnprintf(text, sizeof text, fmt, ap);
    reporter_end_line(r);
    put_message(r, r->tool, kind, text);
}

void report_note(struct reporter *r, const char *fmt, ...) {
    if (!r->verbose) return;
    va_list ap;
    va_start(ap, fmt);
    say(r, "", fmt, ap);
    va_end(ap);
}

void report_say(struct reporter *r, const char *fmt, ...) {
    if (r->quiet) return;
    va_list ap;
    va_start(ap, fmt);
    say(r, "", fmt, ap);
    va_end(ap);
}

/* A reader that left early, as `| head` does, is no failure. */
static bool reader_is_gone(void) {
    struct pollfd p = {.fd = STDOUT_FILENO};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

int report_flush(struct err *err) {
    int failed = fflush(stdout), sys = errno;
    if ((!failed && !ferror(stdout)) || reader_is_gone()) return 0;
    return err_sys(err, ERR_OUTPUT, failed ? sys : EIO, "cannot write to standard output");
}

/* docs/exit-codes.md is the same table. */
static int exit_code(const struct err *err) {
    switch (err->code) {
    case ERR_NONE: return 0;
    case ERR_USAGE: return 2;
    case ERR_REJECTS: return 4;
    case ERR_INPUT:
    case ERR_UNSUPPORTED: return 5;
    case ERR_LIMIT: return 6;
    case ERR_OUTPUT: return 7;
    case ERR_BUSY: return 75;
    case ERR_STOPPED: return 128 + (err->sys ? err->sys : SIGINT);
    case ERR_INTERNAL: return 70;
    }
    return 70;
}

int report_exit(struct reporter *r, const char *tool, const struct err *err) {
    if (!err->code) return 0;
    if (r) reporter_end_line(r);
    put_message(r, tool, "error: ", err->text);
    return exit_code(err);
}

static void show_progress(void *arg, const char *phase, uint64_t done, uint64_t total) {
    struct reporter *r = arg;
    double now = clock_steady();
    if (now - r->last < PROGRESS_EVERY_S) return;
    r->last = now;
    if (r->progress == PROGRESS_JSON) {
        fprintf(stderr, "{\"phase\": \"%s\", \"done\": %llu, \"total\": %llu}\n", phase, (unsigned long long)done,
                (unsigned long long)total);
        return;
    }
    char a[32], b[32];
    if (total)
        fprintf(stderr, "\r\033[K%s: %s %s of %s (%d %%)", r->tool, phase, report_bytes(done, a), report_bytes(total, b),
                (int)(done >= total ? 100 : done * 100.0 / (double)total));
    else
        fprintf(stderr, "\r\033[K%s: %s %s", r->tool, phase, report_bytes(done, a));
    r->line_open = true;
}

struct progress reporter_progress(struct reporter *r) {
    return r->progress == PROGRESS_NEVER ? (struct progress){0} : (struct progress){show_progress, r};
}

const char *report_count(uint64_t n, char out[32]) {
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0) out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = 0;
    return out;
}

const char *report_bytes(uint64_t n, char out[32]) {
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double v = (double)n;
    unsigned u = 0;
    for (; v >= 1024 && u + 1 < countof(unit); u++) v /= 1024;
    snprintf(out, 32, u ? "%.1f %s" : "%.0f %s", v, unit[u]);
    return out;
}
