/* A value of JSON (RFC 8259), such as a line, walked once without building a tree: only the values at paths that were asked for
 * are kept, as the bytes of the line. So a number keeps its text, memory does not depend on what else a line
 * holds, and every fault has its byte.
 *
 *   jline_paths_add … (once) -> per thread: jline_scan_init -> per line: jline_scan_line, then jline_text of the values
 *
 * Checked beyond the grammar: UTF-8, surrogates in pairs, no key twice in an object. */
#ifndef FORMATS_TEXT_JLINE_H
#define FORMATS_TEXT_JLINE_H

#include "base/buf.h"
#include "engine/format.h"

/* ---- paths: jline_paths.c ---- */

#define JLINE_NONE UINT32_MAX

struct jline_node {
    uint32_t parent, slot; /* slot JLINE_NONE: on the way to others only */
    uint64_t hash;         /* of the step that leads here: a key, or an index */
    struct bytes key;      /* p == NULL: an index */
};

/* A tree of steps; node 0 is the line itself. */
struct jline_paths {
    struct jline_node *nodes;
    uint32_t n_nodes, n_slots;
    uint32_t *table; /* (parent, hash) to node + 1; its size is a power of two */
    uint32_t table_mask;
    bool closed; /* keys that no path names are faults, in objects that a path leads into */
};

/* `$`, `$.key[3]['any key']`, or a bare name, which is a key of the line's object. Equal paths have one slot. 0, -1: memory. */
int jline_paths_add(struct jline_paths *p, struct bytes path, uint32_t *slot, struct err *err);
void jline_paths_free(struct jline_paths *p);
uint64_t jline_key_hash(struct bytes key);
/* Where a step leads; JLINE_NONE: no path goes there. */
uint32_t jline_step(const struct jline_paths *p, uint32_t parent, struct bytes key, uint64_t hash);
uint32_t jline_step_index(const struct jline_paths *p, uint32_t parent, uint32_t index);

/* ---- lines: jline_scan.c ---- */

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
/* What a value is as bytes: a string's characters, and of the others their text. Valid until the next line. */
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

/* ---- values that nobody has scanned: jline_extent.c ---- */

/* The bytes of the value that begins at p, which is neither a blank nor a separator; 0: it does not end within [p, end). A number
 * or word ends before a blank or separator; at_end: the end of the bytes is one, too. Whether it is JSON is for a scan to say. */
size_t jline_extent(const uint8_t *p, const uint8_t *end, bool at_end);

#endif
