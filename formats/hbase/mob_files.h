/* Finds the mob files of a table, and where those that are missing must come from. */
#ifndef FORMATS_HBASE_MOB_FILES_H
#define FORMATS_HBASE_MOB_FILES_H

#include "base/buf.h"
#include "formats/hbase/mob_cell.h"
#include "formats/hbase/read_tree.h"

/* The number of a family of the table; ERR_INPUT: it has none of this name. */
int mob_files_family(const struct store_files *s, struct bytes name, uint32_t *family, struct err *err);
/* 1: *path (fresh) is the file; 0: it is nowhere; -1. First the directories of the table that the reference names (HMobStore),
 * then all others of the family, then below the root where that table keeps them. */
int mob_files_find(const struct store_files *s, const struct mob_reference *ref, uint32_t family, char **path, struct err *err);
/* Sets ERR_INPUT: that a mob file is missing, and, unless brief, what to do. */
int mob_files_missing(const struct store_files *s, const struct mob_reference *ref, uint32_t family, bool brief, struct err *err);
/* Appends "table ns:t", which wrote the file, and ": copy it from … to …". */
int mob_files_put_remedy(const struct store_files *s, const struct mob_reference *ref, uint32_t family, struct buf *out,
                         struct err *err);

#endif
