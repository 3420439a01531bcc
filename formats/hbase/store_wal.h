/* Write-ahead logs that may hold edits which no store file has. */
#ifndef FORMATS_HBASE_STORE_WAL_H
#define FORMATS_HBASE_STORE_WAL_H

#include "formats/hbase/region_info.h"
#include "formats/hbase/store_report.h"

/* Looks for the regions' encoded names in root/WALs and 0.94's root/.logs: they stand as text in the key of every edit. Reads
 * the first 64 MiB of a log and 1 GiB in all, and warns when that was not everything. */
int store_wal_search(const char *root, const struct region_info *regions, size_t n, struct store_report *report, struct err *err);

#endif
