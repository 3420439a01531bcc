/* The first pass over an archive that may hold a directory of HBase. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_TREE_SCAN_H
#define FORMATS_ARCHIVE_ARCHIVE_TREE_SCAN_H

#include "base/err.h"
#include "formats/archive/archive_level.h"
#include "formats/archive/archive_tree_state.h"
#include "formats/archive/private_directory.h"

struct instream;

/* Takes bytes from the quota; given back when the tree is closed. */
int tree_take_disk(struct archive_tree *t, uint64_t bytes, struct err *err);
/* The first n bytes of t->copy into a temporary file. */
int tree_write_temp(struct archive_tree *t, int fd, size_t n, struct err *err);
/* Copies up to `most` bytes of the content into fd (-1: nowhere), taken from the quota where counted; *bytes is how many there
 * were in all. */
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
