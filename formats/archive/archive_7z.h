/* 7z archives say in their headers how much memory they want. libarchive takes them at their word: they are looked at before. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_7Z_H
#define FORMATS_ARCHIVE_ARCHIVE_7Z_H

#include "base/err.h"

#include <stddef.h>

/* fd is the archive, path its name. memory_bytes: most that dictionaries, and the directory, may take (0: 1 GiB).
 * ERR_LIMIT says how much is wanted; ERR_UNSUPPORTED: encrypted, or with filters or links whose memory cannot be foretold. */
int archive_7z_check(int fd, const char *path, size_t memory_bytes, struct err *err);

#endif
