/* A directory of HBase inside an archive, for its reader. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_TREE_OPEN_H
#define FORMATS_ARCHIVE_ARCHIVE_TREE_OPEN_H

#include "base/err.h"
#include "formats/archive/archive_tree.h"

struct archive_tree;

/* path: an archive on disk, or ARCHIVE!DIRECTORY for a directory in it. 1 = it holds a tree (by the names of its members:
 * .hbase-snapshot, .tabledesc, .regioninfo, .snapshotinfo …), 0 = it is not an archive or holds no tree (*out is NULL),
 * -1 = error, such as several trees (ERR_USAGE names them). One pass, or less when 64 MiB of other files come first.
 *
 * Small files are unpacked: descriptors, manifests, references, lists and checksums of up to 64 MiB, and the beginnings of
 * write-ahead logs. All others become sparse files of their size. Names are taken apart and rebuilt below the directory: none
 * leads out of it. Symbolic links are not made, hard links are; of equal names the last counts. */
int archive_tree_open(const char *path, const struct archive_tree_opts *o, struct archive_tree **out, struct err *err);
/* The directory of the tree: the one that holds .hbase-snapshot, data …; for tables, regions or a snapshot without a root, the
 * directory they have in common. */
const char *archive_tree_dir(const struct archive_tree *t);
/* The archive on disk, without the path inside it. */
const char *archive_tree_path(const struct archive_tree *t);
/* The member that a path below the directory, or a fetched one, stands for, as ARCHIVE!member; NULL: none. Valid until close.
 * For messages and manifests. */
const char *archive_tree_member(struct archive_tree *t, const char *path);
/* Unpacks the content of these placeholders, in a second pass, below a new directory in `dir` (which may be on another file
 * system; NULL: the temp_dir). The layout is that of the tree, with side files (.NAME.crc): unpacked[i], to be freed, is paths[i]
 * with another beginning. If disk space is short, fails first with ERR_LIMIT and says how much is needed. The bytes count against
 * the quota until archive_tree_close removes them with the directory. */
int archive_tree_fetch(struct archive_tree *t, const char *const *paths, size_t n, const char *dir, char **unpacked,
                       struct err *err);
void archive_tree_close(struct archive_tree *t); /* NULL is fine */

#endif
