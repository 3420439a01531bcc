/* The store files of an HBase table or snapshot checked: each by check_file, with the rows of its region and its family. */
#ifndef CHECK_CHECK_TREE_H
#define CHECK_CHECK_TREE_H

#include "formats/hbase/store_files.h"
#include "cmd/verify/check/check.h"

/* Which are missing is in files->problems already. Returns as check_dataset does. */
int check_tree(const struct job *job, const struct store_files *files, bool quick, struct problems *problems,
               struct check_result *out, struct err *err);

#endif
