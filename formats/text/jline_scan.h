/* The walk over a line of JSON. */
#ifndef FORMATS_TEXT_JLINE_SCAN_H
#define FORMATS_TEXT_JLINE_SCAN_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "engine/format.h"
#include "formats/text/jline_paths.h"

enum jline_kind { JLINE_ABSENT, JLINE_NULL, JLINE_TRUE, JLINE_FALSE, JLINE_NUMBER, JLINE_STRING, JLINE_ARRAY, JLINE_OBJECT };

/* raw: as in the line, a string without its quotes. */
struct jline_value {
    enum jline_kind kind;
    bool escaped; /* a string with backslashes: see jline_text */
    struct bytes raw;
};

enum { JLINE_DEPTH_MAX = 256, JLINE_KEYS_MAX = 65536 };

struct jline_frame {
    const uint8_t *start;
    uint32_t node, index, first_key;
    bool is_object;
};

struct jline_key {
    uint64_t hash;
    struct bytes name;
    const uint8_t *at;
};

/* One thread's memory. */
struct jline_scan {
    const struct jline_paths *paths;
    struct jline_value *values; /* by slot */
    const uint8_t *begin, *at, *end;
    uint32_t node; /* of the value at `at` */
    uint32_t depth, n_keys;
    struct jline_key *keys; /* of the objects that are open */
    size_t keys_cap;
    struct buf text; /* strings without their escapes: room for the whole line */
    struct err *err; /* of the line */
    struct jline_frame frames[JLINE_DEPTH_MAX];
};

int jline_scan_init(struct jline_scan *s, const struct jline_paths *paths, struct err *err);
void jline_scan_free(struct jline_scan *s);
/* 1; 0: the line is no JSON, or has what is refused: why->column is the byte, from 1; -1: memory. */
int jline_scan_line(struct jline_scan *s, struct bytes line, struct reason *why, struct err *err);
/* Returns what a value is as bytes: a string's characters, and of the others their text. Valid until the next line. */
struct bytes jline_text(struct jline_scan *s, struct jline_value *v);
/* White space of JSON. */
static inline bool jline_is_blank(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline struct bytes jline_trim(struct bytes b) {
    while (b.n && jline_is_blank(b.p[0])) b = bytes_of(b.p + 1, b.n - 1);
    while (b.n && jline_is_blank(b.p[b.n - 1])) b.n--;
    return b;
}

/* A string's characters from its bytes between the quotes; out has room for as many. An escape that is none stays. */
size_t jline_unescape(struct bytes raw, uint8_t *out);

#endif
