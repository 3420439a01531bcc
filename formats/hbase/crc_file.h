/* Hadoop's side files `.NAME.crc` of local and copied trees: "crc\0", i32 bytes per sum, a CRC-32 (seen), or CRC-32C, a
 * chunk. Source: ChecksumFileSystem. */
#ifndef FORMATS_HBASE_CRC_FILE_H
#define FORMATS_HBASE_CRC_FILE_H

#include "base/err.h"

#include <stdbool.h>

/* Checks path against its side file. 1 it is there and fits, 0 there is none, -1 error: ERR_INPUT names file and offset. */
int crc_file_check(const char *path, struct err *err);

#endif
