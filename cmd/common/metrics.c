/* The file of --metrics: each figure is a gauge named obkv_PROGRAM_FIGURE, with HELP and TYPE, labelled by command, table and
 * target where there are any. It is written at the end of every run, failed ones included, under a name that the collector does
 * not read, and then renamed. */
#include "cmd/common/metrics.h"

#include "base/buf.h"
#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct metrics_file {
    struct buf text;
    const struct metrics *m;
    const struct metrics_end *end;
    const char *program; /* without obkv- */
};

void metrics_set(struct metrics *m, const char *name, const char *help, double value) {
    unsigned i = 0;
    while (i < m->n && strcmp(m->list[i].name, name)) i++;
    if (i == METRICS_MAX) return;
    m->list[i] = (struct metric){name, help, value};
    if (i == m->n) m->n++;
}

void metrics_add(struct metrics *m, const char *name, const char *help, double value) {
    for (unsigned i = 0; i < m->n; i++)
        if (!strcmp(m->list[i].name, name)) value += m->list[i].value;
    metrics_set(m, name, help, value);
}

/* Label values know three escapes. *between: what precedes the first label, then a comma. */
static int put_label(struct buf *out, char *between, const char *name, const char *value, struct err *err) {
    if (!value || !*value) return 0;
    if (buf_printf(out, err, "%c%s=\"", *between, name)) return -1;
    for (; *value; value++) {
        const char *escaped = *value == '\\' ? "\\\\" : *value == '"' ? "\\\"" : *value == '\n' ? "\\n" : NULL;
        if (escaped ? buf_put(out, escaped, 2, err) : buf_put_byte(out, (uint8_t)*value, err)) return -1;
    }
    *between = ',';
    return buf_put_byte(out, '"', err);
}

/* code: of a warning; NULL: the figure has no such label. */
static int put_value(struct metrics_file *f, const char *name, const char *code, double value, struct err *err) {
    char between = '{';
    if (buf_printf(&f->text, err, "obkv_%s_%s", f->program, name) ||
        put_label(&f->text, &between, "command", f->end->command, err) || put_label(&f->text, &between, "code", code, err) ||
        put_label(&f->text, &between, "table", f->m->table, err) || put_label(&f->text, &between, "target", f->m->target, err))
        return -1;
    return buf_printf(&f->text, err, "%s %.17g\n", between == ',' ? "}" : "", value);
}

static int put_help(struct metrics_file *f, const char *name, const char *help, struct err *err) {
    return buf_printf(&f->text, err, "# HELP obkv_%s_%s %s\n# TYPE obkv_%s_%s gauge\n", f->program, name, help, f->program, name);
}

static int put_gauge(struct metrics_file *f, const char *name, const char *help, double value, struct err *err) {
    return put_help(f, name, help, err) || put_value(f, name, NULL, value, err) ? -1 : 0;
}

/* Returns the time of the last success; 0 = never, as far as the file knows. */
static double last_success_of(const char *path, const char *program) {
    struct err ignored = {0};
    char name[96];
    size_t n;
    char *text = fs_read_text(path, 1 << 16, &n, &ignored), *at = text;
    double value = 0;
    snprintf(name, sizeof name, "\nobkv_%s_last_success_timestamp_seconds", program);
    while (at && (at = strstr(at, name))) {
        at += strlen(name);
        char *stop = strchr(at, '\n'), *space = NULL;
        for (char *p = at; stop && p < stop; p++)
            if (*p == ' ') space = p;
        if (space) value = strtod(space, NULL);
    }
    free(text);
    return value;
}

static uint64_t warned(const struct metrics_file *f, unsigned w) {
    return f->end->warnings[w] + f->m->warnings[w];
}

static int put_warnings(struct metrics_file *f, struct err *err) {
    static const char name[] = "warnings";
    unsigned codes = 0;
    for (unsigned w = 0; w < WARNING_COUNT; w++) codes += warned(f, w) != 0;
    if (put_gauge(f, "warning_codes", "Distinct warnings of the last run.", codes, err)) return -1;
    if (codes && put_help(f, name, "Occurrences of each warning in the last run, by code.", err)) return -1;
    for (unsigned w = 0; w < WARNING_COUNT; w++)
        if (warned(f, w) && put_value(f, name, warning_name((enum warning)w), (double)warned(f, w), err)) return -1;
    return 0;
}

static int put_end(struct metrics_file *f, const char *path, struct err *err) {
    const struct metrics_end *e = f->end;
    const bool success = e->exit_code == 0 || e->exit_code == 3;
    const double now = (double)e->now_ms / 1000, last = success ? now : last_success_of(path, f->program);
    return put_gauge(f, "success", "1 when the last run succeeded.", success, err) ||
                   put_gauge(f, "exit_code", "Exit code of the last run.", e->exit_code, err) ||
                   put_gauge(f, "last_run_timestamp_seconds", "When the last run ended.", now, err) ||
                   put_gauge(f, "last_success_timestamp_seconds", "When a run last succeeded; 0 if unknown.", last, err) ||
                   put_gauge(f, "duration_seconds", "Duration of the last run.", e->seconds, err)
               ? -1
               : put_warnings(f, err);
}

int metrics_write(const struct metrics *m, const struct metrics_end *end, const char *path, struct err *err) {
    struct metrics_file f = {.m = m, .end = end, .program = strchr(end->program, '-') + 1};
    int rc = put_end(&f, path, err);
    for (unsigned i = 0; !rc && i < m->n; i++) rc = put_gauge(&f, m->list[i].name, m->list[i].help, m->list[i].value, err);
    if (!rc) rc = fs_replace_file(path, buf_bytes(&f.text), err);
    buf_free(&f.text);
    return rc;
}
