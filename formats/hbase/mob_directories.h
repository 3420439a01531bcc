/* Directories in which to search for the mob files of a table's families. */
#ifndef FORMATS_HBASE_MOB_DIRECTORIES_H
#define FORMATS_HBASE_MOB_DIRECTORIES_H

#include "base/err.h"
#include "formats/hbase/listing.h"
#include "formats/hbase/read_tree.h"
#include "formats/hbase/region_info.h"
#include "formats/hbase/search_path.h"

/* Finds the mob directories of the table itself, then those of the tables that links in it or in its mob directories name: its
 * cells were written there. */
int mob_directories_find(const struct listing *l, const struct search_path *places, struct store_files *out, struct err *err);
/* Encoded name of the region a table's mob files are filed under (MobUtils.getMobRegionInfo). */
int mob_directories_region(const char *ns, const char *table, char encoded[REGION_ENCODED_BYTES], struct err *err);

#endif
