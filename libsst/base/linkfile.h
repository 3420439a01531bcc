/* The same file under a second name, at no cost where the file system can: hard link, else a clone that shares its blocks
 * (reflink), else a copy. */
#ifndef BASE_LINKFILE_H
#define BASE_LINKFILE_H

#include "base/outfile.h"

enum link_way { LINK_NONE, LINK_HARD, LINK_CLONED, LINK_COPIED };
const char *link_way_name(enum link_way way);   /* "link", "reflink", "copy"; LINK_NONE: "" */
enum link_way link_way_named(const char *name); /* LINK_NONE: none of them, or NULL */

/* `to` must not exist. Only a copy counts into quota (may be NULL). A clone or copy is not synced: whoever publishes does that.
 * A hard link needs none: the content is as durable as it was, and the name is its folder's. */
int link_file(const char *from, const char *to, struct disk_quota *quota, enum link_way *way, struct err *err);

#endif
