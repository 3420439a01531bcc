/* Finds where in an archive the directories of HBase begin, by the names of its members alone. */
#ifndef FORMATS_ARCHIVE_TREE_SIGNS_H
#define FORMATS_ARCHIVE_TREE_SIGNS_H

#include "base/err.h"
#include "formats/archive/archive_tree_state.h"

/* name: as member_name_clean leaves it. Most names say nothing. */
int tree_signs_note(struct tree_signs *s, const char *name, struct err *err);
bool tree_signs_any(const struct tree_signs *s);
/* The one directory to read, borrowed; NULL: several roots, ERR_USAGE names them. */
const char *tree_signs_dir(const struct tree_signs *s, const char *archive, struct err *err);
void tree_signs_free(struct tree_signs *s);

#endif
