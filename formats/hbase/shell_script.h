/* Finds in a text the create statement of HBase's shell, or what `describe` printed. */
#ifndef FORMATS_HBASE_SHELL_SCRIPT_H
#define FORMATS_HBASE_SHELL_SCRIPT_H

#include "base/bytes.h"
#include "formats/hbase/metadata.h"

bool shell_create_find(struct bytes text, struct shell_text *out);
bool shell_create_begins(struct bytes text);

#endif
