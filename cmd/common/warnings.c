/* Warnings of a run: printed once with their code, counted for the manifest and for --json, and errors with --strict. Relies on
 * base/warning.h for their names, and for the warnings of rooms below the programs. */
#include "cmd/common/report.h"
#include "cmd/common/warnings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void reporter_begin_part(struct reporter *r) {
    r->warned.text = (struct buf){0};
    progress_restart(r->run);
}

void reporter_free(struct reporter *r) {
    buf_free(&r->warned.text);
}

/* Returns whether the warning was given already. Each shard gives those that options and the list of inputs cause; they are
 * printed once. */
static bool was_said(struct reporter *r, enum warning w, uint64_t n, const char *text) {
    struct err none = {0};
    struct buf line = {0};
    bool is =
        r->said && !warning_add(&line, w, n, &none, "%s", text) && r->said->n && memmem(r->said->p, r->said->n, line.p, line.n);
    if (r->said && !is) warning_add(r->said, w, n, &none, "%s", text);
    buf_free(&line);
    return is;
}

/* Prints a warning for people, and notes it for --json and the manifest. Without memory for the latter, the message remains. */
static void note_warning(struct reporter *r, enum warning w, uint64_t n, const char *text) {
    struct err none = {0};
    struct buf named = {0};
    r->warned.n[w] += n;
    if ((r->names && path_names_put(r->names, bytes_str(text), &named, &none)) ||
        warning_add(&r->warned.text, w, n, &none, "%.*s", r->names ? (int)named.n : (int)strlen(text),
                    r->names ? (const char *)named.p : text))
        r->warned.unkept = true;
    buf_free(&named);
    if (!was_said(r, w, n, text)) report_warning_put(r, warning_name(w), text);
}

void report_warn(struct reporter *r, enum warning w, uint64_t n, const char *fmt, ...) {
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    note_warning(r, w, n, text);
}

void report_warnings(struct reporter *r, const struct buf *text) {
    struct warning_line line;
    for (size_t at = 0; warning_next(text, &at, &line);)
        report_warn(r, line.code, line.n, "%.*s", (int)line.text.n, (const char *)line.text.p);
}

void report_stop(struct reporter *r, enum warning w) {
    r->warned.stops[w] = true;
}

/* Returns whether the warning stops a run that nobody made strict: what comes out is not what the user has in mind. */
static bool stops_always(const struct reporter *r, enum warning w) {
    return r->warned.stops[w] || w == WARN_EMPTY_FILE || w == WARN_NOT_UTF8;
}

/* The codes that --allow does not name, one after the other; all: those that only --strict refuses, too. */
static const char *list_refused(const struct reporter *r, bool all, char out[400]) {
    size_t n = 0;
    out[0] = 0;
    for (unsigned w = 0; w < WARNING_COUNT && n < 360; w++)
        if (r->warned.n[w] && !r->allowed[w] && (all || stops_always(r, (enum warning)w)))
            n += (size_t)snprintf(out + n, 400 - n, "%s%s", n ? ", " : "", warning_name((enum warning)w));
    return out;
}

bool reporter_warned(const struct reporter *r) {
    char codes[400];
    return list_refused(r, true, codes)[0] != 0;
}

int report_strict(const struct reporter *r, struct err *err) {
    char codes[400];
    if (r->warned.unkept) return err_nomem(err, 0, "warnings");
    if (!list_refused(r, r->strict, codes)[0]) return 0;
    if (r->strict)
        return err_set(err, ERR_REJECTS, "--strict treats warnings as errors: %s (accept one with --allow CODE)", codes);
    return err_set(err, ERR_REJECTS, "nothing is published with a warning of %s (accept one with --allow CODE)", codes);
}

int report_strict_earlier(const struct reporter *r, const char *dir, const json_t *warnings, struct err *err) {
    const char *code;
    json_t *n;
    if (!r->strict) return 0;
    json_object_foreach((json_t *)warnings, code, n) {
        enum warning w = warning_named(code);
        if (w == WARNING_COUNT || !r->allowed[w])
            return err_set(err, ERR_REJECTS, "--strict: %s was made with the warning %s (accept it with --allow CODE)", dir,
                           code);
    }
    return 0;
}

int report_warnings_counts(const struct reporter *r, json_t **out, struct err *err) {
    *out = NULL;
    for (unsigned w = 0; w < WARNING_COUNT; w++) {
        if (!r->warned.n[w] || w == WARN_ENVIRONMENT) continue; /* that of one run says nothing of its data */
        if (!*out) *out = json_object();
        if (json_object_set_new(*out, warning_name((enum warning)w), json_integer((json_int_t)r->warned.n[w]))) {
            json_decref(*out);
            *out = NULL;
            return err_nomem(err, 0, "the warnings");
        }
    }
    return 0;
}
