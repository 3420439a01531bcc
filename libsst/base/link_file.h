/* A second name for a file: hard link, else a clone that shares its blocks (reflink), else a copy.
 * Exports: link */
#ifndef BASE_LINK_FILE_H
#define BASE_LINK_FILE_H

#include "base/err.h"
#include "base/outfile.h"

enum link_way { LINK_NONE, LINK_HARD, LINK_CLONED, LINK_COPIED };
const char *link_way_name(enum link_way way);   /* "link", "reflink", "copy"; LINK_NONE: "" */
enum link_way link_way_named(const char *name); /* LINK_NONE: none of them, or NULL */

/* `to` must not exist. Only a copy counts against quota (may be NULL). A clone or copy is not synced: the publisher does that.
 * A hard link needs no sync: the content is already durable, and the name belongs to its directory. */
int link_file(const char *from, const char *to, struct disk_quota *quota, enum link_way *way, struct err *err);

#endif
