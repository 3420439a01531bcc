/* Where in an archive the directories of HBase begin, told from the names of its members alone. */
#ifndef FORMATS_ARCHIVE_TREE_SIGNS_H
#define FORMATS_ARCHIVE_TREE_SIGNS_H

#include "base/buf.h"

enum { TREE_ROOTS_MAX = 20 };

struct tree_signs {
    char *roots[TREE_ROOTS_MAX]; /* folders that hold .hbase-snapshot, data, archive …; "" is the top */
    unsigned n_roots;
    bool more_roots;
    char *table; /* of tables, regions or snapshots on their own: the folder they have in common; NULL: there are none */
};

/* name: as member_name_clean leaves it. Most names say nothing. */
int tree_signs_note(struct tree_signs *s, const char *name, struct err *err);
bool tree_signs_any(const struct tree_signs *s);
/* The one folder to look at, borrowed; NULL: several roots, ERR_USAGE names them. */
const char *tree_signs_dir(const struct tree_signs *s, const char *archive, struct err *err);
void tree_signs_free(struct tree_signs *s);

#endif
