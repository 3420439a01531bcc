/* The beginning of a value, kept to be shown where a comparison finds another one. Exports: value */
#ifndef VERIFY_VALUE_HEAD_H
#define VERIFY_VALUE_HEAD_H

#include "base/buf.h"

#include <jansson.h>
#include <string.h>

enum { VALUE_HEAD_BYTES = 40 };

struct value_head {
    uint64_t bytes; /* of the whole value */
    uint8_t n, head[VALUE_HEAD_BYTES];
};

/* How values are shown: --values. */
enum value_form { VALUE_TEXT, VALUE_HEX, VALUE_MASKED };

/* `beginning` is the value, or what is known of it, and `bytes` the length of the whole. */
static inline struct value_head value_head_of(struct bytes beginning, uint64_t bytes) {
    struct value_head v = {.bytes = bytes, .n = (uint8_t)(beginning.n < VALUE_HEAD_BYTES ? beginning.n : VALUE_HEAD_BYTES)};
    if (v.n) memcpy(v.head, beginning.p, v.n);
    return v;
}

/* Nothing of two values that is known differs. */
static inline bool value_head_eq(const struct value_head *a, const struct value_head *b) {
    return a->bytes == b->bytes && a->n == b->n && !memcmp(a->head, b->head, a->n);
}

/* Appends text for a table: as plain_put, TAB as \x09, and "…" in place of what is beyond so many columns. 1 = there was more. */
int value_plain_put(struct bytes text, size_t columns, struct buf *out, struct err *err);
/* "text", "hex" or "masked"; NULL: text. ERR_USAGE. */
int value_form_parse(const char *name, enum value_form *out, struct err *err);
/* Appends the head for people: "text" in quotes with \xNN, 0x…, or its length alone; and the length where the head is cut. */
int value_head_put(const struct value_head *v, enum value_form form, struct buf *out, struct err *err);
/* The head as text with \xNN, and "…" where it is cut, or as hex. A fresh JSON string; NULL only when out of memory. */
json_t *value_head_json(const struct value_head *v, enum value_form form);

#endif
