/* Unpacks directories of HBase that are inside an archive. */
#ifndef CMD_COMMON_INPUT_TREE_H
#define CMD_COMMON_INPUT_TREE_H

#include "base/err.h"
#include "cmd/common/inputs.h"
#include "formats/hbase/read_tree.h"

struct archive_tree;

/* 1 = path is an archive with such a tree in it, 0 = not, -1 error. */
int input_tree_open(const char *path, const struct input_opts *o, struct archive_tree **out, struct err *err);
/* The files are as old as their archive: for telling whether a run would be the same. */
int input_tree_stamp(const char *archive, struct store_files *s, struct err *err);
/* The store files and mob files of s, unpacked below dir (NULL: where the tree is). Their paths change. */
int input_tree_unpack(struct archive_tree *t, struct store_files *s, const char *dir, struct err *err);

#endif
