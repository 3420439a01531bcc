/* An open HFile as the files of this room see it. Read-only once open. */
#ifndef HFILE_HFILE_STATE_H
#define HFILE_HFILE_STATE_H

#include "hfile/block.h"
#include "hfile/encoding.h"
#include "hfile/hfile.h"
#include "hfile/trailer.h"

enum { INDEX_LEVELS_MAX = 20 }; /* HBase stops at 16 */

struct hfile {
    struct block_source src;
    char *path;
    struct trailer trailer;
    uint64_t trailer_offset;
    char comparator[256];
    struct buf root, file_info;         /* payloads */
    struct bytes index_encoding;        /* INDEX_BLOCK_ENCODING: root and other index blocks cannot be read; empty: they can */
    struct buf first_key;               /* of the cells, if the index does not hold it */
    bool index_lost;                    /* the root index is damaged (hfile_open_damaged) */
    const struct hfile_lost_sink *lost; /* while opening; NULL: damage is an error */
    struct hfile_info info;
    struct cell_layout layout;
    const struct encoding *encoding;                      /* as file info names it; each block says its own */
    uint64_t bloom_meta_offset, delete_bloom_meta_offset; /* TRAILER_NO_OFFSET: none */
    uint32_t usual_block_bytes;                           /* what the first data block needs: for memory estimates */
    uint32_t decoded_factor;   /* about, for memory estimates: size of a data block without its encoding; 1 = has none */
    uint64_t open_plain_bytes; /* header + payload of meta index, file info and bloom meta: part of trailer field 4 */
};
static inline bool hfile_index_readable(const struct hfile *h) {
    return !h->index_encoding.n && !h->index_lost;
}

#endif
