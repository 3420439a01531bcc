/* What HBase left on disk, inside an archive, as an input: formats/archive/archive_tree.h for the store files of one input. */
#ifndef INPUT_TREE_H
#define INPUT_TREE_H

#include "cmd/common/input_opts.h"
#include "formats/archive/archive_tree.h"
#include "formats/hbase/store_files.h"

/* 1 = path is an archive with such a tree in it, 0 = not, -1 error. */
int input_tree_open(const char *path, const struct input_opts *o, struct archive_tree **out, struct err *err);
/* Where a message names the temporary folder, the archive is meant. */
void input_tree_name(const struct archive_tree *t, const char *archive, struct err *err);
/* The files are as old as their archive: for telling whether a run would be the same. */
int input_tree_stamp(const char *archive, struct store_files *s, struct err *err);
/* The store files and mob files of s, unpacked below dir (NULL: where the tree lies). Their paths change. */
int input_tree_unpack(struct archive_tree *t, struct store_files *s, const char *dir, struct err *err);

#endif
