/* hbase-site.xml: <configuration> of <property> with <name>, <value> and <final>, as Hadoop's Configuration reads it (which is:
 * also nested configurations, and name, value and final as attributes; names are trimmed, what else is there is passed over).
 * xi:include is followed to files of this machine, relative to the folder of the first one; where there is none its xi:fallback
 * counts. Declarations of entities are ERR_UNSUPPORTED. */
#ifndef SIMULATE_HBASE_SITE_H
#define SIMULATE_HBASE_SITE_H

#include "base/bytes.h"
#include "cmd/split/simulate/property_list.h"

/* Adds to out; places are "PATH:LINE". Errors name path and line. */
int hbase_site_read(const char *path, struct property_list *out, struct err *err);
/* Nothing outside of the text is read: xi:include is ERR_UNSUPPORTED. */
int hbase_site_parse(struct bytes text, const char *path, struct property_list *out, struct err *err);

#endif
