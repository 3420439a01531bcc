/* The leaf level of the data index, entry by entry. */
#ifndef HFILE_INDEX_CURSOR_H
#define HFILE_INDEX_CURSOR_H

#include "hfile/index_block.h"

struct index_cursor;
/* NULL where index blocks cannot be read at all: ERR_UNSUPPORTED, or ERR_INPUT when the root is damaged. */
struct index_cursor *index_cursor_open(const struct hfile *h, struct err *err);
/* 1 = *out, whose key is valid until the next call; 0 = end; -1 = error. After an error in an index block calling again goes on
 * behind that block; the root index is checked when the file is opened. */
int index_cursor_next(struct index_cursor *c, struct hfile_index_entry *out, struct err *err);
uint64_t index_cursor_plain_bytes(const struct index_cursor *c); /* payloads read so far */
void index_cursor_close(struct index_cursor *c);                 /* NULL is fine */

#endif
