/* The way through a JSON document to its records. Records, and values that no path leads to, are passed as a whole
 * (formats/text/jline_extent.c). All between them follows the grammar: a document that is cut off, or has a fault between its
 * records, ends the run with the place. A fault within a record rejects that record only. */
#include "formats/jsonl/json_document.h"

#include "base/err.h"
#include "formats/text/jline.h"
#include "formats/text/jline_scan.h"

#include <string.h>

int json_document_init(struct json_document *d, struct bytes path, struct err *err) {
    uint32_t slot;
    *d = (struct json_document){.node = JLINE_NONE, .value = JLINE_NONE};
    return path.p ? jline_paths_add(&d->path, path, &slot, err) : 0;
}

void json_document_free(struct json_document *d) {
    jline_paths_free(&d->path);
}

bool json_text_is_comment(struct bytes line) {
    return line.n && (line.p[0] == '#' || (line.p[0] == '/' && line.n > 1 && line.p[1] == '/'));
}

/* ---- tokens ---- */

/* One token of the way: [begin, end) of the data. */
struct document_token {
    size_t begin, end;
    bool is_record;
};

enum taken { TOKEN_TAKEN, TOKEN_CUT_OFF, TOKEN_WRONG };

static enum taken wrong(struct json_fault *why, size_t at, const char *text) {
    *why = (struct json_fault){at, text};
    return TOKEN_WRONG;
}

/* A value at t->begin, up to t->end. */
static enum taken take_value(struct bytes data, bool last, struct document_token *t, struct json_fault *why) {
    static const char no_beginnings[] = ",:]}";
    if (strchr(no_beginnings, data.p[t->begin]) && data.p[t->begin]) return wrong(why, t->begin, "expected a value");
    size_t n = jline_extent(data.p + t->begin, data.p + data.n, last);
    t->end = t->begin + n;
    return n ? TOKEN_TAKEN : TOKEN_CUT_OFF;
}

static bool is_null(struct bytes data, const struct document_token *t) {
    return bytes_eq(bytes_of(data.p + t->begin, t->end - t->begin), bytes_str("null"));
}

static enum taken take_byte(struct document_token *t) {
    t->end = t->begin + 1;
    return TOKEN_TAKEN;
}

/* ---- steps of the way ---- */

static bool is_rows(const struct json_document *d, uint32_t node) {
    if (!d->path.n_nodes) return node == 0; /* the document itself */
    return node != JLINE_NONE && d->path.nodes[node].slot != JLINE_NONE;
}

/* Leaves a value of an object, or the end of one. */
static void leave_value(struct json_document *d) {
    d->value = JLINE_NONE;
    d->expect = d->node == JLINE_NONE ? JSON_EXPECT_DOCUMENT : JSON_EXPECT_COMMA_OR_END;
}

/* A value that stands for `node` of the path (JLINE_NONE: for none of it): it is entered, passed, or a record. */
static enum taken begin_value(struct json_document *d, struct bytes data, bool last, uint32_t node, struct document_token *t,
                              struct json_fault *why) {
    const uint8_t c = data.p[t->begin];
    d->met |= is_rows(d, node);
    if (is_rows(d, node) && c == '[') {
        d->expect = JSON_EXPECT_RECORD_OR_END;
        return take_byte(t);
    }
    const bool on_path = d->path.n_nodes && node != JLINE_NONE;
    if (on_path && c == '{' && !is_rows(d, node)) {
        d->node = node;
        d->expect = JSON_EXPECT_KEY_OR_END;
        return take_byte(t);
    }
    enum taken taken = take_value(data, last, t, why);
    if (taken != TOKEN_TAKEN) return taken;
    const bool null = is_null(data, t);
    if (on_path && !null) return wrong(why, t->begin, "\"rows\" leads to an array, but this is another value");
    t->is_record = !d->path.n_nodes && !null;
    leave_value(d);
    return TOKEN_TAKEN;
}

/* The node of the path that a key leads to. An escaped key that is longer than any of the path leads nowhere. */
static uint32_t step_to(const struct json_document *d, struct bytes key) {
    uint8_t text[JSON_PATH_MAX_BYTES * JSON_ESCAPE_BYTES];
    if (memchr(key.p, '\\', key.n)) {
        if (key.n > sizeof text) return JLINE_NONE;
        key = bytes_of(text, jline_unescape(key, text));
    }
    return jline_step(&d->path, d->node, key, jline_key_hash(key));
}

static enum taken take_key(struct json_document *d, struct bytes data, bool last, struct document_token *t,
                           struct json_fault *why) {
    if (data.p[t->begin] != '"') return wrong(why, t->begin, "expected a quoted key");
    enum taken taken = take_value(data, last, t, why);
    if (taken != TOKEN_TAKEN) return taken;
    d->value = step_to(d, bytes_of(data.p + t->begin + 1, t->end - t->begin - 2));
    d->expect = JSON_EXPECT_COLON;
    return TOKEN_TAKEN;
}

/* An object of the path ends. */
static enum taken leave_object(struct json_document *d, struct document_token *t) {
    d->node = d->path.nodes[d->node].parent;
    leave_value(d);
    return take_byte(t);
}

static enum taken take_record(struct json_document *d, struct bytes data, bool last, struct document_token *t,
                              struct json_fault *why) {
    enum taken taken = take_value(data, last, t, why);
    if (taken != TOKEN_TAKEN) return taken;
    t->is_record = !is_null(data, t);
    d->expect = JSON_EXPECT_RECORD_COMMA_OR_END;
    return TOKEN_TAKEN;
}

