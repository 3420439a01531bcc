/* The data block index of an open file. An entry of the root stands in root format: i64 offset | i32 size on disk | vint length
 * | key. Leaf and intermediate blocks: i32 n | n + 1 offsets | entries (i64 offset | i32 size on disk | key). */
#ifndef HFILE_INDEX_READER_H
#define HFILE_INDEX_READER_H

#include "base/err.h"
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
/* 1 = *out, whose key is valid until the next call; 0 = end; -1 = error. After an error in an index block calling again goes on
 * behind that block; the root index is checked when the file is opened. */
int index_cursor_next(struct index_cursor *c, struct hfile_index_entry *out, struct err *err);
uint64_t index_cursor_plain_bytes(const struct index_cursor *c); /* payloads read so far */
void index_cursor_close(struct index_cursor *c);                 /* NULL is fine */

#endif
