/* Turns the output of `describe` of HBase's shell into the create statement that would make such a table. */
#ifndef FORMATS_HBASE_SHELL_DESCRIBE_H
#define FORMATS_HBASE_SHELL_DESCRIBE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

/* shell_describe.c: is this line the first of a description, or, if only a part was copied, that above the families? */
bool shell_describe_begins(struct bytes line);
/* The create statement that a description amounts to. ERR_USAGE names the line. */
int shell_describe_statement(struct bytes text, size_t line, struct buf *out, struct err *err);

#endif
