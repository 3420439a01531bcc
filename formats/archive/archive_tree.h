/* What HBase left on disk, inside an archive: a snapshot tree, a table directory, a whole root. It is unpacked in two
 * passes, and no more of it than is read: first the small files, by which libsst/hbase tells which store files are wanted,
 * then those.
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
struct stop;

struct archive_tree_opts {
    const char *temp_dir; /* where the small files and placeholders go, in a fresh folder of their own */
    struct disk_quota *quota;
    const struct archive_limits *limits; /* NULL: defaults */
    size_t unpack_bytes;
    const struct stop *stop;
};

struct archive_tree;
/* path: an archive on disk, or ARCHIVE!FOLDER for one of the folders in it. 1 = it holds a tree (by the names of its members:
 * .hbase-snapshot, .tabledesc, .regioninfo, .snapshotinfo …), 0 = it is no archive or holds none (*out is NULL), -1 = error,
 * such as several trees (ERR_USAGE names them). One pass, or less when 64 MiB of other files come first.
 *
 * Files that are not small (descriptors, manifests, references, lists and checksums of up to 64 MiB are, and the beginnings of
 * write-ahead logs) stand as sparse files of their size. Names are taken apart and made anew below the folder: none leads out
 * of it. Symbolic links are not made, hard links are; of equal names the last counts. */
int archive_tree_open(const char *path, const struct archive_tree_opts *o, struct archive_tree **out, struct err *err);
/* The folder of the tree: what holds .hbase-snapshot, data …; of tables, regions or a snapshot on their own the folder they
 * have in common. */
const char *archive_tree_dir(const struct archive_tree *t);
/* The archive on disk, without what was asked for inside of it. */
const char *archive_tree_path(const struct archive_tree *t);
/* The member that a path below the folder, or one that was fetched, stands for, as ARCHIVE!member; NULL: none. Valid until
 * close. For messages and manifests. */
const char *archive_tree_member(struct archive_tree *t, const char *path);
/* The content of these placeholders, in a second pass, below a fresh folder in `dir` (which may be on another file system;
 * NULL: the temp_dir). It stands there as it does in the tree, with side files (.NAME.crc): unpacked[i], to be freed, is
 * paths[i] with another beginning. ERR_LIMIT tells beforehand how much disk is needed. The bytes count against the quota until
 * archive_tree_close removes them, together with the folder. */
int archive_tree_fetch(struct archive_tree *t, const char *const *paths, size_t n, const char *dir, char **unpacked,
                       struct err *err);
void archive_tree_close(struct archive_tree *t); /* NULL is fine */

/* A fresh folder for files whose names others chose. Every step of a path is opened by itself, below the step before, and never
 * through a link, so that nothing is made outside. Paths are as member_name_clean leaves them. */

struct private_folder {
    char *path; /* without links in it */
    int fd;
    struct buf parent; /* path of the folder that parent_fd is: members of one folder mostly come together */
    int parent_fd;
};

/* Below dir, with a name of its own. */
int private_folder_make(struct private_folder *f, const char *dir, struct err *err);
/* Makes a folder and those above it. */
int private_folder_add(struct private_folder *f, const char *path, struct err *err);
/* A new, empty file, for writing; one of this name before is replaced. The descriptor, or -1. */
int private_folder_file(struct private_folder *f, const char *path, struct err *err);
/* Another name of a file that is there. 1, 0 = there is no such file, -1. */
int private_folder_link(struct private_folder *f, const char *from, const char *to, struct err *err);
/* An existing file, for reading. -1 with err->code == ERR_NONE: there is none. */
int private_folder_open(struct private_folder *f, const char *path, struct err *err);
/* Removes everything. */
void private_folder_remove(struct private_folder *f);

#endif
