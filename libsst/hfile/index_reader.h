/* Reads the data block index. */
#ifndef HFILE_INDEX_READER_H
#define HFILE_INDEX_READER_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "hfile/hfile.h"

struct hfile;
struct index_cursor;

/* One entry in root format from the head of *in. */
bool index_take_root_entry(struct bytes *in, struct hfile_index_entry *e);
/* Offset of the first data block that can hold cells of `row` or later. */
int index_seek(const struct hfile *h, struct bytes row, uint64_t *offset, struct err *err);
/* Opens a cursor over the index; NULL where index blocks cannot be read at all: ERR_UNSUPPORTED, or ERR_INPUT when the root is
 * damaged. */
struct index_cursor *index_cursor_open(const struct hfile *h, struct err *err);
/* 1 = *out, whose key is valid until the next call; 0 = end; -1 = error. After an error in an index block the next call continues
 * after that block; the root index is checked when the file is opened. */
int index_cursor_next(struct index_cursor *c, struct hfile_index_entry *out, struct err *err);
uint64_t index_cursor_plain_bytes(const struct index_cursor *c); /* payloads read so far */
void index_cursor_close(struct index_cursor *c);                 /* NULL is fine */

/* The middle of the data index, where HBase would split: a serialised key, empty when there are no cells or the index
 * cannot be read. */
int hfile_mid_key(const struct hfile *h, struct buf *key, struct err *err);

/* Walks all levels and verifies blocks and structure. visit returns 0 to continue; any other value ends the walk, which returns
 * it. visit may be NULL: then the index is only verified. */
int hfile_index_walk(const struct hfile *h, int (*visit)(void *arg, const struct hfile_index_entry *e, struct err *err),
                     void *arg, struct err *err);

#endif
