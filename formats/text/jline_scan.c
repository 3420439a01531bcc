/* The walk over a line of JSON: a stack of open arrays and objects instead of recursion, strict about the grammar of RFC 8259.
 * What libraries do not give, and this does: numbers as text, faults with their byte, duplicate keys
 * (docs/libraries.md). */

#include "base/text.h"
#include "formats/text/jline_scan.h"
#include "formats/text/text_input.h"

#include <stdlib.h>

int jline_scan_init(struct jline_scan *s, const struct jline_paths *paths, struct err *err) {
    *s = (struct jline_scan){.paths = paths};
    s->values = calloc(paths->n_slots + 1, sizeof *s->values);
    return s->values ? 0 : err_nomem(err, paths->n_slots * sizeof *s->values, "parsing a chunk");
}

void jline_scan_free(struct jline_scan *s) {
    free(s->values);
    free(s->keys);
    buf_free(&s->text);
}

/* ---- faults ---- */

/* Always 0, for `return fault(…)`. at: what is wrong. */
static int fault(const struct jline_scan *s, const uint8_t *at, struct reason *why, const char *text) {
    return text_why(why, (uint32_t)(at - s->begin) + 1, "%s", text);
}

static int check_utf8(const struct jline_scan *s, struct reason *why) {
    struct bytes line = {s->begin, (size_t)(s->end - s->begin)};
    uint32_t code;
    if (text_is_utf8(line)) return 1;
    size_t i = 0, n;
    while (i < line.n && (n = utf8_next(line.p + i, line.n - i, &code))) i += n;
    return fault(s, line.p + i, why, "these bytes are not UTF-8");
}

static void skip_blanks(struct jline_scan *s) {
    while (s->at < s->end && jline_is_blank(*s->at)) s->at++;
}

/* ---- strings ---- */

static int hex4(const uint8_t *p, const uint8_t *end) {
    int v = 0;
    if (end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int d = hex_digit(p[i]);
        if (d < 0) return -1;
        v = v << 4 | d;
    }
    return v;
}

/* Reads the escape at p, its backslash, into *code; returns bytes consumed, 0 if not an escape. */
static size_t take_escape(const uint8_t *p, const uint8_t *end, uint32_t *code) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *at = end - p > 1 && p[1] ? strchr(from, p[1]) : NULL;
    if (at) *code = (uint8_t)to[at - from];
    if (at) return 2;
    int high = end - p > 1 && p[1] == 'u' ? hex4(p + 2, end) : -1;
    if (high < 0 || (high >= 0xdc00 && high < 0xe000)) return 0;
    *code = (uint32_t)high;
    if (high < 0xd800 || high >= 0xdc00) return 6;
    int low = end - p > 7 && p[6] == '\\' && p[7] == 'u' ? hex4(p + 8, end) : -1;
    if (low < 0xdc00 || low >= 0xe000) return 0;
    *code = 0x10000 + (((uint32_t)high - 0xd800) << 10 | ((uint32_t)low - 0xdc00));
    return 12;
}

static uint8_t *put_code(uint8_t *out, uint32_t code) {
    if (code < 0x80) {
        *out++ = (uint8_t)code;
        return out;
    }
    unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (uint8_t)(heads[more] | code >> (6 * more));
    while (more--) *out++ = (uint8_t)(0x80 | ((code >> (6 * more)) & 0x3f));
    return out;
}

/* The string at s->at, its quote, and on to after it. */
static int take_string(struct jline_scan *s, struct jline_value *v, struct reason *why) {
    const uint8_t *open = s->at, *p = open + 1;
    uint32_t code;
    *v = (struct jline_value){.kind = JLINE_STRING};
    for (size_t used; p < s->end && *p != '"'; p += used) {
        used = 1;
        if (*p < 0x20) return fault(s, p, why, "a control character in a string must be escaped");
        if (*p != '\\') continue;
        v->escaped = true;
        if (!(used = take_escape(p, s->end, &code)))
            return fault(s, p, why, "this is not an escape of JSON, or half of a surrogate pair");
    }
    if (p == s->end) return fault(s, open, why, "the string that begins here is never closed");
    v->raw = bytes_of(open + 1, (size_t)(p - open - 1));
    s->at = p + 1;
    return 1;
}

