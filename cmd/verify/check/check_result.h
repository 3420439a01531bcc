/* What a check of many files comes to. */
#ifndef CHECK_CHECK_RESULT_H
#define CHECK_CHECK_RESULT_H

#include "cell/keyvalue.h"

/* Per partition of a family, from the files (full) or the manifest (quick). */
struct check_partition {
    uint64_t cells, bytes, kv_bytes, rows;
    struct digest digest;
    uint32_t files;
};

struct check_result {
    struct check_partition *partitions; /* [family][partition]; NULL: not a dataset */
    uint64_t cells, file_bytes, kv_bytes, rows, blocks;
    uint64_t files, unread; /* unread: of them, files that could not be read */
    struct digest digest;
};

#endif
