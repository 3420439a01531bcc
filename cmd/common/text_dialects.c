/* Shows for --preview and --dry-run how text inputs are read, and what speaks for and against it: lines that readers of CSV and
 * TSV wrote when they were opened (formats/csv/csv_evidence.c). */
#include "cmd/common/output_text.h"
#include "cmd/common/text_dialects.h"

#include <stdlib.h>
#include <string.h>

/* The next line; false: there are no more. */
static bool take_line(struct bytes *rest, struct bytes *line) {
    const uint8_t *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    if (!end) return false;
    *line = bytes_of(rest->p, (size_t)(end - rest->p));
    *rest = bytes_of(end + 1, rest->n - line->n - 1);
    return true;
}

void text_dialects_print(struct bytes lines, const char *indent) {
    struct bytes line;
    while (take_line(&lines, &line)) {
        const char *label = line.p[0] == '=' ? "dialect   " : line.p[0] == '+' ? "  for     " : "  against ";
        text_print("%s%s%.*s\n", indent, label, (int)line.n - 1, (const char *)line.p + 1);
    }
}

json_t *text_dialects_json(struct bytes lines) {
    json_t *all = json_array(), *one = NULL;
    struct bytes line;
    while (take_line(&lines, &line)) {
        char *text = strndup((const char *)line.p + 1, line.n - 1);
        json_t *j = text ? json_text(text) : NULL;
        free(text);
        if (line.p[0] == '=') {
            one = json_pack("{s:o, s:[], s:[]}", "dialect", j, "for", "against");
            json_array_append_new(all, one);
        } else {
            json_array_append_new(json_object_get(one, line.p[0] == '+' ? "for" : "against"), j);
        }
    }
    return all;
}
