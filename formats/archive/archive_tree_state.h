/* The state that both passes over a tree in an archive share (archive_tree_scan.c, archive_tree_open.c), and the signs of a tree
 * in names. Exports: tree */
#ifndef FORMATS_ARCHIVE_ARCHIVE_TREE_STATE_H
#define FORMATS_ARCHIVE_ARCHIVE_TREE_STATE_H

#include "base/buf.h"
#include "formats/archive/archive_tree.h"
#include "formats/archive/private_directory.h"

/* Directories of HBase in an archive, found by the names of its members alone. */

enum { TREE_ROOTS_MAX = 20 };

struct tree_signs {
    char *roots[TREE_ROOTS_MAX]; /* directories that hold .hbase-snapshot, data, archive …; "" is the top */
    unsigned n_roots;
    bool more_roots;
    char *table; /* of tables, regions or snapshots on their own: the directory they have in common; NULL: there are none */
    char *image; /* a directory with the manifest of a backup; NULL: there is none */
};

enum { TREE_COPY_BYTES = 256 * 1024 };

/* A hard link: the name stands for what another one holds. */
struct tree_link {
    char *name, *target; /* clean */
};

struct archive_tree {
    struct archive_tree_opts o;
    char *path;                     /* of the archive */
    char *inside;                   /* the directory in it that was asked for; "" = none */
    char *dir;                      /* of the tree, below `small` */
    struct private_directory small; /* what was unpacked by the first pass, and placeholders */
    struct private_directory *unpacked;
    size_t n_unpacked;
    struct tree_signs signs;
    struct tree_link *links;
    size_t n_links;
    bool repeats;       /* some name comes twice: the last one counts */
    uint64_t log_bytes; /* of write-ahead logs, so far */
    uint64_t foreign_bytes, foreign_files;
    uint64_t disk_bytes; /* taken from the quota */
    struct buf name;
    char **members; /* answers of archive_tree_member */
    size_t n_members;
    uint8_t *copy; /* TREE_COPY_BYTES */
};

#endif
