/* Whether regions follow each other without gaps from the empty key to the empty key. */
#ifndef HBASE_STORE_RANGES_H
#define HBASE_STORE_RANGES_H

#include "hbase/region_info.h"
#include "hbase/store_report.h"

/* regions by start key. Warns about every hole and overlap: keys in hex, the first ten of each. */
int store_ranges_check(const struct region_info *regions, size_t n, struct store_report *report, struct err *err);

#endif
