#include "cmd/load/metrics_file.h"

#include "base/buf.h"
#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

static const char last_success[] = "obkv_load_last_success_timestamp_seconds";

/* Label values know three escapes. */
static int put_label(struct buf *out, const char *name, const char *value, struct err *err) {
    if (buf_printf(out, err, "%s=\"", name)) return -1;
    for (; *value; value++) {
        const char *escaped = *value == '\\' ? "\\\\" : *value == '"' ? "\\\"" : *value == '\n' ? "\\n" : NULL;
        if (escaped ? buf_put(out, escaped, 2, err) : buf_put_byte(out, (uint8_t)*value, err)) return -1;
    }
    return buf_put_byte(out, '"', err);
}

static int put(struct buf *out, const struct load_metrics *m, const char *name, const char *help, double value, struct err *err) {
    if (buf_printf(out, err, "# HELP %s %s\n# TYPE %s gauge\n%s{", name, help, name, name) ||
        put_label(out, "table", m->table, err) || buf_put_byte(out, ',', err) || put_label(out, "target", m->target, err))
        return -1;
    return buf_printf(out, err, "} %.17g\n", value);
}

/* 0 = never, as far as the file knows. */
static double last_success_of(const char *path) {
    struct err ignored = {0};
    size_t n;
    char *text = fs_read_text(path, 1 << 16, &n, &ignored), *at = text;
    double value = 0;
    while (at && (at = strstr(at, last_success))) {
        at += sizeof last_success - 1;
        char *end = *at == '{' ? strchr(at, '\n') : NULL, *space = NULL;
        for (char *p = at; end && p < end; p++)
            if (*p == ' ') space = p;
        if (space) value = strtod(space, NULL);
    }
    free(text);
    return value;
}

static int put_all(struct buf *out, const char *path, const struct load_metrics *m, struct err *err) {
    double now = (double)m->now_ms / 1000, success = m->success ? now : last_success_of(path);
    return put(out, m, "obkv_load_success", "1 when the last run ended with all files loaded.", m->success, err) ||
                   put(out, m, "obkv_load_last_run_timestamp_seconds", "When the last run ended.", now, err) ||
                   put(out, m, last_success, "When a run last ended with all files loaded; 0 = not known.", success, err) ||
                   put(out, m, "obkv_load_duration_seconds", "Time the last run took.", m->seconds, err) ||
                   put(out, m, "obkv_load_files", "Files of the export.", (double)m->files, err) ||
                   put(out, m, "obkv_load_files_done", "Files that are in the target.", (double)m->files_done, err) ||
                   put(out, m, "obkv_load_rows", "Rows the last run loaded.", (double)m->rows, err) ||
                   put(out, m, "obkv_load_bytes", "Bytes of files the last run loaded.", (double)m->bytes, err) ||
                   put(out, m, "obkv_load_retries", "Attempts of the last run that failed and were repeated.", (double)m->retries,
                       err)
               ? -1
               : 0;
}

/* The collector reads *.prom only: not the file that is being written. */
int metrics_file_write(const char *path, const struct load_metrics *m, struct err *err) {
    struct buf text = {0};
    int rc = put_all(&text, path, m, err);
    if (!rc) rc = fs_replace_file(path, buf_bytes(&text), err);
    buf_free(&text);
    return rc;
}
