/* Result documents of --json: each names its schema and the version of the program, and carries the warnings of its run; a run
 * that fails prints one with the error instead. docs/schemas has the schemas. */
#include "base/json.h"
#include "cmd/common/page.h"
#include "cmd/common/opt_value.h"
#include "cmd/common/output_text.h"
#include "cmd/common/report.h"
#include "cmd/common/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *one_json(const struct warning_line *line) {
    char *text = strndup((const char *)line->text.p, line->text.n);
    json_t *j =
        !text ? NULL : json_new(JSON("code", warning_name(line->code)), JSON("count", line->n), JSON("text", json_text(text)));
    free(text);
    return j;
}

/* Adds the warnings, if there are any. */
static int add_warnings(const struct reporter *r, json_t *result) {
    struct warning_line line;
    json_t *list = r->warned.text.n ? json_array() : NULL;
    int rc = r->warned.text.n && json_object_set_new(result, "warnings", list) ? -1 : 0;
    for (size_t at = 0; !rc && warning_next(&r->warned.text, &at, &line);) rc = json_array_append_new(list, one_json(&line));
    return rc;
}

/* "obkv-verify-diff/1": the number counts changes that readers must know of. */
static void schema_name(const struct reporter *r, const char *of, char out[96]) {
    if (of && !strcmp(of, "error"))
        snprintf(out, 96, "obkv-error/1");
    else
        snprintf(out, 96, "%s%s%s%s%s/1", r->tool, r->command ? "-" : "", r->command ? r->command : "", of ? "-" : "",
                 of ? of : "");
}

json_t *report_json_mark(struct reporter *r, const char *of, json_t *result) {
    char schema[96];
    schema_name(r, of, schema);
    json_t *j = result ? json_new(JSON("schema", schema), JSON("version", obkv_version)) : NULL;
    if (j && json_object_update(j, result)) {
        json_decref(j);
        j = NULL;
    }
    json_decref(result);
    r->document = true;
    if (j && add_warnings(r, j)) {
        json_decref(j);
        j = NULL;
    }
    return j;
}

int report_json_put(struct reporter *r, const char *of, json_t *result, struct err *err) {
    json_t *j = report_json_mark(r, of, result);
    buf_clear(&r->warned.text);
    char *text = j && r->page ? json_memory_dump(json_incref(j), JSON_COMPACT, "the result document", err) : NULL;
    int rc = text ? page_add(r->page, bytes_str(text), err) : j && r->page ? -1 : 0;
    free(text);
    if (!rc && (r->json || !j)) return json_text_put(j, err);
    json_decref(j);
    return rc;
}

int report_json_line(struct reporter *r, bool print, const struct path_names *names, json_t *j, bool *gone, struct err *err) {
    char *text = json_memory_dump(j, 0, "a line of the result", err);
    struct buf line = {0};
    int rc = !text ? -1 : r->page ? page_add(r->page, bytes_str(text), err) : 0;
    if (!rc && print && !*gone) rc = buf_printf(&line, err, "%s\n", text);
    if (!rc && line.n) rc = stdout_write_named(names, buf_bytes(&line), true, gone, err);
    free(text);
    buf_free(&line);
    return rc;
}

void report_json_error(struct reporter *r, const struct err *error) {
    struct err none = {0};
    struct buf own = {0};
    if (!r->json || r->document || !error->code) return;
    json_t *j = json_pack("{s:s, s:s*, s:{s:s, s:i, s:o}}", "program", r->tool, "command", r->command, "error", "code",
                          report_error_name(error), "exit_code", report_exit_code(error), "text",
                          json_text(report_named(r, error->text, &own)));
    j = report_json_mark(r, "error", j);
    char *text = j ? json_dumps(j, JSON_COMPACT) : NULL;
    if (text) puts(text);
    json_memory_free(text);
    json_decref(j);
    buf_free(&own);
    (void)report_flush(&none);
}
