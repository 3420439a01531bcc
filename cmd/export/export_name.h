/* Names of load files: table, partition, index of the partition and number of the file,
 *   data/htable1%24cf.p17.00017-000.kqvt.gz
 * Bytes of names that paths, globs or lists of paths in LOAD DATA could take for something else stand as %XX. */
#ifndef CMD_EXPORT_EXPORT_NAME_H
#define CMD_EXPORT_EXPORT_NAME_H

#include "base/err.h"

#include <stdint.h>

struct export_name {
    const char *folder, *table, *partition, *form, *packed;
    uint32_t index, number;
};

/* Fresh; at most 255 bytes behind the folder: longer names are cut and end in a hash. */
char *export_name_make(const struct export_name *n, struct err *err);
/* A pattern for all files of the same folder and table. */
char *export_name_pattern(const char *path, struct err *err);

#endif
