/* Text of any bytes (paths, messages that quote file content) in JSON results: what is no UTF-8 is shown as \xNN. */
#ifndef JSON_TEXT_H
#define JSON_TEXT_H

#include "base/bytes.h"

#include <jansson.h>

/* A fresh JSON string; NULL only when out of memory. */
json_t *json_text(const char *s);
/* Bytes as lower-case hex. */
json_t *json_hex(struct bytes b);
/* Prints a document and drops it; j NULL = it could not be made. */
struct err;
int json_text_put(json_t *j, struct err *err);

#endif
