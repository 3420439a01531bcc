/* From what lies on disk to the store files to read: a snapshot, a table, region or family directory as HBase would see it
 * when it opens the regions. Links and references are followed, split and merge parents read once, files that are not live
 * left out. Nothing is opened but small metadata files, so 100,000 store files take seconds. */
#ifndef FORMATS_HBASE_STORE_READ_H
#define FORMATS_HBASE_STORE_READ_H

#include "formats/hbase/store_files.h"

/* dir is a SNAPSHOT, TABLE, REGION or FAMILY; the root above it is found by walking up. A REGION or FAMILY without table
 * descriptor gets a table with the families that are there, and rules not given.
 *
 * ERR_INPUT with n_problems > 0: store files are missing, empty or of another size than listed. All of them stand in problems,
 * and the rest of *out is complete without them, for who goes on in spite of damage. *out is to be freed whatever comes back. */
int store_files_read(const char *dir, struct store_files *out, struct err *err);

#endif
