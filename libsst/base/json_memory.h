/* Whether the JSON library has run out of memory. It leaves members out without a word then, or reports text as damaged: so what
 * it was used for may be wrong, in either direction, and a caller checks here before it passes a result on. */
#ifndef BASE_JSON_MEMORY_H
#define BASE_JSON_MEMORY_H

#include "base/err.h"

#include <jansson.h>

/* From here on failed allocations are counted. Programs call it first of all. A process that only uses the public library never
 * does: the hooks are its own. */
void json_memory_watch(void);

/* 0, or -1 with ERR_LIMIT once an allocation has failed, for good. */
int json_memory_check(struct err *err);

/* For text that becomes part of a document: counted as well. To be freed by the second, as what json_dumps returns. */
void *json_memory_alloc(size_t n);
void json_memory_free(void *p);

/* The text of a document, which it takes, or NULL: also of none, and when it may lack members. To be freed by free. */
char *json_memory_dump(json_t *j, size_t flags, const char *what, struct err *err);

#endif
