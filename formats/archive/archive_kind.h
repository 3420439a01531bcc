/* Recognises the kinds of archives that are read, by content only. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_KIND_H
#define FORMATS_ARCHIVE_ARCHIVE_KIND_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

enum archive_kind_code { ARCHIVE_KIND_NONE, ARCHIVE_KIND_TAR, ARCHIVE_KIND_ZIP, ARCHIVE_KIND_7Z, ARCHIVE_KIND_CPIO };

/* head: the first bytes, up to 4 KiB. */
enum archive_kind_code archive_kind(struct bytes head);
const char *archive_kind_name(enum archive_kind_code kind); /* "tar", … */

/* A step of a member's name begins with "." or "_": Hadoop passes over files and directories that are called so (.x.crc,
 * _SUCCESS, all below _temporary), and so do we in directories. */
bool archive_name_hidden(const char *name);
/* Hidden by a "_" alone, and no step is what Hadoop, Spark or Hive write beside data: perhaps data. */
bool archive_name_doubtful(const char *name);
/* Returns whether a file in a directory or archive is wanted: its name fits one of the patterns, if there are any, and none of
 * those after "!". A pattern is of the whole name below the input, or of its last step; one that begins with "/" only of
 * the whole name. limits may be NULL. */
struct archive_limits;
bool archive_name_wanted(const struct archive_limits *limits, const char *name);
/* A file that only accompanies data, by its name: README, checksums and the like. One that a pattern includes is data. */
bool archive_name_by_file(const struct archive_limits *limits, const char *name);
/* A backup of an editor, or a file that has not arrived as a whole, by its name. One that a pattern includes is data. */
bool archive_name_leftover(const struct archive_limits *limits, const char *name);
/* Returns whether this name marks a directory of HBase: .hbase-snapshot, data.manifest, .tabledesc, .regioninfo … */
bool archive_name_of_tree(const char *name);

/* Files of an archive or directory that are skipped, for a warning. Zeroed: none. */
struct passed_over {
    uint64_t n;
    char *first; /* path of the first; owned: free */
};
int passed_over_add(struct passed_over *p, const char *path, struct err *err); /* ERR_LIMIT: no memory */

enum { MEMBER_STEPS_MAX = 40, MEMBER_STEP_BYTES = 255, MEMBER_NAME_BYTES = 3000 };

/* name without leading, double and closing slashes and "." steps, NUL-terminated, in *out ("" is the top). 1, 0 = refused (a ".."
 * step, or too long or deep for a path of ours), -1 = error. */
int member_name_clean(const char *name, struct buf *out, struct err *err);
/* Takes the first step off *name; false: none is left. */
bool member_name_step(const char **name, struct bytes *step);

#endif
