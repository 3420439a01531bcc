/* What the two passes over a tree in an archive share (archive_tree_scan.c, archive_tree_open.c), and the signs of a tree in
 * names. Exports: tree */
#ifndef FORMATS_ARCHIVE_ARCHIVE_TREE_STATE_H
#define FORMATS_ARCHIVE_ARCHIVE_TREE_STATE_H

#include "base/buf.h"
#include "formats/archive/archive_tree.h"
#include "formats/archive/archive_members.h"

/* Where in an archive the directories of HBase begin, judged by the names of its members alone. */

enum { TREE_ROOTS_MAX = 20 };

struct tree_signs {
    char *roots[TREE_ROOTS_MAX]; /* directories that hold .hbase-snapshot, data, archive …; "" is the top */
    unsigned n_roots;
    bool more_roots;
    char *table; /* of tables, regions or snapshots on their own: the directory they have in common; NULL: there are none */
    char *image; /* a directory with the manifest of a backup; NULL: there is none */
};

/* name: as member_name_clean leaves it. Most names say nothing. */
int tree_signs_note(struct tree_signs *s, const char *name, struct err *err);
bool tree_signs_any(const struct tree_signs *s);
/* The one directory to read, borrowed; NULL: several roots, ERR_USAGE names them. */
const char *tree_signs_dir(const struct tree_signs *s, const char *archive, struct err *err);
void tree_signs_free(struct tree_signs *s);

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

/* From the quota; given back when the tree is closed. */
int tree_take_disk(struct archive_tree *t, uint64_t bytes, struct err *err);
/* The first n bytes of t->copy into a temporary file. */
int tree_write_temp(struct archive_tree *t, int fd, size_t n, struct err *err);
/* Up to `most` bytes of the content into fd (-1: nowhere), taken from the quota where counted; *bytes is how many there were in
 * all. */
int tree_copy_content(struct archive_tree *t, struct instream *in, int fd, uint64_t most, bool counted, uint64_t *bytes,
                      struct err *err);
int tree_set_time(int fd, int64_t mtime_ns, const char *name, struct err *err);
/* The archive from its beginning. */
struct archive_walk *tree_begin_walk(const struct archive_tree *t, struct err *err);
/* The rest of a path below a directory; NULL: the path is not below it. */
const char *tree_below(const struct private_directory *f, const char *path);

/* The first pass: small files and placeholders, signs and links. 1 the archive holds a tree, 0 it does not, -1 error. */
int archive_tree_scan(struct archive_tree *t, struct err *err);

#endif
