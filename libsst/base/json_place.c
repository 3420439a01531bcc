/* Locates a value in a JSON text. The parser keeps no line numbers, so when a message needs one, the text is walked again along
 * the steps to the value. The text is known to be valid. */
#include "base/json_place.h"

#include <stdio.h>

static bool is_plain(const char *key) {
    for (const char *p = key; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_')) return false;
    return *key != 0;
}

int json_place_print(const struct json_place *at, struct buf *out, struct err *err) {
    if (!at->up) return buf_printf(out, err, "$");
    if (json_place_print(at->up, out, err)) return -1;
    if (!at->key) return buf_printf(out, err, "[%zu]", at->index);
    return buf_printf(out, err, is_plain(at->key) ? ".%s" : "[\"%s\"]", at->key);
}

/* A walk over valid JSON. */
struct walk {
    const uint8_t *p, *end;
};

static void skip_blanks(struct walk *w) {
    while (w->p < w->end && strchr(" \t\r\n,:", *w->p) && *w->p) w->p++;
}

/* The string at p, without its quotes and as it stands there. */
static struct bytes take_string(struct walk *w) {
    const uint8_t *from = ++w->p;
    while (w->p < w->end && *w->p != '"') w->p += *w->p == '\\' ? 2 : 1;
    if (w->p > w->end) w->p = w->end;
    struct bytes s = {from, (size_t)(w->p - from)};
    if (w->p < w->end) w->p++;
    return s;
}

static void skip_value(struct walk *w) {
    size_t depth = 0;
    do {
        skip_blanks(w);
        if (w->p == w->end) return;
        uint8_t c = *w->p;
        if (c == '"') {
            take_string(w);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth;
        if (strchr("{}[]", c))
            w->p++;
        else
            while (w->p < w->end && !strchr(" \t\r\n,:{}[]\"", *w->p)) w->p++;
    } while (depth);
}

/* From the start of an object or array to the start of one of its values. */
static bool go_down(struct walk *w, const struct json_place *step) {
    if (w->p == w->end || *w->p++ != (step->key ? '{' : '[')) return false;
    for (size_t i = 0;; i++) {
        skip_blanks(w);
        if (w->p == w->end || *w->p == '}' || *w->p == ']') return false;
        bool found = !step->key && i == step->index;
        if (step->key) found = bytes_eq(take_string(w), bytes_str(step->key));
        skip_blanks(w);
        if (found) return true;
        skip_value(w);
    }
}

/* Goes as far as there is something; *at_p stays at the last value found. */
static bool follow(struct walk *w, const struct json_place *at, const uint8_t **at_p) {
    if (at->up && !follow(w, at->up, at_p)) return false;
    if (!at->up)
        skip_blanks(w);
    else if (!go_down(w, at))
        return false;
    *at_p = w->p;
    return true;
}

size_t json_place_line(struct bytes text, const struct json_place *at) {
    struct walk w = {text.p, text.p + text.n};
    const uint8_t *found = text.p;
    size_t line = 1;
    follow(&w, at, &found);
    for (const uint8_t *p = text.p; p < found; p++) line += *p == '\n';
    return line;
}
