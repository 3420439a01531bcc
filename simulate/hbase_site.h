/* hbase-site.xml: <configuration> of <property> with <name>, <value> and <final>, as Hadoop's Configuration reads it (which is:
 * also nested configurations, and name, value and final as attributes; names are trimmed, what else is there is passed over).
 * Nothing outside of the text is ever read: XInclude is ERR_UNSUPPORTED, and so are declarations of entities. */
#ifndef SIMULATE_HBASE_SITE_H
#define SIMULATE_HBASE_SITE_H

#include "base/bytes.h"
#include "simulate/property_list.h"

/* Adds to out; places are "PATH:LINE". Errors name path and line. */
int hbase_site_read(const char *path, struct property_list *out, struct err *err);
int hbase_site_parse(struct bytes text, const char *path, struct property_list *out, struct err *err);

#endif
