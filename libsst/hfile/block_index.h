/* The data block index of an open file. An entry of the root is in root format: i64 offset | i32 size on disk | vint length
 * | key. Leaf and intermediate blocks: i32 n | n + 1 offsets | entries (i64 offset | i32 size on disk | key). */
#ifndef HFILE_BLOCK_INDEX_H
#define HFILE_BLOCK_INDEX_H

#include "base/buf.h"
#include "base/err.h"
#include "hfile/block_writer.h"
#include "hfile/hfile.h"

struct hfile;
/* One entry in root format from the head of *in. */
bool index_take_root_entry(struct bytes *in, struct hfile_index_entry *e);
/* Offset of the first data block that can hold cells of `row` or later. */
int index_seek(const struct hfile *h, struct bytes row, uint64_t *offset, struct err *err);

/* The leaf level, entry by entry. */
struct index_cursor;
/* NULL where index blocks cannot be read at all: ERR_UNSUPPORTED, or ERR_INPUT when the root is damaged. */
struct index_cursor *index_cursor_open(const struct hfile *h, struct err *err);
/* 1 = *out, whose key is valid until the next call; 0 = end; -1 = error. After an error in an index block the next call continues
 * after that block; the root index is checked when the file is opened. */
int index_cursor_next(struct index_cursor *c, struct hfile_index_entry *out, struct err *err);
uint64_t index_cursor_plain_bytes(const struct index_cursor *c); /* payloads read so far */
void index_cursor_close(struct index_cursor *c);                 /* NULL is fine */

/* The data block index while it is written: entries collect in a leaf; full leaves go out between data blocks; at the
 * end the levels above are built. Policy and formats: HBase's HFileBlockIndex.BlockIndexWriter. */

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
#define INDEX_KEY_UNHELD UINT32_MAX

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

/* Root format of one entry, also used by the bloom meta blocks. */
int index_put_root_entry(struct buf *b, uint64_t offset, uint32_t disk_bytes, struct bytes key, struct err *err);

/* A data block was written. Writes a leaf when one is due. */
int index_writer_add(struct index_writer *x, struct block_writer *w, const struct block_place *data, struct err *err);
/* After the last data block: the last leaf, if there are leaves at all. */
int index_writer_close_leaf(struct index_writer *x, struct block_writer *w, struct err *err);
/* Intermediate levels and the root block. All blocks must have been written. */
int index_writer_finish(struct index_writer *x, struct block_writer *w, struct block_place *root, struct err *err);
void index_writer_free(struct index_writer *x);

#endif
