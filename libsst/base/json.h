/* Adds what the JSON library lacks: places in a text, and whether it has run out of memory. It leaves members out without a word
 * then, or reports text as damaged: so what it was used for may be wrong, in either direction, and a caller checks here before it
 * passes a result on. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"
#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Counts failed allocations from here on. Programs call it first of all. A process that only uses the public library never does:
 * the hooks are its own. */
void json_memory_watch(void);

/* 0, or -1 with ERR_LIMIT once an allocation has failed, for good. */
int json_memory_check(struct err *err);
/* Failures so far concern no document that this thread makes from here on: a caller of the public library continues after one. */
void json_memory_forgive(void);

/* Allocates text that becomes part of a document; a failure is counted as well. Free it, as what json_dumps returns, with
 * json_memory_free. */
void *json_memory_alloc(size_t n);
void json_memory_free(void *p);

/* A text for a document could not be made in another way: counted like a failed allocation. */
void json_memory_note_lost(void);

/* The text of a document, which it takes, or NULL: also of none, and when it may lack members. To be freed by free. */
char *json_memory_dump(json_t *j, size_t flags, const char *what, struct err *err);

/* ---- objects: json_new(JSON("rows", n), JSON("share", 0.5), JSON("files", list)) ---- */

static inline json_t *json_of_document(json_t *j) {
    return j;
}
static inline json_t *json_of_truth(bool is) {
    return json_boolean(is);
}
static inline json_t *json_of_count(uint64_t n) {
    return json_integer((json_int_t)n);
}
/* A member: its name, and a value by the type that it has in C. A document is taken; text that may not be UTF-8 goes through
 * json_text. */
#define JSON(name, x) \
    name, _Generic((x), json_t *: json_of_document, bool: json_of_truth, double: json_real, char *: json_string,                 \
                   const char *: json_string, uint64_t: json_of_count, default: json_integer)(x)

/* Adds members up to a name that is NULL, and returns the object. */
json_t *json_members_put(json_t *object, ...) __attribute__((sentinel));
#define json_put(object, ...) json_members_put(object, __VA_ARGS__, NULL)
#define json_new(...) json_members_put(json_object(), __VA_ARGS__, NULL)

/* ---- places in a text: `$.sources[0].cells[1].value`, and its line ---- */

/* One step down from `up`. Lives on the stack of the function that walks the document. */
struct json_place {
    const struct json_place *up; /* NULL: this is the document itself */
    const char *key;             /* of an object … */
    size_t index;                /* … or, where key is NULL, of an array */
};

static inline struct json_place json_place_key(const struct json_place *up, const char *key) {
    return (struct json_place){.up = up, .key = key};
}
static inline struct json_place json_place_item(const struct json_place *up, size_t index) {
    return (struct json_place){.up = up, .index = index};
}

int json_place_print(const struct json_place *at, struct buf *out, struct err *err);
/* text is valid JSON. The line (from 1) where the value at that place begins; of a place that is not there, that of the last
 * step which is. */
size_t json_place_line(struct bytes text, const struct json_place *at);

#endif
