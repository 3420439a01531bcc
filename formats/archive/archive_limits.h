/* What an archive may do to us. Archives are made by others: a small one may unpack to anything. */
#ifndef FORMATS_ARCHIVE_ARCHIVE_LIMITS_H
#define FORMATS_ARCHIVE_ARCHIVE_LIMITS_H

#include "base/err.h"

#include <stdint.h>

#define ARCHIVE_MEMBERS_DEFAULT UINT64_C(10000000)
#define ARCHIVE_BYTES_DEFAULT (UINT64_C(16) << 40) /* what positions in ranks can count (cell/cell.h) */
#define ARCHIVE_RATIO_DEFAULT UINT64_C(1000)
#define ARCHIVE_RATIO_FLOOR_BYTES (UINT64_C(1) << 30) /* a ratio is only asked for above */

struct archive_limits { /* 0: the default */
    uint64_t members;   /* entries of any kind, those of archives inside included */
    uint64_t bytes;     /* unpacked in all */
    uint64_t ratio;     /* unpacked to packed */
};

/* What was used up so far, shared by an archive and those inside it. */
struct archive_use {
    struct archive_limits limits;
    const char *path;
    uint64_t members;
    uint64_t packed_bytes, unpacked_bytes;
};

void archive_use_begin(struct archive_use *u, const struct archive_limits *limits, const char *path);
/* ERR_LIMIT names the flag. */
int archive_use_member(struct archive_use *u, struct err *err);
int archive_use_bytes(struct archive_use *u, uint64_t unpacked, struct err *err);

#endif
