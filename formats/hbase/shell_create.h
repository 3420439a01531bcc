/* A `create` statement of HBase's shell as a table. */
#ifndef FORMATS_HBASE_SHELL_CREATE_H
#define FORMATS_HBASE_SHELL_CREATE_H

#include "base/bytes.h"
#include "base/err.h"
#include "formats/hbase/metadata.h"

/* shell_create.c, of statements and descriptions. ERR_USAGE names the line. */
int shell_create_parse(struct bytes text, struct hbase_table *out, struct err *err);
/* The shell takes this attribute by its name; others belong into METADATA. */
bool shell_create_knows(struct bytes name);
/* Reads the definition of a table. 1 read, 0 the file has nothing of the kind, -1 error. */
int shell_create_read(const char *path, struct hbase_table *out, struct err *err);

#endif
