/* Names and literals of MySQL-mode SQL under the default sql_mode. */
#ifndef CMD_OCEANBASE_SQL_TEXT_H
#define CMD_OCEANBASE_SQL_TEXT_H

#include "base/buf.h"

/* `name`, with backquotes doubled. */
int sql_put_name(struct buf *out, const char *name, struct err *err);
/* 'text' with escapes; bytes above 0x7f stay as they are. */
int sql_put_string(struct buf *out, struct bytes text, struct err *err);
/* x'6162' */
int sql_put_hex(struct buf *out, struct bytes value, struct err *err);

#endif
