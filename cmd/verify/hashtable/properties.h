/* Java's properties files, as java.util.Properties loads them: "key=value" lines with escapes and continuations; UTF-8. */
#ifndef HASHTABLE_PROPERTIES_H
#define HASHTABLE_PROPERTIES_H

#include "base/bytes.h"
#include "base/err.h"

/* put is called for each pair, in order: strings end with a NUL and are borrowed; 0 go on, -1 error. A malformed \uXXXX, or a NUL
 * byte, is ERR_INPUT with its line. */
int properties_parse(struct bytes text, int (*put)(void *arg, const char *key, const char *value, struct err *err), void *arg,
                     struct err *err);

#endif
