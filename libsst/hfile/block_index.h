/* The data block index of an open file. An entry of the root is in root format: i64 offset | i32 size on disk | vint length
 * | key. Leaf and intermediate blocks: i32 n | n + 1 offsets | entries (i64 offset | i32 size on disk | key). */
#ifndef HFILE_BLOCK_INDEX_H
#define HFILE_BLOCK_INDEX_H

#include "base/buf.h"

/* Entries of one block-to-be. */
struct index_chunk {
    struct buf entries; /* i64 offset | i32 disk bytes | key, one after the other */
    struct buf ends;    /* u32 big-endian: end of each entry inside `entries` */
    uint32_t n;
    uint64_t root_bytes; /* size in root format */
};

/* An entry above the leaves. Its key begins a leaf, so it need not be kept. */
struct index_ref {
    uint64_t offset, leaf_offset;
    uint64_t data_blocks; /* up to and including that leaf; of the lowest level only */
    uint32_t disk_bytes, key_n;
    uint32_t shared; /* bytes of the key that are those of the one before */
    uint32_t key_at; /* of the others in keys; INDEX_KEY_UNHELD: the key is read back from the leaf */
};

struct index_level {
    struct index_ref *refs;
    size_t n, room;
    struct buf keys;
    struct buf last;     /* key */
    uint64_t root_bytes; /* size in root format */
};

struct index_writer {
    struct index_chunk leaf, next; /* next: the block under construction above the leaves */
    struct index_level level;      /* the highest so far; empty while there is only one leaf */
    struct buf scratch;
    uint32_t chunk_bytes, min_entries;
    unsigned levels;
    uint32_t root_entries; /* in the end */
    uint64_t entries;      /* data blocks */
    uint64_t plain_bytes;  /* payload bytes of all index blocks written: trailer field 3 */
    uint64_t leaf_plain_bytes, leaf_blocks;
};

#endif
