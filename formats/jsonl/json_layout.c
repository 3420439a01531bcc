/* Lines or documents? The first line decides that is neither blank nor null nor a comment. A whole value is a record of JSON
 * lines, except for an array without another one in the next line: its elements are the records. A value that continues in
 * the next line is a document, unless that line is a whole record: then the first one is a bad line. */
#include "formats/jsonl/json_layout.h"

#include "formats/jsonl/json_document.h"
#include "formats/text/jline.h"
#include "formats/text/jline_scan.h"
#include "formats/text/text_input.h"

bool json_text_is_blank(struct bytes text) {
    return jline_trim(text).n == 0;
}

bool json_text_is_null(struct bytes text) {
    return bytes_eq(jline_trim(text), bytes_str("null"));
}

static bool is_json(struct bytes line) {
    static const struct jline_paths none = {0};
    struct jline_scan scan;
    struct reason why;
    struct err err = {0};
    bool whole = !jline_scan_init(&scan, &none, &err) && jline_scan_line(&scan, line, &why, &err) == 1;
    jline_scan_free(&scan);
    return whole;
}

/* Takes the next line that is not blank off *head, without the blanks around it. *ends: its end is in head. */
static struct bytes take_line(struct bytes *head, bool *ends) {
    struct bytes line = {0};
    while (head->n && json_text_is_blank(line)) {
        *ends = memchr(head->p, '\n', head->n) != NULL;
        line = text_take_line(head);
    }
    return jline_trim(line);
}

/* The first byte after blanks; 0: there is none. */
static uint8_t first_of(struct bytes text) {
    struct bytes rest = jline_trim(text);
    return rest.n ? rest.p[0] : 0;
}

/* "{" and then a key or the end: no other text begins like this. */
static bool begins_object(struct bytes text) {
    uint8_t next = first_of(bytes_of(text.p + 1, text.n - 1));
    return next == '"' || next == '}' || !next;
}

/* "[" and then something that an array may hold. */
static bool begins_array(struct bytes text) {
    uint8_t next = first_of(bytes_of(text.p + 1, text.n - 1));
    return !next || next == '{' || next == '[' || next == ']' || next == '"' || next == '-' || (next >= '0' && next <= '9') ||
           next == 't' || next == 'f' || next == 'n';
}

static enum json_layout of_array(struct bytes line, struct bytes rest, bool whole) {
    bool ends = true;
    if (!is_json(line)) return begins_array(line) ? JSON_LAYOUT_DOCUMENTS : JSON_LAYOUT_OTHER;
    struct bytes next = take_line(&rest, &ends);
    if (!next.n && whole) return JSON_LAYOUT_DOCUMENTS;
    return next.n && next.p[0] == '[' ? JSON_LAYOUT_LINES : JSON_LAYOUT_DOCUMENTS;
}

/* ends: the line does, in what is known of the text. */
static enum json_layout of_object(struct bytes line, struct bytes rest, bool ends) {
    if (is_json(line)) return JSON_LAYOUT_LINES;
    if (!begins_object(line)) return JSON_LAYOUT_OTHER;
    if (!ends) return JSON_LAYOUT_LINES;
    const size_t n = jline_extent(line.p, line.p + line.n, true);
    if (n) return first_of(bytes_of(line.p + n, line.n - n)) == '{' ? JSON_LAYOUT_DOCUMENTS : JSON_LAYOUT_LINES;
    struct bytes next = take_line(&rest, &ends);
    return next.n && (next.p[0] != '{' || !is_json(next)) ? JSON_LAYOUT_DOCUMENTS : JSON_LAYOUT_LINES;
}

enum json_layout json_layout_of(struct bytes head, bool whole) {
    struct bytes rest = head, line;
    bool ends = true;
    do line = take_line(&rest, &ends);
    while (line.n && (json_text_is_null(line) || json_text_is_comment(line)));
    if (!line.n) return JSON_LAYOUT_EMPTY;
    if (line.p[0] == '[') return of_array(line, rest, whole);
    if (line.p[0] == '{') return of_object(line, rest, ends || whole);
    return JSON_LAYOUT_OTHER;
}
