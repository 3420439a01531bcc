/* A log as a stream of entries. */
#ifndef FORMATS_WAL_WAL_STREAM_H
#define FORMATS_WAL_WAL_STREAM_H

#include "base/buf.h"
#include "base/err.h"
#include "formats/wal/wal.h"

struct instream;

/* `in` is borrowed. limit: 0 = 1 GiB. A log that ends inside its header is `empty`. */
int wal_open(struct wal_stream *s, struct instream *in, size_t limit, struct err *err);
/* The key of the next entry: 1, 0 = the end (s->end), -1. A log that ends inside an entry, or cannot be parsed, is ERR_INPUT that
 * names file and offset: nothing after it can be read. */
int wal_next(struct wal_stream *s, struct wal_entry *out, struct err *err);
/* Takes the cells of the entry, before the next entry: appends them to `out` as a plain log has them, each i32 length and
 * KeyValue with tags. out == NULL: passed by. On failure out is as it was. */
int wal_cells(struct wal_stream *s, const struct wal_entry *e, struct buf *out, struct err *err);
void wal_close(struct wal_stream *s);

#endif