static enum taken leave_array(struct json_document *d, struct document_token *t) {
    leave_value(d);
    return take_byte(t);
}

/* A byte that leads on to what is expected next. */
static enum taken go_on(struct json_document *d, enum json_expect next, struct document_token *t) {
    d->expect = next;
    return take_byte(t);
}

/* A line of comment before the first document. */
static enum taken take_comment(struct bytes data, bool last, struct document_token *t) {
    const uint8_t *end = memchr(data.p + t->begin, '\n', data.n - t->begin);
    t->end = end ? (size_t)(end - data.p) : data.n;
    return end || last ? TOKEN_TAKEN : TOKEN_CUT_OFF;
}

/* One token at t->begin, which is no blank. */
static enum taken step(struct json_document *d, struct bytes data, bool last, struct document_token *t, struct json_fault *why) {
    const uint8_t c = data.p[t->begin];
    switch (d->expect) {
    case JSON_EXPECT_DOCUMENT:
        if (!d->begun && json_text_is_comment(bytes_of(data.p + t->begin, data.n - t->begin))) return take_comment(data, last, t);
        d->begun = true;
        return begin_value(d, data, last, 0, t, why);
    case JSON_EXPECT_VALUE: return begin_value(d, data, last, d->value, t, why);
    case JSON_EXPECT_KEY_OR_END: return c == '}' ? leave_object(d, t) : take_key(d, data, last, t, why);
    case JSON_EXPECT_KEY: return take_key(d, data, last, t, why);
    case JSON_EXPECT_COLON:
        return c == ':' ? go_on(d, JSON_EXPECT_VALUE, t) : wrong(why, t->begin, "expected a colon after the key");
    case JSON_EXPECT_COMMA_OR_END:
        if (c == '}') return leave_object(d, t);
        return c == ',' ? go_on(d, JSON_EXPECT_KEY, t) : wrong(why, t->begin, "expected ',' or '}'");
    case JSON_EXPECT_RECORD_OR_END: return c == ']' ? leave_array(d, t) : take_record(d, data, last, t, why);
    case JSON_EXPECT_RECORD: return take_record(d, data, last, t, why);
    case JSON_EXPECT_RECORD_COMMA_OR_END:
        if (c == ']') return leave_array(d, t);
        return c == ',' ? go_on(d, JSON_EXPECT_RECORD, t) : wrong(why, t->begin, "expected ',' or ']'");
    }
    return wrong(why, t->begin, "expected the end");
}

/* The next token at or after `at`; TOKEN_CUT_OFF with t->begin at the end of the data: only blanks are left. */
static enum taken next_token(struct json_document *d, struct bytes data, size_t at, bool last, struct document_token *t,
                             struct json_fault *why) {
    while (at < data.n && jline_is_blank(data.p[at])) at++;
    *t = (struct document_token){.begin = at, .end = at};
    return at < data.n ? step(d, data, last, t, why) : TOKEN_CUT_OFF;
}

/* ---- chunks ---- */

size_t json_document_cut(const void *arg, struct bytes data) {
    struct json_document d = *(const struct json_document *)arg; /* paths are only read */
    struct json_fault why;
    struct document_token t = {0};
    size_t cut = 0;
    enum taken taken;
    while ((taken = next_token(&d, data, cut, false, &t, &why)) == TOKEN_TAKEN) cut = t.end;
    /* Blanks wait for nothing, and a fault is found again, and said. */
    return taken == TOKEN_WRONG || t.begin == data.n ? data.n : cut;
}

static void blank(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = p[i] == '\n' ? '\r' : ' ';
}

/* Line ends within a record do not end it. They become CR, the only ones then, which number the lines; a TAB is no better within
 * a string than a CR, and no worse elsewhere. */
static void join_lines(uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = p[i] == '\r' ? '\t' : p[i] == '\n' ? '\r' : p[i];
}

bool json_document_blank(struct json_document *d, struct buf *data, bool last, struct json_fault *why) {
    struct document_token t = {0};
    size_t at = 0;
    enum taken taken;
    /* Data that was cut ends with a token: a number at its end goes no further. */
    while ((taken = next_token(d, buf_bytes(data), at, true, &t, why)) == TOKEN_TAKEN) {
        blank(data->p + at, (t.is_record ? t.begin : t.end) - at);
        if (t.is_record) join_lines(data->p + t.begin, t.end - t.begin);
        at = t.end;
    }
    if (taken == TOKEN_WRONG) return false;
    if (last && (t.begin < data->n || d->expect != JSON_EXPECT_DOCUMENT)) {
        *why = (struct json_fault){data->n, "the document is cut off: it does not end here"};
        return false;
    }
    blank(data->p + at, data->n - at);
    return true;
}

bool json_document_take(struct bytes *rest, struct bytes *record, uint64_t *line_ends) {
    size_t at = 0;
    while (at < rest->n && jline_is_blank(rest->p[at])) *line_ends += rest->p[at++] == '\r';
    *record = bytes_of(rest->p + at, at < rest->n ? jline_extent(rest->p + at, rest->p + rest->n, true) : 0);
    *rest = bytes_of(record->p + record->n, rest->n - at - record->n);
    return record->n > 0;
}
