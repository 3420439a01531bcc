/* Adds up the mob files of a family, for plans. */
#ifndef FORMATS_HBASE_MOB_SIZES_H
#define FORMATS_HBASE_MOB_SIZES_H

#include "base/err.h"
#include "formats/hbase/read_tree.h"

#include <stddef.h>
#include <stdint.h>

struct mob_sizes {
    uint64_t files, bytes; /* on disk */
    uint64_t kv_bytes;     /* of their KeyValues, as survey_kv_bytes says */
};

/* Adds the sizes of all files in the family's mob directories, also of those to which no cell refers any more. block_limit: as
 * hfile_open takes it. A file that cannot be opened counts with its bytes only: reading its values reports why. */
int mob_sizes_add(const struct store_files *s, uint32_t family, size_t block_limit, struct mob_sizes *sizes, struct err *err);

#endif
