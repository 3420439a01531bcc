/* Places in a JSON text: `$.sources[0].cells[1].value`, and the line where that stands. */
#ifndef BASE_JSON_PLACE_H
#define BASE_JSON_PLACE_H

#include "base/buf.h"

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
