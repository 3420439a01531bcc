/* Whether regions follow each other without gaps from the empty key to the empty key. */
#ifndef FORMATS_HBASE_STORE_RANGES_H
#define FORMATS_HBASE_STORE_RANGES_H

#include "formats/hbase/region_info.h"
#include "formats/hbase/store_report.h"

/* regions by start key. Warns about every hole and overlap: keys in hex, the first ten of each. */
int store_ranges_check(const struct region_info *regions, size_t n, struct store_report *report, struct err *err);

#endif
