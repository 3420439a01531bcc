/* Files of Hadoop's settings (hbase-site.xml, core-site.xml …): <configuration> of <property> with <name>, <value> and <final>,
 * as Hadoop's Configuration reads them (which is: also nested configurations, and name, value and final as attributes; names
 * are trimmed, all else is ignored). xi:include is followed to files of this machine, relative to the directory of the first one;
 * if a file is missing, its xi:fallback counts. Declarations of entities are ERR_UNSUPPORTED. */
#ifndef CMD_COMMON_SITE_FILE_H
#define CMD_COMMON_SITE_FILE_H

#include "base/bytes.h"
#include "base/err.h"
#include "cmd/common/property_list.h"

/* Adds to out; places are "PATH:LINE". Errors name path and line. */
int site_file_read(const char *path, struct property_list *out, struct err *err);
/* Nothing outside of the text is read: xi:include is ERR_UNSUPPORTED. */
int site_file_parse(struct bytes text, const char *path, struct property_list *out, struct err *err);

#endif
