/* Folders in which the mob files of a table's families are to be looked for. */
#ifndef FORMATS_HBASE_STORE_MOB_H
#define FORMATS_HBASE_STORE_MOB_H

#include "formats/hbase/store_files.h"
#include "formats/hbase/store_listing.h"
#include "formats/hbase/store_places.h"

/* Of the table itself, then of the tables that links in it or in its mob folders lead to: those its cells were written in. */
int store_mob_folders(const struct store_listing *l, const struct store_places *places, struct store_files *out, struct err *err);
/* Encoded name of the region a table's mob files are filed under (MobUtils.getMobRegionInfo). */
int store_mob_region(const char *ns, const char *table, char encoded[REGION_ENCODED_BYTES], struct err *err);

#endif
