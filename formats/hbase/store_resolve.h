/* From names that are listed to files on disk. */
#ifndef FORMATS_HBASE_STORE_RESOLVE_H
#define FORMATS_HBASE_STORE_RESOLVE_H

#include "formats/hbase/store_files.h"
#include "formats/hbase/store_listing.h"
#include "formats/hbase/store_places.h"

/* Fills files of out, whose regions are those of `order` (indexes in the listing). What is missing, of another size than listed
 * or empty is a problem of the report; mob files listed by a snapshot are looked for too. */
int store_resolve(const struct store_listing *l, const uint32_t *order, size_t n_regions, const struct store_places *places,
                  struct store_files *out, struct store_report *report, struct err *err);

#endif
