/* Single values of the manifest's JSON: bytes, text that may be any bytes, and numbers that must be what they should. */
#ifndef DATASET_MANIFEST_VALUE_H
#define DATASET_MANIFEST_VALUE_H

#include "base/buf.h"

#include <jansson.h>

/* Bytes as lower-case hex in a JSON string. */
json_t *manifest_hex(struct bytes b);
int manifest_hex_parse(const json_t *j, struct buf *out, struct err *err);

/* A JSON string; text that is not UTF-8 (names of files, families and leaves may be any bytes) as {"hex": "…"}, which JSON
 * could not hold otherwise. s NULL = null. */
json_t *manifest_text(const char *s);
/* *out is a fresh string, or NULL for null and nothing. ERR_INPUT for all that manifest_text does not make. */
int manifest_text_parse(const json_t *j, const char *what, char **out, struct err *err);

/* Members of an object. Absent = 0; anything else than an integer in range is ERR_INPUT. */
int manifest_i64(const json_t *object, const char *key, int64_t *out, struct err *err);
int manifest_u64(const json_t *object, const char *key, uint64_t *out, struct err *err);
int manifest_u32(const json_t *object, const char *key, uint32_t *out, struct err *err);

#endif