size_t jline_unescape(struct bytes raw, uint8_t *out) {
    const uint8_t *p = raw.p, *end = p + raw.n, *begin = out;
    uint32_t code = 0;
    while (p < end) {
        size_t used = *p == '\\' ? take_escape(p, end, &code) : 0;
        if (!used) {
            *out++ = *p++;
            continue;
        }
        p += used;
        out = put_code(out, code);
    }
    return (size_t)(out - begin);
}

struct bytes jline_text(struct jline_scan *s, struct jline_value *v) {
    uint8_t *out = s->text.p + s->text.n;
    if (!v->escaped) return v->raw;
    v->raw = bytes_of(out, jline_unescape(v->raw, out));
    s->text.n += v->raw.n;
    v->escaped = false;
    return v->raw;
}

/* ---- other values ---- */

static bool is_digit(const struct jline_scan *s) {
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool skip_digits(struct jline_scan *s) {
    bool any = is_digit(s);
    while (is_digit(s)) s->at++;
    return any;
}

static int take_number(struct jline_scan *s, struct jline_value *v, struct reason *why) {
    const uint8_t *start = s->at;
    s->at += *s->at == '-';
    bool zero = is_digit(s) && *s->at == '0', good = skip_digits(s);
    if (good && zero && s->at - start > 1 + (*start == '-')) return fault(s, start, why, "a number begins with a needless 0");
    if (good && s->at < s->end && *s->at == '.') {
        s->at++;
        good = skip_digits(s);
    }
    if (good && s->at < s->end && (*s->at | 0x20) == 'e') {
        s->at++;
        s->at += s->at < s->end && (*s->at == '+' || *s->at == '-');
        good = skip_digits(s);
    }
    if (!good) return fault(s, start, why, "this is not a JSON value");
    *v = (struct jline_value){.kind = JLINE_NUMBER, .raw = bytes_of(start, (size_t)(s->at - start))};
    return 1;
}

static int take_word(struct jline_scan *s, struct jline_value *v, struct reason *why) {
    static const struct {
        const char *text;
        enum jline_kind kind;
    } words[] = {{"null", JLINE_NULL}, {"true", JLINE_TRUE}, {"false", JLINE_FALSE}};
    for (size_t i = 0; i < countof(words); i++) {
        size_t n = strlen(words[i].text);
        if ((size_t)(s->end - s->at) < n || memcmp(s->at, words[i].text, n) != 0) continue;
        *v = (struct jline_value){.kind = words[i].kind, .raw = bytes_of(s->at, n)};
        s->at += n;
        return 1;
    }
    return take_number(s, v, why);
}

/* ---- objects ---- */

static int key_cmp(const void *va, const void *vb) {
    const struct jline_key *a = va, *b = vb;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    int c = bytes_cmp(a->name, b->name);
    return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* Checks at the end of an object that it has no key twice. 1, or 0: *why. */
static int check_keys(struct jline_scan *s, uint32_t first, struct reason *why) {
    enum { FEW = 16 };
    uint32_t n = s->n_keys - first;
    if (!n) return 1; /* s->keys may be null then */
    struct jline_key *k = s->keys + first;
    if (n > FEW) qsort(k, n, sizeof *k, key_cmp);
    for (uint32_t i = 1; i < n; i++) {
        for (uint32_t j = n > FEW ? i - 1 : 0; j < i; j++) {
            if (k[i].hash != k[j].hash || !bytes_eq(k[i].name, k[j].name)) continue;
            return text_why(why, (uint32_t)(k[i].at - s->begin) + 1, "the key \"%.*s\" appears twice in its object",
                            (int)(k[i].name.n > 80 ? 80 : k[i].name.n), (const char *)k[i].name.p);
        }
    }
    s->n_keys = first;
    return 1;
}

static int unknown_key(const struct jline_scan *s, const uint8_t *at, struct bytes name, struct reason *why) {
    return text_why(why, (uint32_t)(at - s->begin) + 1, "the key \"%.*s\" does not belong to a cell (other records need --map)",
                    (int)(name.n > 80 ? 80 : name.n), (const char *)name.p);
}

/* A key and its colon: what follows is the value at s->node. 1, 0, -1. */
static int take_key(struct jline_scan *s, struct reason *why) {
    const struct jline_frame *f = &s->frames[s->depth - 1];
    struct jline_value key;
    const uint8_t *at = s->at;
    if (s->at == s->end || *s->at != '"') return fault(s, s->at, why, "expected a quoted key");
    if (!take_string(s, &key, why)) return 0;
    if (s->n_keys == JLINE_KEYS_MAX) return fault(s, at, why, "the open objects have more than 65536 keys");
    if (s->n_keys == s->keys_cap && grow_capacity(&s->keys, &s->keys_cap, sizeof *s->keys, "the keys of a line", s->err))
        return -1;
    struct bytes name = jline_text(s, &key);
    struct jline_key *k = &s->keys[s->n_keys++];
    *k = (struct jline_key){.hash = jline_key_hash(name), .name = name, .at = at};
    s->node = jline_step(s->paths, f->node, name, k->hash);
    if (s->paths->closed && f->node != JLINE_NONE && s->node == JLINE_NONE) return unknown_key(s, at, name, why);
    skip_blanks(s);
    if (s->at == s->end || *s->at != ':') return fault(s, s->at, why, "expected a colon after the key");
    s->at++;
    return 1;
}

/* ---- the walk ---- */

static void set_value(struct jline_scan *s, uint32_t node, const struct jline_value *v) {
    uint32_t slot = node >= s->paths->n_nodes ? JLINE_NONE : s->paths->nodes[node].slot;
    if (slot != JLINE_NONE) s->values[slot] = *v;
}

static int open_frame(struct jline_scan *s, struct reason *why) {
    if (s->depth == JLINE_DEPTH_MAX) return fault(s, s->at, why, "nested more than 256 deep");
    s->frames[s->depth++] =
        (struct jline_frame){.start = s->at, .node = s->node, .first_key = s->n_keys, .is_object = *s->at == '{'};
    s->at++;
    return 1;
}

static int close_frame(struct jline_scan *s, struct reason *why) {
    const struct jline_frame *f = &s->frames[--s->depth];
    s->at++;
    const struct jline_value v = {.kind = f->is_object ? JLINE_OBJECT : JLINE_ARRAY,
                                  .raw = bytes_of(f->start, (size_t)(s->at - f->start))};
    set_value(s, f->node, &v);
    return f->is_object ? check_keys(s, f->first_key, why) : 1;
}

/* Moves to the next value of the innermost array or object; first: it has just been opened. *there false: it was its end. 1, 0,
 * -1. */
static int next_item(struct jline_scan *s, bool first, bool *there, struct reason *why) {
    struct jline_frame *f = &s->frames[s->depth - 1];
    uint8_t end = f->is_object ? '}' : ']';
    skip_blanks(s);
    *there = !(s->at < s->end && *s->at == end);
    if (!*there) return close_frame(s, why);
    if (s->at == s->end) return fault(s, f->start, why, "what begins here is never closed");
    if (!first) {
        if (*s->at != ',') return fault(s, s->at, why, f->is_object ? "expected ',' or '}'" : "expected ',' or ']'");
        s->at++;
        skip_blanks(s);
        f->index++;
    }
    if (f->is_object) return take_key(s, why);
    s->node = jline_step_index(s->paths, f->node, f->index);
    return 1;
}

/* One value at s->at: a container is opened. */
static int take_value(struct jline_scan *s, bool *opened, struct reason *why) {
    struct jline_value v;
    skip_blanks(s);
    *opened = s->at < s->end && (*s->at == '{' || *s->at == '[');
    if (s->at == s->end) return fault(s, s->at, why, "expected a value, but the line ends");
    if (*opened) return open_frame(s, why);
    if (*s->at == '"' ? !take_string(s, &v, why) : !take_word(s, &v, why)) return 0;
    set_value(s, s->node, &v);
    return 1;
}

int jline_scan_line(struct jline_scan *s, struct bytes line, struct reason *why, struct err *err) {
    bool opened, there;
    int rc;
    s->err = err;
    s->begin = s->at = line.p;
    s->end = line.p + line.n;
    s->node = s->depth = s->n_keys = 0;
    s->text.n = 0;
    if (buf_reserve(&s->text, line.n + 1, err)) return -1;
    memset(s->values, 0, s->paths->n_slots * sizeof *s->values);
    if (!check_utf8(s, why)) return 0;
    do {
        if (!take_value(s, &opened, why)) return 0;
        for (there = false; s->depth && !there; opened = false)
            if ((rc = next_item(s, opened, &there, why)) != 1) return rc;
    } while (s->depth);
    skip_blanks(s);
    return s->at == s->end ? 1 : fault(s, s->at, why, "text after the value: each line must be one record");
}
