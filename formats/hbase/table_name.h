/* Namespace and name of a table: their characters, their protobuf form, their text form `ns:table`. Source: TableName. */
#ifndef FORMATS_HBASE_TABLE_NAME_H
#define FORMATS_HBASE_TABLE_NAME_H

#include "base/bytes.h"
#include "base/err.h"

#define TABLE_NAME_DEFAULT_NS "default"

/* Letters, digits and '_'; a table also has '-' and '.', but not first. Any byte from 0x80 counts as a letter: HBase takes
 * every Unicode letter. */
bool table_name_is_ns(struct bytes ns);
bool table_name_is_table(struct bytes name);

/* A TableName message: 1 namespace, 2 name. Fresh strings (free them) that are safe as parts of a path. */
int table_name_parse(struct bytes message, char **ns, char **name, struct err *err);
/* `table` or `ns:table`. */
int table_name_split(struct bytes text, char **ns, char **name, struct err *err);

#endif
