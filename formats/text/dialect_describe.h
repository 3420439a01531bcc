/* A dialect in words, as --preview and --dry-run show it, and what of it cannot be meant together. */
#ifndef FORMATS_TEXT_DIALECT_DESCRIBE_H
#define FORMATS_TEXT_DIALECT_DESCRIBE_H

#include "base/buf.h"
#include "base/err.h"
#include "formats/text/dialect.h"

/* Bytes that cannot be what they are said to be together. */
int dialect_check(const struct dialect *d, struct err *err);
/* Describes the dialect for people: "mysql: delimiter TAB, escape \, null \N, no header". */
int dialect_describe(const struct dialect *d, struct buf *out, struct err *err);

#endif
