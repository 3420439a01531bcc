/* The end record of a zip, which says where its directory is. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_ZIP_H
#define FORMATS_ARCHIVE_ARCHIVE_ZIP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* The directory of a zip, as its end record has it: bytes UINT64_MAX = none is found, or it needs 64 bits. Members are counted
 * modulo 65,536, as some writers do; ZIP_MEMBERS_UNKNOWN = they need 64 bits. */
#define ZIP_MEMBERS_UNKNOWN UINT32_MAX
struct zip_directory {
    uint64_t bytes;
    uint32_t members;
    bool is_joined; /* other members stand before those that it lists, as where zips were joined */
};
struct zip_directory zip_directory_find(int fd, uint64_t size);
enum { ZIP_END_BYTES = 22 };
/* Returns whether the directory before this end record, which is at this offset of the archive, is that of a later one of
 * several zips. */
bool zip_end_is_joined(const uint8_t end[ZIP_END_BYTES], uint64_t at);
/* Sets the error that says so. Returns -1. */
int zip_refuse_joined(const char *path, struct err *err);

#endif
