/* Which archives are read, and how they are known: by content only. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_KIND_H
#define FORMATS_ARCHIVE_ARCHIVE_KIND_H

#include "base/bytes.h"

enum archive_kind_code { ARCHIVE_KIND_NONE, ARCHIVE_KIND_TAR, ARCHIVE_KIND_ZIP, ARCHIVE_KIND_7Z, ARCHIVE_KIND_CPIO };

/* head: the first bytes, up to 4 KiB. */
enum archive_kind_code archive_kind(struct bytes head);
const char *archive_kind_name(enum archive_kind_code kind); /* "tar", … */

/* By the last step of a member's name: what Hadoop passes over (.x.crc, _SUCCESS); and anything below _temporary and _logs. */
bool archive_name_hidden(const char *name);
/* A file or folder by which directories of HBase are known: .hbase-snapshot, data.manifest, .tabledesc, .regioninfo … */
bool archive_name_of_tree(const char *name);

#endif
