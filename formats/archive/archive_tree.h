/* What HBase left on disk, inside an archive: a snapshot tree, a table directory, a whole root. It is unpacked in two
 * passes, and no more of it than is read: first the small files, from which formats/hbase determines which store files are
 * needed, then those.
 *
 * archive_tree_open -> (store_files_read of archive_tree_dir) -> archive_tree_fetch -> (reading)
 * -> archive_tree_close */
#ifndef FORMATS_ARCHIVE_ARCHIVE_TREE_H
#define FORMATS_ARCHIVE_ARCHIVE_TREE_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

struct archive_limits;
struct disk_quota;
struct path_names;
struct stop;

struct archive_tree_opts {
    const char *temp_dir; /* holds a new directory for the small files and placeholders */
    struct disk_quota *quota;
    const struct archive_limits *limits; /* NULL: defaults */
    size_t unpack_bytes;
    const struct stop *stop;
    struct path_names
        *names; /* what is unpacked is called ARCHIVE!member in messages and reports from now on; NULL: not needed */
};

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

/* A new directory for files whose names may be hostile. Every step of a path is opened on its own, below the step before, and
 * never through a link, so that nothing is created outside. Paths are as member_name_clean leaves them. */

struct private_directory {
    char *path; /* without links in it */
    int fd;
    struct buf parent; /* path of parent_fd: members of one directory mostly follow each other */
    int parent_fd;
};

/* Below dir, with a name of its own. */
int private_directory_make(struct private_directory *f, const char *dir, struct err *err);
/* Makes a directory and those above it. */
int private_directory_add(struct private_directory *f, const char *path, struct err *err);
/* A new, empty file, for writing; one of this name before is replaced. The descriptor, or -1. */
int private_directory_file(struct private_directory *f, const char *path, struct err *err);
/* Another name of an existing file. 1, 0 = there is no such file, -1. */
int private_directory_link(struct private_directory *f, const char *from, const char *to, struct err *err);
/* An existing file, for reading. -1 with err->code == ERR_NONE: no such file. */
int private_directory_open(struct private_directory *f, const char *path, struct err *err);
/* Removes everything. */
void private_directory_remove(struct private_directory *f);

#endif
