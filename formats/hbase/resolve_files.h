/* Finds the files on disk that names in a listing stand for. */
#ifndef FORMATS_HBASE_RESOLVE_FILES_H
#define FORMATS_HBASE_RESOLVE_FILES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/list_room.h"
#include "formats/hbase/findings.h"
#include "formats/hbase/listing.h"
#include "formats/hbase/read_tree.h"
#include "formats/hbase/region_info.h"
#include "formats/hbase/search_path.h"

/* Fills files of out, whose regions are those of `order` (indexes in the listing). What is missing, of another size than listed
 * or empty is a problem of the report; mob files listed by a snapshot are looked for too. */
int resolve_files(const struct listing *l, const uint32_t *order, size_t n_regions, const struct search_path *places,
                  struct store_files *out, struct findings *report, struct err *err);

/* One more of a list of struct store_file, a whole file or half of one: its room, then itself. Takes path. name: as in the
 * store. */
int store_file_room(struct list_room *room, const char *path, const struct reference *half, struct err *err);
int store_file_add(struct buf *files, char *path, const char *name, const struct stat *st, const struct reference *half,
                   uint32_t region, uint32_t family, struct err *err);

#endif
